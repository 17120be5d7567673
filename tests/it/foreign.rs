//! Databases that were not made for this service: every table and view can be read.

use rusqlite::Connection;
use serde_json::{Value, json};
use svc_tests::Call;

use crate::shared::serve;

/// Names and structures as they occur in real databases.
const WILD: &str = r#"
    PRAGMA foreign_keys = OFF;
    CREATE TABLE "Order Details"("Order ID" INT, "select" TEXT, "größe" REAL, "a__in" TEXT, "_hidden" TEXT,
        PRIMARY KEY("Order ID", "select"));
    INSERT INTO "Order Details" VALUES(1, 'x', 1.5, 'in', 'h'), (1, 'y', NULL, NULL, NULL);
    CREATE TABLE "quo""te"("a""b" INTEGER PRIMARY KEY, "c'd" TEXT);
    INSERT INTO "quo""te" VALUES(1, 'one');
    CREATE TABLE no_key(name TEXT, value);
    INSERT INTO no_key VALUES('a', 1), ('a', 'text'), ('b', x'00ff'), (NULL, 1.5), ('z', NULL);
    CREATE TABLE untyped(a, b, c);
    INSERT INTO untyped VALUES(1, 'two', 3.0), (x'ff', NULL, 9007199254740993);
    CREATE TABLE liar(id INTEGER PRIMARY KEY, number INTEGER, day DATE, flag BOOLEAN, doc JSON, amount DECIMAL(10,2), at TIMESTAMP);
    INSERT INTO liar VALUES(1, 'not a number', 'not a day', 'perhaps', '{broken', 'much', 'never');
    INSERT INTO liar VALUES(2, 9223372036854775807, '9999-12-31', 1, '{"a":1}', 0.1, '2024-01-01T00:00:00Z');
    INSERT INTO liar VALUES(3, -9223372036854775808, '10000-01-01', 0, 'null', 12345678901234.56, 1704067200);
    INSERT INTO liar VALUES(4, 1e308, x'0102', 't', x'ff', 9e999, CAST(x'fffe' AS TEXT));
    CREATE TABLE strict_one(id INTEGER PRIMARY KEY, a ANY, t TEXT, r REAL, b BLOB) STRICT;
    INSERT INTO strict_one VALUES(1, 'x', 't', 1, x'00');
    CREATE TABLE text_key(code TEXT PRIMARY KEY COLLATE NOCASE, v INT) WITHOUT ROWID;
    INSERT INTO text_key VALUES('Abc', 1), ('a/b', 2), ('ü?&#', 3), ('..', 4), ('', 5);
    CREATE TABLE empty(id INTEGER PRIMARY KEY);
    CREATE VIRTUAL TABLE search USING fts5(title, body);
    INSERT INTO search VALUES('hello', 'world');
    CREATE VIEW totals AS SELECT count(*) AS "count(*)", max("Order ID") m FROM "Order Details";
    CREATE VIEW broken_view AS SELECT * FROM text_key;
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES missing(id));
    INSERT INTO child VALUES(1, NULL);
"#;

#[test]
fn every_table_and_view_of_an_unusual_database_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let database = Connection::open(folder.path().join("wild ü.db")).unwrap();
    database.execute_batch(WILD).unwrap();
    let service = serve(&folder, &["x=sqlite:wild ü.db"]);
    let mut names = database
        .prepare("select name from sqlite_schema where type in ('table', 'view') and name not like 'search\\_%' escape '\\'")
        .unwrap();
    let names: Vec<String> = names
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(names.len() >= 12);
    for name in &names {
        let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let rows: i64 = database
            .query_row(
                &format!("select count(*) from \"{}\"", name.replace('"', "\"\"")),
                [],
                |row| row.get(0),
            )
            .unwrap();
        let page = service
            .data("GET", "x", &format!("/models/{encoded}?_per_page=100"))
            .ok();
        assert_eq!(page["count"], rows, "{name}");
        assert_eq!(
            page["results"].as_array().unwrap().len() as i64,
            rows,
            "{name}"
        );
        // Retrieving each record gives the same rows.
        let token = service.text("/resources/x/token").to_owned();
        let mut walked = Vec::new();
        let mut next = service
            .data("GET", "x", &format!("/models/{encoded}?_per_page=1"))
            .ok();
        loop {
            walked.extend(next["results"].as_array().unwrap().iter().cloned());
            let Some(link) = next["next"].as_str() else {
                break;
            };
            next = Call::new("GET", link).authorization(&token).ok();
        }
        assert_eq!(walked.len() as i64, rows, "{name}: {walked:?}");
    }
}

