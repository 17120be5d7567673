//! Functions and procedures that the settings of a resource list.

use serde_json::json;
use svc_tests::{
    Program,
    servers::{PostgresServer, Server as _},
    wait_until,
};

use fixture::Functions;

use crate::people::Home;

mod ends;
mod fixture;

#[test]
fn a_function_of_postgresql_gives_its_values_as_records_have_them() {
    let functions = Functions::new(&[]);
    let none = json!({});
    for (name, arguments, expected) in [
        ("add_up", json!({"a": 1, "b": 2}), json!(3)),
        ("add_up", json!({"b": "2", "a": "1"}), json!(3)),
        ("add_up", json!({"a": 1}), json!(11)),
        ("add_up", json!({"a": null}), json!(null)),
        ("add_up(integer,integer)", json!({"a": 1}), json!(11)),
        ("add_up(int4, integer)", json!({"a": 1}), json!(11)),
        ("other.away", none.clone(), json!(5)),
        ("unnamed", json!({"$1": 1}), json!("1x3")),
        ("unnamed", json!({"$1": 1, "$2": "y"}), json!("1y3")),
        ("price", none.clone(), json!("1.50")),
        ("day", none.clone(), json!("2026-01-31")),
        (
            "moment",
            json!({"t": "2026-01-31T12:00:00+02:00"}),
            json!("2026-01-31T10:00:00Z"),
        ),
        ("span", none.clone(), json!("P1D")),
        ("address", json!({"host": "10.0.0.1"}), json!("10.0.0.1")),
        ("feeling", json!({"m": "happy"}), json!("happy")),
        (
            "prices",
            json!({"p": ["1.50", 2, null]}),
            json!(["1.50", "2", null]),
        ),
        (
            "doc",
            json!({"d": {"a": [1, null]}}),
            json!({"a": [1, null]}),
        ),
        ("bytes", json!({"b": "00ff"}), json!("00ff")),
        ("is_positive", json!({"n": 3}), json!(3)),
        (
            "text_of",
            json!({"t": "it's \"$1\"; DROP TABLE orders --\\"}),
            json!("it's \"$1\"; DROP TABLE orders --\\"),
        ),
        (
            "numbers",
            json!({"most": 2}),
            json!([{"numbers": 1}, {"numbers": 2}]),
        ),
        ("numbers", json!({"most": 0}), json!([])),
        (
            "all_orders",
            none.clone(),
            json!([
                {"id": 1, "number": "A1", "total": "1.50", "extra": "x"},
                {"id": 2, "number": "B2", "total": "20.00", "extra": "y"}
            ]),
        ),
        (
            "totals",
            json!({"minimum": 2}),
            json!([{"number": "B2", "total": "20.00", "took": "PT2H"}]),
        ),
        (
            "one_order",
            json!({"which": 1}),
            json!({"id": 1, "number": "A1", "total": "1.50", "extra": "x"}),
        ),
        (
            "swapped",
            json!({"p": {"a": 1, "b": "2.00"}}),
            json!({"a": 2, "b": "1.00"}),
        ),
        (
            "swapped",
            json!({"p": "(3,4)"}),
            json!({"a": 4, "b": "3.00"}),
        ),
        (
            "outs",
            json!({"a": 3, "c": "x"}),
            json!({"double": 6, "half": "1.5000000000000000", "c": "x!"}),
        ),
        ("one_out", none.clone(), json!(7)),
        (
            "joined",
            json!({"glue": "-", "parts": ["a", "b"]}),
            json!("a-b"),
        ),
        ("joined", json!({"glue": "-"}), json!("")),
        ("loaded", json!({"a": 1, "b": "x"}), json!("both")),
        (
            "loaded(integer,text)",
            json!({"a": 1, "b": "x"}),
            json!("both"),
        ),
        ("we\"ird.(x)", json!({"an \"arg": 4}), json!(4)),
        ("does", json!({"id": 50}), json!(null)),
        (
            "gives",
            json!({"a": 1, "b": "1.50", "c": "1 hour"}),
            json!({"b": "2.50", "c": "PT2H"}),
        ),
        ("fills", json!({"a": 1}), json!({"b": 2})),
        (
            "public.add_order",
            json!({"id": 51, "number": "new"}),
            json!(null),
        ),
    ] {
        assert_eq!(
            functions.data("postgres", name, &arguments),
            expected,
            "{name}"
        );
    }
    let record = functions.data("postgres", "anything", &none);
    assert_eq!(record, json!({"one": 1, "two": "a"}));
    assert_eq!(functions.count("postgres", "id__in=50,51"), 2);
    // An empty body has no arguments.
    let empty = functions
        .service
        .data("POST", "postgres", "/functions/price");
    assert_eq!(empty.expect(200).json(), json!({"data": "1.50"}));
    let answer = functions
        .call("postgres", "price", &none)
        .header("x-statement-id", "mine");
    assert_eq!(answer.expect(200).header("x-statement-id"), "mine");
}

