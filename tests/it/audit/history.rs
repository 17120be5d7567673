//! The history of records, with the values that their fields had before a write and after it.

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
fn writes_to_many_records_keep_what_they_did_to_each() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let data = |method: &str, path: &str| service.data(method, resource, path);
        let records =
            json!([{"name": "a"}, {"name": "b"}, {"name": "a"}, {"name": "c", "note": "x"}]);
        let made = data("POST", "/models/t/bulk_create")
            .json(&records)
            .expect(200)
            .json();
        let id = |index: usize| made[index]["record"]["id"].clone();
        let upserts =
            json!([{"name": "a", "amount": 7}, {"name": "d"}, {"name": "b", "amount": 7}]);
        let upsert = data("POST", "/models/t/bulk_create?_on_conflict=name");
        let made_too = upsert.json(&upserts).expect(200).json();
        let update = data("PATCH", "/models/t?name__in=a,c").json(&json!({"note": "y"}));
        update.expect(200);
        data("DELETE", "/models/t?name__in=a,b,c").expect(200);

        let new = |id: Value, name: &str, note: Value, amount: i32| {
            json!({
                "id": {"new": id}, "name": {"new": name}, "note": {"new": note}, "amount": {"new": amount}
            })
        };
        let old = |id: Value, name: &str, note: Value, amount: i32| {
            json!({
                "id": {"old": id}, "name": {"old": name}, "note": {"old": note}, "amount": {"old": amount}
            })
        };
        let history = |id: Value| changes(service, resource, &format!("/models/t/{id}"));
        let expected = |entries: Vec<(&str, Value)>| -> Vec<(String, Value)> {
            entries
                .into_iter()
                .map(|(action, changes)| (format!("records.{action}"), changes))
                .collect()
        };
        let null = Value::Null;
        assert_eq!(
            history(id(0)),
            expected(vec![
                ("delete_all", old(id(0), "a", "y".into(), 7)),
                ("update_all", json!({"note": {"old": null, "new": "y"}})),
                ("update_all", json!({"amount": {"old": 1, "new": 7}})),
                ("bulk_create", new(id(0), "a", null.clone(), 1)),
            ]),
            "{resource}"
        );
        assert_eq!(
            history(id(3)),
            expected(vec![
                ("delete_all", old(id(3), "c", "y".into(), 1)),
                ("update_all", json!({"note": {"old": "x", "new": "y"}})),
                ("bulk_create", new(id(3), "c", "x".into(), 1)),
            ]),
            "{resource}"
        );
        let alone = made_too[1]["record"]["id"].clone();
        let created = expected(vec![("bulk_create", new(alone.clone(), "d", null, 1))]);
        assert_eq!(history(alone), created, "{resource}");

        // The rows of an import have their creation, and no values.
        let import = data("POST", "/models/t/imports").header("content-type", "text/csv");
        let begun = import.body("name\nrow1\nrow2\n").expect(202).json();
        let import = format!("/models/t/imports/{}", text(&begun, "uid"));
        wait_until("the rows were read", || {
            data("GET", &import).expect(200).json()["state"] == "done"
        });
        let row = data("GET", "/models/t?name=row2").expect(200).json()["results"][0]["id"].clone();
        assert_eq!(
            history(row),
            expected(vec![("bulk_create", Value::Null)]),
            "{resource}"
        );
    }
}

