//! The settings of a resource, and the fields that they name records by.

use serde_json::{Value, json};
use svc_tests::{
    Program,
    servers::{MariadbServer, PostgresServer, Server as _},
    wait_until,
};

use super::faults::serve;

#[test]
fn labels_name_records_until_their_fields_are_gone() {
    let table = "CREATE TABLE orders (id INT PRIMARY KEY, number VARCHAR(20), total INT);";
    let resources = [
        format!("postgres={}", PostgresServer::shared().database(table)),
        format!("mariadb={}", MariadbServer::shared().database(table)),
    ];
    let (folder, service) = serve(&resources, &[]);
    let run = |arguments: &[&str]| {
        Program::new(folder.path(), &[arguments, &["--project", "main"]].concat())
    };
    let label = |engine: &str| -> Value {
        let models = service.data("GET", engine, "/model_descriptions").ok();
        let models = models.as_array().unwrap();
        let model = models
            .iter()
            .find(|model| model["model"] == "orders")
            .unwrap();
        model["label_fields"].clone()
    };
    for engine in ["postgres", "mariadb"] {
        let set = |params: &Value| {
            let params = params.to_string();
            run(&["resource", "set", engine, "--params", &params])
        };
        let guessed = label(engine);
        assert_eq!(guessed, json!(["number"]));
        set(&json!({"labels": {"orders": ["total", "id"]}, "x": [1]})).run_ok();
        wait_until("the settings are known", || {
            label(engine) == json!(["total", "id"])
        });
        let listed = run(&["resource", "list", "--json"]).run_json();
        let listed = listed
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["resource"] == engine);
        let params = &listed.unwrap()["params"];
        assert_eq!(
            *params,
            json!({"labels": {"orders": ["total", "id"]}, "x": [1]})
        );
        for (params, path) in [
            (json!({"labels": {"none": ["id"]}}), "params.labels.none"),
            (
                json!({"labels": {"orders": ["id", "none"]}}),
                "params.labels.orders",
            ),
            (json!({"labels": {"orders": "id"}}), "params.labels.orders"),
            (json!({"functions": "f"}), "params.functions"),
        ] {
            let (_, message) = set(&params).run_err();
            assert!(message.contains(path), "{params}: {message}");
        }
        assert_eq!(label(engine), json!(["total", "id"]));
        // What is not set is guessed.
        set(&json!({})).run_ok();
        wait_until("the settings are known", || label(engine) == guessed);
    }
}

#[test]
fn a_label_whose_field_a_migration_removed_is_guessed_again() {
    let server = PostgresServer::shared();
    let url = server.database("CREATE TABLE orders (id INT PRIMARY KEY, number TEXT, total INT)");
    let (folder, service) = serve(&[format!("pg={url}")], &[]);
    let label = || service.data("GET", "pg", "/model_descriptions").ok()[0]["label_fields"].take();
    let params = r#"{"labels": {"orders": ["total"]}}"#;
    let set = [
        "resource",
        "set",
        "pg",
        "--params",
        params,
        "--project",
        "main",
    ];
    Program::new(folder.path(), &set).run_ok();
    wait_until("the settings are known", || label() == json!(["total"]));
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client
        .batch_execute("ALTER TABLE orders DROP COLUMN total")
        .unwrap();
    assert_eq!(label(), json!(["number"]));
}
