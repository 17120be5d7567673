//! Lists, single records, aggregates and groups.

use serde_json::{Value, json};

use super::fixture::{ENGINES, Engines};

#[test]
fn every_engine_returns_the_same_lists() {
    let engines = Engines::shared();
    let customers = [
        "",
        "_per_page=3",
        "_per_page=3&page=4",
        "page=100",
        "_no_pagination=1",
        "_order_by=name",
        "_order_by=-name,id",
        "_order_by=score,-since",
        "_order_by=-score",
        "_order_by=token&_per_page=50",
        "_order_by=picture,big",
        "_order_by=wakes&_fields=wakes",
        "_order_by=active,-small&_fields=name,small",
        "_count=none",
        "_count=exact&_per_page=1",
        "name=Ada",
        "name__exact=ada",
        "name=",
        "name__ne=Ada",
        "exclude__name=Ada",
        "email__isnull=1",
        "email__isnull=false",
        "exclude__email__isempty=1",
        "name__isempty=yes",
        "name__contains=a",
        "name__icontains=A",
        "name__icontains=zoë",
        "name__contains=%25",
        "name__contains=_",
        "name__contains=%5C",
        "name__startswith=a",
        "name__istartswith=A",
        "name__endswith=b",
        "name__iendswith=B",
        "name__in=Ada,ada,%22x%20y%22",
        "name__in=50%25&name__in=a_b",
        "name__gt=a&name__lte=b",
        "name__range=A,B",
        "name__regex=%5E[Aa]d",
        "name__contains='",
        "name=o'dd;%20--",
        "id__in=1,2,3,99",
        "id__range=5,9",
        "id=99999999999",
        "exclude__id__in=1,2,3",
        "active=true",
        "active=0",
        "exclude__active=yes",
        "since=2026-02-02",
        "since__gt=2026-06-01",
        "since__range=2026-01-01,2026-03-31",
        "since__isnull=0&since__lt=2026-04-01",
        "credit__gte=50.5",
        "credit=74.26",
        "credit__in=37.13,74.26",
        "credit__lt=1e2",
        "score=11.5",
        "score__lte=5.5",
        "wakes__gt=12:00",
        "wakes=05:05:00",
        "seen__gte=2026-06-01T00:00:00Z",
        "seen__lt=2026-03-05T05:00:00%2B02:00",
        "seen__gt=2026-08-01&tz=America/New_York",
        "tz=%2B05:30&_per_page=5",
        "tz=Europe/Berlin&_per_page=36",
        "token=00000000-0000-4000-8000-000000000002",
        "token__in=00000000-0000-4000-8000-000000000002,00000000000040008000000000000003",
        "picture=02ff",
        "big__gt=9007199254740995",
        "big=9007199254741000",
        "small__ne=3&small__ne=4",
        "_search=ada",
        "_search=7",
        "_search=example.com&_per_page=2",
        "_search=%25",
        "extra__json_icontains=TAGS",
        "extra=%7B%22tags%22:[%22a%22,%22b%22],%22n%22:2%7D",
        "_filter={\"or\":[{\"field\":\"name\",\"value\":\"Ada\"},{\"not\":{\"field\":\"id\",\"lookup\":\"gt\",\"value\":3}}]}",
        "_filter={\"and\":[{\"field\":\"score\",\"lookup\":\"range\",\"value\":[1,20]},{\"field\":\"active\",\"value\":true}]}",
        "_relation=id.orders.customer_id|status.paid",
        "_relation=id.orders.customer_id|id.order_lines.order_id|amount.3,4",
    ];
    for query in customers {
        engines.read(&format!("/models/customers?{query}"));
    }
    for query in [
        "_order_by=-placed,id&_per_page=100",
        "_order_by=customer_id,-total&_per_page=240",
        "customer_id=5",
        "status__in=open,paid&total__gt=500&_order_by=total",
        "total__isnull=1",
        "_no_pagination=1&_fields=status",
        "due__gte=2026-06-15&_order_by=due",
        "_relation=customer_id.customers.id|active.true",
    ] {
        engines.read(&format!("/models/orders?{query}"));
    }
    for query in [
        "",
        "_order_by=what",
        "order_id=5",
        "_order_by=-amount&_per_page=7",
    ] {
        engines.read(&format!("/models/order_lines?{query}"));
    }
    engines.read("/models/paid?_order_by=-id&_per_page=7");
    engines.read("/models/notes?_order_by=weight,text&_per_page=30");
}

