//! Functions and procedures that the settings of a resource list.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use svc_tests::{
    Answer, Call, Program, Service,
    servers::{MariadbServer, PostgresServer, Server as _},
    wait_until,
};
use tempfile::TempDir;

use super::faults::serve;
use crate::people::Home;

/// Functions of PostgreSQL, and the tables that they are about.
const POSTGRES: &str = r#"
    CREATE TYPE mood AS ENUM ('sad', 'happy');
    CREATE TYPE pair AS (a INT, b NUMERIC(8,2));
    CREATE DOMAIN positive AS INT CHECK (VALUE > 0);
    CREATE TABLE orders (id INT PRIMARY KEY, number TEXT NOT NULL CONSTRAINT orders_number UNIQUE, total NUMERIC(8,2), extra TEXT);
    INSERT INTO orders VALUES (1, 'A1', 1.50, 'x'), (2, 'B2', 20, 'y');
    CREATE SCHEMA other;
    CREATE FUNCTION other.away() RETURNS INT LANGUAGE sql AS 'SELECT 5';
    CREATE FUNCTION add_up(a INT, b INT DEFAULT 10) RETURNS INT LANGUAGE sql AS 'SELECT a + b';
    CREATE FUNCTION unnamed(INT, TEXT DEFAULT 'x', INT DEFAULT 3) RETURNS TEXT LANGUAGE sql AS 'SELECT $1 || $2 || $3';
    CREATE FUNCTION price() RETURNS NUMERIC LANGUAGE sql AS 'SELECT 1.50';
    CREATE FUNCTION day() RETURNS DATE LANGUAGE sql AS $$SELECT DATE '2026-01-31'$$;
    CREATE FUNCTION moment(t TIMESTAMPTZ) RETURNS TIMESTAMPTZ LANGUAGE sql AS 'SELECT t';
    CREATE FUNCTION span() RETURNS INTERVAL LANGUAGE sql AS $$SELECT INTERVAL '1 day'$$;
    CREATE FUNCTION address(host INET) RETURNS INET LANGUAGE sql AS 'SELECT host';
    CREATE FUNCTION feeling(m mood) RETURNS mood LANGUAGE sql AS 'SELECT m';
    CREATE FUNCTION prices(p NUMERIC[]) RETURNS NUMERIC[] LANGUAGE sql AS 'SELECT p';
    CREATE FUNCTION doc(d JSONB) RETURNS JSONB LANGUAGE sql AS 'SELECT d';
    CREATE FUNCTION bytes(b BYTEA) RETURNS BYTEA LANGUAGE sql AS 'SELECT b';
    CREATE FUNCTION is_positive(n positive) RETURNS INT LANGUAGE sql AS 'SELECT n::int';
    CREATE FUNCTION text_of(t TEXT) RETURNS TEXT LANGUAGE sql AS 'SELECT t';
    CREATE FUNCTION numbers(most INT) RETURNS SETOF INT LANGUAGE sql AS 'SELECT generate_series(1, most)';
    CREATE FUNCTION all_orders() RETURNS SETOF orders LANGUAGE sql AS 'SELECT * FROM orders ORDER BY id';
    CREATE FUNCTION totals(minimum NUMERIC) RETURNS TABLE (number TEXT, total NUMERIC, took INTERVAL) LANGUAGE sql
        AS $$SELECT number, total, INTERVAL '2 hours' FROM orders WHERE total >= minimum ORDER BY id$$;
    CREATE FUNCTION one_order(which INT) RETURNS orders LANGUAGE sql AS 'SELECT * FROM orders WHERE id = which';
    CREATE FUNCTION swapped(p pair) RETURNS pair LANGUAGE sql AS 'SELECT (p.b::int, p.a)::pair';
    CREATE FUNCTION outs(a INT, OUT double INT, OUT half NUMERIC, INOUT c TEXT) LANGUAGE sql
        AS $$SELECT a * 2, a / 2.0, c || '!'$$;
    CREATE FUNCTION one_out(OUT x INT) LANGUAGE sql AS 'SELECT 7';
    CREATE FUNCTION anything() RETURNS record LANGUAGE sql AS $$SELECT 1 AS one, 'a'::text AS two$$;
    CREATE FUNCTION poly(x ANYELEMENT) RETURNS ANYELEMENT LANGUAGE sql AS 'SELECT x';
    CREATE FUNCTION joined(glue TEXT, VARIADIC parts TEXT[]) RETURNS TEXT LANGUAGE sql AS 'SELECT array_to_string(parts, glue)';
    CREATE FUNCTION add_order(id INT, number TEXT) RETURNS VOID LANGUAGE sql AS 'INSERT INTO orders VALUES (id, number, 1)';
    CREATE FUNCTION loaded(a INT) RETURNS TEXT LANGUAGE sql AS $$SELECT 'integer'$$;
    CREATE FUNCTION loaded(a INT, b TEXT) RETURNS TEXT LANGUAGE sql AS $$SELECT 'both'$$;
    CREATE FUNCTION "we""ird.(x)"("an ""arg" INT) RETURNS INT LANGUAGE sql AS 'SELECT $1';
    CREATE FUNCTION raises(message TEXT) RETURNS INT LANGUAGE plpgsql AS $$BEGIN
        INSERT INTO orders VALUES (99, 'raised'); RAISE EXCEPTION '%', message; END$$;
    CREATE FUNCTION raises_code() RETURNS INT LANGUAGE plpgsql AS $$BEGIN
        RAISE EXCEPTION 'of its own' USING ERRCODE = 'ABC01'; END$$;
    CREATE FUNCTION sleeps() RETURNS INT LANGUAGE plpgsql AS $$BEGIN
        INSERT INTO orders VALUES (98, 'slept'); PERFORM pg_sleep(60); RETURN 1; END$$;
    CREATE FUNCTION long() RETURNS SETOF TEXT LANGUAGE sql AS $$SELECT repeat('x', 1 << 20) FROM generate_series(1, 100)$$;
    CREATE FUNCTION on_change() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE PROCEDURE does(id INT) LANGUAGE sql AS 'INSERT INTO orders VALUES (id, ''done'', 1)';
    CREATE PROCEDURE gives(a INT, INOUT b NUMERIC, INOUT c INTERVAL) LANGUAGE plpgsql AS 'BEGIN b := b + a; c := c * 2; END';
    CREATE PROCEDURE fills(a INT, OUT b INT) LANGUAGE plpgsql AS 'BEGIN b := a + 1; END';
    CREATE PROCEDURE commits() LANGUAGE plpgsql AS 'BEGIN COMMIT; END';"#;

