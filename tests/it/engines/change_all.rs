//! Changing and deleting all records that a filter selects, compared with what is done by hand.

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use svc_tests::{
    Program,
    servers::{MariadbServer, PostgresServer, Server as _},
};

use super::{
    faults::serve,
    fixture::{ENGINES, Engines},
};

/// The customers of an engine, in the order of their keys.
fn customers(engines: &Engines, engine: &str) -> Vec<Value> {
    let path = "/models/customers?_no_pagination=1&_order_by=id";
    let list = engines.answer(engine, "GET", path, None).json();
    list.as_array().expect("an array").clone()
}

/// Filters, and whether they select a customer.
type Selects = (&'static str, fn(&Value) -> bool);

fn number(record: &Value, field: &str) -> Option<f64> {
    match &record[field] {
        Value::String(text) => text.parse().ok(),
        value => value.as_f64(),
    }
}

const FILTERS: [Selects; 9] = [
    ("active=true", |it| it["active"] == json!(true)),
    ("exclude__email__isnull=true&id__gt=9", |it| {
        !it["email"].is_null() && number(it, "id") > Some(9.0)
    }),
    ("score__lt=20", |it| {
        number(it, "score").is_some_and(|score| score < 20.0)
    }),
    (
        "_filter={\"or\":[{\"field\":\"id\",\"value\":\"3\"},{\"field\":\"small\",\"value\":\"4\"}]}",
        |it| it["id"] == json!(3) || it["small"] == json!(4),
    ),
    ("small__in=1,2,3&since__isnull=true", |it| {
        [1, 2, 3].map(Value::from).contains(&it["small"]) && it["since"].is_null()
    }),
    ("id=0", |_| false),
    ("_all=1", |_| true),
    ("email__endswith=7@example.com", |it| {
        it["email"]
            .as_str()
            .is_some_and(|email| email.ends_with("7@example.com"))
    }),
    ("_filter={\"or\":[]}", |_| false),
];

fn change() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"small": 5}),
        json!({"score": 1.25, "extra": {"b": [1, null]}}),
        json!({"since": "2026-02-28", "seen": null}),
        json!({"credit": "12.50", "active": false, "picture": "00ff"}),
        json!({"extra": null, "token": "6f9619ff-8b86-d011-b42d-00c04fc964ff"}),
        json!({}),
    ])
}

