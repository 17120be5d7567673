//! Read-only SQL (wire contract, section 5).

use serde_json::{Value, json};

use super::fixture::{ENGINES, Engines};

#[test]
fn every_engine_returns_the_same_results_of_queries() {
    let engines = Engines::shared();
    let all = "select id, name, credit, active, since, seen from customers";
    for body in [
        json!({"query": format!("{all} order by id")}),
        json!({"query": format!("{all} order by id"), "limit": 5, "offset": 3}),
        json!({"query": all, "order_by": ["-credit", "id"], "limit": 10}),
        json!({"query": all, "filters": [{"name": "credit__gt", "value": 50}], "order_by": ["id"], "count": true}),
        json!({"query": all, "filters": [{"name": "name__icontains", "value": "A"}], "order_by": ["id"], "count": true}),
        json!({"query": all, "filters": [{"name": "id__in", "value": [1, 2, 3]}], "order_by": ["-id"]}),
        json!({"query": all, "aggregate": {"func": "count"}}),
        json!({"query": all, "aggregate": {"func": "sum", "column": "credit"}}),
        json!({"query": all, "group": {"x_column": "active", "y_func": "max", "y_column": "credit"}}),
        json!({"query": all, "groups": {"x_columns": [{"x_column": "since", "x_lookup": "date_quarter"}], "y_func": "count"}}),
        json!({"query": "select name from customers where id = :id or name = :name order by id", "params_obj": {"id": 5, "name": "Ada"}}),
        json!({"query": "select name from customers where id = %s and name = %s", "v": 1, "params": [1, "ada"]}),
        json!({"query": "select name from customers where name = %s order by id limit 1", "v": 1, "params": "o'dd; --"}),
        json!({"query": "with big as (select * from orders where total > 900) select count(*) as n from big"}),
        json!({"query": "select status, count(*) as n from orders group by status order by status"}),
        json!({"query": "select c.name, o.total from customers c join orders o on o.customer_id = c.id where o.id < 5 order by o.id"}),
        json!({"query": "select seen from customers order by id", "timezone": "Asia/Kolkata", "limit": 5}),
        json!({"query": "select name from customers where 1 = 0"}),
    ] {
        let (status, told) = engines.alike("POST", "/sql_get_query", Some(&body));
        assert_eq!(status, 200, "{body}: {told}");
    }
    // The type of a constant differs between engines.
    let constants = json!({"query": "select 1 as a, null as b, 'x' as c union all select 2, null, 'y' order by 1"});
    for engine in ENGINES {
        let told = engines
            .answer(engine, "POST", "/sql_get_query", Some(&constants))
            .json();
        assert_eq!(
            told["data"],
            json!([[1, null, "x"], [2, null, "y"]]),
            "{engine}: {told}"
        );
    }
    let batch = json!({"queries": [{"query": "select 1 as one"}, {"query": "select * from nowhere"}, {"query": "select 2 as two"}]});
    for engine in ENGINES {
        let told = engines
            .answer(engine, "POST", "/sql_get_query", Some(&batch))
            .json();
        assert_eq!(
            (&told[0]["data"], &told[2]["data"]),
            (&json!([[1]]), &json!([[2]])),
            "{engine}: {told}"
        );
        assert!(told[1]["error"].is_string(), "{engine}: {told}");
    }
}

/// All data that a query could have changed.
fn state(engines: &Engines, engine: &str) -> Vec<Value> {
    [
        "/models/customers?_no_pagination=1",
        "/models/orders?_no_pagination=1",
        "/models/notes?_order_by=text,weight&_no_pagination=1",
        "/model_descriptions",
    ]
    .map(|path| engines.answer(engine, "GET", path, None).json())
    .to_vec()
}

