//! Conditions on places inside JSON columns, on each type that holds JSON, compared with a reference.

mod reference;

use std::{collections::BTreeMap, sync::LazyLock};

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use svc_tests::{
    Answer, Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

use self::reference::{Condition, Doc, NUMBERS, Step};

/// The resources, each with the model that has the documents.
const PLACES: [(&str, &str); 4] = [
    ("sqlite", "docs"),
    ("postgres", "docs"),
    ("postgres", "plain"),
    ("mariadb", "docs"),
];

/// A service with the same documents in each engine.
struct Documents {
    service: Service,
    _folder: TempDir,
}

/// How the texts of a document are written.
#[derive(Clone, Copy)]
enum Spelling {
    /// Without needless escapes.
    Plain,
    /// In ASCII, as some languages do it by default.
    Ascii,
}

impl Documents {
    /// The documents under the keys 1, 2, ...; none is NULL.
    fn new(documents: &[Option<String>]) -> Self {
        let rows = |table: &str, quoted: fn(&str) -> String| -> String {
            let rows = documents.iter().enumerate().map(|(position, document)| {
                let document = document.as_deref().map_or("NULL".to_owned(), quoted);
                format!("({}, {document})", position + 1)
            });
            let rows: Vec<String> = rows.collect();
            format!("INSERT INTO {table} VALUES {};", rows.join(","))
        };
        let plain = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let escaped = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"));
        let folder = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
        database
            .execute_batch(&format!(
                "CREATE TABLE docs (id INTEGER PRIMARY KEY, doc JSON, name TEXT); {}",
                rows("docs (id, doc)", plain)
            ))
            .unwrap();
        let postgres = PostgresServer::shared().database(&format!(
            "CREATE TABLE docs (id BIGINT PRIMARY KEY, doc JSONB, name TEXT, tags TEXT[]);
             CREATE TABLE plain (id BIGINT PRIMARY KEY, doc JSON); {} {}",
            rows("docs (id, doc)", plain),
            rows("plain (id, doc)", plain)
        ));
        let mariadb = MariadbServer::shared().database(&format!(
            "CREATE TABLE docs (id BIGINT PRIMARY KEY, doc JSON, name TEXT); {}",
            rows("docs (id, doc)", escaped)
        ));
        let service = Service::start(
            folder.path(),
            &[
                "serve",
                "--connect",
                "sqlite=sqlite:s.db",
                "--connect",
                &format!("postgres={postgres}"),
                "--connect",
                &format!("mariadb={mariadb}"),
            ],
        );
        Self {
            service,
            _folder: folder,
        }
    }

    fn answer(&self, (resource, model): (&str, &str), filter: &str) -> Answer {
        let path = format!("/models/{model}");
        let call = self.service.data("GET", resource, &path);
        let call = call.query(&[("_filter", filter), ("_fields", "id"), ("_order_by", "id")]);
        call.query(&[("_per_page", "1000")]).send()
    }

    /// The keys that a filter selects.
    fn selected(&self, place: (&str, &str), filter: &str) -> Result<Vec<i64>, String> {
        let answer = self.answer(place, filter);
        match answer.status.as_u16() {
            200 => Ok(keys(&answer.json())),
            status => Err(format!("{status} {}", answer.body)),
        }
    }

    /// The keys that a condition selects, the same in each engine.
    #[track_caller]
    fn alike(&self, filter: &Value) -> Vec<i64> {
        let filter = filter.to_string();
        let all = PLACES.map(|place| self.selected(place, &filter));
        for (place, selected) in PLACES.iter().zip(&all) {
            assert_eq!(selected, &all[0], "{place:?}: {filter}");
        }
        all[0]
            .clone()
            .unwrap_or_else(|error| panic!("{filter}: {error}"))
    }
}

fn keys(answer: &Value) -> Vec<i64> {
    let rows = answer["results"].as_array().unwrap();
    rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Names of members that paths, patterns and quotes could read as something else.
const NAMES: [&str; 24] = [
    "a", "b", "A", "0", "1", "-1", "", " ", "a.b", "$", "$.a", "[0]", "a\"b", "a\\b", "\\", "'",
    "-", "-a", "ö", "日本", "😀", "a/b", "a\nb", "*",
];

const TEXTS: [&str; 24] = [
    "", "a", "A", "a ", " a", "ab", "b", "Ä", "ä", "1", "1.0", "true", "null", "50%", "a_b",
    "a\\b", "\"", "'", "日本", "😀", "\u{ffff}", "a/b", "a\nb", "[]",
];

fn scalar() -> impl Strategy<Value = Doc> {
    prop_oneof![
        1 => Just(Doc::Null),
        2 => any::<bool>().prop_map(Doc::Bool),
        4 => prop::sample::select(&NUMBERS[..]).prop_map(|(written, size)| Doc::Number(written, size)),
        4 => prop::sample::select(&TEXTS[..]).prop_map(|text| Doc::Text(text.to_owned())),
    ]
}

fn document() -> impl Strategy<Value = Doc> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        let name = prop_oneof![
            prop::sample::select(&NAMES[..3]),
            prop::sample::select(&NAMES[..]),
        ];
        let members = prop::collection::vec((name, inner.clone()), 0..4);
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(Doc::Array),
            2 => members.prop_map(|members| {
                let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
                Doc::Object(members.collect::<BTreeMap<_, _>>())
            }),
        ]
    })
}

