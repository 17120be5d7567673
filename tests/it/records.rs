//! Records over HTTP: reading and writing, in the JSON of the contract (wire contract, section 4).

use serde_json::{Value, json};
use svc_tests::{Call, Service};
use tempfile::TempDir;

use crate::shared::serve;

const SCHEMA: &str = "
    CREATE TABLE countries(code TEXT PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO countries VALUES('DE', 'Germany'), ('FR', 'France');
    CREATE TABLE people(
        id INTEGER PRIMARY KEY,
        name VARCHAR(20) NOT NULL,
        email TEXT UNIQUE,
        country TEXT REFERENCES countries(code),
        age INTEGER CHECK(age >= 0),
        score REAL,
        balance DECIMAL(12,2),
        active BOOLEAN NOT NULL DEFAULT 1,
        born DATE,
        wakes TIME,
        seen DATETIME,
        settings JSON,
        photo BLOB,
        big BIGINT,
        name_length INTEGER GENERATED ALWAYS AS (length(name)) VIRTUAL
    );
    INSERT INTO people(id, name, email, country, age, balance, seen) VALUES
        (1, 'Ada', 'ada@example.com', 'DE', 36, 10.5, '2024-03-01 12:00:00'),
        (2, 'Bob', 'bob@example.com', 'FR', NULL, 0, NULL),
        (3, '100%_real\\', NULL, 'DE', 7, -3.25, '2024-03-02 00:30:00'),
        (4, 'ÄRGER', NULL, NULL, 70, NULL, '2024-12-31 23:59:59');
    CREATE TABLE parts(a TEXT, b INTEGER, note TEXT, PRIMARY KEY(a, b)) WITHOUT ROWID;
    INSERT INTO parts VALUES('x,y', 1, 'comma'), ('x', 2, 'plain');
    CREATE VIEW adults AS SELECT id, name, age FROM people WHERE age >= 18;
";

struct Records {
    service: Service,
    _folder: TempDir,
}

impl Records {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(folder.path().join("r.db")).unwrap();
        database.execute_batch(SCHEMA).unwrap();
        Self {
            service: serve(&folder, &["r=sqlite:r.db"]),
            _folder: folder,
        }
    }

    fn call(&self, method: &str, path: &str) -> Call {
        self.service.data(method, "r", &format!("/models/{path}"))
    }

    /// The ids of the people that a query finds, in its order.
    fn ids(&self, query: &[(&str, &str)]) -> Vec<i64> {
        let page = self.call("GET", "people").query(query).ok();
        page["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|person| person["id"].as_i64().unwrap())
            .collect()
    }
}

#[test]
fn a_record_is_created_read_changed_and_deleted() {
    let records = Records::new();
    let sent = json!({
        "name": "Émile", "email": "e@example.com", "country": "FR", "age": 44, "score": 1.5,
        "balance": "1234567890.10", "active": false, "born": "1980-02-29", "wakes": "06:30:00",
        "seen": "2024-05-01T10:00:00+02:00", "settings": {"a": [1, 2.50, null]}, "photo": "00ff10",
        "big": 9_007_199_254_740_993_i64,
    });
    let made = records
        .call("POST", "people")
        .json(&sent)
        .expect(201)
        .json();
    assert_eq!(made["name_length"], 5);
    assert_eq!(made["balance"], "1234567890.10");
    assert_eq!(made["active"], false);
    assert_eq!(made["born"], "1980-02-29");
    assert_eq!(made["wakes"], "06:30:00");
    assert_eq!(made["settings"], json!({"a": [1, 2.50, null]}));
    assert_eq!(made["photo"], "00ff10");
    assert_eq!(made["big"], 9_007_199_254_740_993_i64);
    assert!(
        made["seen"]
            .as_str()
            .unwrap()
            .starts_with("2024-05-01T08:00:00"),
        "{}",
        made["seen"]
    );
    let path = format!("people/{}", made["id"]);
    assert_eq!(records.call("GET", &path).ok(), made);
    assert_eq!(records.call("GET", &format!("{path}/")).ok(), made);

    let updated = records.call("PATCH", &path).json(&json!({"age": 45})).ok();
    assert_eq!(
        (&updated["age"], &updated["name"]),
        (&json!(45), &json!("Émile"))
    );
    let replaced = records
        .call("PUT", &path)
        .json(&json!({"name": "New"}))
        .ok();
    assert_eq!(
        (&replaced["name"], &replaced["age"], &replaced["active"]),
        (&json!("New"), &Value::Null, &json!(true))
    );
    let answer = records
        .call("PUT", &path)
        .json(&json!({"age": 1}))
        .expect(400)
        .json();
    assert_eq!(answer["name"][0], "this field is required");

    assert_eq!(records.call("DELETE", &path).expect(204).body, "");
    records.call("GET", &path).expect(404);
    records.call("DELETE", &path).expect(404);
    records
        .call("PATCH", &path)
        .json(&json!({"age": 1}))
        .expect(404);
}

#[test]
fn date_texts_are_in_the_requested_time_zone() {
    let records = Records::new();
    let seen = |tz: &str| records.call("GET", "people/1").query(&[("tz", tz)]).ok()["seen"].clone();
    assert_eq!(seen("Europe/Berlin"), "2024-03-01T13:00:00+01:00");
    assert_eq!(seen("-05:30"), "2024-03-01T06:30:00-05:30");
    let found = records.ids(&[
        ("seen__gte", "2024-03-02T01:00:00"),
        ("tz", "+01:00"),
        ("_order_by", "id"),
    ]);
    assert_eq!(found, [3, 4]);
}

/// Queries and the IDs that they find.
type Case = (&'static [(&'static str, &'static str)], &'static [i64]);

#[test]
fn every_lookup_finds_the_expected_records() {
    let records = Records::new();
    let cases: &[Case] = &[
        (&[("name", "Ada")], &[1]),
        (&[("name__ne", "Ada")], &[2, 3, 4]),
        (&[("age__gt", "7")], &[1, 4]),
        (&[("age__gte", "7")], &[1, 3, 4]),
        (&[("age__lt", "36")], &[3]),
        (&[("age__lte", "36")], &[1, 3]),
        (&[("id__in", "1,3")], &[1, 3]),
        (&[("id__in", "1"), ("id__in", "4,2")], &[1, 2, 4]),
        (&[("age__range", "10,40")], &[1]),
        (&[("name__icontains", "ärg")], &[4]),
        (&[("name__icontains", "%")], &[3]),
        (&[("name__icontains", "_r")], &[3]),
        (&[("name__iendswith", "\\")], &[3]),
        (&[("name__contains", "d")], &[1]),
        (&[("name__contains", "D")], &[]),
        (&[("name__startswith", "a")], &[]),
        (&[("name__istartswith", "a")], &[1]),
        (&[("name__endswith", "b")], &[2]),
        (&[("name__iendswith", "B")], &[2]),
        (&[("email__isnull", "true")], &[3, 4]),
        (&[("email__isnull", "no")], &[1, 2]),
        (&[("email__isempty", "1")], &[3, 4]),
        (&[("name__regex", "^[A-B]")], &[1, 2]),
        (&[("exclude__age", "36")], &[3, 4]),
        (&[("exclude__age__isnull", "1")], &[1, 3, 4]),
        (&[("active", "YES"), ("country", "DE")], &[1, 3]),
        (&[("balance", "10.50")], &[1]),
        (&[("balance__lt", "0.0")], &[3]),
        (&[("seen__lt", "2024-03-02")], &[1]),
        (&[("_search", "ADA")], &[1]),
        (&[("_search", "36")], &[1]),
        (
            &[(
                "_filter",
                r#"{"or":[{"field":"id","value":2},{"not":{"field":"age","lookup":"lt","value":70}}]}"#,
            )],
            &[2, 4],
        ),
        (
            &[
                (
                    "_filter",
                    r#"{"and":[{"field":"id","lookup":"in","value":[1,2,3]},{"field":"country","value":"DE"}]}"#,
                ),
                ("age__lt", "10"),
            ],
            &[3],
        ),
        (
            &[("_relation", "country.countries.code|name.Germany")],
            &[1, 3],
        ),
        (
            &[("_relation", "country.countries.code|name.Germany,France")],
            &[1, 2, 3],
        ),
        (&[("name", "' OR 1=1 --")], &[]),
    ];
    for (query, expected) in cases {
        let ordered = [*query, &[("_order_by", "id")]].concat();
        assert_eq!(records.ids(&ordered), *expected, "{query:?}");
        let counted = records
            .call("GET", "people")
            .query(query)
            .query(&[("_per_page", "1")])
            .ok();
        assert_eq!(counted["count"], expected.len(), "{query:?}");
    }
}

#[test]
fn records_are_in_the_requested_order() {
    let records = Records::new();
    assert_eq!(records.ids(&[]), [4, 3, 2, 1]);
    assert_eq!(records.ids(&[("_order_by", "name")]).len(), 4);
    assert_eq!(
        records.ids(&[("_order_by", "country,-id")]).first(),
        Some(&4)
    );
    assert_eq!(
        records.ids(&[("_order_by", "-age"), ("age__isnull", "0")]),
        [4, 1, 3]
    );
}

#[test]
fn fields_counts_and_pages_are_as_requested() {
    let records = Records::new();
    let page = records
        .call(
            "GET",
            "people?_fields=name&_count=none&_per_page=2&_order_by=id",
        )
        .ok();
    assert_eq!(
        page["results"],
        json!([{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}])
    );
    assert_eq!(
        (&page["count"], &page["num_pages"], &page["has_more"]),
        (&Value::Null, &Value::Null, &json!(true))
    );
    let next = page["next"].as_str().unwrap();
    assert!(
        next.contains("_fields=name") && next.contains("_count=none"),
        "{next}"
    );
    let token = records.service.text("/resources/r/token").to_owned();
    let second = Call::new("GET", next).authorization(&token).ok();
    assert_eq!(second["results"][0]["id"], 3);
    assert_eq!(second["next"], Value::Null);
    let previous = second["previous"].as_str().unwrap();
    assert_eq!(
        Call::new("GET", previous).authorization(&token).ok()["results"],
        page["results"]
    );
    let past = records.call("GET", "people?page=9&_per_page=3").ok();
    assert!(
        past["previous"].as_str().unwrap().ends_with("page=2"),
        "{past}"
    );
    let past = records.call("GET", "people?page=9").ok();
    assert_eq!((&past["results"], &past["count"]), (&json!([]), &json!(4)));
    assert_eq!(
        records.call("GET", "people/1?_fields=age").ok(),
        json!({"id": 1, "age": 36})
    );
}

#[test]
fn a_composite_key_is_written_in_the_path() {
    let records = Records::new();
    assert_eq!(records.call("GET", "parts/x,2").ok()["note"], "plain");
    assert_eq!(records.call("GET", "parts/x%252Cy,1").ok()["note"], "comma");
    records.call("GET", "parts/x").expect(404);
    let made = records
        .call("POST", "parts")
        .json(&json!({"a": "n", "b": 5, "note": "new"}))
        .expect(201);
    assert_eq!(made.json()["b"], 5);
    records.call("DELETE", "parts/n,5").expect(204);
}

#[test]
fn a_view_can_be_read_but_not_written() {
    let records = Records::new();
    let page = records.call("GET", "adults?_order_by=id").ok();
    assert_eq!(page["count"], 2);
    records
        .call("POST", "adults")
        .json(&json!({"name": "x"}))
        .expect(400);
    records.call("DELETE", "adults/1").expect(400);
    records
        .call("PATCH", "adults/1")
        .json(&json!({"name": "x"}))
        .expect(400);
}

#[test]
fn values_that_the_database_would_refuse_are_refused_on_their_fields() {
    let records = Records::new();
    let post = |body: Value| {
        records
            .call("POST", "people")
            .json(&body)
            .expect(400)
            .json()
    };
    for (body, field, expected) in [
        (json!({}), "name", "this field is required"),
        (json!({"name": null}), "name", "null"),
        (json!({"name": "x", "nmae": 1}), "nmae", "unknown field"),
        (
            json!({"name": "x", "email": "ada@example.com"}),
            "email",
            "record with the same value already exists",
        ),
        (json!({"name": "x", "country": "XX"}), "country", ""),
        (json!({"name": "x", "age": "old"}), "age", ""),
        (json!({"name": "x", "age": 1.5}), "age", ""),
        (
            json!({"name": "x", "big": "92233720368547758080"}),
            "big",
            "",
        ),
        (json!({"name": "x", "born": "2024-02-30"}), "born", ""),
        (json!({"name": "x", "seen": "soon"}), "seen", ""),
        (json!({"name": "x", "active": "maybe"}), "active", ""),
        (json!({"name": "x", "photo": "xyz"}), "photo", ""),
        (json!({"name": "x", "balance": "1,5"}), "balance", ""),
        (json!({"name": "x", "name_length": 2}), "name_length", ""),
        (json!({"name": "x".repeat(21)}), "name", ""),
        (json!({"name": ["x"]}), "name", ""),
    ] {
        let answer = post(body.clone());
        let message = answer[field][0]
            .as_str()
            .unwrap_or_else(|| panic!("{body}: {answer}"));
        assert!(message.contains(expected), "{body}: {message}");
    }
    assert!(post(json!({"name": "x", "age": -1})).to_string().len() > 10);
    let blocked = records.call("DELETE", "countries/DE").expect(400).json();
    assert!(blocked["non_field_errors"][0].is_string(), "{blocked}");
    assert_eq!(records.ids(&[]).len(), 4, "nothing was written");
    let both = post(json!({"age": "x", "foo": 1}));
    assert!(both["age"].is_array() && both["foo"].is_array(), "{both}");
}

#[test]
fn a_conditional_change_of_a_record_that_was_changed_meanwhile_is_refused() {
    let records = Records::new();
    let tag = records
        .call("GET", "people/1")
        .expect(200)
        .header("etag")
        .to_owned();
    let partly = records
        .call("GET", "people/1?_fields=age&tz=Asia/Tokyo")
        .expect(200);
    assert_eq!(
        partly.header("etag"),
        tag,
        "the tag is the record's, whatever is shown of it"
    );
    let patch = |tag: &str| {
        records
            .call("PATCH", "people/1")
            .header("if-match", tag)
            .json(&json!({"age": 37}))
    };
    patch(&tag).expect(200);
    assert_eq!(
        patch(&tag).expect(412).json()["error_code"],
        "precondition_failed"
    );
    records
        .call("DELETE", "people/1")
        .header("if-match", &tag)
        .expect(412);
    records
        .call("PUT", "people/1")
        .header("if-match", "\"x\"")
        .json(&json!({"name": "y"}))
        .expect(412);
    patch("*").expect(200);
}

#[test]
fn sixteen_writers_at_once_lose_nothing() {
    let records = Records::new();
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let records = &records;
            scope.spawn(move || {
                for number in 0..10 {
                    let body = json!({"name": "w", "email": format!("{writer}-{}@x", number % 9)});
                    let expected = if number == 9 { 400 } else { 201 };
                    records.call("POST", "people").json(&body).expect(expected);
                }
            });
        }
    });
    assert_eq!(records.call("GET", "people?name=w").ok()["count"], 144);
}