#[test]
fn every_engine_refuses_the_same_lists_with_the_same_messages() {
    let engines = Engines::shared();
    for query in [
        "nope=1",
        "name__nope=1",
        "_order_by=nope",
        "_fields=nope",
        "_nope=1",
        "id=abc",
        "id=99999999999999999999",
        "since=2026-02-30",
        "seen=yesterday",
        "credit=1,5",
        "score=NaN",
        "active=maybe",
        "token=123",
        "picture=xyz",
        "wakes=25:00",
        "extra={",
        "name__regex=(",
        "name__regex=(?=a)",
        "id__in=",
        "id__range=1",
        "_relation=id.orders.nope|status.paid",
        "_relation=id.nope.x|y.1",
        "_filter={\"and\":1}",
        "_filter={\"field\":\"nope\",\"value\":1}",
        "_per_page=0",
        "page=x",
        "tz=Mars/Olympus",
        "_after=abc",
    ] {
        let (status, told) = engines.alike("GET", &format!("/models/customers?{query}"), None);
        assert_eq!(status, 400, "{query}: {told}");
    }
    engines.alike("GET", "/models/nope", None);
    engines.alike("GET", "/models/customers/abc", None);
    engines.alike("GET", "/models/customers/999", None);
    engines.alike("GET", "/models/order_lines/1", None);
}

#[test]
fn every_engine_returns_the_same_records() {
    let engines = Engines::shared();
    for id in 1..=36 {
        engines.read(&format!("/models/customers/{id}"));
        engines.read(&format!("/models/customers/{id}?tz=-03:00&_fields=seen"));
    }
    engines.read("/models/order_lines/2,1");
    engines.read("/models/customers/5/get_siblings?_order_by=name");
    engines.read("/models/customers/5/get_siblings?_order_by=-score,since&active=true");
    engines.read("/models/order_lines/5,1/get_siblings?_order_by=amount");
}

/// The page that a link of another leads to.
fn follow(engines: &Engines, engine: &str, page: &Value, link: &str) -> Option<Value> {
    let (_, path) = page[link]
        .as_str()?
        .split_once(&format!("/{engine}/"))
        .expect("the resource");
    let page = engines.answer(engine, "GET", &format!("/{path}"), None);
    assert_eq!(page.status, 200, "{}", page.body);
    Some(page.json())
}

/// Follows the links of a list and returns the IDs.
fn walk(engines: &Engines, engine: &str, query: &str) -> Vec<Value> {
    let mut ids = Vec::new();
    let mut page = engines.answer(engine, "GET", query, None).json();
    loop {
        let records = page["results"].as_array().expect("a page");
        ids.extend(records.iter().map(|record| record["id"].clone()));
        match follow(engines, engine, &page, "next") {
            Some(next) => page = next,
            None => return ids,
        }
    }
}

/// Follows the previous links from the last page on, and looks that the next link of each page leads back. Returns the
/// records in their order.
fn walk_back(engines: &Engines, engine: &str, query: &str) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    let mut page = engines
        .answer(engine, "GET", &format!("{query}&_last=1"), None)
        .json();
    assert_eq!(page["next"], Value::Null, "{engine} {query}");
    loop {
        let records = page["results"].as_array().expect("a page").clone();
        assert_eq!(page["has_more"], !all.is_empty(), "{engine} {query}");
        if let Some(next) = follow(engines, engine, &page, "next") {
            let records = next["results"].as_array().expect("a page");
            assert!(all.starts_with(records), "{engine} {query}");
        }
        all.splice(0..0, records);
        match follow(engines, engine, &page, "previous") {
            Some(previous) => page = previous,
            None => return all,
        }
    }
}

