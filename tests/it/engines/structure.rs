//! Descriptions of the structure, for every engine.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use svc_tests::servers::{PostgresServer, Server as _};

use super::fixture::{ENGINES, Engines};
use crate::shared::{demo, serve};

#[test]
fn every_engine_describes_the_same_models() {
    let engines = Engines::shared();
    let mut first: Option<Value> = None;
    for engine in ENGINES {
        let mut models = engines
            .answer(engine, "GET", "/model_descriptions", None)
            .json();
        for model in models.as_array_mut().unwrap() {
            // The columns and abilities of views differ between engines.
            let is_view = model["is_view"] == true;
            if let Some(model) = model.as_object_mut().filter(|_| is_view) {
                model.remove("can");
            }
            for field in model["fields"].as_array_mut().unwrap() {
                let field = field.as_object_mut().unwrap();
                // MariaDB makes an index for each foreign key.
                for own in ["db_field", "params", "default_value", "indexed"] {
                    field.remove(own);
                }
                if is_view {
                    field.retain(|name, _| name == "name");
                }
            }
        }
        match &first {
            None => first = Some(models),
            Some(first) => {
                let (left, right) = (first.as_array().unwrap(), models.as_array().unwrap());
                for (left, right) in left.iter().zip(right) {
                    assert_eq!(left, right, "{engine}");
                }
                assert_eq!(left.len(), right.len(), "{engine}");
            }
        }
    }
}

/// Every `$ref` of a document.
fn references<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get("$ref") {
                found.insert(reference);
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

fn check_definition(text: &str) {
    let document: Value = serde_json::from_str(text).unwrap();
    let parsed = oas3::from_json(text).unwrap();
    parsed.validate_version().unwrap();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        let pointer = reference
            .strip_prefix('#')
            .expect("a place in the document");
        assert!(
            document.pointer(pointer).is_some(),
            "{reference} leads nowhere"
        );
    }
    let mut ids = BTreeSet::new();
    for (path, item, operation) in parsed.operations() {
        let id = operation
            .operation_id
            .clone()
            .expect("an operation has an id");
        assert!(ids.insert(id.clone()), "{id} is there twice");
        assert!(operation.responses.is_some(), "{path} {item}");
    }
}

#[test]
fn the_definition_of_every_resource_is_a_valid_openapi_document() {
    let engines = Engines::shared();
    for engine in ENGINES {
        check_definition(&engines.answer(engine, "GET", "/openapi.json", None).body);
    }
    check_definition(&demo().data("GET", "shop", "/openapi.json").expect(200).body);
    check_definition(
        &demo()
            .app_anonymous("GET", "/openapi.json")
            .expect(200)
            .body,
    );
}

const EVERYTHING: &str = r#"
    CREATE SCHEMA other;
    CREATE TYPE other.mood AS ENUM ('sad', 'it''s ok');
    CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
    CREATE TABLE other.types (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        small smallint, big bigint, exact numeric(10,2), free numeric, half real, whole double precision,
        day date, clock time, naive timestamp, instant timestamptz, plain json, binary_json jsonb, uid uuid,
        bytes bytea, fixed char(4), mood other.mood, numbers integer[], words text[], grid integer[][],
        span interval, address inet, network cidr, range int4range, place point, price money, bits bit(3), name xml,
        amount positive, twice integer GENERATED ALWAYS AS (small * 2) STORED, "odd ""name""" text
    );
    CREATE TABLE "Odd.Table" ("a b" text PRIMARY KEY, "c,d" integer DEFAULT 5);
    CREATE MATERIALIZED VIEW summary AS SELECT 1 AS one, 'x'::text AS x;
    CREATE VIEW counted AS SELECT count(*) AS n FROM "Odd.Table";
    CREATE TABLE parts (id integer PRIMARY KEY, at date) PARTITION BY RANGE (id);
    CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
"#;