/// The functions of PostgreSQL that may be called.
const LISTED: &[&str] = &[
    "other.away",
    "add_up",
    "unnamed",
    "price",
    "day",
    "moment",
    "span",
    "address",
    "feeling",
    "prices",
    "doc",
    "bytes",
    "is_positive",
    "text_of",
    "numbers",
    "all_orders",
    "totals",
    "one_order",
    "swapped",
    "outs",
    "one_out",
    "anything",
    "poly",
    "joined",
    "public.add_order",
    "loaded(integer,text)",
    "we\"ird.(x)",
    "raises",
    "raises_code",
    "sleeps",
    "long",
    "on_change",
    "does",
    "gives",
    "fills",
    "commits",
    "gone",
];

const MARIADB: &str = r"
    CREATE TABLE orders (id INT PRIMARY KEY, number VARCHAR(20) NOT NULL, total DECIMAL(8,2), CONSTRAINT orders_number UNIQUE (number));
    INSERT INTO orders VALUES (1, 'A1', 1.50), (2, 'B2', 20);
    CREATE FUNCTION add_up(a INT, b INT) RETURNS INT DETERMINISTIC RETURN a + b;
    CREATE FUNCTION price(p DECIMAL(8,2)) RETURNS DECIMAL(8,2) DETERMINISTIC RETURN p;
    CREATE FUNCTION text_of(t VARCHAR(100)) RETURNS VARCHAR(100) CHARSET utf8mb4 DETERMINISTIC RETURN t;
    CREATE FUNCTION moment(t DATETIME(3)) RETURNS DATETIME(3) DETERMINISTIC RETURN t;
    CREATE FUNCTION is_big(n INT) RETURNS BOOLEAN DETERMINISTIC RETURN n > 10;
    CREATE FUNCTION flag(b BIT(1)) RETURNS BIT(1) DETERMINISTIC RETURN b;
    CREATE FUNCTION place(p POINT) RETURNS POINT DETERMINISTIC RETURN p;
    CREATE FUNCTION feeling(m ENUM('sad', 'happy')) RETURNS ENUM('sad', 'happy') DETERMINISTIC RETURN m;
    CREATE FUNCTION `we``ird.(x)`(`an arg` INT) RETURNS INT DETERMINISTIC RETURN `an arg`;
    CREATE FUNCTION raises(message VARCHAR(100)) RETURNS INT MODIFIES SQL DATA BEGIN
        INSERT INTO orders VALUES (99, 'raised', 1); SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message; RETURN 1; END;
    CREATE FUNCTION add_order(id INT, number VARCHAR(20)) RETURNS INT MODIFIES SQL DATA BEGIN
        INSERT INTO orders VALUES (id, number, 1); RETURN id; END;
    CREATE PROCEDURE sleeps() BEGIN INSERT INTO orders VALUES (98, 'slept', 1); SELECT SLEEP(60); END;
    CREATE PROCEDURE does(id INT) INSERT INTO orders VALUES (id, 'done', 1);
    CREATE PROCEDURE all_orders(minimum DECIMAL(8,2)) BEGIN
        SELECT id, number, total FROM orders WHERE total >= minimum ORDER BY id; SELECT 'second' AS answer; END;
    CREATE PROCEDURE gives(a INT, INOUT b DECIMAL(8,2), OUT c VARCHAR(10)) BEGIN SET b = b + a; SET c = 'out'; END;
    CREATE PROCEDURE both_ways(OUT c INT) BEGIN SET c = 1; SELECT 2 AS two; END;
    CREATE PROCEDURE many() WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        SELECT a.i FROM n a, n b LIMIT 20000;
    CREATE PROCEDURE hidden() SELECT 1;";

