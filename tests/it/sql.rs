//! Read-only SQL over HTTP (wire contract, section 5).

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_tests::{Program, Service};
use tempfile::TempDir;

use crate::shared::serve;

const SCHEMA: &str = "
    CREATE TABLE orders(id INTEGER PRIMARY KEY, status VARCHAR(10) NOT NULL, total DECIMAL(10,2), paid BOOLEAN, at DATETIME);
    INSERT INTO orders VALUES
        (1, 'paid', 10.5, 1, '2026-01-31 23:30:00'),
        (2, 'open', 20, 0, '2026-02-01 10:00:00'),
        (3, 'paid', 0.25, 1, NULL),
        (4, 'o''dd; --', NULL, NULL, '2026-03-01 00:00:00');
";

struct Shop {
    service: Service,
    folder: TempDir,
}

impl Shop {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
        database.execute_batch(SCHEMA).unwrap();
        let service = match options {
            [] => serve(&folder, &["s=sqlite:s.db"]),
            options => {
                let mut arguments = vec!["serve", "--connect", "s=sqlite:s.db"];
                arguments.extend(options);
                Service::start(folder.path(), &arguments)
            }
        };
        Self { service, folder }
    }

    fn answer(&self, body: &Value, status: u16) -> Value {
        let call = self.service.data("POST", "s", "/sql_get_query").json(body);
        call.expect(status).json()
    }

    fn data(&self, body: &Value) -> Value {
        self.answer(body, 200)["data"].clone()
    }

    /// Rows and structure, read by another connection.
    fn state(&self) -> String {
        let database = rusqlite::Connection::open(self.folder.path().join("s.db")).unwrap();
        let state = "SELECT (SELECT group_concat(id || status) FROM orders)
            || (SELECT group_concat(sql) FROM sqlite_schema)";
        database.query_row(state, [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn a_query_returns_rows_with_names_and_types_of_its_columns() {
    let shop = Shop::new();
    let answer = shop.answer(&json!({"query": "select * from orders where id < 3"}), 200);
    assert_eq!(
        answer,
        json!({
            "data": [
                [1, "paid", "10.50", true, "2026-01-31T23:30:00Z"],
                [2, "open", "20.00", false, "2026-02-01T10:00:00Z"],
            ],
            "columns": ["id", "status", "total", "paid", "at"],
            "column_descriptions": {
                "id": {"field": "IntegerField"},
                "status": {"field": "CharField"},
                "total": {"field": "DecimalField"},
                "paid": {"field": "BooleanField"},
                "at": {"field": "DateTimeField"},
            },
            "row_count": 2,
            "limit": 10000,
            "count": null,
            "truncated": false,
        })
    );
    let twice = shop.answer(&json!({"query": "select 1 as a, 2 as A, 3 as a"}), 200);
    assert_eq!(twice["columns"], json!(["a", "A_2", "a_3"]));
}

#[test]
fn named_and_positional_binds_can_have_any_value() {
    let shop = Shop::new();
    let nasty = "o'dd; --";
    for body in [
        json!({"query": "select id from orders where status = :s", "params_obj": {"s": nasty}}),
        json!({"query": "select id from orders where status = %s", "v": 1, "params": [nasty]}),
        json!({"query": "select id from orders where status = %s and id > %s", "v": 1, "params": format!("{nasty},3")}),
        json!({"query": "select id from orders where status = :s or :s is null", "paramsObj": {"s": nasty}}),
    ] {
        assert_eq!(shop.data(&body), json!([[4]]), "{body}");
    }
    let sorts = json!({
        "query": "select :i, :f, :t, :b, :n, json_extract(:j, '$[1]')",
        "params_obj": {"i": 9_007_199_254_740_993_i64, "f": 1.5, "t": "ü\0", "b": true, "n": null, "j": [1, "x"]},
    });
    assert_eq!(
        shop.data(&sorts),
        json!([[9_007_199_254_740_993_i64, 1.5, "ü\0", 1, null, "x"]])
    );
    for (body, field) in [
        (json!({"query": "select :a"}), "params_obj"),
        (
            json!({"query": "select 1", "params_obj": {"a": 1}}),
            "params_obj",
        ),
        (
            json!({"query": "select %s", "v": 1, "params": []}),
            "params",
        ),
        (
            json!({"query": "select %s", "v": 1, "params": [1, 2]}),
            "params",
        ),
        (json!({"query": "select %s", "params": [1]}), "params"),
        (json!({"query": "select 1", "v": 2}), "v"),
        (json!({"query": "select 1", "timezone": "Mars"}), "timezone"),
        (json!({"query": "select 1", "schema": "temp"}), "schema"),
        (json!({}), "query"),
    ] {
        let refused = shop.answer(&body, 400);
        assert!(refused[field].is_array(), "{body}: {refused}");
    }
}

#[test]
fn options_filter_order_count_and_limit_the_rows_of_a_query() {
    let shop = Shop::new();
    let all = "select * from orders";
    let ids = |mut body: Value| -> (Value, Value) {
        body["query"] = all.into();
        let answer = shop.answer(&body, 200);
        let ids = answer["data"].as_array().unwrap().iter();
        (ids.map(|row| row[0].clone()).collect(), answer)
    };
    for (body, expected) in [
        (json!({"order_by": ["-total"]}), json!([2, 1, 3, 4])),
        (json!({"order_by": ["status", "-id"]}), json!([4, 2, 3, 1])),
        (json!({"offset": 1, "limit": 2}), json!([2, 3])),
        (
            json!({"order_by": ["-id"], "offset": 1, "limit": 2}),
            json!([3, 2]),
        ),
        (
            json!({"filters": [{"name": "status", "value": "paid"}]}),
            json!([1, 3]),
        ),
        (
            json!({"filters": [{"name": "id__in", "value": [1, 4]}]}),
            json!([1, 4]),
        ),
        (
            json!({"filters": [{"name": "exclude__id__gte", "value": 3}]}),
            json!([1, 2]),
        ),
        (
            json!({"filters": [{"name": "at__lt", "value": "2026-02-01"}], "timezone": "+02:00"}),
            json!([]),
        ),
        (
            json!({"filters": [{"name": "at__lt", "value": "2026-02-01"}]}),
            json!([1]),
        ),
        (
            json!({"filters": [{"name": "paid", "value": true}, {"name": "total__gt", "value": 1}]}),
            json!([1]),
        ),
        (
            json!({"filters": [{"name": "status__contains", "value": "%"}]}),
            json!([]),
        ),
    ] {
        assert_eq!(ids(body.clone()).0, expected, "{body}");
    }
    let (_, answer) = ids(
        json!({"count": true, "limit": 1, "filters": [{"name": "paid__isnull", "value": false}]}),
    );
    assert_eq!((&answer["count"], &answer["limit"]), (&json!(3), &json!(1)));
    assert_eq!(ids(json!({"order_by": ["id"]})).1["limit"], 100);

    for (body, field) in [
        (json!({"filters": [{"name": "nope", "value": 1}]}), "nope"),
        (
            json!({"filters": [{"name": "id__like", "value": 1}]}),
            "id__like",
        ),
        (json!({"filters": [{"name": "id", "value": "x"}]}), "id"),
        (json!({"filters": [{"name": "id", "value": {}}]}), "id"),
        (json!({"order_by": ["id; drop table orders"]}), "order_by"),
        (
            json!({"columns": [{"name": "nope", "data_type": "CharField"}]}),
            "columns",
        ),
        (
            json!({"columns": [{"name": "id", "data_type": "NopeField"}]}),
            "columns",
        ),
    ] {
        let mut body = body;
        body["query"] = all.into();
        let refused = shop.answer(&body, 400);
        assert!(refused[field].is_array(), "{body}: {refused}");
    }
}

#[test]
fn aggregates_and_groups_of_a_query_work_as_for_records() {
    let shop = Shop::new();
    let answer = shop.answer(
        &json!({"query": "select * from orders", "aggregate": {"func": "sum", "column": "total"}}),
        200,
    );
    assert_eq!(answer["data"], json!([["30.75"]]));
    assert_eq!(answer["columns"], json!(["y_func"]));
    let answer = shop.answer(
        &json!({
            "query": "select * from orders where id < :n", "params_obj": {"n": 4},
            "groups": {"xColumns": [{"xColumn": "at", "xLookup": "date_month"}, {"xColumn": "status"}], "yFunc": "count"},
            "timezone": "Europe/Berlin",
        }),
        200,
    );
    assert_eq!(answer["columns"], json!(["group", "group_2", "y_func"]));
    assert_eq!(
        answer["data"],
        json!([
            [null, "paid", 1],
            ["2026-02-01", "open", 1],
            ["2026-02-01", "paid", 1]
        ])
    );
    // The caller can set the type of an expression, which SQLite does not know.
    let text = json!({
        "query": "select at || '' as day, total * 2 as twice from orders where at is not null",
        "columns": [{"name": "day", "data_type": "DateTimeField"}],
        "group": {"x_column": "day", "x_lookup": "date_year", "y_func": "sum", "y_column": "twice"},
    });
    assert_eq!(shop.data(&text), json!([["2026-01-01", 61.0]]));
    for body in [
        json!({"query": "select 1 a", "aggregate": {"func": "sleep", "column": "a"}}),
        json!({"query": "select 1 a", "aggregate": {"func": "sum", "column": "b"}}),
        json!({"query": "select 1 a", "group": {"x_column": "a", "x_lookup": "date_eon", "y_func": "count"}}),
        json!({"query": "select 'x' a", "group": {"x_column": "a", "x_lookup": "date_day", "y_func": "count"}}),
        json!({"query": "select 1 a", "aggregate": {"func": "count"}, "group": {"x_column": "a", "y_func": "count"}}),
    ] {
        shop.answer(&body, 400);
    }
}

#[test]
fn each_query_of_a_batch_has_its_own_result() {
    let shop = Shop::new();
    let answer = shop.answer(
        &json!({"queries": [
            {"query": "select 1 as a"},
            {"query": "drop table orders"},
            {"query": "select * from nowhere"},
            {"nonsense": true},
            {"query": "select :x as b", "params_obj": {"x": 2}},
        ]}),
        200,
    );
    assert_eq!(answer[0]["data"], json!([[1]]));
    assert!(answer[1]["error"].as_str().unwrap().contains("`drop`"));
    assert!(answer[2]["error"].as_str().unwrap().contains("nowhere"));
    assert!(answer[3]["error"].is_string());
    assert_eq!(answer[4]["data"], json!([[2]]));
    assert_eq!(shop.answer(&json!({"queries": []}), 200), json!([]));
    shop.answer(
        &json!({"queries": [{"query": "select 1"}], "query": "select 1"}),
        400,
    );
    shop.answer(
        &json!({"queries": vec![json!({"query": "select 1"}); 101]}),
        400,
    );
    shop.answer(&json!({"queries": 1}), 400);
}

#[test]
fn hundreds_of_calls_on_long_texts_in_a_row_are_refused_but_a_few_are_not() {
    let shop = Shop::new();
    let calls = |part: &str, count: usize| {
        let calls: Vec<_> = (0..count)
            .map(|n| part.replace('#', &n.to_string()))
            .collect();
        json!({ "query": format!("select {}", calls.join(" + ")) })
    };
    for part in [
        "length(hex(printf('%.*c#', 3900000, 'a')))",
        "length(replace(printf('%.*c#', 3900000, 'a'), 'b', 'c'))",
        "length(printf('%.*c', 3900000, 'a') || '#')",
        "json_array_length(json_array(printf('%.*c#', 3900000, 'a')))",
    ] {
        let refused = shop.answer(&calls(part, 200), 400);
        let said = refused["non_field_errors"][0].as_str().unwrap();
        assert!(said.contains("too long for this query"), "{part}: {said}");
        shop.answer(&calls(part, 3), 200);
    }
    // The limit of one query does not affect the next one.
    shop.answer(&calls("length(printf('%.*c#', 7900000, 'a'))", 1), 200);
    // Lists of values do not count for this limit.
    let values = vec!["'a'"; 3_000].join(",");
    let query = format!("select length(printf('%.*c', 3900000, 'a')) where 'a' in ({values})");
    shop.answer(&json!({ "query": query }), 200);
}

#[test]
fn everything_but_a_plain_query_is_refused_and_changes_nothing() {
    let shop = Shop::new();
    let before = shop.state();
    for sql in [
        "",
        ";",
        "-- nothing",
        "delete from orders",
        "select 1; delete from orders",
        "select 1) as t; drop table orders; select * from (select 1",
        "with x as (delete from orders returning *) select * from x",
        "with x as (select 1) delete from orders",
        "explain select 1",
        "explain query plan select 1",
        "pragma writable_schema=1",
        "select * from pragma_table_info('orders')",
        "attach 'x.db' as x",
        "vacuum into 'x.db'",
        "select load_extension('x')",
        "select writefile('x', 'y')",
        "select fts3_tokenizer('simple')",
        "select /*! 1; delete from orders */ 1",
        "select 1 /* ; */; delete /* */ from orders",
        "select 'a''; delete from orders; --",
        "select * into x from orders",
        "select * from orders for update",
        "insert into orders select * from orders",
        "values (1); delete from orders",
        "select pg_sleep(10)",
        "select sleep(10)",
        "copy orders to '/tmp/x'",
        "\u{0}select 1",
        "select 1\u{0}; delete from orders",
        "select \u{2019}x\u{2019}; delete from orders",
        "select load_file('/etc/passwd')",
        "select * from dblink('x', 'y')",
        "select $$a$$; delete from orders",
    ] {
        let refused = shop.answer(&json!({ "query": sql }), 400);
        assert!(
            refused["query"].is_array() || refused["params_obj"].is_array(),
            "{sql}: {refused}"
        );
        assert_eq!(shop.state(), before, "{sql}");
    }
    // The same with wrapping options, and in a batch.
    let breakout = "select 1) as t; drop table orders; select * from (select 1";
    for body in [
        json!({"query": breakout, "limit": 1}),
        json!({"query": breakout, "count": true, "order_by": ["1"]}),
        json!({"query": breakout, "aggregate": {"func": "count"}}),
    ] {
        shop.answer(&body, 400);
        assert_eq!(shop.state(), before);
    }
    let many = vec![json!({"query": breakout}); 3];
    shop.answer(&json!({"queries": many}), 200);
    assert_eq!(shop.state(), before);
    let path = shop.folder.path().to_str().unwrap().to_owned();
    let error = shop
        .answer(&json!({"query": "select nope from orders"}), 400)
        .to_string();
    assert!(error.contains("no such column"), "{error}");
    assert!(!error.contains(&path), "{error}");
}

#[test]
fn an_endless_query_is_stopped_and_does_not_block_records() {
    let shop = Shop::with(&["--statement-timeout", "3"]);
    let endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n a, n b";
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let slow: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| shop.answer(&json!({ "query": endless }), 504)))
            .collect();
        // All connections for SQL are busy now or will be soon.
        let list = shop.service.data("GET", "s", "/models/orders").ok();
        assert_eq!(list["count"], 4);
        assert!(!slow.iter().all(|slow| slow.is_finished()));
        for slow in slow {
            assert_eq!(slow.join().unwrap()["error_code"], "timeout");
        }
    });
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(shop.data(&json!({"query": "select 1"})), json!([[1]]));
    let long = "select hex(randomblob(30000000)) || hex(randomblob(30000000))";
    shop.answer(&json!({ "query": long }), 400);
}

