//! Bulk create over HTTP (wire contract, section 4).

use serde_json::{Value, json};
use svc_tests::{Call, Service};
use tempfile::TempDir;

use crate::shared::serve;

const SCHEMA: &str = "
    CREATE TABLE countries(code TEXT PRIMARY KEY);
    INSERT INTO countries VALUES('DE');
    CREATE TABLE people(
        id INTEGER PRIMARY KEY,
        name VARCHAR(20) NOT NULL UNIQUE,
        country TEXT REFERENCES countries(code),
        age INTEGER CHECK(age >= 0)
    );
    CREATE TABLE parents(id INTEGER PRIMARY KEY,
        other INTEGER REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED);
    CREATE VIEW adults AS SELECT * FROM people WHERE age >= 18;
";

struct People {
    service: Service,
    folder: TempDir,
}

impl People {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(folder.path().join("p.db")).unwrap();
        database.execute_batch(SCHEMA).unwrap();
        Self {
            service: serve(&folder, &["p=sqlite:p.db"]),
            folder,
        }
    }

    fn bulk(&self, model: &str, query: &str, records: &Value) -> Call {
        let path = format!("/models/{model}/bulk_create{query}");
        self.service.data("POST", "p", &path).json(records)
    }

    fn names(&self) -> Vec<String> {
        let database = rusqlite::Connection::open(self.folder.path().join("p.db")).unwrap();
        let mut names = database
            .prepare("SELECT name FROM people ORDER BY id")
            .unwrap();
        let names = names.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    }
}

fn mixed() -> Value {
    json!([
        {"name": "Ada", "country": "DE"},
        {"name": "Ada"},
        {"name": "Bob", "country": "XX"},
        {"name": "Cleo", "age": "old"},
        {"name": "Dan", "age": -1},
        {"age": 5},
        {"name": "Eve", "shoe": 41},
        {"name": "Finn", "age": 7},
    ])
}

#[test]
fn each_record_is_created_or_refused_independently_in_the_given_order() {
    let people = People::new();
    let results = people.bulk("people", "?_fields=name", &mixed()).ok();
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), 8);
    let errors = |index: usize| {
        assert_eq!(results[index]["success"], false, "{index}");
        results[index]["errors"].as_object().unwrap()
    };
    assert_eq!(
        results[0],
        json!({"success": true, "record": {"id": 1, "name": "Ada"}})
    );
    assert_eq!(
        errors(1)["name"],
        json!(["record with the same value already exists"])
    );
    assert!(errors(2).contains_key("country"));
    assert!(errors(3).contains_key("age"));
    assert!(errors(4).contains_key("age"));
    assert_eq!(errors(5)["name"], json!(["this field is required"]));
    assert_eq!(errors(6)["shoe"], json!(["unknown field"]));
    assert_eq!(results[7]["record"]["name"], "Finn");
    assert_eq!(people.names(), ["Ada", "Finn"]);
}

#[test]
fn an_atomic_bulk_create_creates_all_records_or_none() {
    let people = People::new();
    let two_wrong = json!([
        {"name": "Ada"},
        {"name": "Ada"},
        {"name": "Bob"},
        {"name": "Cleo", "country": "XX"},
    ]);
    let results = people.bulk("people", "?_atomic=1", &two_wrong).ok();
    for (index, field) in [
        (0, "non_field_errors"),
        (1, "name"),
        (2, "non_field_errors"),
        (3, "country"),
    ] {
        assert_eq!(results[index]["success"], false, "{results}");
        assert!(results[index]["errors"][field].is_array(), "{results}");
    }
    let results = people.bulk("people", "?_atomic=yes", &mixed()).ok();
    assert!(
        results
            .as_array()
            .unwrap()
            .iter()
            .all(|result| result["success"] == false)
    );
    assert!(people.names().is_empty());

    let good = json!([{"name": "Ada"}, {"name": "Bob"}]);
    let results = people.bulk("people", "?_atomic=1", &good).ok();
    assert_eq!(results[1]["record"]["id"], 2);
    assert_eq!(people.names(), ["Ada", "Bob"]);
}

#[test]
fn a_violated_deferred_constraint_refuses_the_whole_request() {
    let people = People::new();
    let pair = json!([{"id": 1, "other": 2}, {"id": 2, "other": 1}]);
    let results = people.bulk("parents", "", &pair).ok();
    assert_eq!(results[1]["success"], true, "{results}");
    let dangling = json!([{"id": 3}, {"id": 4, "other": 99}]);
    let refused = people.bulk("parents", "", &dangling).expect(400).json();
    assert!(refused["non_field_errors"][0].is_string(), "{refused}");
    let list = people.service.data("GET", "p", "/models/parents").ok();
    assert_eq!(list["count"], 2);
}

#[test]
fn a_body_that_is_not_an_array_of_objects_is_refused_as_a_whole() {
    let people = People::new();
    for (body, message) in [
        (json!({"name": "Ada"}), "array"),
        (json!([{"name": "Ada"}, 7]), "element 1"),
        (json!(vec![json!({}); 10_001]), "at most 10000"),
    ] {
        let refused = people.bulk("people", "", &body).expect(400).json();
        let text = refused["non_field_errors"][0].as_str().unwrap().to_owned();
        assert!(text.contains(message), "{text}");
    }
    for query in ["?_atomic=perhaps", "?name=Ada", "?_order_by=id"] {
        people.bulk("people", query, &json!([])).expect(400);
    }
    assert_eq!(people.bulk("people", "", &json!([])).ok(), json!([]));
    let view = people.bulk("adults", "", &json!([{"name": "x"}]));
    view.expect(400);
    assert!(people.names().is_empty());
}

#[test]
fn ten_thousand_records_are_created_at_once() {
    let people = People::new();
    let records: Vec<Value> = (0..10_000)
        .map(|number| json!({"name": format!("n{number}"), "age": number}))
        .collect();
    let results = people.bulk("people", "?_fields=id", &json!(records)).ok();
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), 10_000);
    assert_eq!(results[9_999]["record"]["id"], 10_000);
    assert_eq!(people.names().len(), 10_000);
}