#[test]
fn what_a_line_says_of_each_of_its_records_is_told_page_by_page() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let data = |method: &str, path: &str| service.data(method, resource, path);
        let history = |model: &str, query: &str| {
            let models = format!("/projects/main/prod/resources/{resource}/models");
            format!("{models}/{model}/history/{query}")
        };
        let told = |query: &str| service.app("GET", &history("t", query)).expect(200).json();
        let records: Vec<Value> = (1..=5)
            .map(|amount| json!({"name": format!("n{amount}"), "amount": amount}))
            .collect();
        let made = data("POST", "/models/t/bulk_create").json(&json!(records));
        let made = made.header("x-request-id", "made").expect(200).json();
        let keys: Vec<String> = (0..5)
            .map(|index| made[index]["record"]["id"].to_string())
            .collect();
        let change = |path: &str, amount: i32, id: &str| {
            let call = data("PATCH", path).json(&json!({"amount": amount}));
            call.header("x-request-id", id).expect(200);
        };
        change("/models/t?name__startswith=n", 9, "twice");
        change("/models/t?name__in=n1,n2,n3", 10, "changed");
        change("/models/t?name=n1", 11, "one");

        // Three records on pages of two, each with what was done to it, found by the request and by the line.
        let uid = text(&told("?request_id=changed")["results"][0], "line").to_owned();
        for named in ["request_id=changed", &format!("line={uid}")] {
            let first = told(&format!("?{named}&_per_page=2"));
            assert_eq!(
                (&first["has_more"], &first["count"]),
                (&json!(true), &json!(3))
            );
            let (_, next) = text(&first, "next").split_once('?').unwrap();
            let second = told(&format!("?{next}"));
            assert_eq!(
                (&second["has_more"], &second["next"], &second["count"]),
                (&json!(false), &Value::Null, &json!(3))
            );
            let pages = [&first, &second].map(|page| page["results"].as_array().unwrap().clone());
            let entries = pages.concat();
            for entry in &entries {
                assert_eq!(text(entry, "action"), "records.update_all");
                assert_eq!(text(entry, "line"), uid);
                assert_eq!(entry["actor"]["kind"], "static_token");
                let changes = json!({"amount": {"old": 9, "new": 10}});
                assert_eq!(entry["changes"], changes, "{resource}");
            }
            let mut told: Vec<&str> = entries.iter().map(|entry| text(entry, "record")).collect();
            told.sort_unstable();
            let mut changed: Vec<&str> = keys[..3].iter().map(String::as_str).collect();
            changed.sort_unstable();
            assert_eq!(told, changed, "{resource}");
        }

        // A line of a filter that met one record, one of many that were made, and one about one record alone.
        let one = told("?request_id=one");
        assert_eq!(
            (&one["results"][0]["record"], &one["count"]),
            (&json!(keys[0]), &json!(1))
        );
        let created = told("?request_id=made");
        let amounts = created["results"].as_array().unwrap().iter();
        let mut amounts: Vec<&Value> = amounts.map(|it| &it["changes"]["amount"]["new"]).collect();
        amounts.sort_unstable_by_key(|amount| amount.as_i64());
        assert_eq!(amounts, [1, 2, 3, 4, 5]);
        let alone = data("PATCH", &format!("/models/t/{}", keys[3])).json(&json!({"amount": 12}));
        alone.header("x-request-id", "alone").expect(200);
        assert_eq!(told("?request_id=alone")["count"], Value::Null);
        let trail = service
            .app("GET", "/projects/main/audit/?request_id=alone")
            .expect(200)
            .json();
        let alone = text(&trail["results"][0], "uid");
        let alone = told(&format!("?line={alone}"));
        assert_eq!(alone["count"], json!(1));
        assert_eq!(alone["results"][0]["record"], json!(keys[3]));
        assert_eq!(
            alone["results"][0]["changes"],
            json!({"amount": {"old": 9, "new": 12}})
        );

        // Of an ID that came twice it is the newest line; the older one is found by itself.
        let older = told("?request_id=twice");
        change("/models/t?name=n5", 1, "twice");
        let newest = told("?request_id=twice");
        assert_eq!(newest["count"], json!(1));
        assert_eq!(
            newest["results"][0]["changes"],
            json!({"amount": {"old": 9, "new": 1}})
        );
        let older = told(&format!("?line={}", text(&older["results"][0], "line")));
        assert_eq!(older["count"], json!(5));

        // Of a request that nobody made, a line that nobody wrote, and one about another model.
        let nobody = "?line=0190163d-8694-739b-aea5-966c26f8ad90";
        let nothing = [told("?request_id=nobody"), told(nobody)];
        let other = ["?request_id=changed".to_owned(), format!("?line={uid}")].map(|query| {
            service
                .app("GET", &history("pairs", &query))
                .expect(200)
                .json()
        });
        for nothing in nothing.iter().chain(&other) {
            assert_eq!(nothing["results"], json!([]));
        }
        for (wrong, field) in [
            ("", "line"),
            ("?request_id=", "line"),
            ("?line=", "line"),
            ("?line=mine", "line"),
            (&format!("?line={uid}&request_id=changed"), "line"),
            (&format!("?line={uid}&line={uid}"), "line"),
            ("?request_id=x&_order_by=id", "non_field_errors"),
            ("?request_id=x&_after=y", "_after"),
            (
                "?request_id=x&_after=0190163d8694739baea5966c26f8ad90~2",
                "_after",
            ),
            // A cursor of another line.
            (
                &format!("{nobody}&_after={}~1", uid.replace('-', "")),
                "_after",
            ),
        ] {
            let refused = service.app("GET", &history("t", wrong)).expect(400).json();
            assert!(refused[field].is_array(), "{wrong}: {refused}");
        }
        let token = service.text(&format!("/resources/{resource}/token"));
        let anyone = |model| service.app_anonymous("GET", &history(model, "?request_id=one"));
        anyone("t").authorization(token).expect(200);
        anyone("t").expect(401);
    }
}