#[test]
fn a_result_over_the_limit_of_rows_is_truncated_and_marked() {
    let shop = Shop::new();
    let numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select i from n";
    let answer = shop.answer(&json!({ "query": numbers }), 200);
    assert_eq!(answer["row_count"], 10_000);
    assert_eq!(answer["truncated"], true);
    let answer = shop.answer(&json!({ "query": numbers, "limit": 5 }), 200);
    assert_eq!(
        (&answer["row_count"], &answer["truncated"]),
        (&json!(5), &json!(false))
    );
    let wide = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200) \
        select printf('%1000000d', i) from n";
    let answer = shop.answer(&json!({ "query": wide }), 200);
    assert_eq!(answer["truncated"], true);
    assert!(
        (60..68).contains(&answer["row_count"].as_i64().unwrap()),
        "{}",
        answer["row_count"]
    );
}

#[test]
fn the_program_runs_sql_queries() {
    let shop = Shop::new();
    let run = |arguments: &[&str]| {
        let mut program = Program::new(shop.folder.path(), arguments);
        let token = shop.service.text("/resources/s/token").to_owned();
        for (name, value) in [
            ("SVC_API_BASE_URL", shop.service.text("/base_url")),
            ("SVC_PROJECT", shop.service.text("/project")),
            ("SVC_API_TOKEN", &token),
        ] {
            program = program.env(name, value);
        }
        program
    };
    let query = "select id, status from orders where total > :least order by id";
    let csv = run(&["sql", "s", query, "--bind", "least=1", "--format", "csv"]).run_ok();
    assert_eq!(csv.replace('\r', ""), "id,status\n1,paid\n2,open\n");
    let rows = run(&[
        "sql",
        "s",
        "select * from orders",
        "--order-by=-id",
        "--limit",
        "1",
        "--json",
    ]);
    assert_eq!(rows.run_json()[0]["id"], 4);
    let (code, message) = run(&["sql", "s", "drop table orders"]).run_err();
    assert_ne!(code, 0);
    assert!(message.contains("drop"), "{message}");
}

