//! The history of records, with the values that their fields had before a write and after it.

mod many;
mod simultaneous;

use super::*;

/// The entries of a history, the newest first, of which every page but the last one has two.
fn entries(service: &Service, resource: &str, path: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut page = format!("{path}/history?_per_page=2");
    loop {
        let answer = service.data("GET", resource, &page).expect(200).json();
        let results = answer["results"].as_array().expect("results").clone();
        assert_eq!(
            (&answer["count"], &answer["per_page"]),
            (&Value::Null, &json!(2))
        );
        assert_eq!(answer["has_more"], json!(!answer["next"].is_null()));
        all.extend(results);
        let Some(next) = answer["next"].as_str() else {
            return all;
        };
        let (_, query) = next.split_once('?').expect("a query");
        page = format!("{path}/history?{query}");
    }
}

/// What each entry did, and to which values.
fn changes(service: &Service, resource: &str, path: &str) -> Vec<(String, Value)> {
    let entries = entries(service, resource, path);
    let entry = |entry: &Value| (text(entry, "action").to_owned(), entry["changes"].clone());
    entries.iter().map(entry).collect()
}

/// A service with one table in an SQLite database, and further options.
fn service(folder: &TempDir, script: &str, options: &[&str]) -> Service {
    let database = Connection::open(folder.path().join("h.db")).unwrap();
    database.execute_batch(script).unwrap();
    drop(database);
    let all = [&["serve", "--connect", "h=sqlite:h.db"], options].concat();
    Service::start(folder.path(), &all)
}

#[test]
fn a_record_has_a_history_of_who_changed_what_and_when() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let data = |method: &str, path: &str| service.data(method, resource, path);
        let create = data("POST", "/models/t").json(&json!({"name": "a", "note": "x"}));
        let id = create.expect(201).json()["id"].clone();
        let path = format!("/models/t/{id}");
        let write = |method: &str, path: &str, body: Value, status: u16| {
            data(method, path).json(&body).expect(status);
        };
        write("PATCH", &path, json!({"note": "y", "amount": 1}), 200);
        // With a view of the answer, which is not what is kept.
        write(
            "PATCH",
            &format!("{path}?_fields=id&tz=%2B02:00"),
            json!({"note": null}),
            200,
        );
        write("PATCH", &path, json!({}), 200);
        write("PUT", &path, json!({"name": "b"}), 200);
        write(
            "POST",
            "/models/t?_on_conflict=name",
            json!({"name": "b", "amount": 5}),
            200,
        );
        write("PATCH", "/models/t?name=b", json!({"amount": 6}), 200);
        write("PATCH", "/models/t?name=b", json!({}), 200);
        // What is refused is no change.
        write("PATCH", &path, json!({"amount": "many"}), 400);
        data("DELETE", &path).expect(204);

        let field = |old: Value, new: Value| json!({"old": old, "new": new});
        let whole = |amount: i32, name: &str, note: Value, side: &str| {
            let value = |value: Value| json!({side: value});
            json!({"id": value(id.clone()), "name": value(name.into()), "note": value(note), "amount": value(amount.into())})
        };
        let expected = [
            ("records.delete", whole(6, "b", Value::Null, "old")),
            ("records.update_all", json!({})),
            (
                "records.update_all",
                json!({"amount": field(json!(5), json!(6))}),
            ),
            (
                "records.update",
                json!({"amount": field(json!(1), json!(5))}),
            ),
            (
                "records.replace",
                json!({"name": field("a".into(), "b".into())}),
            ),
            ("records.update", json!({})),
            (
                "records.update",
                json!({"note": field("y".into(), Value::Null)}),
            ),
            (
                "records.update",
                json!({"note": field("x".into(), "y".into())}),
            ),
            ("records.create", whole(1, "a", "x".into(), "new")),
        ];
        let expected = expected.map(|(action, changes)| (action.to_owned(), changes));
        assert_eq!(changes(service, resource, &path), expected, "{resource}");

        let token = service.text(&format!("/resources/{resource}/token"));
        let all = entries(service, resource, &path);
        for entry in &all {
            assert_eq!(text(&entry["actor"], "kind"), "static_token");
            assert_eq!(text(&entry["actor"], "label"), &token[..11]);
            assert_eq!(text(&entry["actor"], "uid").len(), 36);
            assert!(text(entry, "time").starts_with("20"), "{entry}");
        }
        let times: Vec<&str> = all.iter().map(|entry| text(entry, "time")).collect();
        assert!(
            times.is_sorted_by(|newer, older| newer >= older),
            "{times:?}"
        );

        // One that there never was.
        data("GET", "/models/t/999999/history").expect(404);
        data("GET", "/models/nothing/1/history").expect(404);
        for wrong in ["?_after=x", "?_per_page=0", "?page=2", "?_order_by=time"] {
            data("GET", &format!("{path}/history{wrong}")).expect(400);
        }
        data("DELETE", &format!("{path}/history")).expect(405);
        service
            .data_anonymous("GET", resource, &format!("{path}/history"))
            .expect(401);
    }
}

