//! Values that are written back as they were read: details that columns store but responses do not show are kept (wire
//! contract, section 11, law 1).

use serde_json::{Value, json};
use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};

use crate::shared::serve;

const POSTGRES: &str = r#"CREATE TABLE kept (id INT PRIMARY KEY, name TEXT, numbers INT[], plain JSON, compact JSONB, empty JSONB);
    INSERT INTO kept VALUES (1, 'a', '[0:1]={1,2}', '{"b":  1, "a": 2}', '{"n": 12345678901234567890123}', 'null');"#;
const MARIADB: &str = r#"CREATE TABLE kept (id INT PRIMARY KEY, name TEXT, plain JSON, compact JSON, empty JSON);
    INSERT INTO kept VALUES (1, 'a', '{"b":  1, "a": 2}', '{"n": 12345678901234567890123}', 'null');"#;

/// The engines, with a query for the stored values of the columns: numbers, plain, compact, and whether `empty` is NULL.
const ENGINES: [(&str, &str); 2] = [
    (
        "postgres",
        "SELECT cast(numbers AS text) AS numbers, cast(plain AS text) AS plain, cast(compact AS text) AS compact, empty IS NULL AS gone FROM kept",
    ),
    (
        "mariadb",
        "SELECT '[0:1]={1,2}' AS numbers, concat(plain, '') AS plain, concat(compact, '') AS compact, empty IS NULL AS gone FROM kept",
    ),
];

#[test]
fn values_that_are_written_back_unchanged_are_not_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let connect = [
        format!("postgres={}", PostgresServer::shared().database(POSTGRES)),
        format!("mariadb={}", MariadbServer::shared().database(MARIADB)),
    ];
    let service = serve(&folder, &connect.each_ref().map(String::as_str));
    for (engine, query) in ENGINES {
        // Sent as text, which keeps every digit.
        let call = |method: &str, body: &str| {
            let call = service.data(method, engine, "/models/kept/1");
            let call = call.header("content-type", "application/json");
            call.body(body.to_owned()).expect(200).body
        };
        let held = || stored(&service, engine, query);
        let before = held();
        assert_eq!(before[1], r#"{"b":  1, "a": 2}"#, "{engine}");
        let read = service.data("GET", engine, "/models/kept/1").expect(200);
        let mut record = read.body;
        for (method, name) in [("PATCH", "a"), ("PUT", "b"), ("PATCH", "c")] {
            // Values that change beside them are written.
            for name in [name, "d"] {
                let at = record.find(r#""name":""#).unwrap() + r#""name":""#.len();
                record.replace_range(at..=at, name);
                assert_eq!(call(method, &record), record, "{engine} {method}");
                assert_eq!(held(), before, "{engine} {method}");
            }
        }
        // Another order of keys is the same value, but another digit is not.
        call("PATCH", r#"{"plain": {"a": 2, "b": 1}, "empty": null}"#);
        assert_eq!(held(), before, "{engine}");
        call(
            "PATCH",
            r#"{"compact": {"n": 12345678901234567890124}, "plain": {"b": 2}}"#,
        );
        let after = held();
        let compact = after[2].as_str().unwrap();
        assert!(
            compact.ends_with("12345678901234567890124}"),
            "{engine} {after}"
        );
        assert_eq!(after[0], before[0], "{engine}");
        assert_ne!(after["plain"], before[1], "{engine}");
    }
}

fn stored(service: &Service, engine: &str, query: &str) -> Value {
    let call = service.data("POST", engine, "/sql_get_query");
    let answer = call.json(&json!({"query": query})).expect(200).json();
    answer["data"][0].clone()
}