#[test]
fn columns_with_unusual_names_can_be_filtered_ordered_and_written() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("w.db"))
        .unwrap()
        .execute_batch(WILD)
        .unwrap();
    let service = serve(&folder, &["x=sqlite:w.db"]);
    let list = |model: &str, query: &[(&str, &str)]| {
        service
            .data("GET", "x", &format!("/models/{model}"))
            .query(query)
            .ok()["results"]
            .clone()
    };
    let details = "Order%20Details";
    assert_eq!(
        list(details, &[("größe__gt", "1")])
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        list(details, &[("a__in__in", "in,out")])
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        list(details, &[("a__in", "in")]).as_array().unwrap().len(),
        1
    );
    assert_eq!(
        list(
            details,
            &[("_filter", r#"{"field":"_hidden","value":"h"}"#)]
        )
        .as_array()
        .unwrap()
        .len(),
        1
    );
    assert_eq!(list(details, &[("_order_by", "-select")])[0]["select"], "y");
    assert_eq!(list("quo%22te", &[("c'd", "one")])[0]["a\"b"], 1);
    let body = json!({"Order ID": 7, "select": "from"});
    service
        .data("POST", "x", &format!("/models/{details}"))
        .json(&body)
        .expect(201);
    assert_eq!(
        service
            .data("GET", "x", &format!("/models/{details}/7,from"))
            .ok()["select"],
        "from"
    );
    assert_eq!(
        service.data("GET", "x", "/models/text_key/a%2Fb").ok()["v"],
        2
    );
    assert_eq!(
        service
            .data("GET", "x", "/models/text_key/%C3%BC%3F%26%23")
            .ok()["v"],
        3
    );
    assert_eq!(
        service.data("GET", "x", "/models/text_key/abc").ok()["v"],
        1
    );
}

#[test]
fn values_that_do_not_fit_their_column_are_returned_exactly() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("w.db"))
        .unwrap()
        .execute_batch(WILD)
        .unwrap();
    let service = serve(&folder, &["x=sqlite:w.db"]);
    let row = |id: u32| service.data("GET", "x", &format!("/models/liar/{id}")).ok();
    let first = row(1);
    assert_eq!(
        (&first["number"], &first["day"], &first["amount"]),
        (&json!("not a number"), &json!("not a day"), &json!("much"))
    );
    let second = row(2);
    assert_eq!(second["number"], json!(i64::MAX));
    assert_eq!(
        (&second["amount"], &second["doc"], &second["flag"]),
        (&json!("0.10"), &json!({"a": 1}), &json!(true))
    );
    let third = row(3);
    assert_eq!(third["number"], json!(i64::MIN));
    assert_eq!(third["amount"], "12345678901234.56");
    assert!(
        third["at"]
            .as_str()
            .unwrap()
            .starts_with("2024-01-01T00:00:00"),
        "{third}"
    );
    service.data("GET", "x", "/models/liar/4").expect(200);
    let untyped = service.data("GET", "x", "/models/untyped?_order_by=c").ok();
    assert!(
        untyped["results"].to_string().contains("9007199254740993"),
        "{untyped}"
    );
}

#[test]
fn structure_changes_while_the_service_runs_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let database = Connection::open(folder.path().join("w.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES(1, 'x')",
        )
        .unwrap();
    let service = serve(&folder, &["x=sqlite:w.db"]);
    let before = service.data("GET", "x", "/models/t/1").expect(200);
    assert_eq!(before.json()["a"], "x");
    database
        .execute_batch("ALTER TABLE t RENAME COLUMN a TO b")
        .unwrap();
    let after = service.data("GET", "x", "/models/t/1").expect(200);
    assert_eq!(after.json()["b"], "x");
    assert_ne!(after.header("etag"), before.header("etag"));
    database
        .execute_batch("ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 7")
        .unwrap();
    assert_eq!(service.data("GET", "x", "/models/t?c=7").ok()["count"], 1);
    database
        .execute_batch("ALTER TABLE t ADD COLUMN d TEXT")
        .unwrap();
    let body = json!({"d": "new"});
    let made = service
        .data("POST", "x", "/models/t")
        .json(&body)
        .expect(201);
    assert_eq!(made.json()["d"], "new");
    service.data("GET", "x", "/models/later").expect(404);
    database
        .execute_batch("CREATE TABLE later(id INTEGER PRIMARY KEY)")
        .unwrap();
    service.data("GET", "x", "/models/later").expect(200);
    database.execute_batch("DROP TABLE t").unwrap();
    service.data("GET", "x", "/models/t/1").expect(404);
    let _: Value = service.root("GET", "/healthz").ok();
}
