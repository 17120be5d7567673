//! Values of computed columns in bodies of writes: they are ignored when they equal the value of the record, and refused
//! otherwise (wire contract, section 11, law 1).

use serde_json::{Value, json};
use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};

use crate::shared::serve;

const ENGINES: [&str; 3] = ["sqlite", "postgres", "mariadb"];

fn service(folder: &tempfile::TempDir) -> Service {
    let script = |text: &str, instant: &str| {
        format!(
            "CREATE TABLE items (id INTEGER NOT NULL PRIMARY KEY, amount INTEGER, price NUMERIC(10,2),
                 at {instant}, note VARCHAR(20) DEFAULT 'none',
                 total NUMERIC(12,2) GENERATED ALWAYS AS (amount * price) STORED,
                 label {text} GENERATED ALWAYS AS (note) STORED);
             INSERT INTO items (id, amount, price, at, note) VALUES
                 (1, 2, 1.50, '2026-01-31 10:00:00', 'a'), (2, NULL, 3, NULL, NULL);"
        )
    };
    let database = rusqlite::Connection::open(folder.path().join("g.db")).unwrap();
    let sqlite = script("TEXT", "DATETIME");
    database.execute_batch(&sqlite).unwrap();
    let postgres = format!(
        "{} CREATE TABLE counted (id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT);
         INSERT INTO counted (name) VALUES ('one');",
        script("VARCHAR(20)", "TIMESTAMP")
    );
    let mariadb = script("VARCHAR(20)", "DATETIME");
    let connect = [
        "sqlite=sqlite:g.db".to_owned(),
        format!("postgres={}", PostgresServer::shared().database(&postgres)),
        format!("mariadb={}", MariadbServer::shared().database(&mariadb)),
    ];
    serve(folder, &connect.each_ref().map(String::as_str))
}

#[test]
fn an_unchanged_computed_value_is_ignored_and_a_different_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    for engine in ENGINES {
        let call = |method: &str, path: &str| {
            service.data(method, engine, &format!("/models/items{path}"))
        };
        for id in ["/1", "/2"] {
            let record = call("GET", id).expect(200).json();
            for method in ["PATCH", "PUT"] {
                let answer = call(method, id).json(&record).send();
                assert_eq!(
                    answer.status, 200,
                    "{engine} {method} {id}: {}",
                    answer.body
                );
                assert_eq!(answer.json(), record, "{engine} {method} {id}");
            }
        }
        // The value in the body is compared with the record as it was read, independent of its spelling.
        let changed = json!({"amount": 4, "total": "3.0", "label": "a"});
        let answer = call("PATCH", "/1?tz=Europe/Berlin")
            .json(&changed)
            .expect(200);
        assert_eq!(answer.json()["total"], "6.00", "{engine}");
        let record = call("GET", "/1").expect(200);
        for method in ["PATCH", "PUT"] {
            let mut body = record.json();
            body["note"] = json!("changed");
            for (field, value) in [("total", json!("3.00")), ("label", Value::Null)] {
                let mut body = body.clone();
                body[field] = value;
                let answer = call(method, "/1").json(&body).send();
                assert_eq!(answer.status, 400, "{engine} {method} {field}");
                let refused = answer.json();
                assert_eq!(
                    refused[field],
                    json!([
                        "the database computes this field, and the record has another value in it; leave it out"
                    ]),
                    "{engine} {method}"
                );
                assert_eq!(
                    refused["error_codes"][field],
                    json!(["read_only"]),
                    "{engine}"
                );
            }
        }
        assert_eq!(
            call("GET", "/1").expect(200).json(),
            record.json(),
            "{engine}"
        );
        // Other rules are checked first, and the record must be the one that the caller has read.
        let stale = call("PATCH", "/1").header("if-match", "\"old\"");
        let stale = stale.json(&json!({"total": "9.00"})).send();
        assert_eq!(stale.status, 412, "{engine}");
        let missing = call("PATCH", "/99").json(&json!({"total": "9.00"})).send();
        assert_eq!(missing.status, 404, "{engine}");
    }
}

#[test]
fn a_value_of_an_always_generated_identity_of_postgresql_may_stay_in_the_body() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder);
    let call = |method: &str| service.data(method, "postgres", "/models/counted/1");
    let whole = json!({"id": 1, "name": "uno"});
    assert_eq!(call("PUT").json(&whole).expect(200).json(), whole);
    let other = call("PATCH").json(&json!({"id": 2})).send();
    assert_eq!(other.status, 400, "{}", other.body);
}