#[test]
fn an_upsert_keeps_what_it_did_however_its_answer_is_shown() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let upsert = |query: &str, body: Value, status: u16| {
            let path = format!("/models/t?_on_conflict={query}");
            let call = service.data("POST", resource, &path);
            call.json(&body).expect(status).json()
        };
        let made = upsert("name", json!({"name": "a", "note": "é\"\n"}), 201);
        let id = &made["id"];
        upsert("name&_fields=id", json!({"name": "a", "note": "x"}), 200);
        // Nothing but the unique value, and values that are there already.
        upsert("name", json!({"name": "a"}), 200);
        upsert("name", json!({"name": "a", "note": "x"}), 200);
        upsert(
            "name&_fields=amount",
            json!({"name": "a", "note": null, "amount": 2}),
            200,
        );
        upsert("id", json!({"id": id, "name": "b"}), 200);
        upsert("id", json!({"id": id, "amount": "many"}), 400);

        let path = format!("/models/t/{id}");
        let expected = [
            ("update", json!({"name": {"old": "a", "new": "b"}})),
            (
                "update",
                json!({"note": {"old": "x", "new": null}, "amount": {"old": 1, "new": 2}}),
            ),
            ("update", json!({})),
            ("update", json!({})),
            ("update", json!({"note": {"old": "é\"\n", "new": "x"}})),
            (
                "create",
                json!({
                    "id": {"new": id}, "name": {"new": "a"}, "note": {"new": "é\"\n"}, "amount": {"new": 1}
                }),
            ),
        ];
        let expected = expected.map(|(action, changes)| (format!("records.{action}"), changes));
        assert_eq!(changes(service, resource, &path), expected, "{resource}");
    }
}

