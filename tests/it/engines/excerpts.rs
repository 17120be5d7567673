//! Excerpts of long values (`_excerpt`), compared with the whole values, cut by hand.

mod types;

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Map, Value, json};
use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

use super::{faults::serve, fixture::ENGINES};

/// The tables of an engine.
fn tables(engine: &str) -> String {
    let (bytes, json) = match engine {
        "sqlite" => ("BLOB", "JSON"),
        "postgres" => ("BYTEA", "JSONB"),
        _ => ("LONGBLOB", "JSON"),
    };
    format!(
        "CREATE TABLE authors (code VARCHAR(40) NOT NULL PRIMARY KEY, name VARCHAR(40) NOT NULL UNIQUE, bio TEXT);
        CREATE TABLE texts (id INT NOT NULL PRIMARY KEY, author VARCHAR(40), named VARCHAR(40), body TEXT, doc {json},
            data {bytes}, size BIGINT, made TIMESTAMP NULL, short VARCHAR(4), done BOOLEAN,
            FOREIGN KEY (author) REFERENCES authors (code), FOREIGN KEY (named) REFERENCES authors (name));
        CREATE TABLE odd (id INT NOT NULL PRIMARY KEY, _cut VARCHAR(20), body VARCHAR(20));
        CREATE TABLE codes (code VARCHAR(40) NOT NULL, body VARCHAR(40));
        INSERT INTO odd VALUES (1, 'cut', 'long enough');
        INSERT INTO codes VALUES ('a code that is long', 'a body that is long');
        INSERT INTO authors VALUES ('the code of Ada', 'Ada of the long name', 'She wrote programs.');"
    )
}

struct Databases {
    service: Service,
    folders: [TempDir; 2],
}

impl Databases {
    fn new(more: impl Fn(&str) -> String) -> Self {
        let script = |engine: &str| tables(engine) + &more(engine);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("excerpts.db");
        let database = rusqlite::Connection::open(&file).unwrap();
        database.execute_batch(&script("sqlite")).unwrap();
        let postgres = PostgresServer::shared().database(&script("postgres"));
        let mariadb = MariadbServer::shared().database(&script("mariadb"));
        let resources = [
            format!("sqlite=sqlite:{}", file.display()),
            format!("postgres={postgres}"),
            format!("mariadb={mariadb}"),
        ];
        // Some of the values have 100 MB, on the disk of a machine that is busy with other tests.
        let (store, service) = serve(&resources, &["--statement-timeout", "100"]);
        let folders = [folder, store];
        Self { service, folders }
    }

    #[track_caller]
    fn get(&self, engine: &str, path: &str) -> Value {
        let call = self.service.data("GET", engine, &format!("/models/{path}"));
        call.expect(200).json()
    }

    #[track_caller]
    fn sql(&self, engine: &str, body: &Value) -> Value {
        let call = self.service.data("POST", engine, "/sql_get_query");
        call.json(body).expect(200).json()
    }
}

/// The beginning of a text, and its length where it is longer.
fn begin(text: &str, most: usize) -> (String, Option<usize>) {
    let length = text.chars().count();
    let begin = text.chars().take(most).collect();
    (begin, (length > most).then_some(length))
}

/// What an excerpt of a value is, by the name of its field.
fn cut(field: &str, value: &Value, most: usize) -> (Value, Option<usize>) {
    let whole = (value.clone(), None);
    let excerpt = match (field, value) {
        (_, Value::Null) => return whole,
        ("doc", json) => begin(&json.to_string(), most),
        ("data", Value::String(hex)) => {
            let (text, length) = begin(hex, 2 * most);
            (text, length.map(|digits| digits / 2))
        }
        ("body" | "short" | "bio" | "name", Value::String(text)) => begin(text, most),
        _ => return whole,
    };
    match excerpt {
        (text, Some(length)) => (text.into(), Some(length)),
        (_, None) => whole,
    }
}

