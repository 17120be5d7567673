//! Walking a list by its cursor visits every row once, in order, whatever the data and the order.

use proptest::prelude::*;
use serde_json::Value;
use svc_model::{Count, ListQuery, OrderBy};

use crate::fixture::Shop;

const TABLES: [&str; 5] = ["keyed", "loose", "pairs", "texts", "v"];

const SCHEMA: &str = "
    CREATE TABLE keyed (id INTEGER PRIMARY KEY, a INTEGER, b TEXT COLLATE NOCASE, c REAL, d);
    CREATE INDEX keyed_ab ON keyed (a, b DESC);
    CREATE TABLE loose (id INTEGER, a INTEGER, b TEXT, c REAL, d);
    CREATE TABLE pairs (id INTEGER, a INTEGER NOT NULL, b TEXT NOT NULL, c REAL, d, PRIMARY KEY (b, a, id)) WITHOUT ROWID;
    CREATE TABLE texts (b TEXT PRIMARY KEY, id INTEGER, a INTEGER, c REAL, d);
    CREATE VIEW v AS SELECT a, b, c, d, id FROM loose;";

type Cell = (Option<i64>, Option<String>, Option<f64>, u8);

fn rows() -> impl Strategy<Value = Vec<Cell>> {
    let cell = (
        prop::option::of(0..3_i64),
        prop::option::of("[aAbBä ]{0,1}"),
        prop::option::of(prop::sample::select(vec![
            0.1,
            -0.0,
            0.0,
            1e300,
            2.5,
            f64::INFINITY,
        ])),
        0..4_u8,
    );
    prop::collection::vec(cell, 0..24)
}

fn order() -> impl Strategy<Value = Vec<(&'static str, bool)>> {
    prop::collection::vec(
        (
            prop::sample::select(vec!["id", "a", "b", "c", "d"]),
            any::<bool>(),
        ),
        0..4,
    )
}

