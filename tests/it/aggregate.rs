//! Aggregate and group over HTTP (wire contract, section 4).

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::{Value, json};
use svc_tests::{Call, End, Service};
use tempfile::TempDir;

use crate::shared::{demo, serve};

const SCHEMA: &str = "
    CREATE TABLE sales(id INTEGER PRIMARY KEY, shop TEXT, amount DECIMAL(10,2), pieces INTEGER,
        weight REAL, day DATE, at DATETIME, paid BOOLEAN, note TEXT);
    CREATE TABLE odd(id INTEGER PRIMARY KEY, group0 TEXT, Group1 TEXT, status TEXT, at DATE);
    INSERT INTO odd(group0, Group1, status, at) VALUES
        ('x', 'p', 'open', '2024-01-31'), ('y', 'q', 'open', '2024-01-01'), ('x', 'r', 'done', '2024-02-01');
    INSERT INTO sales(shop, amount, pieces, weight, day, at, paid) VALUES
        ('a', 0.10, 1, 1.5, '2024-01-31', '2024-01-31 23:30:00', 1),
        ('a', 0.20, 2, 2.5, '2024-02-01', '2024-02-01 00:30:00', 0),
        ('b', 10.05, 9223372036854775807, NULL, '2024-12-30', '2024-10-27 00:30:00', 1),
        ('b', NULL, 1, 0.0, '2025-01-01', '2024-10-27 01:30:00', NULL),
        (NULL, -3, NULL, NULL, NULL, NULL, 1);
";

fn sales() -> (Service, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
    database.execute_batch(SCHEMA).unwrap();
    (serve(&folder, &["s=sqlite:s.db"]), folder)
}

fn get(service: &Service, path: &str, query: &[(&str, &str)]) -> Call {
    let path = format!("/models/sales/{path}");
    service.data("GET", "s", &path).query(query)
}

#[test]
fn every_function_returns_its_value() {
    let (service, _folder) = sales();
    for (func, column, expected) in [
        ("count", "", json!(5)),
        ("count", "shop", json!(4)),
        ("COUNT_DISTINCT", "shop", json!(2)),
        ("sum", "amount", json!("7.35")),
        ("avg", "amount", json!("1.83750000")),
        ("min", "amount", json!("-3.00")),
        ("max", "amount", json!("10.05")),
        ("sum", "weight", json!(4.0)),
        ("min", "day", json!("2024-01-31")),
        ("max", "at", json!("2024-10-27T01:30:00Z")),
        ("min", "shop", json!("a")),
        ("max", "note", Value::Null),
        ("max", "paid", json!(true)),
    ] {
        let query = [("_y_func", func), ("_y_column", column)];
        let answer = get(&service, "aggregate", &query).ok();
        assert_eq!(answer, json!({"y_func": expected}), "{func}({column})");
        let body = match column {
            "" => json!({"func": func}),
            column => json!({"func": func, "column": column}),
        };
        let path = "/models/sales/aggregate/";
        assert_eq!(
            service.data("POST", "s", path).json(&body).ok(),
            answer,
            "{body}"
        );
    }
    let sum = get(
        &service,
        "aggregate",
        &[("_y_func", "sum"), ("_y_column", "pieces")],
    );
    assert_eq!(sum.expect(200).body, r#"{"y_func":9223372036854775811}"#);
}

#[test]
fn without_records_the_result_is_zero_or_null() {
    let (service, _folder) = sales();
    for (func, expected) in [
        ("count", json!(0)),
        ("sum", json!(0)),
        ("avg", json!(0)),
        ("min", Value::Null),
        ("max", Value::Null),
    ] {
        let query = [("_y_func", func), ("_y_column", "amount"), ("shop", "none")];
        assert_eq!(
            get(&service, "aggregate", &query).ok()["y_func"],
            expected,
            "{func}"
        );
    }
}

#[test]
fn groups_are_of_the_column_that_is_named_whatever_other_columns_are_called() {
    let (service, _folder) = sales();
    let groups = |query: &str| {
        let path = format!("/models/odd/group?_y_func=count&{query}");
        service.data("GET", "s", &path).ok()
    };
    assert_eq!(
        groups("_x_column=status"),
        json!([{"group": "done", "y_func": 1}, {"group": "open", "y_func": 2}])
    );
    assert_eq!(
        groups("_x_column=at&_x_lookup=date_month&_x_column=status"),
        json!([
            {"group": "2024-01-01", "group_2": "open", "y_func": 2},
            {"group": "2024-02-01", "group_2": "done", "y_func": 1}
        ])
    );
    assert_eq!(
        groups("_x_column=group0"),
        json!([{"group": "x", "y_func": 2}, {"group": "y", "y_func": 1}])
    );
}

#[test]
fn groups_are_ascending_with_null_first() {
    let (service, _folder) = sales();
    let query = [
        ("_x_column", "shop"),
        ("_y_func", "sum"),
        ("_y_column", "amount"),
    ];
    assert_eq!(
        get(&service, "group", &query).ok(),
        json!([{"group": null, "y_func": "-3.00"}, {"group": "a", "y_func": "0.30"}, {"group": "b", "y_func": "10.05"}])
    );
    let body = json!({"xColumns": [{"xColumn": "shop"}, {"xColumn": "paid"}], "yFunc": "count"});
    let rows = service
        .data("POST", "s", "/models/sales/group?shop__isnull=0")
        .json(&body)
        .ok();
    assert_eq!(
        rows[0],
        json!({"group": "a", "group_2": false, "y_func": 1})
    );
    assert_eq!(rows[2], json!({"group": "b", "group_2": null, "y_func": 1}));
    let one = get(
        &service,
        "group",
        &[
            ("_x_column", "shop"),
            ("_y_func", "count"),
            ("_per_page", "1"),
        ],
    )
    .ok();
    assert_eq!(one.as_array().unwrap().len(), 1);
}

#[test]
fn dates_are_grouped_by_unit_in_the_requested_time_zone() {
    let (service, _folder) = sales();
    let groups = |column: &str, lookup: &str, tz: &str| -> Vec<Value> {
        let query = [
            ("_x_column", column),
            ("_x_lookup", lookup),
            ("_y_func", "count"),
            ("tz", tz),
            ("day__isnull", "0"),
        ];
        let rows = get(&service, "group", &query).ok();
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| row["group"].clone())
            .collect()
    };
    assert_eq!(
        groups("at", "date_month", "UTC"),
        ["2024-01-01", "2024-02-01", "2024-10-01"]
    );
    assert_eq!(
        groups("at", "date_month", "Europe/Berlin"),
        ["2024-02-01", "2024-10-01"]
    );
    assert_eq!(
        groups("at", "date_hour", "Europe/Berlin")[2..],
        ["2024-10-27T02:00:00+02:00", "2024-10-27T02:00:00+01:00"]
    );
    assert_eq!(
        groups("day", "date_week", "UTC"),
        ["2024-01-29", "2024-12-30"]
    );
    assert_eq!(groups("day", "auto", "UTC").len(), 4);
    assert_eq!(
        groups("day", "date_quarter", "UTC"),
        ["2024-01-01", "2024-10-01", "2025-01-01"]
    );
}