/// A record with its values cut by hand.
fn cut_record(record: &Value, most: usize) -> Value {
    let (mut shown, mut lengths) = (Map::new(), Map::new());
    for (field, value) in record.as_object().unwrap() {
        let (value, length) = cut(field, value, most);
        shown.insert(field.clone(), value);
        if let Some(length) = length {
            lengths.insert(field.clone(), length.into());
        }
    }
    if !lengths.is_empty() {
        shown.insert("_cut".to_owned(), lengths.into());
    }
    shown.into()
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[ -~äß日本𝄞\n\t]{0,30}")
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~äß日𝄞]{0,8}".prop_map(Value::from),
    ];
    let any = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            ("[a-z \"\\\\:,]{1,6}", inner).prop_map(|(key, value)| json!({ key: value })),
        ]
    });
    prop::collection::vec(any, 0..4).prop_map(Value::from)
}

fn record() -> impl Strategy<Value = Value> {
    let data = prop::option::of(prop::collection::vec(any::<u8>(), 0..20));
    let hex = |bytes: Vec<u8>| -> String { bytes.iter().map(|it| format!("{it:02x}")).collect() };
    let documents = prop::option::of(document());
    (text(), documents, data, "[a-zé]{0,4}", any::<bool>()).prop_map(
        move |(body, doc, data, short, done)| {
            json!({"author": "the code of Ada", "named": "Ada of the long name", "body": body, "doc": doc,
            "data": data.map(hex), "size": 1_234_567_890, "made": "2026-01-31T12:00:00Z", "short": short, "done": done})
        },
    )
}

#[test]
fn an_excerpt_is_the_beginning_of_the_value_on_every_engine() {
    let databases = Databases::new(|_| String::new());
    let records = prop::collection::vec(record(), 1..6);
    let config = Config {
        cases: 24,
        ..Config::default()
    };
    let case = |(mut records, most): (Vec<Value>, usize)| {
        for (id, record) in records.iter_mut().enumerate() {
            record["id"] = id.into();
        }
        for engine in ENGINES {
            let service = &databases.service;
            let clear = service.data("DELETE", engine, "/models/texts?_all=1");
            clear.expect(200);
            let fill = service.data("POST", engine, "/models/texts/bulk_create?_atomic=1");
            let filled = fill.json(&json!(records)).expect(200).json();
            assert_eq!(filled[0]["success"], true, "{engine}: {filled}");
            let whole = databases.get(engine, "texts?_no_pagination=1&_order_by=id");
            let whole = whole.as_array().unwrap();
            let expected: Vec<Value> = whole.iter().map(|it| cut_record(it, most)).collect();
            let list = format!("texts?_no_pagination=1&_order_by=id&_excerpt={most}");
            let list = databases.get(engine, &list);
            assert_eq!(list, json!(expected), "{engine} {most}");
            for (id, expected) in expected.iter().enumerate() {
                let one = databases.get(engine, &format!("texts/{id}?_excerpt={most}"));
                assert_eq!(&one, expected, "{engine} {most}");
            }
            // Pages are ordered and continued by whole values.
            let mut seen = Vec::new();
            let mut page = databases.get(
                engine,
                &format!("texts?_order_by=body,-short&_per_page=2&_excerpt={most}"),
            );
            let ordered = databases.get(engine, "texts?_order_by=body,-short&_no_pagination=1");
            loop {
                seen.extend(page["results"].as_array().unwrap().clone());
                let Some(next) = page["next"].as_str() else {
                    break;
                };
                let (_, query) = next.split_once('?').unwrap();
                page = databases.get(engine, &format!("texts?{query}"));
            }
            let ordered = ordered.as_array().unwrap().iter();
            let ordered: Vec<Value> = ordered.map(|it| cut_record(it, most)).collect();
            assert_eq!(seen, ordered, "{engine} {most}");
            // In SQL, JSON of MariaDB is a text.
            let columns = match engine {
                "mariadb" => "id, body, data, short",
                _ => "id, body, doc, data, short",
            };
            let query = format!("SELECT {columns} FROM texts ORDER BY id DESC");
            for more in [json!({}), json!({"order_by": ["-id"], "limit": 100})] {
                let mut body = json!({"query": query, "excerpt": most});
                body.as_object_mut()
                    .unwrap()
                    .extend(more.as_object().unwrap().clone());
                let rows = databases.sql(engine, &body);
                for (number, expected) in expected.iter().rev().enumerate() {
                    for (place, column) in columns.split(", ").enumerate() {
                        assert_eq!(rows["data"][number][place], expected[column], "{engine}");
                        let length = &rows["_cut"][number][column];
                        let is_key = column == "id";
                        assert!(
                            is_key || *length == expected["_cut"][column],
                            "{engine}: {rows}"
                        );
                    }
                }
            }
        }
        Ok(())
    };
    TestRunner::new(config)
        .run(&(records, 1..40_usize), case)
        .unwrap();
}