#[test]
fn values_are_read_back_exactly_as_they_were_shown() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("s.db"))
        .unwrap()
        .execute_batch(
            "CREATE TABLE v (id INTEGER PRIMARY KEY, big BIGINT, exact DECIMAL(30,10), doc JSON, bytes BLOB, at TIMESTAMP, price REAL)",
        )
        .unwrap();
    let postgres = PostgresServer::shared().database(
        "CREATE TABLE v (id BIGINT PRIMARY KEY, big BIGINT, exact NUMERIC(30,10), doc JSONB, bytes BYTEA, at TIMESTAMP(6), price DOUBLE PRECISION)",
    );
    let mariadb = MariadbServer::shared().database(
        "CREATE TABLE v (id BIGINT PRIMARY KEY, big BIGINT, exact DECIMAL(30,10), doc JSON, bytes VARBINARY(100), at DATETIME(6), price DOUBLE)",
    );
    let (postgres, mariadb) = (format!("p={postgres}"), format!("m={mariadb}"));
    let service = serve(&folder, &["s=sqlite:s.db", &postgres, &mariadb]);
    let first = r#"{"id": 1, "big": 9223372036854775807, "exact": "EXACT",
        "doc": {"a": [1, 2.5, null, "é\u2028\"\\"], "b": {}}, "bytes": "00ff10", "at": "2026-02-28T23:59:59.123456Z", "price": 0.1}"#;
    let second = r#"{"big": -9223372036854775808, "exact": "-0.0000000001", "doc": [], "bytes": "", "at": null, "price": 1e300}"#;
    for resource in RESOURCES {
        let send = |method: &str, path: &str, body: &str| {
            let call = service
                .data(method, resource, path)
                .header("content-type", "application/json");
            call.body(body.to_owned()).send()
        };
        // SQLite keeps 15 digits of a decimal.
        let exact = match resource {
            "s" => "1234567890.0123",
            _ => "12345678901234567890.0123456789",
        };
        let made = send("POST", "/models/v", &first.replace("EXACT", exact));
        assert_eq!(made.status, 201, "{}", made.body);
        // In another time zone, which is not that of the history.
        let shown = service.data("GET", resource, "/models/v/1").expect(200);
        let updated = send("PATCH", "/models/v/1?tz=America/New_York", second);
        assert_eq!(updated.status, 200, "{}", updated.body);
        let shown_then = service.data("GET", resource, "/models/v/1").expect(200);
        let history = service
            .data("GET", resource, "/models/v/1/history")
            .expect(200);
        let [update, create] = history.json()["results"]
            .as_array()
            .unwrap()
            .clone()
            .try_into()
            .unwrap();
        // Byte for byte: a parsed number may have lost digits.
        let raw = |record: &str, field: &str| {
            let record: HashMap<String, Box<serde_json::value::RawValue>> =
                serde_json::from_str(record).unwrap();
            record[field].get().to_owned()
        };
        for (field, value) in create["changes"].as_object().unwrap() {
            let value_then = &update["changes"][field];
            assert_eq!(
                *value,
                json!({"new": shown.json()[field]}),
                "{resource} {field}"
            );
            let (old, new) = (raw(&shown.body, field), raw(&shown_then.body, field));
            assert!(
                history
                    .body
                    .contains(&format!("\"{field}\":{{\"new\":{old}}}")),
                "{resource} {field} {old}"
            );
            match field.as_str() {
                "id" => assert!(value_then.is_null()),
                _ => {
                    let change = format!("\"{field}\":{{\"old\":{old},\"new\":{new}}}");
                    assert!(
                        history.body.contains(&change),
                        "{resource} {change}: {}",
                        history.body
                    );
                }
            }
        }
        assert_eq!(create["changes"].as_object().unwrap().len(), 7);
    }
}

#[test]
fn a_long_value_is_kept_as_its_beginning_with_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, doc JSON)";
    let service = service(&folder, script, &["--audit-value-limit=10"]);
    let body = json!({"id": 1, "a": "x".repeat(100_000), "doc": {"b": "0123456789"}});
    service
        .data("POST", "h", "/models/t")
        .json(&body)
        .expect(201);
    let body = json!({"a": "x".repeat(100_001)});
    service
        .data("PATCH", "h", "/models/t/1")
        .json(&body)
        .expect(200);
    let begin = "x".repeat(10);
    assert_eq!(
        changes(&service, "h", "/models/t/1"),
        [
            (
                "records.update".to_owned(),
                json!({"a": {"old": begin, "new": begin, "cut": {"old": 100_000, "new": 100_001}}})
            ),
            (
                "records.create".to_owned(),
                json!({
                    "id": {"new": 1},
                    "a": {"new": begin, "cut": {"new": 100_000}},
                    "doc": {"new": "{\"b\":\"0123", "cut": {"new": 18}},
                })
            ),
        ]
    );
    // What is kept has a bound, whatever is written.
    drop(service);
    if svc_tests::stores_are_on_server() {
        return;
    }
    let store = std::fs::metadata(folder.path().join("svc-data/store.db"))
        .unwrap()
        .len();
    assert!(store < 1_000_000, "{store}");
}