/// The functions of MariaDB that may be called.
const LISTED_OF_MARIADB: &[&str] = &[
    "add_up",
    "price",
    "text_of",
    "moment",
    "is_big",
    "flag",
    "place",
    "feeling",
    "we`ird.(x)",
    "raises",
    "add_order",
    "sleeps",
    "does",
    "all_orders",
    "gives",
    "both_ways",
    "many",
    "gone",
];

struct Functions {
    service: Service,
    folder: TempDir,
}

impl Functions {
    fn new(options: &[&str]) -> Self {
        let resources = [
            format!("postgres={}", PostgresServer::shared().database(POSTGRES)),
            format!("mariadb={}", MariadbServer::shared().database(MARIADB)),
        ];
        let (folder, service) = serve(&resources, options);
        let functions = Self { service, folder };
        functions.list("postgres", LISTED);
        functions.list("mariadb", LISTED_OF_MARIADB);
        functions
    }

    fn run(&self, arguments: &[&str]) -> Program {
        let place = ["--project", "main"];
        Program::new(self.folder.path(), &[arguments, &place].concat())
    }

    /// Lists what may be called, while the service runs.
    fn list(&self, engine: &str, functions: &[&str]) {
        let params = json!({ "functions": functions }).to_string();
        self.run(&["resource", "set", engine, "--params", &params])
            .run_ok();
        if let Some(last) = functions.iter().find(|name| **name == "price") {
            let call = || self.call(engine, last, &json!({"p": 1})).send();
            wait_until("the settings are known", || call().status != 404);
        }
    }

    fn call(&self, engine: &str, name: &str, arguments: &Value) -> Call {
        let name: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("/functions/{name}");
        self.service.data("POST", engine, &path).json(arguments)
    }

    #[track_caller]
    fn data(&self, engine: &str, name: &str, arguments: &Value) -> Value {
        let answer = self.call(engine, name, arguments).send();
        assert_eq!(answer.status, 200, "{engine} {name}: {}", answer.body);
        let mut answer = answer.json();
        assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
        answer["data"].take()
    }

    #[track_caller]
    fn refused(&self, engine: &str, name: &str, arguments: &Value) -> Answer {
        let answer = self.call(engine, name, arguments).send();
        assert_eq!(answer.status, 400, "{engine} {name}: {}", answer.body);
        answer
    }