#[test]
fn keys_and_other_values_are_whole_and_related_records_are_cut_too() {
    let fill = |_: &str| {
        "INSERT INTO texts (id, author, named, body, size, made, short) VALUES
            (1, 'the code of Ada', 'Ada of the long name', 'Zoë said: 日本', 1234567890, '2026-01-31 12:00:00', 'abcd');"
            .to_owned()
    };
    let databases = Databases::new(fill);
    let service = &databases.service;
    for engine in ENGINES {
        let expand = "_expand=author,named(bio)";
        let record = databases.get(engine, &format!("texts/1?_excerpt=3&{expand}"));
        let expected = json!({
            "id": 1, "author": "the code of Ada", "named": "Ada of the long name", "body": "Zoë", "doc": null,
            "data": null, "size": 1_234_567_890, "made": "2026-01-31T12:00:00Z", "short": "abc", "done": null,
            "_cut": {"body": 12, "short": 4},
            "_expand": {
                "author": {"code": "the code of Ada", "name": "Ada", "bio": "She", "_cut": {"name": 20, "bio": 19}},
                "named": {"code": "the code of Ada", "bio": "She", "_cut": {"bio": 19}},
            },
        });
        assert_eq!(record, expected, "{engine}");
        let list = databases.get(engine, &format!("texts?_excerpt=3&{expand}"));
        assert_eq!(list["results"], json!([expected]), "{engine}");
        // The name, by which texts refer to authors, is cut, and leads to them.
        let described = service.data("GET", engine, "/model_descriptions");
        let described = described.expect(200).json();
        let described = described.as_array().unwrap().iter();
        let authors = described
            .clone()
            .find(|it| it["model"] == "authors")
            .unwrap();
        let relations = authors["relations"].as_array().unwrap().iter();
        let by_name = relations.clone().find(|it| it["related_field"] == "named");
        let by_name = by_name.unwrap()["name"].as_str().unwrap();
        let path = format!("authors?_excerpt=3&_expand={by_name}(body)");
        let authors = databases.get(engine, &path);
        let shown = &authors["results"][0];
        assert_eq!(shown["name"], "Ada", "{engine}: {authors}");
        let texts = json!([{"id": 1, "body": "Zoë", "_cut": {"body": 12}}]);
        assert_eq!(shown["_expand"][by_name], texts, "{engine}: {authors}");
        let codes = databases.get(engine, "codes?_excerpt=3");
        let expected =
            json!([{"code": "a code that is long", "body": "a b", "_cut": {"body": 19}}]);
        assert_eq!(codes["results"], expected, "{engine}");
        // Fields that are not requested are not measured.
        let some = databases.get(engine, "texts?_excerpt=3&_fields=short,size");
        let expected =
            json!([{"id": 1, "size": 1_234_567_890, "short": "abc", "_cut": {"short": 4}}]);
        assert_eq!(some["results"], expected, "{engine}");
        // Beyond the end of all values nothing is cut.
        let whole = databases.get(engine, "texts");
        for most in ["100", "4294967295", "99999999999999999999"] {
            let all = databases.get(engine, &format!("texts?_excerpt={most}"));
            assert_eq!(all["results"], whole["results"], "{engine} {most}");
            let all = databases.get(engine, &format!("texts/1?_excerpt={most}"));
            assert_eq!(all, whole["results"][0], "{engine} {most}");
        }
        let link =
            databases.get(engine, "authors?_excerpt=3&_per_page=1&page=2")["previous"].clone();
        assert!(link.as_str().unwrap().contains("_excerpt=3"), "{link}");
    }
}