#[test]
fn a_reader_sees_every_acknowledged_write() {
    let records = Records::new();
    for number in 0..50 {
        let made = records
            .call("POST", "people")
            .json(&json!({"name": format!("n{number}")}))
            .expect(201)
            .json();
        records
            .call("GET", &format!("people/{}", made["id"]))
            .expect(200);
        let count = records.call("GET", "people").ok()["count"]
            .as_i64()
            .unwrap();
        assert_eq!(count, 5 + number);
    }
}

#[test]
fn a_page_of_wide_records_is_complete_although_it_is_sent_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("w.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE wide (id INTEGER PRIMARY KEY, filler TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
             INSERT INTO wide SELECT i, hex(zeroblob(8000)) FROM n;",
        )
        .unwrap();
    let service = serve(&folder, &["w=sqlite:w.db"]);
    let get = |query: &str| {
        let page = service.data("GET", "w", &format!("/models/wide?{query}"));
        page.ok()
    };
    let ids = |rows: &Value| -> Vec<i64> {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["id"].as_i64().unwrap()).collect()
    };
    let all: Vec<i64> = (1..=500).rev().collect();
    assert_eq!(ids(&get("_no_pagination=1")), all);

    let first = get("_per_page=400");
    assert_eq!(ids(&first["results"]), all[..400]);
    assert_eq!(first["count"], 500);
    assert_eq!(first["num_pages"], 2);
    assert_eq!(first["has_more"], true);
    let (_, next) = first["next"].as_str().unwrap().split_once('?').unwrap();
    let second = get(next);
    assert_eq!(ids(&second["results"]), all[400..]);
    assert_eq!(second["next"], Value::Null);
}
