//! Migrations that add columns and tables while the service runs.

use serde_json::{Value, json};
use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server as _},
    wait_until,
};
use tempfile::TempDir;

const BEFORE: &str = "
    CREATE TABLE orders (shop_id INT NOT NULL, number INT NOT NULL, status VARCHAR(20), PRIMARY KEY (shop_id, number));
    CREATE TABLE parts (id INT NOT NULL PRIMARY KEY, shop_id INT, order_number INT,
        FOREIGN KEY (shop_id, order_number) REFERENCES orders (shop_id, number));
    INSERT INTO orders VALUES (1, 7, 'paid');
    INSERT INTO orders VALUES (2, 7, 'open');
    INSERT INTO parts VALUES (1, 1, 7);
    INSERT INTO parts VALUES (2, 2, 7);
    INSERT INTO parts VALUES (3, 2, NULL);";
const MIGRATION: &str = "ALTER TABLE parts ADD COLUMN note VARCHAR(20) DEFAULT 'new';
    CREATE TABLE added (id INT NOT NULL PRIMARY KEY);";

/// A service with the same tables in every engine, which checks structures every second.
struct Migrated {
    folder: TempDir,
    urls: [(&'static str, String); 3],
    service: Service,
}

impl Migrated {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        rusqlite::Connection::open(folder.path().join("m.db"))
            .unwrap()
            .execute_batch(BEFORE)
            .unwrap();
        let urls = [
            ("sqlite", "sqlite:m.db".to_owned()),
            ("postgres", PostgresServer::shared().database(BEFORE)),
            ("mariadb", MariadbServer::shared().database(BEFORE)),
        ];
        let connect = urls
            .each_ref()
            .map(|(engine, url)| format!("{engine}={url}"));
        let mut arguments = vec!["serve", "--structure-check", "1"];
        for resource in &connect {
            arguments.extend(["--connect", resource]);
        }
        let service = Service::start(folder.path(), &arguments);
        Self {
            folder,
            urls,
            service,
        }
    }

    fn execute(&self, engine: &str, script: &str) {
        let url = &self
            .urls
            .iter()
            .find(|(name, _)| *name == engine)
            .unwrap()
            .1;
        match engine {
            "sqlite" => rusqlite::Connection::open(self.folder.path().join("m.db"))
                .unwrap()
                .execute_batch(script)
                .unwrap(),
            "postgres" => PostgresServer::shared().execute(url, script),
            _ => MariadbServer::shared().execute(url, script),
        }
    }

    fn get(&self, engine: &str, path: &str) -> Value {
        self.service.data("GET", engine, path).ok()
    }
}

#[test]
fn an_added_column_and_table_appear_although_no_request_names_them() {
    let migrated = Migrated::new();
    for (engine, _) in &migrated.urls {
        assert_eq!(
            migrated.get(engine, "/models/parts/1"),
            json!({"id": 1, "shop_id": 1, "order_number": 7})
        );
        migrated.execute(engine, MIGRATION);
        wait_until("the new column appears", || {
            migrated.get(engine, "/models/parts/1").get("note") == Some(&json!("new"))
        });
        let models = migrated.get(engine, "/model_descriptions");
        let names = models.as_array().unwrap().iter();
        assert!(
            names
                .map(|model| &model["model"])
                .any(|name| name == "added")
        );
    }
}

#[test]
fn a_foreign_key_of_several_columns_is_a_relation() {
    let migrated = Migrated::new();
    for (engine, _) in &migrated.urls {
        let models = migrated.get(engine, "/model_descriptions");
        let relations = |name: &str| {
            let models = models.as_array().unwrap();
            let model = models.iter().find(|model| model["model"] == name).unwrap();
            model["relations"].clone()
        };
        assert_eq!(
            relations("parts"),
            json!([{
                "name": "shop_order_number", "direction": "MANYTOONE", "local_field": "shop_id,order_number",
                "related_model": "orders", "related_field": "shop_id,number",
            }]),
            "{engine}"
        );
        assert_eq!(
            relations("orders"),
            json!([{
                "name": "parts", "direction": "ONETOMANY", "local_field": "shop_id,number",
                "related_model": "parts", "related_field": "shop_id,order_number",
            }]),
            "{engine}"
        );
        let ids = |relation: &str| {
            let path = format!("/models/parts?_no_pagination=1&_fields=id&_relation={relation}");
            let rows = migrated.get(engine, &path);
            let rows = rows.as_array().unwrap().iter();
            rows.map(|row| row["id"].as_i64().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            ids("shop_id,order_number.orders.shop_id,number%7Cstatus.paid"),
            [1]
        );
        assert_eq!(
            ids("shop_id,order_number.orders.shop_id,number%7Cstatus.open"),
            [2]
        );
        let wrong = "/models/parts?_relation=shop_id,order_number.orders.shop_id%7Cstatus.paid";
        let answer = migrated.service.data("GET", engine, wrong).expect(400);
        assert!(answer.json()["_relation"].is_array());
        migrated.get(engine, "/openapi.json");
    }
}