#[test]
fn a_function_of_mariadb_gives_its_value_and_a_procedure_its_first_rows() {
    let functions = Functions::new(&[]);
    for (name, arguments, expected) in [
        ("add_up", json!({"a": 1, "b": 2}), json!(3)),
        ("ADD_UP", json!({"a": 1, "b": 2}), json!(3)),
        ("add_up(int,int)", json!({"a": 1, "b": null}), json!(null)),
        ("price", json!({"p": "1.5"}), json!("1.50")),
        (
            "text_of",
            json!({"t": "it's ? `x` \\ \"ä\""}),
            json!("it's ? `x` \\ \"ä\""),
        ),
        (
            "moment",
            json!({"t": "2026-01-31T12:00:00.5+02:00"}),
            json!("2026-01-31T10:00:00.5Z"),
        ),
        ("is_big", json!({"n": 11}), json!(true)),
        ("flag", json!({"b": true}), json!(true)),
        ("place", json!({"p": "POINT(1 2)"}), json!("POINT(1 2)")),
        ("feeling", json!({"m": "happy"}), json!("happy")),
        ("we`ird.(x)", json!({"an arg": 4}), json!(4)),
        ("add_order", json!({"id": 50, "number": "new"}), json!(50)),
        ("does", json!({"id": 51}), json!(null)),
        (
            "all_orders",
            json!({"minimum": 2}),
            json!([{"id": 2, "number": "B2", "total": "20.00"}]),
        ),
        ("all_orders", json!({"minimum": 1000}), json!([])),
        (
            "gives",
            json!({"a": 1, "b": "1.50"}),
            json!({"b": "2.50", "c": "out"}),
        ),
        ("both_ways", json!({}), json!([{"two": 2}])),
    ] {
        assert_eq!(
            functions.data("mariadb", name, &arguments),
            expected,
            "{name}"
        );
    }
    assert_eq!(functions.count("mariadb", "id__in=50,51"), 2);
    // The connection is as before.
    for _ in 0..20 {
        assert_eq!(
            functions.data("mariadb", "both_ways", &json!({})),
            json!([{"two": 2}])
        );
    }
}