    fn count(&self, engine: &str, filter: &str) -> Value {
        let path = format!("/models/orders?{filter}");
        self.service.data("GET", engine, &path).ok()["count"].take()
    }
}

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
fn what_a_function_raises_is_its_answer_and_nothing_of_it_is_kept() {
    let functions = Functions::new(&[]);
    for engine in ["postgres", "mariadb"] {
        let message = "too 'few' \"%s\" left";
        let raised = functions.refused(engine, "raises", &json!({"message": message}));
        assert_eq!(
            raised.json()["non_field_errors"][0],
            message,
            "{engine}: {}",
            raised.body
        );
        assert_eq!(functions.count(engine, "id=99"), 0, "{engine}");
        let add_order = match engine {
            "postgres" => "public.add_order",
            _ => "add_order",
        };
        let taken = functions.refused(engine, add_order, &json!({"id": 60, "number": "A1"}));
        assert_eq!(
            taken.header("x-constraint"),
            "orders_number",
            "{engine}: {}",
            taken.body
        );
        assert_eq!(taken.header("x-constraint-columns"), "number", "{engine}");
        assert!(
            taken.json()["number"].is_array(),
            "{engine}: {}",
            taken.body
        );
        assert_eq!(functions.count(engine, "id=60"), 0, "{engine}");
    }
    let raised = functions.refused("postgres", "raises_code", &json!({}));
    assert!(raised.body.contains("of its own"), "{}", raised.body);
    let domain = functions.refused("postgres", "is_positive", &json!({"n": -1}));
    assert!(!domain.body.contains("internal"), "{}", domain.body);
    let commits = functions.refused("postgres", "commits", &json!({}));
    assert!(commits.body.contains("transaction"), "{}", commits.body);
}

#[test]
fn an_answer_has_limits_and_the_connection_is_usable_behind_it() {
    let functions = Functions::new(&[]);
    assert_eq!(
        functions
            .data("postgres", "numbers", &json!({"most": 10_000}))
            .as_array()
            .unwrap()
            .len(),
        10_000
    );
    for _ in 0..3 {
        for (engine, name, arguments) in [
            ("postgres", "numbers", json!({"most": 10_001})),
            ("postgres", "long", json!({})),
            ("mariadb", "many", json!({})),
        ] {
            let refused = functions.refused(engine, name, &arguments);
            assert!(refused.body.contains("gives more than"), "{}", refused.body);
        }
        assert_eq!(functions.data("postgres", "price", &json!({})), "1.50");
        assert_eq!(functions.data("mariadb", "price", &json!({"p": 1})), "1.00");
    }
}

#[test]
fn a_slow_function_is_ended_by_the_deadline_or_by_its_id() {
    let functions = Functions::new(&["--statement-timeout", "2"]);
    for engine in ["postgres", "mariadb"] {
        let begun = Instant::now();
        functions.call(engine, "sleeps", &json!({})).expect(504);
        assert!(begun.elapsed() < Duration::from_secs(10), "{engine}");
        assert_eq!(functions.count(engine, "id=98"), 0, "{engine}");
    }
    let functions = Functions::new(&["--statement-timeout", "60"]);
    for engine in ["postgres", "mariadb"] {
        let call = functions.call(engine, "sleeps", &json!({"x": 1}));
        call.expect(400);
        let call = functions
            .call(engine, "sleeps", &json!({}))
            .header("x-statement-id", "slow");
        let running = thread::spawn(move || call.send());
        let list = || {
            functions
                .service
                .data("GET", engine, "/statements")
                .expect(200)
                .json()
        };
        wait_until("it is listed", || list()[0]["id"] == "slow");
        let shown = list()[0]["query"].as_str().unwrap().to_owned();
        assert!(shown.starts_with("POST /functions/"), "{shown}");
        functions
            .service
            .data("DELETE", engine, "/statements/slow")
            .expect(204);
        let answer = running.join().unwrap();
        assert_eq!(answer.status, 409, "{engine}: {}", answer.body);
        assert_eq!(functions.count(engine, "id=98"), 0, "{engine}");
    }
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
