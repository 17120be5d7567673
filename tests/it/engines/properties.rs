//! Property tests: random selections, compared between the engines.

use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};

use super::fixture::{ENGINES, Engines};

/// A random condition on a field of customers.
fn condition() -> impl Strategy<Value = Value> {
    let number = |field: &'static str| {
        let lookups = prop::sample::select(vec!["exact", "ne", "gt", "gte", "lt", "lte"]);
        (lookups, -5..60_i32).prop_map(
            move |(lookup, value)| json!({"field": field, "lookup": lookup, "value": value}),
        )
    };
    let text = |field: &'static str| {
        let lookups = vec![
            "exact",
            "ne",
            "contains",
            "icontains",
            "startswith",
            "istartswith",
            "endswith",
            "iendswith",
            "gt",
            "lte",
        ];
        let values = prop_oneof![
            prop::sample::select(vec![
                "Ada", "ada", "Zoë", "ZOË", "50%", "a_b", "a\\b", "日本", "x y", "", "%", "_",
                "\\", "'"
            ])
            .prop_map(str::to_owned),
            "[a-zA-Z%_\\\\' ]{1,3}",
        ];
        (prop::sample::select(lookups), values).prop_map(
            move |(lookup, value)| json!({"field": field, "lookup": lookup, "value": value}),
        )
    };
    let date = |field: &'static str| {
        let lookups = prop::sample::select(vec!["exact", "ne", "gt", "gte", "lt", "lte"]);
        (lookups, 1..13_u8, 1..29_u8).prop_map(move |(lookup, month, day)| {
            json!({"field": field, "lookup": lookup, "value": format!("2026-{month:02}-{day:02}")})
        })
    };
    let nothing = prop::sample::select(vec![
        "email", "since", "credit", "score", "wakes", "seen", "extra", "token", "picture", "big",
    ]);
    let nothing = (nothing, any::<bool>())
        .prop_map(|(field, value)| json!({"field": field, "lookup": "isnull", "value": value}));
    let among = prop::collection::vec(1..40_i32, 1..6)
        .prop_map(|values| json!({"field": "id", "lookup": "in", "value": values}));
    let between = (0..50_i32, 0..50_i32)
        .prop_map(|(low, high)| json!({"field": "score", "lookup": "range", "value": [low, high]}));
    prop_oneof![
        number("id"),
        number("credit"),
        number("score"),
        number("small"),
        number("big"),
        text("name"),
        text("email"),
        date("since"),
        date("seen"),
        nothing,
        among,
        between,
        any::<bool>().prop_map(|value| json!({"field": "active", "value": value})),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    condition().prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|all| json!({ "and": all })),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|any| json!({ "or": any })),
            inner.prop_map(|not| json!({ "not": not })),
        ]
    })
}

fn order() -> impl Strategy<Value = String> {
    let column = prop::sample::select(vec![
        "id", "name", "email", "active", "since", "credit", "score", "wakes", "seen", "token",
        "picture", "big", "small",
    ]);
    let columns = prop::collection::vec((column, any::<bool>()), 0..4);
    columns.prop_map(|columns| {
        let columns = columns
            .into_iter()
            .map(|(column, descending)| match descending {
                true => format!("-{column}"),
                false => column.to_owned(),
            });
        columns.collect::<Vec<_>>().join(",")
    })
}

#[test]
fn random_selections_give_the_same_records_on_every_engine() {
    let engines = Engines::shared();
    let mut runner = TestRunner::new(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(
            &(tree(), order(), 1..40_u32),
            |(filter, order, per_page)| {
                let filter = filter.to_string();
                let mut parameters = vec![("_filter", filter.as_str())];
                if !order.is_empty() {
                    parameters.push(("_order_by", &order));
                }
                let size = per_page.to_string();
                parameters.push(("_per_page", &size));
                let mut first: Option<Value> = None;
                for engine in ENGINES {
                    let call = engines.service.data("GET", engine, "/models/customers");
                    let answer = call.query(&parameters).send();
                    prop_assert_eq!(answer.status.as_u16(), 200, "{}: {}", engine, answer.body);
                    let mut told = answer.json();
                    told["next"] = Value::Null;
                    match &first {
                        None => first = Some(told),
                        Some(first) => prop_assert_eq!(first, &told, "{}", engine),
                    }
                }
                Ok(())
            },
        )
        .unwrap();
}
