//! The maximum nesting depth of JSON.

use serde_json::json;
use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};

use crate::shared::serve;

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

fn write(service: &Service, engine: &str, id: u32, json: &str) -> u16 {
    let call = service.data("POST", engine, "/models/docs");
    let call = call.header("content-type", "application/json");
    let body = format!("{{\"id\": {id}, \"doc\": {json}}}");
    call.body(body).send().status.as_u16()
}

#[test]
fn json_that_is_nested_too_deep_to_be_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let table = "CREATE TABLE docs (id INT NOT NULL PRIMARY KEY, doc JSON);";
    let database = rusqlite::Connection::open(folder.path().join("l.db")).unwrap();
    database.execute_batch(table).unwrap();
    // Deeper JSON that is in the database already is returned.
    database
        .execute("INSERT INTO docs VALUES (1, ?1)", [nested(500)])
        .unwrap();
    let connect = [
        "sqlite=sqlite:l.db".to_owned(),
        format!("postgres={}", PostgresServer::shared().database(table)),
        format!("mariadb={}", MariadbServer::shared().database(table)),
    ];
    let service = serve(&folder, &connect.each_ref().map(String::as_str));
    for (engine, most) in [("sqlite", 100), ("postgres", 100), ("mariadb", 31)] {
        assert_eq!(write(&service, engine, 2, &nested(most)), 201, "{engine}");
        let deeper = format!("{{\"id\": 3, \"doc\": {}}}", nested(most + 1));
        let call = service.data("POST", engine, "/models/docs");
        let call = call.header("content-type", "application/json");
        let refused = call.body(deeper).expect(400);
        assert!(
            refused.body.contains("nested"),
            "{engine}: {}",
            refused.body
        );
        assert_eq!(write(&service, engine, 3, &nested(5_000)), 400, "{engine}");
    }
    let shown = service.data("GET", "sqlite", "/models/docs/1").send();
    assert_eq!(shown.status, 200);
    assert!(shown.body.contains(&nested(500)));
    let deep = format!("{{\"not\":{}}}", nested(5_000));
    let call = service.data("GET", "sqlite", "/models/docs");
    assert_eq!(call.query(&[("_filter", &deep)]).send().status, 400);
    let call = service.data("GET", "sqlite", "/models/docs");
    assert_eq!(call.query(&[("doc", &nested(101))]).send().status, 400);
    let patch = service.data("PATCH", "sqlite", "/models/docs/2");
    let patch = patch.json(&json!({"doc": {"a": 1}})).send();
    assert_eq!(patch.status, 200);
}