/// The IDs of the customers in a list.
fn ids(engines: &Engines, engine: &str, order: &str, page: &str) -> Vec<Value> {
    let path = format!("/models/customers?_order_by={order}&{page}");
    let list = engines.answer(engine, "GET", &path, None).json();
    // Without pages the records alone are the answer.
    let records = list["results"].as_array().or(list.as_array());
    let records = records.expect("records").iter();
    records.map(|record| record["id"].clone()).collect()
}

#[test]
fn following_next_neither_skips_nor_repeats_records_in_any_order() {
    let engines = Engines::shared();
    for order in [
        "id",
        "-id",
        "name",
        "-name",
        "score",
        "-score,name",
        "since,-credit",
        "-seen",
        "seen,active",
        "email",
        "-token",
        "big,small",
        "extra",
        "picture",
        "wakes,-since,score,credit",
    ] {
        let mut walks = ENGINES.into_iter().map(|engine| {
            let walked = walk(
                engines,
                engine,
                &format!("/models/customers?_order_by={order}&_per_page=5"),
            );
            let mut distinct: Vec<String> = walked.iter().map(Value::to_string).collect();
            distinct.sort();
            distinct.dedup();
            assert_eq!(
                (walked.len(), distinct.len()),
                (36, 36),
                "{engine} by {order}"
            );
            let back = walk_back(
                engines,
                engine,
                &format!("/models/customers?_order_by={order}&_per_page=5"),
            );
            let back: Vec<Value> = back.iter().map(|record| record["id"].clone()).collect();
            assert_eq!(back, walked, "{engine} by {order}, backwards");
            let pages = (1..=8).map(|page| format!("_per_page=5&page={page}"));
            let numbered = pages.flat_map(|page| ids(engines, engine, order, &page));
            assert_eq!(
                numbered.collect::<Vec<_>>(),
                walked,
                "{engine} by {order}, by numbers"
            );
            let whole = ids(engines, engine, order, "_no_pagination=1");
            assert_eq!(whole, walked, "{engine} by {order}, whole");
            (engine, walked)
        });
        let (_, first) = walks.next().unwrap();
        for (engine, walked) in walks {
            // Every engine has a different order of JSON.
            if order != "extra" {
                assert_eq!(walked, first, "{engine} by {order}");
            }
        }
    }
}

#[test]
fn indistinguishable_rows_are_each_visited_once() {
    let engines = Engines::shared();
    for engine in ENGINES {
        let mut seen = Vec::new();
        let mut path = "/models/notes?_per_page=4".to_owned();
        loop {
            let page = engines.answer(engine, "GET", &path, None).json();
            let records = page["results"].as_array().expect("a page");
            seen.extend(records.iter().map(Value::to_string));
            let Some(next) = page["next"].as_str() else {
                break;
            };
            let (_, rest) = next
                .split_once(&format!("/{engine}/"))
                .expect("the resource");
            path = format!("/{rest}");
        }
        assert_eq!(seen.len(), 30, "{engine}");
        let back = walk_back(engines, engine, "/models/notes?_per_page=4");
        let back: Vec<String> = back.iter().map(Value::to_string).collect();
        assert_eq!(back, seen, "{engine} backwards");
    }
}

#[test]
fn a_page_is_requested_in_one_way_at_a_time() {
    let engines = Engines::shared();
    let page = engines.answer(
        "sqlite",
        "GET",
        "/models/customers?_per_page=5&page=2",
        None,
    );
    let page = page.json();
    for (link, parameter) in [("next", "_after="), ("previous", "_before=")] {
        let link = page[link].as_str().expect("a link");
        assert!(
            link.contains(parameter) && !link.contains("page=2"),
            "{link}"
        );
    }
    let places = ["page=1", "_after=a", "_before=a", "_last=1"];
    for first in places {
        for second in places {
            let query = format!("/models/customers?{first}&{second}");
            if first != second {
                let (status, body) = engines.alike("GET", &query, None);
                assert_eq!(status, 400, "{query}");
                assert!(
                    body.to_string().contains("cannot be combined with"),
                    "{body}"
                );
            }
        }
    }
}

