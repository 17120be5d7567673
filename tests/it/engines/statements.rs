//! Statements that run, and their end before they are done.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use svc_tests::{
    Answer, Call, PROMPT, Program, Service,
    servers::{MariadbServer, PostgresServer, Server as _},
    wait_until,
};

use super::{faults::serve, fixture::ENGINES};
use crate::people::Home;

/// A table, and a view of which no row passes a filter, which is known when all of its rows were made.
const ENDLESS: &str = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY);
    CREATE VIEW endless AS SELECT a.id + b.id + c.id + d.id + e.id AS total FROM t a, t b, t c, t d, t e;";
/// A query that does not end in this time.
const SQL: &str = "SELECT count(*) AS endless FROM t a, t b, t c, t d, t e WHERE a.id + b.id + c.id + d.id + e.id < 0";

/// A table whose records take long to be changed, in each engine.
const SLOW: &str = "CREATE TABLE slow (id INT NOT NULL PRIMARY KEY, note VARCHAR(9)); INSERT INTO slow VALUES (1, 'a'), (2, 'a');";
const SLOW_TRIGGERS: [&str; 3] = [
    "CREATE TRIGGER slow_EVENT BEFORE EVENT ON slow BEGIN
        SELECT count(*) FROM t a, t b, t c, t d, t e WHERE a.id + b.id + c.id + d.id + e.id < 0; END;",
    "CREATE FUNCTION nap_EVENT() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(50); RETURN COALESCE(NEW, OLD); END';
    CREATE TRIGGER slow_EVENT BEFORE EVENT ON slow FOR EACH ROW EXECUTE FUNCTION nap_EVENT();",
    "CREATE TRIGGER slow_EVENT BEFORE EVENT ON slow FOR EACH ROW DO SLEEP(50);",
];

/// The script with the slow table of an engine, by its number.
fn slow_script(engine: usize) -> String {
    let triggers = ["UPDATE", "DELETE"].map(|event| SLOW_TRIGGERS[engine].replace("EVENT", event));
    format!("{}{SLOW}{}", script(), triggers.concat())
}

fn script() -> String {
    let rows: Vec<String> = (0..400).map(|id| format!("({id})")).collect();
    format!("{ENDLESS} INSERT INTO t VALUES {};", rows.join(","))
}

struct Databases {
    service: Service,
    mariadb: String,
    postgres: String,
    folders: [tempfile::TempDir; 2],
}

impl Databases {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("endless.db");
        let database = rusqlite::Connection::open(&file).unwrap();
        database.execute_batch(&slow_script(0)).unwrap();
        let postgres = PostgresServer::shared().database(&slow_script(1));
        let mariadb = MariadbServer::shared().database(&slow_script(2));
        let resources = [
            format!("sqlite=sqlite:{}", file.display()),
            format!("postgres={postgres}"),
            format!("mariadb={mariadb}"),
        ];
        let (store, service) = serve(&resources, &["--statement-timeout", "60"]);
        let folders = [folder, store];
        Self {
            service,
            mariadb,
            postgres,
            folders,
        }
    }

    fn list(&self, engine: &str) -> Vec<Value> {
        let list = self.service.data("GET", engine, "/statements");
        let list = list.expect(200).json();
        list.as_array().unwrap().clone()
    }

    fn cancel(&self, engine: &str, id: &str) -> Call {
        let path = format!("/statements/{id}");
        self.service.data("DELETE", engine, &path)
    }

    /// How many statements the server works on.
    fn at_work(&self, engine: &str) -> i64 {
        match engine {
            "postgres" => {
                let mut client =
                    postgres::Client::connect(&self.postgres, postgres::NoTls).unwrap();
                let sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()
                    AND backend_type = 'client backend' AND datname = current_database()";
                client.query_one(sql, &[]).unwrap().get(0)
            }
            "mariadb" => {
                let name = self.mariadb.rsplit('/').next().unwrap();
                MariadbServer::shared().number(&format!(
                    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{name}' AND COMMAND IN ('Query', 'Execute')"
                ))
            }
            _ => 0,
        }
    }

    fn sql(&self, engine: &str, id: &str) -> Call {
        let call = self.service.data("POST", engine, "/sql_get_query");
        call.json(&json!({ "query": SQL }))
            .header("x-statement-id", id)
    }
}