/// Every place in the documents, and what is there.
fn places(documents: &[Option<Doc>]) -> Vec<(Vec<Step>, Doc)> {
    fn collect(here: &Doc, path: &mut Vec<Step>, all: &mut Vec<(Vec<Step>, Doc)>) {
        if !path.is_empty() {
            all.push((path.clone(), here.clone()));
        }
        let mut below = |step: Step, doc: &Doc| {
            path.push(step);
            collect(doc, path, all);
            path.pop();
        };
        match here {
            Doc::Object(members) => {
                for (name, doc) in members {
                    below(Step::Member(name.clone()), doc);
                }
            }
            Doc::Array(items) => {
                for (position, doc) in items.iter().enumerate() {
                    below(Step::Element(position), doc);
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    for document in documents.iter().flatten() {
        collect(document, &mut Vec::new(), &mut all);
    }
    all
}

fn path(known: Vec<Vec<Step>>) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        prop::sample::select(&NAMES[..]).prop_map(|name| Step::Member(name.to_owned())),
        (0..3_usize).prop_map(Step::Element),
    ];
    prop_oneof![
        4 => prop::sample::select(known),
        1 => prop::collection::vec(step, 1..5),
    ]
}

fn condition(known: &[(Vec<Step>, Doc)]) -> impl Strategy<Value = Condition> {
    let paths = path(known.iter().map(|(path, _)| path.clone()).collect());
    let found: Vec<Doc> = known.iter().map(|(_, doc)| doc.clone()).collect();
    let value = prop_oneof![scalar(), prop::sample::select(found)];
    let value = value.prop_filter("null is compared with isnull", |value| *value != Doc::Null);
    let values = prop::collection::vec(value.clone(), 1..4);
    let number =
        prop::sample::select(&NUMBERS[..]).prop_map(|(written, size)| Doc::Number(written, size));
    let text = prop::sample::select(&TEXTS[..]).prop_map(|text| Doc::Text(text.to_owned()));
    let ordered = prop_oneof![number.clone(), text.clone()];
    let range = prop_oneof![
        [number.clone(), number].prop_map(Vec::from),
        [text.clone(), text.clone()].prop_map(Vec::from),
    ];
    let one = |value: Doc| vec![value];
    let comparison = prop_oneof![
        3 => (prop::sample::select(vec!["exact", "ne"]), value.prop_map(one)),
        2 => (Just("in"), values),
        3 => (prop::sample::select(vec!["gt", "gte", "lt", "lte"]), ordered.prop_map(one)),
        1 => (Just("range"), range),
        1 => (
            prop::sample::select(vec!["isnull", "isempty"]),
            any::<bool>().prop_map(|truth| vec![Doc::Bool(truth)])
        ),
        3 => (
            prop::sample::select(vec![
                "contains", "icontains", "startswith", "istartswith", "endswith", "iendswith",
            ]),
            text.prop_map(one)
        ),
    ];
    (paths, comparison, any::<bool>()).prop_map(|(path, (lookup, values), negated)| Condition {
        path,
        lookup,
        values,
        negated,
    })
}

static RANDOM: LazyLock<(Vec<Option<Doc>>, Documents)> = LazyLock::new(|| {
    let mut runner = TestRunner::default();
    let mut documents: Vec<Option<Doc>> = vec![None];
    while documents.len() < 150 {
        let document = document().new_tree(&mut runner).unwrap().current();
        documents.push(Some(document));
    }
    let written = documents.iter().enumerate().map(|(position, document)| {
        let spelling = match position % 3 {
            0 => Spelling::Ascii,
            _ => Spelling::Plain,
        };
        document.as_ref().map(|document| document.write(spelling))
    });
    let engines = Documents::new(&written.collect::<Vec<_>>());
    (documents, engines)
});

#[test]
fn random_places_compare_as_the_reference_says_on_every_engine() {
    let (documents, engines) = &*RANDOM;
    let known = places(documents);
    let mut runner = TestRunner::new(Config {
        cases: 400,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&condition(&known), |condition| {
            let filter = condition.filter();
            let keys = documents.iter().zip(1_i64..);
            let expected: Vec<i64> = keys
                .filter(|(document, _)| condition.holds(document.as_ref()) == Some(true))
                .map(|(_, key)| key)
                .collect();
            for place in PLACES {
                let selected = engines.selected(place, &filter);
                prop_assert_eq!(selected.as_ref(), Ok(&expected), "{:?}: {}", place, filter);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_place_compares_as_the_json_type_of_the_value() {
    let documents = [
        Some(r#"{"a": 5, "b": [{"c": "x"}, 7]}"#),
        Some(r#"{"a": "5"}"#),
        Some(r#"{"a": 5.0}"#),
        Some(r#"{"a": true}"#),
        Some(r#"{"a": null}"#),
        Some(r#"{"a": {"y": [1, 2.0], "x": null}}"#),
        Some(r#"{}"#),
        Some("17"),
        Some("\"text\""),
        Some("[5]"),
        None,
    ];
    let engines = Documents::new(&documents.map(|text| text.map(str::to_owned)));
    let at = |path: Value, lookup: &str, value: Value| {
        let leaf = json!({"field": "doc", "path": path, "lookup": lookup, "value": value});
        engines.alike(&leaf)
    };
    let a = |lookup: &str, value: Value| at(json!(["a"]), lookup, value);
    assert_eq!(a("exact", json!(5)), [1, 3]);
    assert_eq!(a("exact", json!("5")), [2]);
    assert_eq!(a("exact", json!(true)), [4]);
    assert_eq!(a("exact", json!({"x": null, "y": [1, 2]})), [6]);
    assert_eq!(a("ne", json!(5)), [2, 4, 6]);
    assert_eq!(a("gt", json!(4)), [1, 3]);
    assert_eq!(a("gt", json!("4")), [2]);
    assert_eq!(a("in", json!(["5", true, 6])), [2, 4]);
    assert_eq!(a("range", json!([5, 6])), [1, 3]);
    assert_eq!(a("isnull", json!(true)), [5, 7, 8, 9, 10, 11]);
    assert_eq!(a("isnull", json!(false)), [1, 2, 3, 4, 6]);
    assert_eq!(a("icontains", json!("5")), [2]);
    assert_eq!(a("regex", json!("^[0-9]$")), [2]);
    assert_eq!(at(json!(["b", 0, "c"]), "exact", json!("x")), [1]);
    assert_eq!(at(json!(["b", "0", "c"]), "exact", json!("x")), [0; 0]);
    assert_eq!(at(json!(["a", 0]), "isnull", json!(false)), [0; 0]);
    assert_eq!(at(json!([0]), "exact", json!(5)), [10]);
    let leaf = json!({"field": "doc", "path": ["a"], "value": 5});
    assert_eq!(engines.alike(&json!({"not": leaf})), [2, 4, 6]);
    assert_eq!(engines.alike(&leaf), [1, 3]);
}

#[test]
fn a_path_that_is_none_and_a_value_that_does_not_fit_are_refused_with_the_name_of_the_field() {
    let engines = &RANDOM.1;
    let many = vec![0; 2_000];
    let deep = (0..101).fold(json!(1), |value, _| json!([value]));
    for (leaf, expected) in [
        (json!({"path": [], "value": 1}), "at least one part"),
        (json!({"path": many, "value": 1}), "at most 32 parts"),
        (json!({"path": [-1], "value": 1}), "position of an element"),
        (
            json!({"path": [2_147_483_648_u32], "value": 1}),
            "position of an element",
        ),
        (json!({"path": "a.b", "value": 1}), "must be an array"),
        (json!({"path": ["a"], "value": null}), "isnull"),
        (
            json!({"path": ["a"], "lookup": "gt", "value": true}),
            "a number or a text",
        ),
        (
            json!({"path": ["a"], "lookup": "lt", "value": [1]}),
            "a number or a text",
        ),
        (
            json!({"path": ["a"], "lookup": "range", "value": [1, "a"]}),
            "two numbers or two texts",
        ),
        (
            json!({"path": ["a"], "lookup": "contains", "value": 1}),
            "needs a text",
        ),
        (
            json!({"path": ["a"], "lookup": "isnull", "value": "maybe"}),
            "true or false",
        ),
        (
            json!({"path": ["a"], "lookup": "coveredby", "value": "POINT(1 1)"}),
            "inside JSON",
        ),
        (
            json!({"path": ["a"], "lookup": "in", "value": [null]}),
            "isnull",
        ),
        (json!({"path": ["a"], "value": deep}), "levels deep"),
    ] {
        for place in PLACES {
            let mut leaf = leaf.clone();
            leaf["field"] = json!("doc");
            let answer = engines.answer(place, &leaf.to_string());
            assert_eq!(answer.status, 400, "{place:?} {leaf}: {}", answer.body);
            assert!(answer.body.contains(expected), "{leaf}: {}", answer.body);
            assert!(answer.body.contains("doc"), "{leaf}: {}", answer.body);
        }
    }
    for digits in ["1e99999", "[1e99999]"] {
        let leaf = format!(r#"{{"field": "doc", "path": ["a"], "value": {digits}}}"#);
        for place in PLACES {
            let answer = engines.answer(place, &leaf);
            assert_eq!(answer.status, 400, "{place:?} {leaf}: {}", answer.body);
            assert!(answer.body.contains("too many digits"), "{}", answer.body);
        }
    }
    for (place, field) in [
        (PLACES[0], "name"),
        (PLACES[0], "id"),
        (PLACES[1], "name"),
        (PLACES[1], "tags"),
        (PLACES[3], "name"),
    ] {
        let leaf = json!({"field": field, "path": ["a"], "value": 1});
        let answer = engines.answer(place, &leaf.to_string());
        assert_eq!(answer.status, 400, "{field}: {}", answer.body);
        let message = answer.json()[field][0].clone();
        assert!(
            message.as_str().unwrap().contains("needs a JSON column"),
            "{message}"
        );
    }
}

#[test]
fn no_text_of_a_path_or_a_value_ends_a_statement() {
    let engines = &RANDOM.1;
    let attacks = [
        "'",
        "''",
        "\"",
        "\\",
        "\\'",
        "\\\"",
        "$",
        "$$",
        "?",
        "$1",
        ":a",
        "{",
        "}",
        "{}",
        "a.b",
        "[*]",
        "**",
        "a\" : 1}",
        "'; DROP TABLE docs; --",
        "%",
        "_",
        "NULL",
        "null",
        "\u{1}",
        "\u{7f}",
        "\r\n",
        "\u{2028}",
        "\u{feff}",
        "😀",
        "#>",
        "@>",
        "||",
        ")",
        "(",
    ];
    for attack in attacks {
        for path in [
            json!([attack]),
            json!([attack, 0, attack]),
            json!(["a", attack]),
        ] {
            for (lookup, value) in [
                ("exact", json!(attack)),
                ("exact", json!({attack: [attack]})),
                ("gt", json!(attack)),
                ("icontains", json!(attack)),
                ("in", json!([attack, 1])),
            ] {
                engines.alike(
                    &json!({"field": "doc", "path": path, "lookup": lookup, "value": value}),
                );
            }
        }
    }
    let longest = json!(vec!["a"; 32]);
    engines.alike(&json!({"field": "doc", "path": longest, "value": 1}));
    let positions = json!(vec![0; 32]);
    engines.alike(&json!({"field": "doc", "path": positions, "value": 1}));
    engines.alike(&json!({"field": "doc", "path": ["a".repeat(5_000), 2_147_483_647], "value": 1}));
}

#[test]
fn a_document_that_the_engine_cannot_read_is_like_none() {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
    database
        .execute_batch(
            r#"CREATE TABLE docs (id INTEGER PRIMARY KEY, doc JSON);
            INSERT INTO docs VALUES (1, '{"a": 1}'), (2, '{broken "a": 1'), (3, x'7b2261223a317d'), (4, 17), (5, ''),
                (6, CAST(x'7b2261223aff7d' AS TEXT)), (7, '{"a": 1} 2'), (8, '{"a": 1e400}');"#,
        )
        .unwrap();
    let postgres = PostgresServer::shared().database(
        r#"CREATE TABLE docs (id BIGINT PRIMARY KEY, doc JSON);
        INSERT INTO docs VALUES (1, '{"a": 1}'), (2, '{"a": 1, "b": "\u0000"}'), (3, '{"a": 1, "b": 1e400000}'),
            (4, '17'), (5, '{"a": 1, "b": "\\u0000 \ud83d\ude00 e99999"}'), (6, '{"a": 1, "b": "\ud800"}'),
            (7, '{"a": 1, "b": "\ude00"}'), (8, '{"a": 1e400}'),
            (9, CAST('{"a": 1, "b": 1' || repeat('0', 200000) || '}' AS JSON));"#,
    );
    let service = Service::start(
        folder.path(),
        &[
            "serve",
            "--connect",
            "sqlite=sqlite:s.db",
            "--connect",
            &format!("postgres={postgres}"),
        ],
    );
    let selected = |resource: &str, lookup: &str, value: Value| {
        let leaf = json!({"field": "doc", "path": ["a"], "lookup": lookup, "value": value});
        let call = service.data("GET", resource, "/models/docs");
        let answer = call
            .query(&[
                ("_filter", &*leaf.to_string()),
                ("_fields", "id"),
                ("_order_by", "id"),
            ])
            .send();
        assert_eq!(answer.status, 200, "{resource} {leaf}: {}", answer.body);
        keys(&answer.json())
    };
    assert_eq!(selected("sqlite", "exact", json!(1)), [1]);
    assert_eq!(selected("sqlite", "gt", json!(5)), [8]);
    assert_eq!(
        selected("sqlite", "isnull", json!(true)),
        [2, 3, 4, 5, 6, 7]
    );
    assert_eq!(selected("postgres", "exact", json!(1)), [1, 5]);
    assert_eq!(selected("postgres", "gt", json!(5)), [8]);
    assert_eq!(
        selected("postgres", "isnull", json!(true)),
        [2, 3, 4, 6, 7, 9]
    );
}

#[test]
fn records_are_changed_and_counted_by_a_place() {
    let documents =
        [r#"{"a": 1}"#, r#"{"a": 2}"#, r#"{"a": 1e400}"#].map(|text| Some(text.to_owned()));
    let engines = Documents::new(&documents);
    for (resource, model) in PLACES {
        let leaf = |lookup: &str, value: Value| {
            json!({"field": "doc", "path": ["a"], "lookup": lookup, "value": value}).to_string()
        };
        let path = format!("/models/{model}");
        let call = engines
            .service
            .data("GET", resource, &format!("{path}/aggregate"));
        let answer = call
            .query(&[("_y_func", "count"), ("_filter", &leaf("lte", json!(2)))])
            .send();
        assert_eq!(answer.json(), json!({"y_func": 2}), "{resource}");
        let call = engines.service.data("DELETE", resource, &path);
        let answer = call.query(&[("_filter", &leaf("gt", json!(1)))]).send();
        assert_eq!(
            answer.json(),
            json!({"deleted": 2}),
            "{resource}: {}",
            answer.body
        );
    }
}