#[test]
fn more_records_than_values_are_kept_of_have_their_changes_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1001)
        INSERT INTO t SELECT n, 'x' FROM n";
    let service = service(&folder, script, &[]);
    let update = |filter: &str| {
        let path = format!("/models/t?{filter}");
        service
            .data("PATCH", "h", &path)
            .json(&json!({"a": filter}))
            .expect(200);
    };
    update("_all=1");
    update("id__gt=1");
    assert_eq!(
        changes(&service, "h", "/models/t/1001"),
        [
            (
                "records.update_all".to_owned(),
                json!({"a": {"old": "_all=1", "new": "id__gt=1"}})
            ),
            ("records.update_all".to_owned(), Value::Null),
        ]
    );
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
fn simultaneous_changes_of_a_record_make_one_chain_of_values() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let create = service.data("POST", resource, "/models/t");
        let made = create
            .json(&json!({"name": "start", "note": "0"}))
            .expect(201);
        let path = format!("/models/t/{}", made.json()["id"]);
        thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..15 {
                        let body = json!({"note": format!("{writer} {number}")});
                        // With other code for one of the writers.
                        let (method, path, body) = match writer {
                            0 => ("PATCH", "/models/t?name=start".to_owned(), body),
                            1 => (
                                "PUT",
                                path.clone(),
                                json!({"name": "start", "note": body["note"]}),
                            ),
                            2 => (
                                "POST",
                                "/models/t?_on_conflict=name".to_owned(),
                                json!({"name": "start", "note": body["note"]}),
                            ),
                            _ => ("PATCH", path.clone(), body),
                        };
                        let call = service.data(method, resource, &path);
                        call.json(&body).expect(200);
                    }
                });
            }
        });
        let history = entries(service, resource, &path);
        assert_eq!(history.len(), 61);
        let uids: BTreeSet<String> = history.iter().map(ToString::to_string).collect();
        assert_eq!(uids.len(), 61, "no entry comes twice");
        // Each change begins with the value that another one left.
        let mut chain: HashMap<String, String> = HashMap::new();
        for entry in history
            .iter()
            .filter(|entry| entry["action"] != "records.create")
        {
            let change = &entry["changes"]["note"];
            let other = chain.insert(
                text(change, "old").to_owned(),
                text(change, "new").to_owned(),
            );
            assert_eq!(other, None, "{resource}: two changes of the same value");
        }
        let mut at = "0".to_owned();
        for _ in 0..60 {
            at = chain[&at].clone();
        }
        let record = service.data("GET", resource, &path).expect(200).json();
        assert_eq!(text(&record, "note"), at, "{resource}");
    }
}

#[test]
fn the_order_of_simultaneous_changes_of_single_records_is_that_of_the_database() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let create = service.data("POST", resource, "/models/t");
        let made = create
            .json(&json!({"name": "start", "amount": 0}))
            .expect(201);
        let path = format!("/models/t/{}", made.json()["id"]);
        thread::scope(|scope| {
            for writer in 0..6 {
                let path = &path;
                scope.spawn(move || {
                    for number in 1..=20 {
                        let body = json!({"amount": writer * 100 + number});
                        service
                            .data("PATCH", resource, path)
                            .json(&body)
                            .expect(200);
                    }
                });
            }
        });
        let history = entries(service, resource, &path);
        assert_eq!(history.len(), 121);
        let (create, updates) = history.split_last().unwrap();
        assert_eq!(create["changes"]["amount"]["new"], 0);
        let breaks = updates.windows(2).filter(|pair| {
            pair[0]["changes"]["amount"]["old"] != pair[1]["changes"]["amount"]["new"]
        });
        assert_eq!(breaks.count(), 0, "{resource}");
    }
}

#[test]
fn a_killed_service_keeps_the_history_of_acknowledged_writes() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)";
    let service = service(&folder, script, &[]);
    let (stop, done) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let _end = End(&stop);
        let (service, stop, done) = (&service, &stop, &done);
        for writer in 0..6 {
            scope.spawn(move || {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    number += 1;
                    // Of all lengths: those of one slot of the journal, of several, and of too many.
                    let length = [10, 900, 4_000, 100_000][number % 4];
                    let value = format!("{writer} {number} {}", "x".repeat(length));
                    let call = service
                        .data("POST", "h", "/models/t")
                        .json(&json!({"a": value}));
                    if let Ok(answer) = call.try_send()
                        && answer.status == 201
                    {
                        done.lock()
                            .unwrap()
                            .push((answer.json()["id"].clone(), value));
                    }
                }
            });
        }
        wait_until("a good many writes were acknowledged", || {
            done.lock().unwrap().len() > 200
        });
        service.signal("KILL");
    });
    let service = Service::start(folder.path(), &["serve", "--connect", "h=sqlite:h.db"]);
    let token = ["token", "add", "h", "--project", "main", "--json"];
    let token = Program::new(folder.path(), &token).run_json();
    for (id, value) in done.into_inner().unwrap() {
        let path = format!("/models/t/{id}/history");
        let history = service.data_anonymous("GET", "h", &path);
        let history = history.authorization(text(&token, "token"));
        let history = history.expect(200).json();
        let [entry] = history["results"].as_array().unwrap().as_slice() else {
            panic!("{id}: {history}");
        };
        assert_eq!(entry["outcome"], Value::Null, "{id}");
        let kept = text(&entry["changes"]["a"], "new");
        assert_eq!(kept, &value[..value.len().min(4_096)], "{id}");
    }
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