#[test]
fn the_entity_tag_is_that_of_the_whole_record_and_lines_tell_what_was_cut() {
    let fill = |_: &str| "INSERT INTO texts (id, body) VALUES (1, 'a long body');".to_owned();
    let databases = Databases::new(fill);
    let service = &databases.service;
    for engine in ENGINES {
        let path = |query: &str| format!("/models/texts/1{query}");
        let whole = service.data("GET", engine, &path("")).expect(200);
        let cut = service
            .data("GET", engine, &path("?_excerpt=2"))
            .expect(200);
        assert_eq!(cut.header("etag"), whole.header("etag"), "{engine}");
        let again = service.data("GET", engine, &path("?_excerpt=2"));
        let again = again.header("if-none-match", whole.header("etag"));
        again.expect(304);
        let lines = service.data("GET", engine, "/models/texts?_excerpt=2&_fields=body");
        let lines = lines.header("accept", "application/x-ndjson").expect(200);
        let line = "{\"id\":1,\"body\":\"a \",\"_cut\":{\"body\":11}}\n";
        assert_eq!(lines.body, line, "{engine}");
        let query = json!({"query": "SELECT 7 AS n, body FROM texts", "excerpt": 2});
        let lines = service.data("POST", engine, "/sql_get_query").json(&query);
        let lines = lines.header("accept", "application/x-ndjson").expect(200);
        let line = "{\"n\":7,\"body\":\"a \",\"_cut\":{\"body\":11}}\n";
        assert_eq!(lines.body, line, "{engine}");
    }
}

#[test]
fn what_excerpts_cannot_be_is_refused() {
    let databases = Databases::new(|_| String::new());
    let service = &databases.service;
    for engine in ENGINES {
        let refused = |method: &str, path: &str, key: &str| {
            let call = service.data(method, engine, path);
            let call = match method {
                "GET" | "DELETE" => call,
                _ => call.json(&json!({"func": "count"})),
            };
            let answer = call.expect(400).json();
            assert!(
                answer[key].is_array() || answer["non_field_errors"].is_array(),
                "{engine} {path}: {answer}"
            );
        };
        for value in ["0", "-1", "1.5", "x", ""] {
            refused(
                "GET",
                &format!("/models/texts?_excerpt={value}"),
                "_excerpt",
            );
            refused(
                "GET",
                &format!("/models/texts/1?_excerpt={value}"),
                "_excerpt",
            );
        }
        for (method, path) in [
            ("GET", "/models/odd?_excerpt=3"),
            ("GET", "/models/odd/1?_excerpt=3"),
            ("GET", "/models/odd?_excerpt=3&_fields=_cut"),
            ("POST", "/models/texts?_excerpt=3"),
            ("PATCH", "/models/texts/1?_excerpt=3"),
            ("DELETE", "/models/texts/1?_excerpt=3"),
            ("PATCH", "/models/texts?_all=1&_excerpt=3"),
            ("POST", "/models/texts/aggregate?_excerpt=3"),
            ("GET", "/models/texts/1/get_siblings?_excerpt=3"),
            ("GET", "/models/texts/1/body?_excerpt=3"),
        ] {
            refused(method, path, "_excerpt");
        }
        let csv = service.data("GET", engine, "/models/texts?_excerpt=3");
        let csv = csv.header("accept", "text/csv").expect(400).json();
        assert!(csv["_excerpt"].is_array(), "{csv}");
        let some = databases.get(engine, "odd?_excerpt=3&_fields=body");
        assert_eq!(some["results"][0]["_cut"], json!({"body": 11}), "{engine}");
        for body in [
            json!({"query": "SELECT 1 AS a", "excerpt": 0}),
            json!({"query": "SELECT 1 AS a", "excerpt": -1}),
            json!({"query": "SELECT 1 AS a", "excerpt": "x"}),
            json!({"query": "SELECT 'x' AS _cut", "excerpt": 3}),
            json!({"query": "SELECT 1 AS a", "excerpt": 3, "aggregate": {"func": "count"}}),
            json!({"query": "SELECT 1 AS a", "excerpt": 3, "group": {"x_column": "a", "y_func": "count"}}),
        ] {
            let call = service.data("POST", engine, "/sql_get_query");
            let answer = call.json(&body).expect(400).json();
            assert!(
                answer["excerpt"].is_array() || answer["non_field_errors"].is_array(),
                "{engine} {body}: {answer}"
            );
        }
    }
}