#[test]
fn what_a_filter_changes_is_what_one_change_after_the_other_does() {
    let engines = Engines::new();
    let filters = prop::sample::select(FILTERS.to_vec());
    let steps = prop::collection::vec((filters, change(), any::<bool>()), 1..4);
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(10)
    };
    let mut runner = TestRunner::new(config);
    runner
        .run(&steps, |steps| {
            for (filter, change, expects) in steps {
                for engine in ENGINES {
                    let mut expected = customers(&engines, engine);
                    let (query, selects) = filter;
                    let mut changed = 0;
                    for record in expected.iter_mut().filter(|record| selects(record)) {
                        for (field, value) in change.as_object().unwrap() {
                            record[field] = value.clone();
                        }
                        changed += 1;
                    }
                    let expect = if expects {
                        format!("&_expect={changed}")
                    } else {
                        String::new()
                    };
                    let path = format!("/models/customers?{query}{expect}");
                    let answer = engines.answer(engine, "PATCH", &path, Some(&change));
                    prop_assert_eq!(answer.status, 200, "{} {}: {}", engine, path, answer.body);
                    prop_assert_eq!(answer.json(), json!({"updated": changed}));
                    let wrong = format!("/models/customers?{query}&_expect={}", changed + 1);
                    let refused =
                        engines.answer(engine, "PATCH", &wrong, Some(&json!({"small": 99})));
                    prop_assert_eq!(refused.status, 412, "{}", refused.body);
                    prop_assert_eq!(
                        customers(&engines, engine),
                        expected,
                        "{} {} {}",
                        engine,
                        path,
                        change
                    );
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn all_records_that_a_filter_selects_are_deleted_or_none() {
    let engines = Engines::new();
    for engine in ENGINES {
        let delete = |query: &str| {
            let path = format!("/models/order_lines?{query}");
            engines.answer(engine, "DELETE", &path, None)
        };
        let list = |query: &str| -> Vec<Value> {
            let path = format!("/models/order_lines?_no_pagination=1&{query}");
            engines
                .answer(engine, "GET", &path, None)
                .json()
                .as_array()
                .unwrap()
                .clone()
        };
        let related = "_relation=order_id.orders.id|status.paid";
        let (all, few) = (list("").len(), list(related).len());
        assert!(few > 0 && few < all, "{engine}");
        let refused = delete(&format!("{related}&_expect=1"));
        assert_eq!(refused.status, 412, "{engine}: {}", refused.body);
        assert!(
            refused
                .body
                .contains(&format!("{few} records match, not 1")),
            "{}",
            refused.body
        );
        assert_eq!(list("").len(), all, "{engine}");
        assert_eq!(
            delete(&format!("{related}&_expect={few}")).json(),
            json!({"deleted": few}),
            "{engine}"
        );
        assert_eq!(
            (list(related).len(), list("").len()),
            (0, all - few),
            "{engine}"
        );
        assert_eq!(delete(related).json(), json!({"deleted": 0}), "{engine}");
        assert_eq!(delete("").status, 400, "{engine}");
        assert_eq!(list("").len(), all - few, "{engine}");
        assert_eq!(
            delete("_all=1").json(),
            json!({"deleted": all - few}),
            "{engine}"
        );
        // Other records refer to these, so that none is deleted.
        let customers = engines.answer(engine, "DELETE", "/models/customers?id__lte=36", None);
        assert_eq!(customers.status, 400, "{engine}: {}", customers.body);
        assert_eq!(
            engines
                .answer(engine, "GET", "/models/customers?_per_page=1", None)
                .json()["count"],
            36
        );
    }
}

#[test]
fn a_relation_that_leads_back_selects_records_or_is_refused_and_never_a_fault() {
    let tables =
        "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES t (id));
        INSERT INTO t VALUES (1, NULL); INSERT INTO t VALUES (2, 1); INSERT INTO t VALUES (3, 2);";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.db");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(tables)
        .unwrap();
    let resources = [
        format!("sqlite=sqlite:{}", file.display()),
        format!("postgres={}", PostgresServer::shared().database(tables)),
        format!("mariadb={}", MariadbServer::shared().database(tables)),
    ];
    let (_store, service) = serve(&resources, &[]);
    for engine in ENGINES {
        let path = "/models/t?_relation=up.t.id|id.2";
        let deleted = service.data("DELETE", engine, path).send();
        match (engine, deleted.status.as_u16()) {
            (_, 200) => assert_eq!(deleted.json(), json!({"deleted": 1}), "{engine}"),
            ("mariadb", 400) => assert!(deleted.body.contains("leads back"), "{}", deleted.body),
            (_, status) => panic!("{engine}: {status} {}", deleted.body),
        }
        let tagged = service
            .data("DELETE", engine, "/models/t?id=1")
            .header("if-match", "\"x\"");
        tagged.expect(400);
    }
}

#[test]
fn what_is_refused_changes_no_record() {
    let engines = Engines::new();
    let before = ENGINES.map(|engine| customers(&engines, engine));
    for (query, body, status) in [
        ("", json!({"small": 1}), 400),
        ("tz=UTC", json!({"small": 1}), 400),
        ("_filter={\"and\":[]}", json!({"small": 1}), 400),
        ("active=true&_per_page=5", json!({"small": 1}), 400),
        ("active=true&_order_by=id", json!({"small": 1}), 400),
        ("active=true&_fields=id", json!({"small": 1}), 400),
        ("active=true&_expect=many", json!({"small": 1}), 400),
        ("activ=true", json!({"small": 1}), 400),
        ("_all=1", json!({"smal": 1}), 400),
        ("_all=1", json!({"small": "x"}), 400),
        ("_all=1", json!({"name": null}), 400),
        ("_all=1", json!({"credit": -1}), 400),
        ("_all=1", json!({"email": "same@example.com"}), 400),
        (
            "_all=1&_expect=35",
            json!({"email": "same@example.com"}),
            412,
        ),
        ("_all=1", json!([]), 400),
    ] {
        let path = format!("/models/customers?{query}");
        for (engine, before) in ENGINES.iter().zip(&before) {
            let answer = engines.answer(engine, "PATCH", &path, Some(&body));
            assert_eq!(
                answer.status, status,
                "{engine} {query} {body}: {}",
                answer.body
            );
            assert_eq!(
                &customers(&engines, engine),
                before,
                "{engine} {query} {body}"
            );
        }
    }
    // A view that cannot be written, and what is computed.
    for engine in ENGINES {
        let answer = engines.answer(engine, "DELETE", "/models/nothing?_all=1", None);
        assert_eq!(answer.status, 404, "{engine}");
    }
    let email = engines.answer(
        "postgres",
        "PATCH",
        "/models/customers?_all=1",
        Some(&json!({"email": "x"})),
    );
    assert_eq!(
        email.json()["email"],
        json!(["record with the same value already exists"]),
        "{}",
        email.body
    );
}

#[test]
fn an_update_of_many_records_is_one_line_of_the_audit_trail_with_their_keys() {
    let engines = Engines::new();
    for engine in ENGINES {
        let path = "/models/customers?id__in=3,4,5";
        let updated = engines.answer(engine, "PATCH", path, Some(&json!({"small": 6})));
        assert_eq!(updated.json(), json!({"updated": 3}), "{engine}");
        let deleted = engines.answer(engine, "DELETE", "/models/notes?weight=2", None);
        assert_eq!(deleted.status, 200, "{engine}: {}", deleted.body);
    }
    let program = Program::new(engines.folder(), &["audit", "list", "--format", "json"]);
    let lines = program.run_json();
    let lines = lines.as_array().expect("lines");
    for engine in ENGINES {
        let line = lines
            .iter()
            .find(|line| line["resource"] == engine && line["action"] == "records.update_all");
        let line = line.unwrap_or_else(|| panic!("{engine}: {lines:?}"));
        assert!(
            line.to_string().contains("3") && line["model"] == "customers",
            "{line}"
        );
        let line = lines
            .iter()
            .find(|line| line["resource"] == engine && line["action"] == "records.delete_all");
        assert!(line.is_some(), "{engine}: {lines:?}");
    }
}