#[test]
fn lists_in_wrapping_options_have_a_maximum_length() {
    let shop = Shop::new();
    let refused = |field: &str, value: Value, most: usize| {
        let errors = shop.answer(&json!({"query": "select * from orders", field: value}), 400);
        assert_eq!(
            errors[field][0],
            format!("at most {most} entries are allowed")
        );
    };
    let filter = json!({"name": "status__ne", "value": "x"});
    refused("filters", vec![filter.clone(); 60_000].into(), 100);
    refused("order_by", vec!["id"; 60_000].into(), 100);
    refused(
        "columns",
        vec![json!({"name": "id"}); 60_000].into(),
        10_000,
    );
    let queries = vec![json!({"query": "select 1"}); 60_000];
    let errors = shop.answer(&json!({"queries": queries}), 400);
    assert_eq!(errors["queries"][0], "at most 100 entries are allowed");
    let body = json!({"query": "select * from orders", "filters": vec![filter; 100]});
    assert_eq!(shop.data(&body).as_array().unwrap().len(), 4);
}

#[test]
fn a_large_value_cannot_be_bound_at_very_many_positions() {
    let shop = Shop::new();
    let places = vec![":a"; 1_000].join(", ");
    let body = json!({
        "query": format!("select 1 where 'x' in ({places})"),
        "params_obj": {"a": "y".repeat(1 << 20)},
    });
    // SQLite binds a name once, however often it occurs in the query.
    shop.answer(&body, 200);
    let names: Vec<_> = (0..9_999).map(|number| format!(":p{number}")).collect();
    let values: serde_json::Map<_, _> = (0..9_999)
        .map(|number| (format!("p{number}"), number.into()))
        .collect();
    let body = json!({
        "query": format!("select 5000 in ({}) as found", names.join(", ")),
        "params_obj": values,
    });
    assert_eq!(shop.data(&body), json!([[1]]));
}

#[test]
fn a_query_of_too_many_instructions_is_refused_as_too_long() {
    let shop = Shop::new();
    let sum = ["abs(random() % 9)"; 10].join(" + ");
    let many = format!("select {}", vec![sum; 1_900].join(", "));
    let answer = shop.answer(&json!({"query": many}), 400);
    let message = answer["non_field_errors"][0].as_str().unwrap();
    assert!(message.contains("the query is too long"), "{message}");
}

#[test]
fn many_columns_with_the_same_name_are_numbered() {
    let shop = Shop::new();
    let columns = vec!["1"; 1_500].join(", ");
    let answer = shop.answer(&json!({"query": format!("select {columns}")}), 200);
    let names = answer["columns"].as_array().unwrap();
    assert_eq!(names[0], "1");
    assert_eq!(names[1_499], "1_1500");
}