#[test]
fn rows_of_sql_keep_their_order_and_tell_what_was_cut_of_each() {
    let fill = |_: &str| {
        "INSERT INTO texts (id, body) VALUES (1, 'b long'), (2, 'a'), (3, NULL), (4, 'c long');"
            .to_owned()
    };
    let databases = Databases::new(fill);
    for engine in ENGINES {
        for (query, expected, cut) in [
            (
                "SELECT body FROM texts WHERE id <> 3 ORDER BY body DESC",
                json!([["c l"], ["b l"], ["a"]]),
                json!([{"body": 6}, {"body": 6}, null]),
            ),
            (
                "SELECT body FROM texts WHERE id <> 3 ORDER BY body LIMIT 2",
                json!([["a"], ["b l"]]),
                json!([null, {"body": 6}]),
            ),
            (
                "SELECT body FROM texts WHERE id > 1 AND id < 4 ORDER BY id",
                json!([["a"], [null]]),
                Value::Null,
            ),
        ] {
            let body = json!({"query": query, "excerpt": 3});
            let rows = databases.sql(engine, &body);
            assert_eq!(rows["data"], expected, "{engine}");
            assert_eq!(rows["_cut"], cut, "{engine}");
        }
        let ordered = "SELECT id, body FROM texts ORDER BY id DESC";
        let body = json!({"query": ordered, "excerpt": 3, "offset": 1, "limit": 2, "count": true});
        let rows = databases.sql(engine, &body);
        assert_eq!(rows["data"], json!([[3, null], [2, "a"]]), "{engine}");
        assert_eq!(rows["count"], 4, "{engine}");
        let body = json!({"queries": [{"query": ordered, "excerpt": 1}, {"query": "SELECT 1 AS one", "excerpt": 0}]});
        let batch = databases.sql(engine, &body);
        assert_eq!(batch[0]["_cut"][0], json!({"body": 6}), "{engine}: {batch}");
        assert!(batch[1]["error"].is_string(), "{engine}");
    }
}

#[test]
fn long_values_stay_in_the_database() {
    const LENGTH: usize = 10 << 20;
    let fill = |engine: &str| {
        let text = |sign: &str| match engine {
            "sqlite" => format!("replace(printf('%.*c', {LENGTH}, 'x'), 'x', '{sign}')"),
            _ => format!("repeat('{sign}', {LENGTH})"),
        };
        let data = match engine {
            "sqlite" => format!("zeroblob({LENGTH})"),
            "postgres" => format!("decode(repeat('00', {LENGTH}), 'hex')"),
            _ => format!("repeat(x'00', {LENGTH})"),
        };
        let doc = match engine {
            "sqlite" => format!("'[\"' || {} || '\"]'", text("x")),
            "postgres" => format!("to_jsonb(ARRAY[{}])", text("x")),
            _ => format!("concat('[\"', {}, '\"]')", text("x")),
        };
        let wide = match engine {
            "mariadb" => "ALTER TABLE texts MODIFY body LONGTEXT;",
            _ => "",
        };
        let each = (1..=10).map(|id| format!("({id}, {}, {doc}, {data})", text("x")));
        let each: Vec<String> = each.collect();
        let insert = each
            .iter()
            .map(|row| format!("INSERT INTO texts (id, body, doc, data) VALUES {row};"));
        format!("{wide} {}", insert.collect::<String>())
    };
    let databases = Databases::new(fill);
    let size = |name: &str| {
        let path = databases.folders[0].path().join(name);
        std::fs::metadata(path).unwrap().len()
    };
    assert!(size("excerpts.db") > 300 << 20);
    for engine in ENGINES {
        // The values together are larger than any answer may be.
        let list = databases.get(engine, "texts?_excerpt=5&_order_by=id");
        let records = list["results"].as_array().unwrap();
        assert_eq!(records.len(), 10, "{engine}");
        for record in records {
            assert_eq!(record["body"], "xxxxx", "{engine}");
            assert_eq!(record["doc"], "[\"xxx", "{engine}");
            assert_eq!(record["data"], "0000000000", "{engine}");
            let lengths = json!({"body": LENGTH, "doc": LENGTH + 4, "data": LENGTH});
            assert_eq!(record["_cut"], lengths, "{engine}");
        }
    }
}
