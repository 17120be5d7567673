//! Lists: pages, orders, lookups, searches, relations, counts.

use serde_json::Value;
use svc_data::{Page, Resource, ResourceOptions, UpdateOptions};

use crate::fixture::Shop;

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
    INSERT INTO customers VALUES (1, 'Ada', 'DE'), (2, 'Bob', 'US'), (3, 'Zoë', NULL);
    CREATE TABLE orders (
        id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), status TEXT,
        total DECIMAL(10,2), weight REAL, paid BOOLEAN, day DATE, at DATETIME, meta JSON, code UUID, raw BLOB);
    INSERT INTO orders VALUES
        (1, 1, 'open', 10.5, 1.5, 0, '2026-01-01', '2026-01-01 10:00:00', '{\"a\": [1, \"Ü\"]}', 'AAAAAAAA-0000-0000-0000-000000000001', x'00ff'),
        (2, 1, 'paid', 20, NULL, 1, '2026-01-02', '2026-01-02 10:00:00', NULL, NULL, NULL),
        (3, 2, 'PAID', 9007199254740993, 2.5, 1, '2026-01-03', '2026-01-03 10:00:00', '[]', NULL, x''),
        (4, 3, '50%_off\\', NULL, 0.1, NULL, NULL, NULL, '\"text\"', NULL, NULL),
        (5, NULL, NULL, 0, -1, 0, '2025-12-31', '2025-12-31 23:59:59', '7', NULL, NULL),
        (6, 2, '', 1.25, 1e300, 0, '2026-02-28', '2026-02-28 00:00:00', '{\"a\":[1,\"Ü\"]}', NULL, NULL);";