#[test]
fn every_type_of_postgresql_can_be_written_and_read() {
    let url = PostgresServer::shared().database(EVERYTHING);
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder, &[&format!("p={url}")]);
    let models = service.data("GET", "p", "/model_descriptions").ok();
    let names: Vec<&str> = models
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["model"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["Odd.Table", "counted", "other.types", "parts", "summary"]
    );
    let record = json!({
        "small": 1, "big": i64::MIN, "exact": "12345678.90", "free": "0.00000000000000000000123", "half": 0.1,
        "whole": 1e300, "day": "2026-01-31", "clock": "10:11:12.5", "naive": "2026-01-31T10:00:00Z",
        "instant": "2026-01-31T10:00:00.123456Z", "plain": {"b": [1, null]}, "binary_json": [1, "x"],
        "uid": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "bytes": "00ff", "fixed": "ab  ", "mood": "it's ok",
        "numbers": [1, null, 3], "words": ["a", "b,\"c\"", "\\", null], "grid": [[1, 2], [3, 4]], "span": "P1DT2H",
        "address": "10.0.0.1", "network": "10.0.0.0/8", "range": "[1,5)", "place": "(1,2)", "price": "$1.50",
        "bits": "101", "name": "<a/>", "amount": 7, "odd \"name\"": "x",
    });
    let created = service
        .data("POST", "p", "/models/other.types")
        .json(&record)
        .expect(201)
        .json();
    for (name, value) in record.as_object().unwrap() {
        assert_eq!(&created[name], value, "{name}");
    }
    assert_eq!((&created["id"], &created["twice"]), (&json!(1), &json!(2)));
    assert_eq!(
        service.data("GET", "p", "/models/other.types/1").ok(),
        created
    );
    for (name, value) in [
        ("exact", "12345678.9"),
        ("half", "0.1"),
        ("mood", "it's ok"),
        ("span", "P1DT2H"),
        ("address", "10.0.0.1"),
        ("range", "[1,5)"),
        ("numbers", "[1,null,3]"),
        ("bits", "101"),
        ("amount", "7"),
        ("fixed", "ab"),
        ("odd \"name\"", "x"),
    ] {
        let call = service
            .data("GET", "p", "/models/other.types")
            .query(&[(name, value)]);
        let found = call.send();
        assert_eq!(found.status, 200, "{name}: {}", found.body);
        assert_eq!(found.json()["count"], 1, "{name}");
    }
    let (mut bad, mut refused) = (Vec::new(), Vec::new());
    for (name, value) in [
        ("small", json!(40_000)),
        ("exact", json!("1.005")),
        ("half", json!(1e39)),
        ("mood", json!("angry")),
        ("amount", json!(-1)),
        ("numbers", json!("x")),
        ("numbers", json!(["x"])),
        ("clock", json!("10:00:00.1234567")),
        ("twice", json!(1)),
        ("id", json!(5)),
        ("address", json!("nowhere")),
        ("words", json!({})),
        ("fixed", json!("too long")),
        ("binary_json", json!("a\u{0}b")),
    ] {
        let answer = service
            .data("POST", "p", "/models/other.types")
            .json(&json!({name: value}))
            .send();
        match answer.status.as_u16() {
            400 => refused.push(name),
            _ => bad.push((name, answer.body)),
        }
    }
    assert_eq!((bad, refused.len()), (Vec::new(), 14));
    for order in record.as_object().unwrap().keys() {
        let call = service
            .data("GET", "p", "/models/other.types")
            .query(&[("_order_by", order)]);
        // PostgreSQL cannot order these types.
        let is_unordered = ["plain", "place", "name"].contains(&order.as_str());
        call.expect(if is_unordered { 400 } else { 200 });
    }
    let call = service
        .data("POST", "p", "/models/Odd.Table")
        .json(&json!({"a b": "x/y,z"}));
    assert_eq!(call.expect(201).json(), json!({"a b": "x/y,z", "c,d": 5}));
    assert_eq!(
        service.data("GET", "p", "/models/Odd.Table/x%2Fy,z").ok()["c,d"],
        5
    );
    assert_eq!(
        service.data("GET", "p", "/models/counted").ok()["results"],
        json!([{"n": 1}])
    );
    let refused = service
        .data("POST", "p", "/models/counted")
        .json(&json!({}))
        .expect(400);
    assert!(
        refused.body.contains("cannot be created"),
        "{}",
        refused.body
    );
    service
        .data("POST", "p", "/models/parts")
        .json(&json!({"id": 5}))
        .expect(201);
    service
        .data("POST", "p", "/models/parts")
        .json(&json!({"id": 500}))
        .expect(400);
    let far = json!({"day": "9999-12-31", "instant": "9999-12-30T10:00:00Z"});
    service
        .data("POST", "p", "/models/other.types")
        .json(&far)
        .expect(201);
    execute_far(&url);
    let far = service
        .data("GET", "p", "/models/other.types?_order_by=-id&_per_page=1")
        .ok();
    assert_eq!(far["results"][0]["day"], "infinity");
    assert_eq!(far["results"][0]["naive"], "12026-01-01T00:00:00Z");
    assert_eq!(far["results"][0]["whole"], Value::Null);
}

fn execute_far(url: &str) {
    PostgresServer::shared().execute(
        url,
        "INSERT INTO other.types (day, naive, whole, free) VALUES ('infinity', '12026-01-01', 'NaN', 'NaN')",
    );
}

#[test]
fn a_database_user_of_postgresql_can_read_and_write_only_what_it_is_permitted_to() {
    let server = PostgresServer::shared();
    let url = server.database(
        "CREATE TABLE open (id integer PRIMARY KEY, a text); CREATE TABLE closed (id integer PRIMARY KEY);
         INSERT INTO open VALUES (1, 'x');
         DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'reader'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         GRANT SELECT ON open TO reader;",
    );
    let (_, rest) = url.split_once('@').unwrap();
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder, &[&format!("p=postgres://reader:reader@{rest}")]);
    let models = service.data("GET", "p", "/model_descriptions").ok();
    assert_eq!(models.as_array().unwrap().len(), 1);
    service.data("GET", "p", "/models/closed").expect(404);
    service.data("GET", "p", "/models/open/1").expect(200);
    let refused = service
        .data("PATCH", "p", "/models/open/1")
        .json(&json!({"a": "y"}))
        .expect(400);
    assert!(refused.body.contains("may not do that"), "{}", refused.body);
    let body = json!({"query": "select * from closed"});
    let refused = service
        .data("POST", "p", "/sql_get_query")
        .json(&body)
        .expect(400);
    assert!(
        refused.body.contains("permission denied"),
        "{}",
        refused.body
    );
}