fn is_cancelled(answer: &Answer, what: &str) {
    assert_eq!(answer.status, 409, "{what}: {}", answer.body);
    assert_eq!(answer.json()["error_code"], "cancelled", "{what}");
}

#[test]
fn a_statement_is_listed_while_it_runs_and_ends_in_the_database_when_it_is_cancelled() {
    let databases = Databases::new();
    let service = &databases.service;
    for engine in ENGINES {
        let get = |path: &str| {
            service
                .data("GET", engine, path)
                .header("x-statement-id", "mine")
        };
        let post = |path: &str, body: Value| {
            let call = service.data("POST", engine, path).json(&body);
            call.header("x-statement-id", "mine")
        };
        let group = json!({"x_column": "total", "y_func": "count"});
        for (call, shown) in [
            (databases.sql(engine, "mine"), SQL),
            (
                get("/models/endless?total__lt=0"),
                "GET /models/endless?total__lt=0",
            ),
            (
                get("/models/endless?total__lt=0&_no_pagination=1").header("accept", "text/csv"),
                "GET /models/endless?total__lt=0&_no_pagination=1",
            ),
            (
                get("/models/endless/aggregate?_y_func=count&total__lt=0"),
                "GET /models/endless/aggregate?_y_func=count&total__lt=0",
            ),
            (
                post(
                    "/models/endless/aggregate?total__lt=0",
                    json!({"func": "count"}),
                ),
                "POST /models/endless/aggregate?total__lt=0",
            ),
            (
                post("/models/endless/group?total__lt=0", group),
                "POST /models/endless/group?total__lt=0",
            ),
        ] {
            let running = thread::spawn(move || call.send());
            wait_until("it is listed", || !databases.list(engine).is_empty());
            if engine != "sqlite" {
                wait_until("the server works on it", || databases.at_work(engine) == 1);
            }
            let list = databases.list(engine);
            assert_eq!(list.len(), 1, "{engine}: {list:?}");
            assert_eq!(list[0]["id"], "mine");
            assert_eq!(list[0]["query"], shown, "{engine}");
            let token = service.text(&format!("/resources/{engine}/token"));
            let caller = list[0]["caller"].as_str().unwrap();
            assert!(token.starts_with(caller) && caller.len() < token.len() / 2);
            let started: jiff::Timestamp = list[0]["started"].as_str().unwrap().parse().unwrap();
            let age = jiff::Timestamp::now().duration_since(started).as_secs();
            assert!((-1..60).contains(&age), "{started}");
            assert!(list[0]["milliseconds"].as_u64().unwrap() < 60_000);
            let begun = Instant::now();
            databases.cancel(engine, "mine").expect(204);
            is_cancelled(&running.join().unwrap(), &format!("{engine} {shown}"));
            assert!(begun.elapsed() < PROMPT, "{engine} {shown}");
            assert_eq!(databases.list(engine), Vec::<Value>::new(), "{engine}");
            databases.cancel(engine, "mine").expect(404);
            wait_until("the database works on nothing", || {
                databases.at_work(engine) == 0
            });
        }
        // The two connections for SQL are free again.
        for _ in 0..2 {
            let calls = ["one", "two"].map(|id| databases.sql(engine, id));
            let running = calls.map(|call| thread::spawn(move || call.send()));
            wait_until("both are listed", || databases.list(engine).len() == 2);
            for id in ["one", "two"] {
                databases.cancel(engine, id).expect(204);
            }
            for call in running {
                is_cancelled(&call.join().unwrap(), engine);
            }
        }
        let plain = json!({"query": "SELECT 1 AS one"});
        let plain = service.data("POST", engine, "/sql_get_query").json(&plain);
        let plain = plain.header("x-statement-id", "a-Z_9").expect(200);
        assert_eq!(plain.header("x-statement-id"), "a-Z_9", "{engine}");
    }
}

