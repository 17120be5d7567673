//! Databases with functions, and a service whose settings list some of them.

use serde_json::{Value, json};
use svc_tests::{
    Answer, Call, Program, Service,
    servers::{MariadbServer, PostgresServer, Server as _},
    wait_until,
};
use tempfile::TempDir;

use crate::engines::faults::serve;

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

pub(super) struct Functions {
    pub(super) service: Service,
    pub(super) folder: TempDir,
}

impl Functions {
    pub(super) fn new(options: &[&str]) -> Self {
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

    pub(super) fn run(&self, arguments: &[&str]) -> Program {
        let place = ["--project", "main"];
        Program::new(self.folder.path(), &[arguments, &place].concat())
    }

    /// Lists what may be called, while the service runs.
    pub(super) fn list(&self, engine: &str, functions: &[&str]) {
        let params = json!({ "functions": functions }).to_string();
        self.run(&["resource", "set", engine, "--params", &params])
            .run_ok();
        if let Some(last) = functions.iter().find(|name| **name == "price") {
            let call = || self.call(engine, last, &json!({"p": 1})).send();
            wait_until("the settings are known", || call().status != 404);
        }
    }

    pub(super) fn call(&self, engine: &str, name: &str, arguments: &Value) -> Call {
        let name: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("/functions/{name}");
        self.service.data("POST", engine, &path).json(arguments)
    }

    #[track_caller]
    pub(super) fn data(&self, engine: &str, name: &str, arguments: &Value) -> Value {
        let answer = self.call(engine, name, arguments).send();
        assert_eq!(answer.status, 200, "{engine} {name}: {}", answer.body);
        let mut answer = answer.json();
        assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
        answer["data"].take()
    }

    #[track_caller]
    pub(super) fn refused(&self, engine: &str, name: &str, arguments: &Value) -> Answer {
        let answer = self.call(engine, name, arguments).send();
        assert_eq!(answer.status, 400, "{engine} {name}: {}", answer.body);
        answer
    }

    pub(super) fn count(&self, engine: &str, filter: &str) -> Value {
        let path = format!("/models/orders?{filter}");
        self.service.data("GET", engine, &path).ok()["count"].take()
    }
}