#[test]
fn every_engine_computes_the_same_aggregates() {
    let engines = Engines::shared();
    for (function, columns) in [
        ("count", vec!["", "name", "email", "extra", "picture"]),
        (
            "count_distinct",
            vec!["name", "score", "active", "since", "token"],
        ),
        ("sum", vec!["small", "big", "credit", "score"]),
        ("avg", vec!["small", "credit", "score"]),
        (
            "min",
            vec![
                "name", "credit", "score", "since", "seen", "wakes", "active", "token", "big",
                "picture",
            ],
        ),
        (
            "max",
            vec![
                "name", "credit", "score", "since", "seen", "wakes", "active", "token", "big",
                "picture",
            ],
        ),
    ] {
        for column in columns {
            for filter in ["", "&active=true", "&id=0", "&_search=ada", "&tz=%2B02:00"] {
                engines.read(&format!(
                    "/models/customers/aggregate?_y_func={function}&_y_column={column}{filter}"
                ));
            }
        }
    }
    engines.read("/models/orders/aggregate?_y_func=SUM&_y_column=total&status=paid");
    for query in [
        "_y_func=median",
        "_y_func=sum&_y_column=name",
        "_y_func=sum&_y_column=nope",
        "_y_func=avg",
    ] {
        let (status, _) =
            engines.alike("GET", &format!("/models/customers/aggregate?{query}"), None);
        assert_eq!(status, 400, "{query}");
    }
}

#[test]
fn every_engine_makes_the_same_groups_for_every_unit_of_time_in_every_zone() {
    let engines = Engines::shared();
    let units = [
        "microsecond",
        "millisecond",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "quarter",
        "year",
    ];
    for unit in units {
        for zone in [
            "",
            "&tz=%2B05:30",
            "&tz=-11:00",
            "&tz=Europe/Berlin",
            "&tz=America/St_Johns",
        ] {
            for column in ["placed", "due"] {
                engines.read(&format!(
                    "/models/orders/group?_x_column={column}&_x_lookup=date_{unit}&_y_func=count{zone}"
                ));
            }
        }
    }
    for query in [
        "_x_column=status&_y_func=count",
        "_x_column=status&_y_func=sum&_y_column=total",
        "_x_column=status&_y_func=avg&_y_column=total&total__gt=100",
        "_x_column=placed&_x_lookup=auto&_y_func=max&_y_column=total&_per_page=5",
        "_x_column=due&_y_func=count",
        "_x_column=customer_id&_y_func=min&_y_column=placed",
        "_x_column=total&_y_func=count&_per_page=10",
        "_x_column=status&_x_lookup=plain&_x_column=due&_x_lookup=date_quarter&_y_func=count",
    ] {
        engines.read(&format!("/models/orders/group?{query}"));
    }
    for column in [
        "name", "active", "since", "credit", "score", "wakes", "token", "picture", "big",
    ] {
        engines.read(&format!(
            "/models/customers/group?_x_column={column}&_y_func=count"
        ));
    }
    let body = json!({"x_columns": [{"x_column": "status"}], "y_func": "count"});
    let (status, _) = engines.alike("POST", "/models/orders/group", Some(&body));
    assert_eq!(status, 200);
    let (status, _) = engines.alike(
        "GET",
        "/models/orders/group?_x_column=status&_x_lookup=date_day&_y_func=count",
        None,
    );
    assert_eq!(status, 400);
}

#[test]
fn ten_thousand_values_and_a_hundred_conditions_are_one_statement() {
    let engines = Engines::shared();
    let many: Vec<String> = (0..10_000).map(|number| number.to_string()).collect();
    let path = format!("/models/orders?_fields=id&id__in={}", many.join(","));
    let told = engines.read(&path);
    assert_eq!(told["count"], 240);
    let conditions: Vec<String> = (0..90).map(|n| format!("id__ne={n}")).collect();
    engines.read(&format!("/models/orders?{}", conditions.join("&")));
}