#[test]
fn invalid_parameters_are_refused_under_their_keys() {
    let (service, _folder) = sales();
    for (path, query, key) in [
        (
            "aggregate",
            &[("_y_func", "sum"), ("_y_column", "shop")][..],
            "column",
        ),
        (
            "aggregate",
            &[("_y_func", "sum"), ("_y_column", "nothing")],
            "column",
        ),
        (
            "aggregate",
            &[("_y_func", "median"), ("_y_column", "amount")],
            "_y_func",
        ),
        (
            "aggregate",
            &[("_y_func", "count"), ("nothing", "1")],
            "nothing",
        ),
        (
            "aggregate",
            &[("_y_func", "count"), ("_order_by", "id")],
            "non_field_errors",
        ),
        (
            "group",
            &[("_x_column", "nothing"), ("_y_func", "count")],
            "x_column",
        ),
        (
            "group",
            &[
                ("_x_column", "shop"),
                ("_x_lookup", "date_day"),
                ("_y_func", "count"),
            ],
            "x_lookup",
        ),
        (
            "group",
            &[
                ("_x_column", "at"),
                ("_x_lookup", "date_day'); --"),
                ("_y_func", "count"),
            ],
            "_x_lookup",
        ),
        ("group", &[("_y_func", "count")], "_x_column"),
    ] {
        let answer = get(&service, path, query).expect(400).json();
        assert!(answer[key][0].is_string(), "{path} {query:?}: {answer}");
    }
    service
        .data("DELETE", "s", "/models/sales/aggregate")
        .expect(405);
}

#[test]
fn the_totals_of_the_demo_shop_are_correct() {
    let query = "_x_column=status&_y_func=count&id__lte=100000";
    let rows = demo()
        .data("GET", "shop", &format!("/models/orders/group?{query}"))
        .ok();
    let total: i64 = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["y_func"].as_i64().unwrap())
        .sum();
    assert_eq!((rows.as_array().unwrap().len(), total), (5, 100_000));
}

#[test]
fn the_sum_of_a_large_table_is_that_of_one_state_while_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = wal;
             CREATE TABLE moves(id INTEGER PRIMARY KEY, amount DECIMAL(10,2), note TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
             INSERT INTO moves SELECT i, 0.25, iif(i % 2, 'odd', 'even') FROM n;",
        )
        .unwrap();
    let service = serve(&folder, &["s=sqlite:s.db"]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut written = 0;
            while !done.load(Ordering::Relaxed) {
                let move_of_nothing =
                    json!([{"amount": 5, "note": "odd"}, {"amount": -5, "note": "even"}]);
                service
                    .data("POST", "s", "/models/moves/bulk_create?_atomic=1")
                    .json(&move_of_nothing)
                    .expect(200);
                written += 1;
            }
            written
        });
        let reading = End(&done);
        for _ in 0..20 {
            let path = "/models/moves/aggregate?_y_func=sum&_y_column=amount";
            let sum = service.data("GET", "s", path).ok();
            assert_eq!(sum, json!({"y_func": "75000.00"}));
            let path = "/models/moves/group?_x_column=note&_y_func=count";
            let groups = service.data("GET", "s", path).ok();
            assert_eq!(groups[0]["y_func"], groups[1]["y_func"], "{groups}");
        }
        drop(reading);
        assert!(writer.join().unwrap() > 0);
    });
}