#[test]
fn what_is_not_listed_is_missing_whether_it_exists_or_not() {
    let functions = Functions::new(&[]);
    let mut answers = Vec::new();
    for (engine, name) in [
        ("postgres", "pg_sleep"),
        ("postgres", "never"),
        ("postgres", "loaded(integer)"),
        ("postgres", "add_order"),
        ("postgres", "gone"),
        ("postgres", "on_change"),
        ("postgres", "price; DROP TABLE orders"),
        ("mariadb", "hidden"),
        ("mariadb", "never"),
        ("mariadb", "gone"),
        ("mariadb", "sleep"),
    ] {
        let answer = functions.call(engine, name, &json!({"seconds": 1})).send();
        assert_eq!(answer.status, 404, "{engine} {name}: {}", answer.body);
        answers.push(answer.body);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let sqlite = functions.call("s", "abs", &json!({})).expect(400);
    assert!(sqlite.body.contains("no functions"), "{}", sqlite.body);
    // Of several functions, one is listed with its types.
    functions.list("postgres", &["loaded", "price"]);
    wait_until("the settings are known", || {
        let call = functions.call("postgres", "loaded", &json!({"a": 1}));
        call.send().body.contains("integer,text")
    });
    for name in ["loaded", "loaded(integer)"] {
        let refused = functions.refused("postgres", name, &json!({"a": 1}));
        assert!(refused.body.contains("loaded(integer"), "{}", refused.body);
    }
    functions.list(
        "postgres",
        &["loaded(integer)", "loaded(integer,text)", "price"],
    );
    wait_until("the settings are known", || {
        functions
            .call("postgres", "loaded(integer)", &json!({"a": 1}))
            .send()
            .status
            == 200
    });
    let refused = functions.refused("postgres", "loaded", &json!({"a": 1}));
    assert!(refused.body.contains("with the types"), "{}", refused.body);
    assert_eq!(
        functions.data("postgres", "loaded(integer)", &json!({"a": 1})),
        "integer"
    );
}

#[test]
fn arguments_that_do_not_fit_are_refused_by_their_names() {
    let functions = Functions::new(&[]);
    for (engine, name, arguments, field, code) in [
        ("postgres", "add_up", json!({}), "a", "required"),
        (
            "postgres",
            "add_up",
            json!({"a": 1, "x": 1}),
            "x",
            "unknown_field",
        ),
        ("postgres", "add_up", json!({"a": "one"}), "a", "invalid"),
        (
            "postgres",
            "add_up",
            json!({"a": 3_000_000_000_u64}),
            "a",
            "out_of_range",
        ),
        ("postgres", "one_out", json!({"x": 1}), "x", "unknown_field"),
        (
            "postgres",
            "gives",
            json!({"a": 1, "b": 1}),
            "c",
            "required",
        ),
        ("postgres", "feeling", json!({"m": "angry"}), "m", "invalid"),
        (
            "postgres",
            "address",
            json!({"host": "nowhere"}),
            "host",
            "invalid",
        ),
        ("postgres", "prices", json!({"p": ["x"]}), "p", "invalid"),
        ("postgres", "text_of", json!({"t": "\0"}), "t", "invalid"),
        ("postgres", "unnamed", json!({"$1": 1, "$3": 1}), "$2", ""),
        ("postgres", "poly", json!({"x": 1}), "x", "invalid"),
        ("mariadb", "add_up", json!({"a": 1}), "b", "required"),
        (
            "mariadb",
            "add_up",
            json!({"a": 1, "b": 1, "c": 1}),
            "c",
            "unknown_field",
        ),
        (
            "mariadb",
            "add_up",
            json!({"a": 1, "b": []}),
            "b",
            "invalid",
        ),
        (
            "mariadb",
            "price",
            json!({"p": "1.234"}),
            "p",
            "out_of_range",
        ),
        (
            "mariadb",
            "gives",
            json!({"a": 1, "b": 1, "c": 1}),
            "c",
            "unknown_field",
        ),
    ] {
        let refused = functions.refused(engine, name, &arguments).json();
        assert!(refused[field].is_array(), "{name} {arguments}: {refused}");
        if !code.is_empty() {
            assert_eq!(refused["error_codes"][field][0], code, "{name}: {refused}");
        }
    }
    for body in ["[]", "1", "{"] {
        let call = functions
            .service
            .data("POST", "postgres", "/functions/price");
        let call = call.header("content-type", "application/json").body(body);
        call.expect(400);
    }
    functions
        .service
        .data("POST", "postgres", "/functions/price?x=1")
        .expect(400);
    functions
        .service
        .data("GET", "postgres", "/functions/price")
        .expect(405);
}

#[test]
fn functions_are_for_administrators_and_the_token_of_the_resource() {
    let home = Home::new();
    let url = PostgresServer::shared()
        .database("CREATE FUNCTION f() RETURNS INT LANGUAGE sql AS 'SELECT 1';");
    let params = r#"{"functions": ["f"]}"#;
    let added = home.run(&[
        "resource",
        "add",
        "pg",
        &url,
        "--project",
        "main",
        "--params",
        params,
    ]);
    let token = added["token"].as_str().unwrap().to_owned();
    let call = |credential: &str| {
        home.call("POST", "pg/functions/f")
            .authorization(credential)
    };
    wait_until("the resource is known", || {
        call(&token).send().status == 200
    });
    let admin = home.member("admin@example.com", "Administrator").header();
    assert_eq!(call(&admin).expect(200).json(), json!({"data": 1}));
    for team in ["Editor", "Read Only"] {
        let email = format!("{}@example.com", team.to_lowercase().replace(' ', "-"));
        let member = home.member(&email, team).header();
        call(&member).expect(403);
        home.call("POST", "pg/functions/none")
            .authorization(&member)
            .expect(403);
    }
    call(home.shop_token()).expect(403);
    home.call("POST", "pg/functions/f").expect(401);
    let list = [
        "audit",
        "list",
        "--format",
        "json",
        "--action",
        "functions.call",
    ];
    let lines = Program::new(home.path(), &list).run_json();
    let lines = lines.as_array().unwrap();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(
        (&lines[0]["resource"], &lines[0]["record"]),
        (&json!("pg"), &json!("f"))
    );
}

#[test]
fn the_program_calls_functions() {
    let functions = Functions::new(&[]);
    let token = functions.service.text("/resources/postgres/token");
    let run = |arguments: &[&str]| {
        let common = [
            "--api-base-url",
            functions.service.text("/base_url"),
            "--api-token",
            token,
        ];
        functions.run(&[arguments, &common].concat())
    };
    let call = ["functions", "call", "postgres", "add_up", "--arg", "a=1"];
    assert_eq!(run(&call).run_ok(), "11\n");
    let call = [&call[..], &["--args", r#"{"b": 5, "a": 7}"#]].concat();
    assert_eq!(run(&call).run_ok(), "6\n");
    let (_, message) = run(&["functions", "call", "postgres", "never"]).run_err();
    assert!(message.contains("no function of this name"), "{message}");
}