#[test]
fn a_write_by_filter_is_listed_and_changes_nothing_when_it_is_cancelled() {
    let databases = Databases::new();
    let service = &databases.service;
    for engine in ENGINES {
        let path = "/models/slow?id__gte=0";
        for method in ["PATCH", "DELETE"] {
            let call = service.data(method, engine, path);
            let call = call.header("x-statement-id", "mine");
            let call = match method {
                "PATCH" => call.json(&json!({"note": "b"})),
                _ => call,
            };
            let running = thread::spawn(move || call.send());
            wait_until("it is listed", || !databases.list(engine).is_empty());
            if engine != "sqlite" {
                wait_until("the server works on it", || databases.at_work(engine) == 1);
            }
            let list = databases.list(engine);
            assert_eq!(list[0]["query"], format!("{method} {path}"), "{engine}");
            let begun = Instant::now();
            databases.cancel(engine, "mine").expect(204);
            is_cancelled(&running.join().unwrap(), &format!("{engine} {method}"));
            wait_until("the database works on nothing", || {
                databases.at_work(engine) == 0
            });
            // The next write does not wait for this one.
            let other = service.data("POST", engine, "/models/t");
            let id = if method == "PATCH" { 1_000 } else { 1_001 };
            other.json(&json!({ "id": id })).expect(201);
            assert!(begun.elapsed() < PROMPT, "{engine}");
            let left = service.data("GET", engine, "/models/slow?_no_pagination=1&_order_by=id");
            let unchanged = json!([{"id": 1, "note": "a"}, {"id": 2, "note": "a"}]);
            assert_eq!(left.ok(), unchanged, "{engine} {method}");
        }
        // Of nothing, it is no long write.
        let none = service.data("DELETE", engine, "/models/slow?id=7");
        let none = none.header("x-statement-id", "none").expect(200);
        assert_eq!(none.header("x-statement-id"), "none", "{engine}");
    }
}

#[test]
fn references_that_wait_for_a_lock_are_listed_and_cancelled() {
    let script = "CREATE TABLE parents (id INT PRIMARY KEY); INSERT INTO parents VALUES (1);
        CREATE TABLE children (id INT PRIMARY KEY, parent_id INT REFERENCES parents (id));";
    let url = PostgresServer::shared().database(script);
    let (_store, service) = serve(&[format!("family={url}")], &["--statement-timeout", "60"]);
    let path = "/models/parents/1/references";
    let plain = service.data("GET", "family", path).expect(200);
    assert_eq!(plain.header("x-statement-id").len(), 36);
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let mut lock = client.transaction().unwrap();
    lock.batch_execute("LOCK TABLE children").unwrap();
    let call = service
        .data("GET", "family", path)
        .header("x-statement-id", "mine");
    let running = thread::spawn(move || call.send());
    let list = || -> Value { service.data("GET", "family", "/statements").ok() };
    wait_until("it is listed", || list()[0]["id"] == "mine");
    let cancel = service.data("DELETE", "family", "/statements/mine");
    cancel.expect(204);
    is_cancelled(&running.join().unwrap(), "references");
    assert_eq!(list(), json!([]));
}

