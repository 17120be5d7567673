//! The response when a constraint refuses a write.

use serde_json::{Value, json};
use svc_tests::{
    Answer, Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

use crate::shared::serve;

const TABLES: &str = "
    CREATE TABLE parents (id INT NOT NULL PRIMARY KEY);
    CREATE TABLE things (
        id INT NOT NULL PRIMARY KEY, email VARCHAR(20), shop INT, number INT, parent_id INT, low INT, high INT,
        rate INT CHECK (rate > 0),
        CONSTRAINT things_email UNIQUE (email), CONSTRAINT things_place UNIQUE (shop, number),
        CONSTRAINT things_parent FOREIGN KEY (parent_id) REFERENCES parents (id),
        CONSTRAINT things_low CHECK (low > 0), CONSTRAINT things_span CHECK (low <= high));
    INSERT INTO parents VALUES (1);
    INSERT INTO things VALUES (1, 'a@b', 1, 7, 1, 1, 2, NULL);";

const ENGINES: [&str; 3] = ["sqlite", "postgres", "mariadb"];

struct Constrained {
    _folder: TempDir,
    service: Service,
}

impl Constrained {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        rusqlite::Connection::open(folder.path().join("c.db"))
            .unwrap()
            .execute_batch(TABLES)
            .unwrap();
        let postgres = PostgresServer::shared().database(&format!(
            "{TABLES} CREATE DOMAIN positive AS INT CONSTRAINT is_positive CHECK (VALUE > 0);
            CREATE TABLE amounts (id INT NOT NULL PRIMARY KEY, amount positive, at INT4RANGE,
                CONSTRAINT amounts_at EXCLUDE USING gist (at WITH &&));
            INSERT INTO amounts VALUES (1, 1, '[1,5)');"
        ));
        let connect = [
            "sqlite=sqlite:c.db".to_owned(),
            format!("postgres={postgres}"),
            format!("mariadb={}", MariadbServer::shared().database(TABLES)),
        ];
        let service = serve(&folder, &connect.each_ref().map(String::as_str));
        Self {
            _folder: folder,
            service,
        }
    }

    fn refused(&self, engine: &str, model: &str, record: &Value) -> Answer {
        let path = format!("/models/{model}");
        let call = self.service.data("POST", engine, &path);
        call.json(record).expect(400)
    }
}

fn constraint(answer: &Answer) -> (&str, &str) {
    let headers = &answer.headers;
    let text = |name| {
        headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    };
    (text("x-constraint"), text("x-constraint-columns"))
}

#[test]
fn a_violated_constraint_is_named_with_its_columns_and_a_code() {
    let constrained = Constrained::new();
    for (record, name, columns, codes) in [
        (
            json!({"id": 2, "email": "a@b"}),
            "things_email",
            "email",
            json!({"email": ["unique"]}),
        ),
        (
            json!({"id": 2, "shop": 1, "number": 7}),
            "things_place",
            "shop,number",
            json!({"shop": ["unique"], "number": ["unique"]}),
        ),
        (
            json!({"id": 2, "parent_id": 9}),
            "things_parent",
            "parent_id",
            json!({"parent_id": ["foreign_key"]}),
        ),
        (
            json!({"id": 2, "low": 0, "high": 9}),
            "things_low",
            "low",
            json!({"low": ["check"]}),
        ),
        (
            json!({"id": 2, "low": 3, "high": 2}),
            "things_span",
            "low,high",
            json!({"non_field_errors": ["check"]}),
        ),
    ] {
        for engine in ENGINES {
            let answer = constrained.refused(engine, "things", &record);
            let is_check = name == "things_low" || name == "things_span";
            // SQLite reports only the names of CHECK constraints; for others it reports the columns.
            let expected = match engine == "sqlite" && !is_check {
                true => columns,
                false => name,
            };
            assert_eq!(
                constraint(&answer),
                (expected, columns),
                "{engine}: {record}"
            );
            assert_eq!(answer.json()["error_codes"], codes, "{engine}: {record}");
        }
    }
}

#[test]
fn a_constraint_that_is_declared_with_its_column_names_the_column() {
    let constrained = Constrained::new();
    for (engine, name) in [("postgres", "things_rate_check"), ("mariadb", "rate")] {
        let answer = constrained.refused(engine, "things", &json!({"id": 2, "rate": -1}));
        assert_eq!(constraint(&answer), (name, "rate"), "{engine}");
        let codes = json!({"rate": ["check"]});
        assert_eq!(answer.json()["error_codes"], codes, "{engine}");
    }
}

#[test]
fn an_invalid_value_of_a_field_has_an_error_code() {
    let constrained = Constrained::new();
    for (record, codes) in [
        (json!({}), json!({"id": ["required"]})),
        (json!({"id": null}), json!({"id": ["not_null"]})),
        (json!({"id": 2, "low": "x"}), json!({"low": ["invalid"]})),
        (
            json!({"id": 2, "email": "x".repeat(21)}),
            json!({"email": ["too_long"]}),
        ),
        (
            json!({"id": 2, "nope": 1}),
            json!({"nope": ["unknown_field"]}),
        ),
    ] {
        for engine in ENGINES {
            let answer = constrained.refused(engine, "things", &record);
            assert_eq!(constraint(&answer), ("", ""), "{engine}: {record}");
            assert_eq!(answer.json()["error_codes"], codes, "{engine}: {record}");
        }
    }
    for engine in ["postgres", "mariadb"] {
        let record = json!({"id": 2, "low": 3_000_000_000_i64});
        let answer = constrained.refused(engine, "things", &record);
        assert_eq!(
            answer.json()["error_codes"],
            json!({"low": ["out_of_range"]})
        );
    }
}