#[test]
fn values_are_kept_of_those_resources_that_are_named() {
    if svc_tests::stores_are_on_server() {
        // It is about the file of the store.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)";
    let kept = |option: &str| {
        let folder = tempfile::tempdir().unwrap();
        let service = service(&folder, script, &[option]);
        service
            .data("POST", "h", "/models/t")
            .json(&json!({"id": 1, "a": CONTENT}))
            .expect(201);
        let bulk = service.data("POST", "h", "/models/t/bulk_create");
        bulk.json(&json!([{"id": 2, "a": CONTENT}, {"id": 3}]))
            .expect(200);
        let update = service.data("PATCH", "h", "/models/t?_all=1");
        update.json(&json!({"a": "y"})).expect(200);
        let kept = [1, 2].map(|id| changes(&service, "h", &format!("/models/t/{id}")));
        drop(service);
        let bytes = ["svc-data/store.db", "svc-data/store.db-wal"]
            .map(|file| std::fs::read(folder.path().join(file)).unwrap_or_default());
        let content = CONTENT.as_bytes();
        let is_stored = bytes
            .iter()
            .any(|bytes| bytes.windows(content.len()).any(|it| it == content));
        let entries = kept.concat();
        assert_eq!(entries.len(), 4);
        assert!(
            entries
                .iter()
                .all(|(_, changes)| changes.is_null() != is_stored),
            "{entries:?}"
        );
        is_stored
    };
    for (option, expected) in [
        ("--audit-values=on", true),
        ("--audit-values=off", false),
        ("--audit-values=other,h", true),
        ("--audit-values=other", false),
    ] {
        assert_eq!(kept(option), expected, "{option}");
    }
    let refused = Program::new(folder.path(), &["serve", "--audit-values=a,,b"]).run_err();
    assert!(refused.1.contains("names of resources"), "{}", refused.1);
}

#[test]
fn who_may_not_read_a_record_gets_no_history_of_it() {
    let home = crate::people::Home::new();
    let set = |team: &str, rights: &str, on: &[&str]| {
        let rule = [
            "rights",
            "set",
            team,
            "--rights",
            rights,
            "--project",
            "main",
        ];
        home.run(&[&rule[..], on].concat());
    };
    set(
        "Editor",
        "write,delete",
        &["--resource=shop", "--model=customers"],
    );
    set("Read Only", "none", &[]);
    let editor = home.member("editor@example.com", "Editor");
    let reader = home.member("reader@example.com", "Read Only");
    let get = |session: &crate::people::Session, path: &str| {
        let call = home.call("GET", path).authorization(&session.header());
        let answer = call.send();
        (answer.status.as_u16(), answer.body)
    };
    for (session, model) in [
        (&editor, "customers"),
        (&reader, "customers"),
        (&reader, "ghosts"),
    ] {
        let record = get(session, &format!("shop/models/{model}/1"));
        assert_eq!(record.0, 403);
        assert_eq!(
            get(session, &format!("shop/models/{model}/1/history")),
            record
        );
    }
    assert_eq!(get(&editor, "shop/models/orders/1/history").0, 200);
    assert_eq!(get(&editor, "shop/models/orders/999999/history").0, 404);
}

#[test]
fn the_program_shows_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)";
    let service = service(&folder, script, &[]);
    for number in 0..30 {
        let body = json!({"id": 1, "a": number.to_string()});
        let upsert = service.data("POST", "h", "/models/t?_on_conflict=id");
        upsert.json(&body).send();
    }
    let shown = |more: &[&str]| {
        let history = ["records", "history", "h", "t", "1", "--format=json"];
        let program = Program::new(folder.path(), &[&history, more].concat())
            .env("SVC_API_BASE_URL", service.text("/base_url"))
            .env("SVC_PROJECT", service.text("/project"))
            .env("SVC_API_TOKEN", service.text("/resources/h/token"));
        program.run_json().as_array().unwrap().clone()
    };
    assert_eq!(shown(&[]).len(), 25);
    assert_eq!(
        shown(&["--per-page=2"])[0]["changes"]["a"],
        json!({"old": "28", "new": "29"})
    );
    assert_eq!(shown(&["--all"]).len(), 30);
}
