//! Excerpts of values that only one engine has.

use serde_json::{Value, json};
use svc_tests::servers::{PostgresServer, Server as _};

use super::super::faults::serve;

#[test]
fn cells_of_sqlite_are_cut_as_they_are_shown_whatever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cells.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, j JSON, b BLOB, n INTEGER, any);
        INSERT INTO t VALUES (1, CAST(x'6162ff636465' AS TEXT), '{broken json', 'a text', 'not a number', x'00010203ff');
        INSERT INTO t VALUES (2, x'00010203ff', ' [1,  2, 3] ', x'00010203ff', 123456, 123456);
        INSERT INTO t VALUES (3, 'a' || char(0) || 'bcd', '\"a string\"', NULL, NULL, 'a text');
        CREATE VIEW w AS SELECT id, v || '' AS v, j, upper(any) AS any FROM t;";
    database.execute_batch(script).unwrap();
    let (_store, service) = serve(&[format!("cells=sqlite:{}", file.display())], &[]);
    let get = |path: &str| -> Value {
        let call = service.data("GET", "cells", &format!("/models/{path}"));
        call.expect(200).json()
    };
    let expected = json!([
        {"id": 1, "v": {"$hex": "6162ff63"}, "j": "{bro", "b": "a te", "n": "not a number", "any": {"$hex": "00010203"},
            "_cut": {"v": 6, "j": 12, "b": 6, "any": 5}},
        {"id": 2, "v": {"$hex": "00010203"}, "j": "[1,2", "b": "00010203", "n": 123_456, "any": 123_456,
            "_cut": {"v": 5, "j": 7, "b": 5}},
        {"id": 3, "v": "a\u{0}bc", "j": "\"a s", "b": null, "n": null, "any": "a te", "_cut": {"v": 5, "j": 10, "any": 6}},
    ]);
    assert_eq!(get("t?_excerpt=4&_order_by=id")["results"], expected);
    for id in 1..=3 {
        assert_eq!(get(&format!("t/{id}?_excerpt=4")), expected[id - 1], "{id}");
    }
    let (whole, cut) = (get("w?_order_by=id"), get("w?_order_by=id&_excerpt=4"));
    let text = |list: &Value, place: usize| -> String {
        let value = &list["results"][place]["v"];
        let value = value["$hex"].as_str().or(value.as_str());
        value.unwrap().to_owned()
    };
    for (place, length) in [(0, 8), (1, 8), (2, 4)] {
        let (whole, cut) = (text(&whole, place), text(&cut, place));
        assert!(whole.starts_with(&cut), "{whole:?} {cut:?}");
        assert_eq!(cut.chars().count(), length, "{cut:?}");
    }
    for excerpt in 1..8 {
        for query in [
            "SELECT * FROM t ORDER BY id",
            "SELECT v || '' AS v, any FROM t ORDER BY id",
        ] {
            let call = service.data("POST", "cells", "/sql_get_query");
            call.json(&json!({"query": query, "excerpt": excerpt}))
                .expect(200);
        }
    }
}

#[test]
fn types_of_postgresql_are_cut_as_they_are_shown() {
    let script = "CREATE TYPE mood AS ENUM ('happy', 'unhappy'); CREATE DOMAIN story AS text;
        CREATE TABLE t (id int PRIMARY KEY, spaced json, fixed char(8), many text[], numbers numeric(6,2)[], mood mood,
            tree xml, story story, during interval, address inet, searched tsvector, large jsonb);
        INSERT INTO t VALUES (1, E'{ \"a b\" :  [1,\\n 2] }', 'ab', '{one,two,three}', '{1.50,2.25}', 'unhappy',
            '<a>long</a>', 'a story', '1 year 2 months', '10.0.0.1', 'a b c d',
            (SELECT jsonb_agg(jsonb_build_object('a', i, 'b', ': , ')) FROM generate_series(1, 20000) AS i));";
    let url = PostgresServer::shared().database(script);
    let (_store, service) = serve(&[format!("p={url}")], &[]);
    let get = |path: &str| -> Value {
        let call = service.data("GET", "p", &format!("/models/{path}"));
        call.expect(200).json()
    };
    let expected = json!({
        "id": 1, "spaced": "{\"a b\"", "fixed": "ab    ", "many": "[\"one\"", "numbers": "[\"1.50", "mood": "unhappy",
        "tree": "<a>lon", "story": "a stor", "during": "P1Y2M", "address": "10.0.0", "searched": "'a' 'b", "large": "[{\"a\":",
        "_cut": {"spaced": 13, "fixed": 8, "many": 21, "numbers": 15, "tree": 11, "story": 7, "address": 8,
            "searched": 15, "large": 540_001},
    });
    let mut list = get("t?_excerpt=6")["results"][0].clone();
    let length = list["_cut"]["large"].as_u64().unwrap();
    // A long text is measured with its spaces.
    assert!((408_895..540_000).contains(&length), "{length}");
    let one = get("t/1?_excerpt=6");
    let exact = one["_cut"]["large"].as_u64().unwrap();
    assert!(exact < length, "{exact} {length}");
    list["_cut"]["large"] = exact.into();
    assert_eq!(list, one);
    let mut expected = expected;
    expected["_cut"]["large"] = exact.into();
    assert_eq!(one, expected);
    let whole = get("t");
    for most in [100, 1000, 5000] {
        let cut = get(&format!("t?_excerpt={most}&_fields=large"));
        let (cut, whole) = (
            &cut["results"][0]["large"],
            whole["results"][0]["large"].to_string(),
        );
        assert!(whole.starts_with(cut.as_str().unwrap()), "{most}");
        assert_eq!(cut.as_str().unwrap().len(), most);
    }
    let rows = service.data("POST", "p", "/sql_get_query");
    let query =
        json!({"query": "SELECT spaced, fixed, many, tree, mood, address FROM t", "excerpt": 6});
    let rows: Value = rows.json(&query).expect(200).json();
    let lengths = json!([{"spaced": 13, "fixed": 8, "many": 21, "tree": 11, "address": 11}]);
    assert_eq!(rows["_cut"], lengths, "{rows}");
}