async fn ids(shop: &Shop, query: &str) -> String {
    let order = if query.contains("_order_by") {
        ""
    } else {
        "&_order_by=id"
    };
    shop.column("orders", "id", &format!("{query}{order}"))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_lookup_finds_what_it_says() {
    let shop = Shop::new(SHOP).await;
    for (query, expected) in [
        ("status=paid", "2"),
        ("status__ne=paid", "1 3 4 6"),
        ("exclude__status=paid", "1 3 4 6"),
        ("exclude__status__isnull=1", "1 2 3 4 6"),
        ("status=", "6"),
        ("status__isempty=true", "5 6"),
        ("status__isempty=no", "1 2 3 4"),
        ("status__isnull=Y", "5"),
        ("total__isempty=1", "4"),
        ("status__icontains=AI", "2 3"),
        ("status__contains=AI", "3"),
        ("status__istartswith=PA", "2 3"),
        ("status__startswith=pa", "2"),
        ("status__iendswith=Id", "2 3"),
        ("status__endswith=id", "2"),
        ("status__icontains=%25", "4"),
        ("status__contains=_", "4"),
        ("status__endswith=\\", "4"),
        ("status__startswith=%25", ""),
        ("status__regex=^p.*d$", "2"),
        ("status__in=open,paid", "1 2"),
        ("status__in=open&status__in=PAID", "1 3"),
        ("exclude__status__in=open,paid", "3 4 6"),
        ("id__gt=4", "5 6"),
        ("id__gte=4", "4 5 6"),
        ("id__lt=2", "1"),
        ("id__lte=2", "1 2"),
        ("id__range=2,4", "2 3 4"),
        ("total=20.00", "2"),
        ("total=9007199254740993", "3"),
        ("total__gt=10.4", "1 2 3"),
        ("total__in=1.25,10.5", "1 6"),
        ("weight__lt=0.2", "4 5"),
        ("weight=1e300", "6"),
        ("paid=yes", "2 3"),
        ("paid=F", "1 5 6"),
        ("day=2026-01-02", "2"),
        ("day__gte=2026-01-02", "2 3 6"),
        ("at=2026-01-01T10:00:00Z", "1"),
        ("at=2026-01-01T12:00:00%2B02:00", "1"),
        ("at__lt=2026-01-01", "5"),
        ("at__gte=2026-01-03T10:00:00.5Z", "6"),
        ("at__lte=2026-01-03T09:59:59.5Z", "1 2 5"),
        ("at=2026-01-01T11:00:00&tz=Europe/Berlin", "1"),
        ("meta__json_icontains=ü", "1 6"),
        ("meta={\"a\":[1,\"Ü\"]}", "1 6"),
        ("meta=7", "5"),
        ("code=aaaaaaaa-0000-0000-0000-000000000001", "1"),
        ("raw=00FF", "1"),
        ("customer_id=2", "3 6"),
        ("_search=pai", "2 3"),
        ("_search=20", "2"),
        ("_search=ü", "1 6"),
        ("_search=nothing", ""),
        (
            "_filter={\"or\":[{\"field\":\"status\",\"value\":\"open\"},{\"not\":{\"field\":\"id\",\"lookup\":\"lt\",\"value\":6}}]}",
            "1 6",
        ),
        ("_filter={\"and\":[]}", "1 2 3 4 5 6"),
        ("_filter={\"or\":[]}", ""),
        (
            "_filter={\"field\":\"id\",\"lookup\":\"in\",\"value\":[2,3]}&status=PAID",
            "3",
        ),
        (
            "_relation=customer_id.customers.id|country.DE,US",
            "1 2 3 6",
        ),
        (
            "_relation=customer_id.customers.id|id.customers.id|name.Bob",
            "3 6",
        ),
    ] {
        assert_eq!(ids(&shop, query).await, expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_is_refused_by_name() {
    let shop = Shop::new(SHOP).await;
    for (query, expected) in [
        ("id=x", "id: a valid integer is required"),
        ("id=", "id: a valid integer"),
        ("id=99999999999999999999", "id: must be an integer between"),
        ("id__in=1,x", "id: a valid integer"),
        ("paid=maybe", "paid: must be true or false"),
        ("day=2026-02-30", "day: must be a date"),
        ("at__gt=soon", "at: must be a date and time"),
        ("total=1x", "total: a valid number"),
        ("weight=NaN", "weight: a valid number"),
        ("weight=1e999", "weight: the number is too large"),
        ("code=12", "code: must be a UUID"),
        (
            "raw=xyz",
            "raw: must be an even number of hexadecimal digits",
        ),
        ("raw__icontains=a", "does not work on binary data"),
        ("meta=a", "meta: must be JSON"),
        ("meta__gt=1", "does not work on JSON"),
        ("id__icontains=", "takes a text that is not empty"),
        ("status__isnull=", "true or false"),
        ("status__isempty=2", "true or false"),
        ("status__regex=(", "must be a regular expression"),
        ("status__regex=(a{1000}){1000}", "too large"),
        ("day__coveredby=x", "PostGIS"),
        ("id__json_icontains=1", "works on JSON and text"),
        ("_order_by=nope", "_order_by: unknown field \"nope\""),
        ("_fields=id,nope", "_fields: unknown field \"nope\""),
        ("tz=Nowhere", "tz: must be a UTC offset"),
        ("_after=abc", "_after: must be the cursor"),
        (
            "_relation=nope.customers.id|country.DE",
            "_relation: unknown field \"nope\"",
        ),
        (
            "_relation=customer_id.nope.id|country.DE",
            "_relation: unknown model \"nope\"",
        ),
        (
            "_relation=customer_id.customers.nope|country.DE",
            "_relation: unknown field",
        ),
        (
            "_relation=customer_id.customers.id|nope.DE",
            "_relation: unknown field",
        ),
        (
            "_relation=customer_id.customers.id|id.x",
            "_relation: a valid integer",
        ),
        (
            "_filter={\"field\":\"nope\",\"value\":1}",
            "_filter: unknown field \"nope\"",
        ),
    ] {
        let message = shop.refused("orders", query).await;
        assert!(message.contains(expected), "{query}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn records_come_out_as_the_contract_says() {
    let shop = Shop::new(SHOP).await;
    assert_eq!(
        shop.text("orders", "1").await,
        "{\"id\":1,\"customer_id\":1,\"status\":\"open\",\"total\":\"10.50\",\"weight\":1.5,\"paid\":false,\
         \"day\":\"2026-01-01\",\"at\":\"2026-01-01T10:00:00Z\",\"meta\":{\"a\": [1, \"Ü\"]},\
         \"code\":\"AAAAAAAA-0000-0000-0000-000000000001\",\"raw\":\"00ff\"}"
    );
    let page = shop
        .page("orders", "id=3&_fields=total,at&tz=Europe/Berlin")
        .await
        .unwrap();
    assert_eq!(
        page.results,
        r#"[{"id":3,"total":"9007199254740993.00","at":"2026-01-03T11:00:00+01:00"}]"#
    );
    let page = shop
        .page("orders", "id__gte=5&_fields=weight,meta")
        .await
        .unwrap();
    assert_eq!(
        page.results,
        r#"[{"id":6,"weight":1e300,"meta":{"a":[1,"Ü"]}},{"id":5,"weight":-1.0,"meta":7}]"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_cut_ordered_and_counted() {
    let shop = Shop::new(SHOP).await;
    assert_eq!(shop.column("orders", "id", "").await, "6 5 4 3 2 1");
    assert_eq!(
        shop.column("orders", "id", "_order_by=status").await,
        "5 6 4 3 1 2"
    );
    assert_eq!(
        shop.column("orders", "id", "_order_by=-status,id").await,
        "2 1 3 4 6 5"
    );
    assert_eq!(
        shop.column("orders", "id", "_order_by=paid,-total").await,
        "4 1 6 5 3 2"
    );
    let page = shop.page("orders", "_per_page=4&page=2").await.unwrap();
    assert_eq!(
        (page.len, page.count, page.has_more, page.after),
        (2, Some(6), false, None)
    );
    let page = shop.page("orders", "_per_page=4").await.unwrap();
    assert_eq!((page.len, page.count, page.has_more), (4, Some(6), true));
    assert!(page.after.is_some());
    let past = shop
        .page("orders", "page=18446744073709551615&_per_page=10000")
        .await
        .unwrap();
    assert_eq!((past.len, past.count, past.has_more), (0, Some(6), false));
    let none = shop
        .page("orders", "_per_page=1&_count=none")
        .await
        .unwrap();
    assert_eq!((none.count, none.has_more), (None, true));
    let all = shop.page("orders", "_no_pagination=1").await.unwrap();
    assert_eq!((all.len, all.count), (6, None));
    assert_eq!(
        shop.page("orders", "status=nothing").await.unwrap().results,
        "[]"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_estimated_count_is_what_the_database_noted() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); CREATE INDEX i ON t (a);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO t SELECT i, i % 3 FROM n;
         ANALYZE; DELETE FROM t WHERE id > 90;",
    )
    .await;
    let count = async |query: &str| shop.page("t", query).await.unwrap().count;
    assert_eq!(count("_count=estimated&_per_page=5").await, Some(100));
    assert_eq!(count("_count=exact&_per_page=5").await, Some(90));
    assert_eq!(count("_count=estimated&_per_page=5&a=1").await, Some(30));
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_values_and_a_hundred_filters_work() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, d DECIMAL(10,2), b BLOB);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
         INSERT INTO t SELECT i, 'v' || i, i + 0.5, unhex(printf('%08x', i)) FROM n;",
    )
    .await;
    let list = |f: &dyn Fn(u32) -> String| (1..=10_000).map(f).collect::<Vec<_>>().join(",");
    for query in [
        format!("id__in={}", list(&|n| n.to_string())),
        format!("a__in={}", list(&|n| format!("v{n}"))),
        format!("d__in={}", list(&|n| format!("{n}.50"))),
        format!("b__in={}", list(&|n| format!("{n:08x}"))),
    ] {
        let page = shop
            .page("t", &format!("{query}&_per_page=1"))
            .await
            .unwrap();
        assert_eq!(page.count, Some(10_000));
    }
    let many = vec![
        format!(
            "{{\"field\":\"b\",\"lookup\":\"in\",\"value\":[{}]}}",
            (1..=10_000)
                .map(|n| format!("\"{n:08x}\""))
                .collect::<Vec<_>>()
                .join(",")
        );
        4
    ]
    .join(",");
    assert!(
        shop.refused("t", &format!("_filter={{\"or\":[{many}]}}"))
            .await
            .contains("too many values")
    );
    let conditions =
        vec!["{\"field\":\"a\",\"lookup\":\"icontains\",\"value\":\"V1\"}"; 100].join(",");
    let page = shop
        .page(
            "t",
            &format!("_filter={{\"and\":[{conditions}]}}&_per_page=1"),
        )
        .await
        .unwrap();
    assert!(page.has_more);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_very_many_columns_can_be_searched() {
    let columns: Vec<String> = (0..1500).map(|n| format!("c{n} TEXT")).collect();
    let shop = Shop::new(&format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, {}); INSERT INTO t (id, c1499) VALUES (1, 'Needle'), (2, 'hay')",
        columns.join(", ")
    ))
    .await;
    assert_eq!(
        shop.column("t", "id", "_search=needle&_fields=id").await,
        "1"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dates_of_several_forms_compare_as_points_in_time() {
    let shop = Shop::new(
        "CREATE TABLE mixed (id INTEGER PRIMARY KEY, at TIMESTAMP);
         INSERT INTO mixed VALUES (1, '2026-01-01 10:00:00'), (2, '2026-01-01T10:00:00Z'),
            (3, '2026-01-01T12:00:00+02:00'), (4, 1767261600), (5, 1767261600000), (6, '2026-01-01T10:00:01.5Z'), (7, 'unknown');
         CREATE TABLE millis (id INTEGER PRIMARY KEY, at DATETIME);
         INSERT INTO millis VALUES (1, 1767261600000), (2, 1767261600250);
         CREATE TABLE fresh (id INTEGER PRIMARY KEY, at DATETIME);",
    )
    .await;
    let ids = async |model: &str, query: &str| {
        shop.column(model, "id", &format!("{query}&_order_by=id"))
            .await
    };
    assert_eq!(ids("mixed", "at=2026-01-01T10:00:00Z").await, "1 2 3 4 5");
    // What is not a date stands behind all dates.
    assert_eq!(ids("mixed", "at__gt=2026-01-01T10:00:00Z").await, "6 7");
    assert_eq!(ids("mixed", "at=unknown").await, "7");
    assert_eq!(ids("mixed", "at__isnull=0").await, "1 2 3 4 5 6 7");
    assert_eq!(
        shop.column("mixed", "at", "_order_by=id").await,
        ["\"2026-01-01T10:00:00Z\""; 5].join(" ") + " \"2026-01-01T10:00:01.5Z\" \"unknown\""
    );
    assert_eq!(ids("millis", "at__gt=2026-01-01T10:00:00Z").await, "2");
    assert_eq!(ids("millis", "at=2026-01-01T10:00:00.25Z").await, "2");
    shop.create("millis", r#"{"at":"2026-01-01T10:00:00.750Z"}"#)
        .await
        .unwrap();
    assert_eq!(
        shop.column("millis", "at", "id=3").await,
        "\"2026-01-01T10:00:00.750Z\""
    );
    shop.create("fresh", r#"{"at":"2026-01-01T10:00:00Z"}"#)
        .await
        .unwrap();
    assert_eq!(ids("fresh", "at__gte=2026-01-01T10:00:00Z").await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_do_not_fit_their_type_come_out_exactly() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, r REAL, b BOOLEAN, d DATE, a, t TEXT);
         INSERT INTO t VALUES (1, 'word', 9e999, 'perhaps', 20260101, x'c0ff', CAST(x'ff41' AS TEXT));
         INSERT INTO t VALUES (2, 9223372036854775807, -9e999, 2, '2026-01-01T00:00:00', 1.5, 'a' || char(0) || 'b');",
    )
    .await;
    assert_eq!(
        shop.text("t", "1").await,
        "{\"id\":1,\"n\":\"word\",\"r\":null,\"b\":\"perhaps\",\"d\":20260101,\"a\":{\"$hex\":\"c0ff\"},\"t\":{\"$hex\":\"ff41\"}}"
    );
    assert_eq!(
        shop.text("t", "2").await,
        r#"{"id":2,"n":9223372036854775807,"r":null,"b":2,"d":"2026-01-01","a":1.5,"t":"a\u0000b"}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_can_be_made_from_any_task() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let shop = Shop::new(SHOP).await;
    let resource = shop.resource.clone();
    let task = is_send(async move {
        let model = resource.model("orders").unwrap();
        let query = svc_model::ListQuery::new();
        let view = svc_model::RecordView::default();
        let body = svc_model::JsonObject::new();
        resource.list(&model, &query).await.unwrap();
        resource.retrieve(&model, "1", &view).await.unwrap();
        resource
            .update(&model, "1", &body, &UpdateOptions::default())
            .await
            .unwrap();
        let _ = Resource::connect(
            "x",
            &"sqlite:nowhere".parse().unwrap(),
            ResourceOptions::default(),
        )
        .await;
    });
    tokio::spawn(task).await.unwrap();
}

/// Every record of a page, part by part.
async fn walk_parts(shop: &Shop, model: &str, query: &str) -> (Vec<Value>, usize, Page) {
    let mut part = shop.page(model, query).await.unwrap();
    let (mut rows, mut parts) = (Vec::new(), 0);
    loop {
        parts += 1;
        let Value::Array(more) = serde_json::from_slice(&part.results).unwrap() else {
            panic!("no array")
        };
        assert_eq!(more.len(), part.len);
        rows.extend(more);
        part = match part.rest.take() {
            Some(rest) => rest.read().await.unwrap(),
            None => return (rows, parts, part),
        };
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_wide_records_comes_in_parts_that_hold_each_record_once() {
    let wide = Shop::new(
        "CREATE TABLE wide (id INTEGER PRIMARY KEY, place INTEGER, filler TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
         INSERT INTO wide SELECT i, CASE WHEN i % 3 THEN i % 7 END, hex(zeroblob(8000)) FROM n;",
    )
    .await;
    let (rows, parts, last) = walk_parts(&wide, "wide", "_no_pagination=1&_order_by=place").await;
    let ids: Vec<_> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    let mut expected: Vec<i64> = (1..=400).collect();
    expected.sort_by_key(|id| (id % 3 != 0, (id % 3 != 0).then_some(id % 7), *id));
    assert_eq!(ids, expected);
    assert!(parts > 5, "{parts} parts");
    assert!(!last.has_more);

    // A page keeps to its size, and the next one goes on where it ends.
    let (rows, parts, last) = walk_parts(&wide, "wide", "_per_page=300&_order_by=id").await;
    assert_eq!((rows.len(), rows[299]["id"].as_i64()), (300, Some(300)));
    assert!(parts > 4 && last.has_more);
    let next = format!("_per_page=300&_order_by=id&_after={}", last.after.unwrap());
    let (rows, _, last) = walk_parts(&wide, "wide", &next).await;
    assert_eq!((rows.len(), rows[0]["id"].as_i64()), (100, Some(301)));
    assert!(!last.has_more);

    // Rows that nothing tells apart, each nearly as large as a part.
    let alike = Shop::new(
        "CREATE TABLE alike (filler TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
         INSERT INTO alike SELECT hex(zeroblob(400000)) FROM n;",
    )
    .await;
    let (rows, parts, _) = walk_parts(&alike, "alike", "_no_pagination=1").await;
    assert_eq!((rows.len(), parts), (9, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_is_that_of_the_records_there_are_whoever_changed_them() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, even BOOLEAN);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO t SELECT i, i % 2 = 0 FROM n;",
    )
    .await;
    let other = shop.other();
    for round in 0..40 {
        let expected = 50 + round;
        // Several times, so that every reader knows the count of the state before.
        for _ in 0..8 {
            let page = shop.page("t", "even=1&_per_page=3").await.unwrap();
            assert_eq!(page.count, Some(expected), "round {round}");
            let page = shop.page("t", "even=0&_per_page=3").await.unwrap();
            assert_eq!(page.count, Some(50), "round {round}");
        }
        if round % 2 == 0 {
            let sql = "INSERT INTO t (even) VALUES (1)";
            other.execute(sql, []).unwrap();
        } else {
            shop.create("t", r#"{"even": true}"#).await.unwrap();
        }
    }
}
