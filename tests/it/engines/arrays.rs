//! Lookups of array columns, which PostgreSQL has.

use std::sync::LazyLock;

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use svc_tests::{
    Answer, Service,
    servers::{PostgresServer, Server as _},
};
use tempfile::TempDir;

use super::fixture::{ENGINES, Engines};

const TABLE: &str = r#"
    CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
    CREATE DOMAIN labels AS TEXT[] CHECK (cardinality(value) < 9);
    CREATE TABLE zoo (id INT PRIMARY KEY, tags TEXT[], short VARCHAR(3)[], fixed CHAR(3)[], numbers INT[], prices NUMERIC(8,2)[],
        days DATE[], instants TIMESTAMPTZ[], tokens UUID[], truths BOOLEAN[], moods mood[], labels labels, bytes BYTEA[],
        doubles FLOAT8[], docs JSONB[], plain JSON[], addresses INET[], matrix INT[][], name TEXT, doc JSONB);
    CREATE INDEX ON zoo USING gin (tags);
    INSERT INTO zoo VALUES
        (1, '{a,b}', '{abc}', '{a}', '{1,2,3}', '{1.50,2}', '{2026-01-31}', '{2026-01-31T12:00:00Z}',
            '{00000000-0000-4000-8000-000000000001}', '{t,f}', '{sad,happy}', '{x,y}', '{"\\x00ff"}', '{0.5,1e300}',
            ARRAY['{"a": 1}', '"x"']::jsonb[], ARRAY['1']::json[], '{10.0.0.1}', '{{1,2},{3,4}}', 'a', '[]'),
        (2, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', 'b', '[]'),
        (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (4, '{a,NULL,"c,d","[x",""}', '{ab,NULL}', '{b}', '{NULL,2}', '{NaN}', '{infinity}', '{NULL}', '{NULL}', '{NULL}',
            '{ok}', '{x}', '{NULL}', '{-0}', '{NULL}', '{NULL}', '{::1}', '{{5,6}}', 'c', '[]');"#;

static SERVICE: LazyLock<(Service, TempDir)> = LazyLock::new(|| {
    let postgres = PostgresServer::shared().database(TABLE);
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(
        folder.path(),
        &["serve", "--connect", &format!("postgres={postgres}")],
    );
    (service, folder)
});

fn answer(query: &[(&str, &str)]) -> Answer {
    let call = SERVICE.0.data("GET", "postgres", "/models/zoo");
    call.query(query)
        .query(&[("_fields", "id"), ("_order_by", "id")])
        .send()
}

/// The keys of the records that a filter finds.
#[track_caller]
fn found(key: &str, value: &str) -> Vec<i64> {
    let answer = answer(&[(key, value)]);
    assert_eq!(answer.status, 200, "{key}={value}: {}", answer.body);
    keys(&answer.json())
}

fn keys(answer: &Value) -> Vec<i64> {
    let rows = answer["results"].as_array().unwrap();
    rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// The message on the field of a filter that is refused.
#[track_caller]
fn refused(field: &str, lookup: &str, value: &str) -> String {
    let answer = answer(&[(&format!("{field}__{lookup}"), value)]);
    assert_eq!(
        answer.status, 400,
        "{field} {lookup} {value}: {}",
        answer.body
    );
    let body = answer.json();
    let message = body[field][0].as_str();
    message.unwrap_or_else(|| panic!("{body}")).to_owned()
}

#[test]
fn an_array_is_compared_with_the_values_of_a_comma_list_or_a_json_array() {
    for (key, value, expected) in [
        ("tags__contains_all", "a", &[1, 4][..]),
        ("tags__contains_all", "a,b", &[1]),
        ("tags__contains_all", "[\"b\",\"a\",\"a\"]", &[1]),
        ("tags__contains_all", "", &[1, 2, 4]),
        ("tags__contains_all", "\"c,d\"", &[4]),
        ("tags__contains_all", "\"[x\"", &[4]),
        ("tags__contains_all", "\"\"", &[4]),
        ("tags__contains_any", "b,\"c,d\"", &[1, 4]),
        ("tags__contains_any", "[]", &[]),
        ("tags__contains_any", "NULL", &[]),
        ("tags__contained_by", "a,b,c", &[1, 2]),
        ("tags__contained_by", "[]", &[2]),
        ("exclude__tags__contains_any", "a", &[2]),
        ("tags", "[\"a\",\"b\"]", &[1]),
        ("tags", "[]", &[2]),
        ("tags__len", "0", &[2]),
        ("tags__len__gt", "2", &[4]),
        ("tags__len__gte", "2", &[1, 4]),
        ("tags__len__lt", "2", &[2]),
        ("tags__len__lte", "2", &[1, 2]),
        ("exclude__tags__len", "0", &[1, 4]),
        ("tags__len__lt", "9223372036854775807", &[1, 2, 4]),
        ("tags__len", "-1", &[]),
        ("matrix__len", "4", &[1]),
        ("matrix__contains_all", "1,4", &[1]),
        ("plain__len", "1", &[1, 4]),
    ] {
        assert_eq!(found(key, value), expected, "{key}={value}");
    }
}

#[test]
fn elements_are_read_as_their_type() {
    for (field, value, expected) in [
        ("short", "abc", &[1][..]),
        ("short", "abcd", &[]),
        ("fixed", "a", &[1]),
        ("numbers", "[3, 2]", &[1]),
        ("numbers", "2", &[1, 4]),
        ("prices", "1.5", &[1]),
        ("prices", "NaN", &[4]),
        ("days", "2026-01-31", &[1]),
        ("days", "infinity", &[4]),
        ("instants", "2026-01-31T13:00:00+01:00", &[1]),
        ("tokens", "00000000-0000-4000-8000-000000000001", &[1]),
        ("truths", "yes,0", &[1]),
        ("moods", "sad", &[1]),
        ("labels", "x", &[1, 4]),
        ("bytes", "00ff", &[1]),
        ("doubles", "1e300", &[1]),
        ("docs", "[\"{\\\"a\\\": 1.0}\"]", &[1]),
        ("addresses", "10.0.0.1", &[1]),
    ] {
        let key = format!("{field}__contains_all");
        assert_eq!(found(&key, value), expected, "{key}={value}");
    }
}

#[test]
fn what_is_shown_of_an_array_finds_its_record_again() {
    let call = SERVICE.0.data("GET", "postgres", "/models/zoo/1");
    let record = call.send().json();
    for (field, value) in record.as_object().unwrap() {
        if !value.is_array() || matches!(field.as_str(), "doc" | "plain" | "docs" | "matrix") {
            continue;
        }
        let written = value.to_string();
        for lookup in ["exact", "contains_all", "contained_by"] {
            let found = found(&format!("{field}__{lookup}"), &written);
            assert!(found.contains(&1), "{field} {lookup} {written}: {found:?}");
        }
        let leaf = json!({"field": field, "lookup": "contains_any", "value": value}).to_string();
        assert!(
            keys(&answer(&[("_filter", &leaf)]).json()).contains(&1),
            "{leaf}"
        );
        let leaf = json!({"field": field, "value": value}).to_string();
        assert_eq!(keys(&answer(&[("_filter", &leaf)]).json()), [1], "{leaf}");
    }
}

#[test]
fn a_value_that_does_not_fit_is_refused_on_its_field() {
    for (field, lookup, value, expected) in [
        (
            "numbers",
            "contains_all",
            "1,x",
            "a valid integer is required",
        ),
        ("numbers", "contains_all", "99999999999", "out of range"),
        ("prices", "contains_any", "x", "a valid number is required"),
        ("days", "contained_by", "2026-02-30", "must be a date"),
        ("tokens", "contains_all", "x", "UUID"),
        ("truths", "contains_all", "maybe", "true or false"),
        ("moods", "contains_all", "bored", ""),
        ("addresses", "contains_all", "x", ""),
        ("plain", "contains_all", "1", "does not compare elements"),
        ("tags", "len", "x", "a valid integer is required"),
        ("tags", "len__gt", "1.5", "a valid integer is required"),
        ("tags", "len__gt", "", "a valid integer is required"),
        ("tags", "contains_all", "a\0", "NUL"),
        (
            "name",
            "contains_any",
            "a",
            "needs an array column of PostgreSQL",
        ),
        (
            "doc",
            "contains_all",
            "1",
            "needs an array column of PostgreSQL",
        ),
        ("id", "len", "1", "needs an array column of PostgreSQL"),
    ] {
        let message = refused(field, lookup, value);
        assert!(
            message.contains(expected),
            "{field} {lookup} {value}: {message}"
        );
    }
    for (value, expected) in [
        ("[null]", "isnull"),
        ("[[1]]", "a value is a text"),
        ("[1", "must be a JSON array"),
        ("\"a", "double quote"),
    ] {
        let answer = answer(&[("tags__contains_any", value)]);
        assert_eq!(answer.status, 400, "{value}: {}", answer.body);
        assert!(answer.body.contains(expected), "{value}: {}", answer.body);
    }
}

#[test]
fn an_engine_without_arrays_says_so_with_the_name_of_the_field() {
    let engines = Engines::shared();
    for engine in ENGINES {
        for lookup in [
            "contains_all",
            "contains_any",
            "contained_by",
            "len",
            "len__gte",
        ] {
            for field in ["extra", "name"] {
                let path = format!("/models/customers?{field}__{lookup}=1");
                let answer = engines.answer(engine, "GET", &path, None);
                assert_eq!(answer.status, 400, "{engine} {path}: {}", answer.body);
                let message = answer.json()[field][0].to_string();
                assert!(message.contains("needs an array column"), "{message}");
            }
        }
    }
}

/// Texts that the literals of arrays could read as something else.
const WORDS: [&str; 14] = [
    "a", "b", "A", "", "NULL", "null", "a b", "{}", "\"", "\\", ",", "'", "[", "日",
];

const LOOKUPS: [&str; 8] = [
    "contains_all",
    "contains_any",
    "contained_by",
    "len",
    "len__gt",
    "len__gte",
    "len__lt",
    "len__lte",
];

#[test]
fn random_arrays_compare_as_sets_of_elements() {
    let element = prop::option::weighted(0.9, prop::sample::select(&WORDS[..]));
    let array = prop::option::weighted(0.95, prop::collection::vec(element, 0..4));
    let mut runner = TestRunner::default();
    let arrays: Vec<Option<Vec<Option<&str>>>> = (0..80)
        .map(|_| array.new_tree(&mut runner).unwrap().current())
        .collect();
    let rows = arrays.iter().enumerate().map(|(position, array)| {
        let elements = array.as_ref().map(|elements| {
            let elements = elements.iter().map(|element| match element {
                Some(word) => format!("'{}'", word.replace('\'', "''")),
                None => "NULL".to_owned(),
            });
            format!("ARRAY[{}]::text[]", elements.collect::<Vec<_>>().join(","))
        });
        format!("({position}, {})", elements.as_deref().unwrap_or("NULL"))
    });
    let postgres = PostgresServer::shared().database(&format!(
        "CREATE TABLE lists (id INT PRIMARY KEY, tags TEXT[]); INSERT INTO lists VALUES {};",
        rows.collect::<Vec<_>>().join(",")
    ));
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(
        folder.path(),
        &["serve", "--connect", &format!("postgres={postgres}")],
    );
    let values = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..4);
    let question = (prop::sample::select(&LOOKUPS[..]), values, any::<bool>());
    let mut runner = TestRunner::new(Config {
        cases: 200,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&question, |(lookup, values, negated)| {
            let holds = |array: &Vec<Option<&str>>| {
                let has = |value: &&str| array.contains(&Some(*value));
                match lookup {
                    "contains_all" => values.iter().all(has),
                    "contains_any" => values.iter().any(has),
                    "contained_by" => {
                        let mut elements = array.iter();
                        elements.all(|element| element.is_some_and(|word| values.contains(&word)))
                    }
                    "len" => array.len() == values.len(),
                    "len__gt" => array.len() > values.len(),
                    "len__gte" => array.len() >= values.len(),
                    "len__lt" => array.len() < values.len(),
                    _ => array.len() <= values.len(),
                }
            };
            let expected: Vec<i64> = arrays
                .iter()
                .zip(0_i64..)
                .filter(|(array, _)| array.as_ref().map(holds) == Some(!negated))
                .map(|(_, key)| key)
                .collect();
            let value = match lookup.starts_with("len") {
                true => json!(values.len()),
                false => json!(values),
            };
            let leaf = json!({"field": "tags", "lookup": lookup, "value": value});
            let filter = if negated {
                json!({ "not": leaf })
            } else {
                leaf
            };
            let key = match negated {
                true => format!("exclude__tags__{lookup}"),
                false => format!("tags__{lookup}"),
            };
            for (key, value) in [("_filter", filter.to_string()), (&*key, value.to_string())] {
                let call = service.data("GET", "postgres", "/models/lists");
                let query = [
                    (key, value.as_str()),
                    ("_order_by", "id"),
                    ("_per_page", "100"),
                ];
                let answer = call.query(&query).send();
                prop_assert_eq!(answer.status.as_u16(), 200, "{}", answer.body);
                prop_assert_eq!(keys(&answer.json()), expected.clone(), "{}={}", key, value);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn elements_are_written_as_single_values_are() {
    let url = PostgresServer::shared().database(
        "CREATE TABLE t (id INT PRIMARY KEY, at TIMESTAMPTZ, moments TIMESTAMPTZ[], prices NUMERIC(10,2)[],
            short VARCHAR(3)[], fine TIMESTAMP[], small SMALLINT[])",
    );
    let folder = tempfile::tempdir().unwrap();
    let connect = format!("p={url}");
    let service = Service::start(folder.path(), &["serve", "--connect", &connect]);
    let call = |method: &str, rest: &str, body: &Value| {
        let path = format!("/models/t{rest}");
        service.data(method, "p", &path).json(body).send()
    };
    // Times without an offset are in the zone of the request.
    let noon = "2026-01-01T12:00:00";
    let record = json!({"id": 1, "at": noon, "moments": [noon, null, "2026-01-01T12:00:00Z"]});
    let made = call("POST", "?tz=%2B02:00", &record);
    assert_eq!(made.status, 201, "{}", made.body);
    let read = service.data("GET", "p", "/models/t/1").ok();
    assert_eq!(read["at"], "2026-01-01T10:00:00Z");
    let moments = json!(["2026-01-01T10:00:00Z", null, "2026-01-01T12:00:00Z"]);
    assert_eq!(read["moments"], moments);
    for (zone, count) in [("%2B02:00", 1), ("UTC", 0)] {
        let found = format!(
            "/models/t?tz={zone}&moments__contains_all=2026-01-01T12:00:00,{noon}&at={noon}"
        );
        assert_eq!(service.data("GET", "p", &found).ok()["count"], count);
    }
    // Nothing of an element is lost without a word.
    for (field, elements) in [
        ("prices", json!(["1.50", "1.239"])),
        ("prices", json!([["1.5"], ["123456789.1"]])),
        ("short", json!(["abcd"])),
        ("fine", json!(["2026-01-01T00:00:00.123456789Z"])),
        ("small", json!([1, 40_000])),
    ] {
        let refused = call("PATCH", "/1", &json!({field: elements}));
        assert_eq!(refused.status, 400, "{field}: {}", refused.body);
        assert!(refused.json()[field].is_array(), "{}", refused.body);
    }
    let fits = json!({"prices": [["1.50"], [2]], "short": ["abc", null], "small": [1, -32_768],
        "fine": ["2026-01-01T00:00:00.123456Z"]});
    assert_eq!(call("PATCH", "/1", &fits).status, 200);
}