#[test]
fn answers_tell_an_id_and_callers_choose_one_that_is_fit_and_free() {
    let databases = Databases::new();
    let service = &databases.service;
    for engine in ENGINES {
        let sql = |body: &Value| service.data("POST", engine, "/sql_get_query").json(body);
        let ids = [
            sql(&json!({"query": "SELECT 1 AS one"})),
            sql(&json!({"query": "SELECT 1 AS one"})).header("accept", "text/csv"),
            sql(&json!({"queries": [{"query": "SELECT 1 AS one"}]})),
            service.data("GET", engine, "/models/t"),
            service
                .data("GET", engine, "/models/t")
                .header("accept", "application/x-ndjson"),
            service.data("GET", engine, "/models/t/aggregate?_y_func=count"),
        ]
        .map(|call| call.expect(200).header("x-statement-id").to_owned());
        let different: std::collections::HashSet<&String> = ids.iter().collect();
        assert!(
            different.len() == ids.len() && ids.iter().all(|id| id.len() == 36),
            "{ids:?}"
        );
        let single = service.data("GET", engine, "/models/t/1").expect(200);
        assert_eq!(single.header("x-statement-id"), "");
        for id in ["", "a b", "a/b", "ä", "a.b", &"x".repeat(101)] {
            let refused = service
                .data("GET", engine, "/models/t")
                .header("x-statement-id", id);
            let refused = refused.expect(400).json();
            assert!(refused["X-Statement-Id"].is_array(), "{id}: {refused}");
        }
        let longest = "x".repeat(100);
        let call = databases.sql(engine, &longest);
        let running = thread::spawn(move || call.send());
        wait_until("it is listed", || databases.list(engine).len() == 1);
        let other = service
            .data("GET", engine, "/models/t")
            .header("x-statement-id", &longest);
        assert_eq!(
            other.expect(409).json()["error_code"],
            "statement_runs",
            "{engine}"
        );
        databases.cancel(engine, &longest).expect(204);
        is_cancelled(&running.join().unwrap(), engine);
        // Then it is free again.
        let other = service
            .data("GET", engine, "/models/t")
            .header("x-statement-id", &longest);
        other.expect(200);
        service.data("GET", engine, "/statements?x=1").expect(400);
        let body = json!({"queries": [{"query": "SELECT 1 AS one"}, {"query": SQL}, {"query": "SELECT 2 AS two"}]});
        let mut answered = None;
        // Nothing tells when SQLite has answered the first one: it is tried until the second one is cancelled.
        wait_until("it is cancelled behind its first answer", || {
            let batch = sql(&body).header("x-statement-id", "batch");
            let running = thread::spawn(move || batch.send());
            wait_until("it is listed", || databases.list(engine).len() == 1);
            let shown = databases.list(engine)[0]["query"]
                .as_str()
                .unwrap()
                .to_owned();
            assert_eq!(shown, format!("SELECT 1 AS one;\n{SQL};\nSELECT 2 AS two"));
            if engine != "sqlite" {
                wait_until("the server works on it", || databases.at_work(engine) == 1);
            }
            databases.cancel(engine, "batch").expect(204);
            let answer = running.join().unwrap();
            let has_answer = answer.status == 200;
            answered = has_answer.then(|| answer.json());
            has_answer
        });
        let batch = answered.unwrap();
        let last = json!({"error": "the statement was cancelled"});
        assert_eq!(batch[2], last, "{engine}: {batch}");
        // One without an answer yet fails as a whole.
        let body = json!({"queries": [{"query": SQL}, {"query": "SELECT 2 AS two"}]});
        let batch = sql(&body).header("x-statement-id", "batch");
        let running = thread::spawn(move || batch.send());
        wait_until("it is listed", || databases.list(engine).len() == 1);
        databases.cancel(engine, "batch").expect(204);
        is_cancelled(&running.join().unwrap(), engine);
    }
}

#[test]
fn nothing_is_left_of_a_statement_whose_caller_leaves() {
    let databases = Databases::new();
    for engine in ENGINES {
        let leaving = databases
            .sql(engine, "leaving")
            .timeout(Duration::from_secs(1));
        let asking = thread::spawn(move || leaving.try_send().is_err());
        wait_until("it is listed", || databases.list(engine).len() == 1);
        assert!(asking.join().unwrap(), "the client left");
        wait_until("it is forgotten", || databases.list(engine).is_empty());
        wait_until("the database works on nothing", || {
            databases.at_work(engine) == 0
        });
    }
}

#[test]
fn an_export_is_listed_until_it_is_sent_and_cut_off_when_it_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    let script = "CREATE TABLE long (id INTEGER PRIMARY KEY, body TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO long SELECT i, hex(zeroblob(4000)) FROM n;";
    database.execute_batch(script).unwrap();
    let (_store, service) = serve(&[format!("s2=sqlite:{}", file.display())], &[]);
    let base = service.text("/base_url");
    let address = base.strip_prefix("http://").unwrap();
    let list = || -> Value { service.data("GET", "s2", "/statements").expect(200).json() };
    for accept in ["application/json", "application/x-ndjson"] {
        let mut stream = TcpStream::connect(address).unwrap();
        let token = service.text("/resources/s2/token");
        let path = "/projects/main/prod/s2/models/long?_no_pagination=1";
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {token}\r\nAccept: {accept}\r\nX-Statement-Id: export\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = [0; 4096];
        let read = stream.read(&mut head).unwrap();
        let head = String::from_utf8_lossy(&head[..read]).to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert!(head.contains("x-statement-id: export"), "{head}");
        // It waits until more is read.
        assert_eq!(list()[0]["id"], "export", "{accept}");
        service
            .data("DELETE", "s2", "/statements/export")
            .expect(204);
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        let is_whole = rest.ends_with(b"0\r\n\r\n");
        assert!(ended.is_err() || !is_whole, "{accept}: it was not cut off");
        assert!(rest.len() < 70 << 20, "{}", rest.len());
        wait_until("it is forgotten", || list() == json!([]));
    }
}