async fn fill(shop: &Shop, rows: &[Cell]) {
    let connection = shop.other();
    connection
        .execute_batch(
            "PRAGMA synchronous = OFF; BEGIN; DELETE FROM keyed; DELETE FROM loose; DELETE FROM pairs; DELETE FROM texts;",
        )
        .unwrap();
    for (number, (a, b, c, d)) in rows.iter().enumerate() {
        let number = number as i64;
        let d: rusqlite::types::Value = match d {
            0 => rusqlite::types::Value::Null,
            1 => 7.into(),
            2 => "x".to_owned().into(),
            _ => vec![1_u8].into(),
        };
        connection
            .execute(
                "INSERT INTO keyed VALUES (?, ?, ?, ?, ?)",
                (number, a, b, c, &d),
            )
            .unwrap();
        // Twice the same row: nothing tells them apart.
        for _ in 0..=(number % 2) {
            connection
                .execute("INSERT INTO loose VALUES (?, ?, ?, ?, ?)", (a, a, b, c, &d))
                .unwrap();
        }
        connection
            .execute(
                "INSERT INTO pairs VALUES (?, ?, ?, ?, ?)",
                (number, a.unwrap_or(9), b.clone().unwrap_or_default(), c, &d),
            )
            .unwrap();
        let key = b.as_ref().map(|b| format!("{b}{number}"));
        connection
            .execute(
                "INSERT INTO texts VALUES (?, ?, ?, ?, ?)",
                (key, number, a, c, &d),
            )
            .unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
}

async fn walk(shop: &Shop, model: &str, query: &ListQuery) -> Vec<Value> {
    let found = shop.model(model);
    let mut query = query.clone();
    let mut all = Vec::new();
    loop {
        let page = shop.resource.list(&found, &query).await.unwrap();
        let Value::Array(rows) = serde_json::from_slice(&page.results).unwrap() else {
            panic!("no array")
        };
        all.extend(rows);
        assert!(all.len() < 1000, "the walk does not end");
        if !page.has_more {
            return all;
        }
        query.after = Some(page.after.expect("a cursor"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_walk_by_the_cursor_is_the_ordered_list(rows in rows(), order in order(), per_page in 1..5_u32) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let shop = Shop::new(SCHEMA).await;
            fill(&shop, &rows).await;
            for model in TABLES {
                let mut query = ListQuery::new().count(Count::None);
                for (field, descending) in &order {
                    query.order_by.push(OrderBy { field: (*field).to_owned(), descending: *descending });
                }
                let whole = walk(&shop, model, &query.clone().no_pagination()).await;
                let query = query.per_page(per_page);
                let walked = walk(&shop, model, &query).await;
                prop_assert_eq!(&walked, &whole, "{}", model);
                let walked = walk_back(&shop, model, &query, &whole).await;
                prop_assert_eq!(&walked, &whole, "{} backwards", model);
                let second = query.clone().page(2);
                let second = shop.resource.list(&shop.model(model), &second).await.unwrap();
                if let Some(before) = second.before {
                    let first = query.before(before);
                    let first = shop.resource.list(&shop.model(model), &first).await.unwrap();
                    prop_assert!(first.before.is_none() && first.has_more, "{}", model);
                    let first = records(first).await.0;
                    prop_assert_eq!(&first[..], &whole[..first.len()], "{}", model);
                    prop_assert_eq!(first.len(), Ord::min(per_page as usize, whole.len()));
                }
            }
            Ok(())
        })?;
    }
}

/// The records of a page, with what follows its first part.
async fn records(page: svc_data::Page) -> (Vec<Value>, svc_data::Page) {
    let mut records: Vec<Value> = serde_json::from_slice(&page.results).unwrap();
    let mut page = page;
    while let Some(rest) = page.rest.take() {
        page = rest.read().await.unwrap();
        records.extend(serde_json::from_slice::<Vec<Value>>(&page.results).unwrap());
    }
    (records, page)
}

/// Walks from the last page to the first one, and turns round on each page.
async fn walk_back(shop: &Shop, model: &str, query: &ListQuery, whole: &[Value]) -> Vec<Value> {
    let found = shop.model(model);
    let list = async |query: &ListQuery| shop.resource.list(&found, query).await.unwrap();
    let mut query = query.clone().last();
    let mut all: Vec<Value> = Vec::new();
    loop {
        let page = list(&query).await;
        let before = page.before.clone();
        let (rows, end) = records(page).await;
        assert_eq!(end.has_more, !all.is_empty(), "{query:?}");
        if let Some(after) = end.after {
            let next = query.clone();
            let next = list(&next.after(after)).await;
            let (rows, _) = records(next).await;
            assert!(!rows.is_empty() && all.starts_with(&rows), "{query:?}");
        }
        all.splice(0..0, rows);
        assert!(all.len() <= whole.len(), "{query:?}");
        match before {
            Some(before) => query = query.before(before),
            None => return all,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_page_before_a_cursor_comes_in_parts_and_ends_at_the_cursor() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, wide TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
         INSERT INTO t SELECT i, i % 7, printf('%0100000d', i) FROM n;",
    )
    .await;
    for order in ["id", "-a"] {
        let query = ListQuery::new().order_by(order).per_page(25);
        let ids = |rows: Vec<Value>| -> Vec<Value> {
            rows.into_iter().map(|row| row["id"].clone()).collect()
        };
        let whole = query.clone().per_page(100).fields(["id"]);
        let whole = records(shop.resource.list(&shop.model("t"), &whole).await.unwrap())
            .await
            .0;
        let whole = ids(whole);
        let page = shop
            .resource
            .list(&shop.model("t"), &query.clone().last())
            .await
            .unwrap();
        assert!(page.rest.is_some(), "it is long");
        let before = page.before.clone();
        let (last, _) = records(page).await;
        assert_eq!(ids(last), whole[35..], "{order}");
        let query = query.before(before.unwrap());
        let page = shop.resource.list(&shop.model("t"), &query).await.unwrap();
        assert!(page.rest.is_some() && page.before.is_some(), "{order}");
        let (rows, end) = records(page).await;
        assert_eq!(ids(rows), whole[10..35], "{order}");
        assert_eq!((end.has_more, end.after), (true, query.before), "{order}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_by_values_that_are_too_long_for_a_link_go_by_numbers() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
         INSERT INTO t SELECT i, printf('%09000d', i) FROM n;",
    )
    .await;
    let query = ListQuery::new().order_by("a").per_page(3);
    let whole = shop.list("t", "_order_by=a").await;
    assert_eq!(walk(&shop, "t", &query).await, whole);
    let found = shop.model("t");
    let third = shop
        .resource
        .list(&found, &query.clone().page(3))
        .await
        .unwrap();
    let (before, after) = (third.before.unwrap(), third.after.unwrap());
    assert_eq!((before.as_str(), after.as_str()), ("~6", "~9"));
    let second = query.clone().before(before);
    let second = shop.resource.list(&found, &second).await.unwrap();
    assert_eq!(records(second).await.0, whole[3..6]);
    for cursor in ["~0", "~", "~x", "~-1"] {
        let refused = shop.refused("t", &format!("_before={cursor}")).await;
        assert!(refused.contains("_before"), "{cursor}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_of_another_list_is_refused() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT);
         INSERT INTO t VALUES (1, 'x'), (2, 'y'); INSERT INTO u SELECT * FROM t;",
    )
    .await;
    let after = shop
        .page("t", "_per_page=1&_order_by=a")
        .await
        .unwrap()
        .after
        .unwrap();
    assert_eq!(
        shop.column("t", "id", &format!("_order_by=a&_after={after}"))
            .await,
        "2"
    );
    for (model, query) in [
        ("u", format!("_order_by=a&_after={after}")),
        ("t", format!("_order_by=-a&_after={after}")),
        ("t", format!("_after={after}")),
        ("t", format!("_order_by=a&_after={after}A")),
        (
            "t",
            format!("_order_by=a&_after={}", &after[..after.len() - 2]),
        ),
        ("t", "_after=%00".to_owned()),
        ("t", "_after=1' OR 1=1".to_owned()),
    ] {
        assert!(
            shop.refused(model, &query).await.contains("_after"),
            "{query}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_neither_skips_nor_repeats_rows_while_others_come_and_go() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
         INSERT INTO t SELECT i * 10, i % 7 FROM n;",
    )
    .await;
    let other = shop.other();
    let model = shop.model("t");
    let mut query = ListQuery::new().order_by("a").per_page(9);
    let mut seen = Vec::new();
    let mut round = 0;
    loop {
        let page = shop.resource.list(&model, &query).await.unwrap();
        let rows: Vec<Value> = serde_json::from_slice(&page.results).unwrap();
        seen.extend(
            rows.iter()
                .map(|row| row["id"].as_i64().unwrap())
                .filter(|id| id % 10 == 0),
        );
        round += 1;
        other
            .execute("INSERT INTO t VALUES (?1, ?2)", (round * 10 + 1, round % 7))
            .unwrap();
        other
            .execute("DELETE FROM t WHERE id = ?1", [(round - 1) * 10 + 1])
            .unwrap();
        if !page.has_more {
            break;
        }
        query.after = page.after;
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=200).map(|n| n * 10).collect::<Vec<i64>>());
}
