//! What is written comes back, and what is looked for is found: for any values.

use proptest::prelude::*;
use serde_json::{Value, json};
use svc_data::ResourceOptions;
use svc_model::{Filter, JsonObject, ListQuery, Lookup, RecordView};

use crate::fixture::Shop;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

fn quick() -> ResourceOptions {
    let mut options = ResourceOptions::default();
    options.set_wal = true;
    options.readers = 1;
    options
}

/// A column, what is sent, and what comes back.
fn cell() -> impl Strategy<Value = (&'static str, String, String)> {
    let same = |column: &'static str| move |json: String| (column, json.clone(), json);
    let json_leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    let nested = json_leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{0,2}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    });
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()).prop_map(same("i")),
        any::<f64>()
            // SQLite itself does not keep the sign of zero.
            .prop_filter("a number", |f| f.is_finite() && *f != 0.0)
            .prop_map(|f| format!("{f:?}"))
            .prop_map(same("f")),
        (any::<bool>(), 0..1_000_000_000_000_u64, 0..100_u8).prop_map(|(minus, whole, cents)| {
            let minus = if minus && (whole > 0 || cents > 0) {
                "-"
            } else {
                ""
            };
            let text = format!("{minus}{whole}.{cents:02}");
            ("d", text.clone(), format!("\"{text}\""))
        }),
        any::<bool>()
            .prop_map(|b| b.to_string())
            .prop_map(same("b")),
        "\\PC{0,12}|[\\x00-\\x7f]{0,6}"
            .prop_map(|text| Value::from(text).to_string())
            .prop_map(same("t")),
        nested
            .prop_map(|value| if value.is_null() { json!([]) } else { value })
            .prop_map(|value| value.to_string())
            .prop_map(same("j")),
        prop::collection::vec(any::<u8>(), 0..12)
            .prop_map(|bytes| {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("\"{hex}\"")
            })
            .prop_map(same("x")),
        (0..10_000_u16, 1..13_u8, 1..29_u8)
            .prop_map(|(y, m, d)| format!("\"{y:04}-{m:02}-{d:02}\""))
            .prop_map(same("day")),
        (0..24_u8, 0..60_u8, 0..60_u8, "(\\.[0-9]{1,9})?")
            .prop_map(|(h, m, s, f)| format!("\"{h:02}:{m:02}:{s:02}{f}\""))
            .prop_map(same("clock")),
        (
            1..9999_u16,
            1..13_u8,
            1..29_u8,
            0..24_u8,
            0..60_u8,
            "(\\.[0-9]{1,9})?"
        )
            .prop_map(|(y, mo, d, h, m, f)| format!(
                "\"{y:04}-{mo:02}-{d:02}T{h:02}:{m:02}:59{f}Z\""
            ))
            .prop_map(same("at")),
    ]
}

/// Texts and needles that are full of what pattern languages treat specially.
const TRICKY: &str = "[%_\\\\*?\\[\\]^$.'\"aAäÄßsS]{0,4}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_is_written_comes_back_exactly_and_is_found(cells in prop::collection::vec(cell(), 1..30)) {
        runtime().block_on(async {
            let shop = Shop::with_options(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, i INTEGER, f REAL, d DECIMAL(20,2), b BOOLEAN, t TEXT,
                                 j JSON, x BLOB, day DATE, clock TIME, at DATETIME)",
                quick(),
            )
            .await;
            let model = shop.model("t");
            for (column, sent, expected) in cells {
                let mut body = JsonObject::new();
                body.set_raw(column, serde_json::value::RawValue::from_string(sent.clone()).unwrap());
                let made = shop.resource.create(&model, &body, &RecordView::default()).await;
                let made = made.map_err(|error| TestCaseError::fail(format!("{column} {sent}: {error}")))?;
                let made = String::from_utf8(made.body.into()).unwrap();
                prop_assert!(made.contains(&format!("\"{column}\":{expected}")), "{} {}: {}", column, sent, made);

                let text = match serde_json::from_str::<Value>(&expected).unwrap() {
                    Value::String(text) if column != "j" => text,
                    _ => expected,
                };
                let query = ListQuery::new().filter(column, Lookup::Exact, text.as_str());
                let found = shop.resource.list(&model, &query).await.unwrap();
                prop_assert!(
                    String::from_utf8_lossy(&found.results).contains(&made),
                    "{} {} is not found", column, sent
                );
            }
            Ok(())
        })?;
    }

    #[test]
    fn texts_are_matched_literally(
        texts in prop::collection::vec(TRICKY, 1..12),
        needles in prop::collection::vec(TRICKY, 1..12),
    ) {
        runtime().block_on(async {
            let shop = Shop::with_options("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", quick()).await;
            for text in &texts {
                shop.other().execute("INSERT INTO t (a) VALUES (?1)", [text]).unwrap();
            }
            let model = shop.model("t");
            let fold = |text: &str| text.to_lowercase().to_uppercase().to_lowercase();
            for needle in &needles {
                type Matches = fn(&str, &str) -> bool;
                let cases: [(Lookup, Matches, bool); 7] = [
                    (Lookup::Exact, |a, b| a == b, false),
                    (Lookup::Contains, |a, b| a.contains(b), false),
                    (Lookup::Startswith, |a, b| a.starts_with(b), false),
                    (Lookup::Endswith, |a, b| a.ends_with(b), false),
                    (Lookup::Icontains, |a, b| a.contains(b), true),
                    (Lookup::Istartswith, |a, b| a.starts_with(b), true),
                    (Lookup::Iendswith, |a, b| a.ends_with(b), true),
                ];
                for (lookup, matches, any_case) in cases {
                    let expected = texts.iter().filter(|text| {
                        if any_case { matches(&fold(text), &fold(needle)) } else { matches(text, needle) }
                    });
                    let expected = expected.count() as u64;
                    let condition = Filter::field("a", lookup, needle.as_str());
                    let query = ListQuery::new().filter_tree(condition.clone());
                    let found = shop.resource.list(&model, &query).await.unwrap().count;
                    prop_assert_eq!(found, Some(expected), "{} {:?}", lookup, needle);
                    let others = ListQuery::new().filter_tree(!condition);
                    let others = shop.resource.list(&model, &others).await.unwrap().count;
                    prop_assert_eq!(others, Some(texts.len() as u64 - expected), "not {} {:?}", lookup, needle);
                }
            }
            Ok(())
        })?;
    }
}