#[test]
fn statements_of_other_callers_are_seen_and_ended_by_administrators_alone() {
    let home = Home::new();
    let database = rusqlite::Connection::open(home.path().join("shop.db")).unwrap();
    database.execute_batch(&script()).unwrap();
    let other = home.run(&["token", "add", "shop", "--project", "main"]);
    let other = other["token"].as_str().unwrap();
    let admin = home.member("admin@example.com", "Administrator").header();
    let second = home.member("second@example.com", "Administrator").header();
    let reader = home.member("reader@example.com", "Read Only").header();
    let token = home.shop_token();
    let call = |method: &str, path: &str, credential: &str| {
        let call = home.call(method, &format!("shop/{path}"));
        call.authorization(credential)
    };
    let ids = |credential: &str| -> Vec<String> {
        let list = call("GET", "statements", credential).expect(200).json();
        let list = list.as_array().unwrap().iter();
        let mut ids: Vec<_> = list
            .map(|it| {
                format!(
                    "{} {}",
                    it["id"].as_str().unwrap(),
                    it["caller"].as_str().unwrap()
                )
            })
            .collect();
        ids.sort();
        ids
    };
    let list = |credential: &str| {
        let call = call("GET", "models/endless?total__lt=0", credential);
        let call = call.header("x-statement-id", "same");
        thread::spawn(move || call.send())
    };
    // The structure is known before the calls.
    call("GET", "models/t", token).expect(200);
    let running = [token, other, &admin, &reader].map(list);
    wait_until("all are listed", || ids(&admin).len() == 4);
    let callers = [
        "same admin@example.com".to_owned(),
        "same reader@example.com".to_owned(),
        format!("same {}", &token[..11]),
        format!("same {}", &other[..11]),
    ];
    for credential in [&admin, &second] {
        let seen = ids(credential);
        assert!(
            callers.iter().all(|caller| seen.contains(caller)),
            "{seen:?}"
        );
    }
    for (credential, caller) in [
        (token, &callers[2]),
        (other, &callers[3]),
        (&reader, &callers[1]),
    ] {
        assert_eq!(ids(credential), [caller.as_str()]);
    }
    call("DELETE", "statements/none", &admin).expect(404);
    call("DELETE", "statements/same", home.tools_token()).expect(403);
    home.call("DELETE", "shop/statements/same").expect(401);
    // Each ends its own.
    let [of_token, of_other, of_admin, of_reader] = running;
    call("DELETE", "statements/same", other).expect(204);
    is_cancelled(&of_other.join().unwrap(), "the other token");
    call("DELETE", "statements/same", other).expect(404);
    assert_eq!(ids(&admin).len(), 3);
    call("DELETE", "statements/same", &reader).expect(204);
    is_cancelled(&of_reader.join().unwrap(), "the reader");
    assert_eq!(ids(&admin).len(), 2);
    // An administrator those of all.
    call("DELETE", "statements/same", &second).expect(204);
    is_cancelled(&of_admin.join().unwrap(), "the administrator");
    is_cancelled(&of_token.join().unwrap(), "the token");
    assert_eq!(ids(&admin), Vec::<String>::new());
}

#[test]
fn the_program_lists_and_cancels_statements() {
    let databases = Databases::new();
    let service = &databases.service;
    let token = service.text("/resources/postgres/token");
    let run = |arguments: &[&str]| {
        let common = [
            "--project",
            "main",
            "--api-base-url",
            service.text("/base_url"),
            "--api-token",
            token,
        ];
        Program::new(databases.folders[1].path(), &[arguments, &common].concat())
    };
    let call = databases.sql("postgres", "mine");
    let running = thread::spawn(move || call.send());
    wait_until("it is listed", || databases.list("postgres").len() == 1);
    let list = run(&["statements", "list", "postgres", "--format", "json"]).run_json();
    assert_eq!(list[0]["id"], "mine", "{list}");
    let cancelled = run(&["statements", "cancel", "postgres", "mine"]).run_ok();
    assert_eq!(cancelled, "statement mine cancelled\n");
    is_cancelled(&running.join().unwrap(), "the program");
    let (_, message) = run(&["statements", "cancel", "postgres", "mine"]).run_err();
    assert!(
        message.contains("no statement of this id runs"),
        "{message}"
    );
}