#[test]
fn a_record_that_others_refer_to_is_not_deleted_and_the_error_says_so() {
    let constrained = Constrained::new();
    for engine in ENGINES {
        let call = constrained
            .service
            .data("DELETE", engine, "/models/parents/1");
        let answer = call.expect(400);
        let name = match engine {
            "sqlite" => "parent_id",
            _ => "things_parent",
        };
        assert_eq!(constraint(&answer), (name, "parent_id"), "{engine}");
        let body = answer.json();
        let codes = json!({"non_field_errors": ["foreign_key"]});
        assert_eq!(body["error_codes"], codes, "{engine}: {body}");
        // The referenced key cannot be changed either.
        let call = constrained
            .service
            .data("PATCH", engine, "/models/parents/1");
        let answer = call.json(&json!({"id": 2})).expect(400);
        assert_eq!(constraint(&answer), (name, "parent_id"), "{engine}");
    }
}

#[test]
fn each_refused_record_of_a_bulk_create_names_its_constraint() {
    let constrained = Constrained::new();
    let records = json!([{"id": 5}, {"id": 6, "email": "a@b"}, {"nope": 1}]);
    for engine in ENGINES {
        let call = constrained
            .service
            .data("POST", engine, "/models/things/bulk_create");
        let results = call.json(&records).ok();
        assert_eq!(results[0]["success"], true);
        assert_eq!(
            results[1]["errors"]["error_codes"],
            json!({"email": ["unique"]})
        );
        assert_eq!(
            results[1]["constraint"]["columns"],
            json!(["email"]),
            "{engine}"
        );
        assert_eq!(results[2].get("constraint"), None);
        assert_eq!(
            results[2]["errors"]["error_codes"],
            json!({"nope": ["unknown_field"], "id": ["required"]})
        );
    }
}

#[test]
fn a_domain_and_an_exclusion_of_postgresql_are_named() {
    let constrained = Constrained::new();
    let answer = constrained.refused("postgres", "amounts", &json!({"id": 2, "amount": 0}));
    assert_eq!(constraint(&answer), ("is_positive", "amount"));
    assert_eq!(answer.json()["error_codes"], json!({"amount": ["check"]}));
    let answer = constrained.refused("postgres", "amounts", &json!({"id": 2, "at": "[4,6)"}));
    assert_eq!(constraint(&answer), ("amounts_at", "at"));
    assert_eq!(answer.json()["error_codes"], json!({"at": ["unique"]}));
}

#[test]
fn a_value_that_only_postgresql_can_read_is_refused_on_its_field() {
    let folder = tempfile::tempdir().unwrap();
    let url = PostgresServer::shared().database(
        "CREATE EXTENSION hstore;
         CREATE TABLE odd (id INT PRIMARY KEY, tags hstore, words tsvector, at inet, span int4range, many int[]);
         INSERT INTO odd VALUES (1);",
    );
    let service = serve(&folder, &[&format!("x={url}")]);
    let data = |method, path: &str| service.data(method, "x", &format!("/models/odd{path}"));
    let wrong = [
        ("tags", json!("=")),
        ("words", json!("'")),
        ("at", json!("nowhere")),
        ("span", json!("[5")),
        ("many", json!([99_999_999_999_i64])),
    ];
    for (field, value) in &wrong {
        let on_field = |answer: Answer| {
            let errors = answer.json();
            assert!(errors[field][0].is_string(), "{field}: {errors}");
        };
        // Beside another value, which is valid.
        let mut record = json!({"id": 2, "at": "10.0.0.1", "span": "[1,2)"});
        record[field] = value.clone();
        on_field(data("POST", "").json(&record).expect(400));
        let patch = json!({*field: value});
        on_field(data("PATCH", "/1").json(&patch).expect(400));
        let records = json!([{"id": 3, "tags": "a=>1"}, record, {"id": 4}]);
        let bulk = data("POST", "/bulk_create").json(&records).expect(200);
        let bulk = bulk.json();
        assert_eq!(bulk[0]["success"], true, "{bulk}");
        assert!(bulk[1]["errors"][field][0].is_string(), "{field}: {bulk}");
        assert_eq!(bulk[2]["success"], true, "{bulk}");
        for id in [3, 4] {
            data("DELETE", &format!("/{id}")).expect(204);
        }
        if let Some(text) = value.as_str() {
            on_field(data("GET", "").query(&[(*field, text)]).expect(400));
            let count = [("_y_func", "count"), (*field, text)];
            on_field(data("GET", "/aggregate").query(&count).expect(400));
        }
    }
}