#[test]
fn everything_but_a_plain_query_is_refused_by_every_engine_and_changes_nothing() {
    let engines = Engines::new();
    let before: Vec<_> = ENGINES.map(|engine| state(&engines, engine)).to_vec();
    for query in [
        "delete from notes",
        "select 1; delete from notes",
        "select 1) as t; drop table notes; select * from (select 1",
        "with x as (delete from notes returning *) select * from x",
        "with x as (select 1) delete from notes",
        "insert into notes values ('a', 1)",
        "update notes set weight = 1",
        "create table x (a int)",
        "drop table notes",
        "truncate notes",
        "explain select 1",
        "begin",
        "commit",
        "set search_path = x",
        "show tables",
        "call x()",
        "do $$ begin delete from notes; end $$",
        "copy notes to '/tmp/svc-test-copy'",
        "copy notes to program 'true'",
        "select * into x from notes",
        "select * from notes for update",
        "select pg_sleep(10)",
        "select (10.5).pg_sleep",
        "select ('/etc/passwd').pg_read_file",
        "select x.pg_typeof from (select 1 as a) as x",
        "select sleep(10)",
        "select benchmark(100000000, 1)",
        "select pg_read_file('/etc/passwd')",
        "select load_file('/etc/passwd')",
        "select lo_import('/etc/passwd')",
        "select pg_terminate_backend(1)",
        "select set_config('statement_timeout', '0', false)",
        "select nextval('customers_id_seq')",
        "select setval('customers_id_seq', 1)",
        "select pg_advisory_lock(1)",
        "select get_lock('a', 10)",
        "select dblink('x', 'y')",
        "select query_to_xml('delete from notes', true, true, '')",
        "select load_extension('x')",
        "select 1 into outfile '/tmp/svc-test-outfile'",
        "select /*! 1; delete from notes */ 1",
        "select 'a''; delete from notes; --",
        "select $$a$$; delete from notes",
        "prepare x as delete from notes",
        "execute x",
        "listen x",
        "vacuum",
        "lock tables notes write",
        "handler notes open",
        "select * from dblink('x', 'y') as t(a int)",
        "table notes; delete from notes",
    ] {
        for engine in ENGINES {
            let answer = engines.answer(
                engine,
                "POST",
                "/sql_get_query",
                Some(&json!({ "query": query })),
            );
            assert_eq!(answer.status, 400, "{engine}: {query}: {}", answer.body);
        }
    }
    let after: Vec<_> = ENGINES.map(|engine| state(&engines, engine)).to_vec();
    assert_eq!(before, after);
    let _ = engines.folder();
}

#[test]
fn a_query_that_fails_is_reported_with_the_message_of_its_engine() {
    let engines = Engines::shared();
    for query in [
        "select nope from customers",
        "select * from nowhere",
        "select 1 +",
    ] {
        for engine in ENGINES {
            let answer = engines.answer(
                engine,
                "POST",
                "/sql_get_query",
                Some(&json!({ "query": query })),
            );
            assert_eq!(answer.status, 400, "{engine}: {query}: {}", answer.body);
        }
    }
    let body = json!({"query": "select 1 / 0"});
    let answer = engines.answer("postgres", "POST", "/sql_get_query", Some(&body));
    assert_eq!(
        (answer.status.as_u16(), &answer.json()["non_field_errors"]),
        (400, &json!(["division by zero"]))
    );
}

#[test]
fn a_text_that_is_too_large_for_the_server_is_an_error_of_the_query() {
    let engines = Engines::shared();
    let body = json!({"query": "select to_char(1, repeat('9', 100000000))"});
    let answer = engines.answer("postgres", "POST", "/sql_get_query", Some(&body));
    let message = answer.json()["non_field_errors"][0].to_string();
    assert_eq!(answer.status, 400, "{message}");
    assert!(
        message.contains("invalid memory alloc request size"),
        "{message}"
    );
}

#[test]
fn limits_of_a_failed_query_do_not_apply_to_later_ones() {
    let engines = Engines::shared();
    let failing = json!({"query": "select exp(id * 1000) from orders", "limit": 1});
    let groups = json!({
        "query": "select id from orders", "group": {"x_column": "id", "y_func": "count"}, "limit": 200,
    });
    for engine in ["mariadb", "postgres"] {
        for _ in 0..4 {
            let failed = engines.answer(engine, "POST", "/sql_get_query", Some(&failing));
            assert_eq!(failed.status, 400, "{engine}: {}", failed.body);
            let told = engines
                .answer(engine, "POST", "/sql_get_query", Some(&groups))
                .json();
            assert_eq!(told["row_count"], 200, "{engine}");
        }
    }
}
