//! Many callers at once: a server with few connections, locked tables, and searches beside short statements.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use serde_json::json;
use svc_tests::{
    Service,
    servers::{MariadbServer, PostgresServer, Server},
    wait_until,
};

use super::faults::serve;

/// The maximum number of connections of the server.
const FEW: u32 = 5;

#[test]
fn more_callers_than_postgresql_has_connections_are_served_without_an_error() {
    few_connections(&PostgresServer::start_with_connections(FEW));
}

#[test]
fn more_callers_than_mariadb_has_connections_are_served_without_an_error() {
    // MariaDB keeps one more connection for administrators.
    few_connections(&MariadbServer::start_with_connections(FEW - 1));
}

fn few_connections(server: &dyn Server) {
    let url = server.database("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1);");
    let (_folder, service) = serve(&[format!("p={url}")], &[]);
    for callers in [16, 64] {
        thread::scope(|scope| {
            for _ in 0..callers {
                scope.spawn(|| {
                    for _ in 0..10 {
                        service.data("GET", "p", "/models/t/1").expect(200);
                    }
                });
            }
        });
    }
    // Records use all connections now; one of them is closed for the query.
    let query = json!({"query": "select 1"});
    service
        .data("POST", "p", "/sql_get_query")
        .json(&query)
        .expect(200);
    service.data("GET", "p", "/models/t/1").expect(200);
}

/// The calls to each locked table: a list, and a search, which counts as slow from the beginning.
const OF_LOCKED: [&str; 2] = ["", "?_search=x"];
/// The number of callers that wait for each locked table.
const CALLERS: usize = 10;

#[test]
fn three_locked_tables_of_postgresql_block_neither_other_tables_nor_reading_the_structure() {
    let server = PostgresServer::shared();
    for query in OF_LOCKED {
        let url = server.database(
            "CREATE TABLE a (id INT PRIMARY KEY, name TEXT); CREATE TABLE b (id INT PRIMARY KEY, name TEXT);
             CREATE TABLE c (id INT PRIMARY KEY, name TEXT); CREATE TABLE free (id INT PRIMARY KEY);
             CREATE VIEW above AS SELECT * FROM a; INSERT INTO free VALUES (1);",
        );
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        let mut other = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        let mut transaction = client.transaction().unwrap();
        transaction
            .batch_execute("LOCK TABLE a, b, c IN ACCESS EXCLUSIVE MODE")
            .unwrap();
        let waiting = || -> i64 {
            let sql = "SELECT count(*) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND datname = current_database()";
            other.query_one(sql, &[]).unwrap().get(0)
        };
        beside_locks(&url, query, waiting, || transaction.rollback().unwrap());
    }
}

#[test]
fn three_locked_tables_of_mariadb_do_not_block_other_tables() {
    let server = MariadbServer::shared();
    for query in OF_LOCKED {
        let url = server.database(
            "CREATE TABLE a (id INT PRIMARY KEY, name TEXT); CREATE TABLE b (id INT PRIMARY KEY, name TEXT);
             CREATE TABLE c (id INT PRIMARY KEY, name TEXT); CREATE TABLE free (id INT PRIMARY KEY);
             INSERT INTO free VALUES (1);",
        );
        let name = url.rsplit('/').next().unwrap().to_owned();
        let held = server.hold(&url, "LOCK TABLES a WRITE, b WRITE, c WRITE");
        let waiting = || {
            server.number(&format!(
                "SELECT COUNT(*) FROM information_schema.PROCESSLIST
                 WHERE DB = '{name}' AND STATE LIKE 'Waiting for table metadata lock'"
            ))
        };
        beside_locks(&url, query, waiting, || drop(held));
    }
}

fn beside_locks(url: &str, query: &str, mut waiting: impl FnMut() -> i64, release: impl FnOnce()) {
    // A caller that waits for a lock gives up after a third of this time.
    let (_folder, service) = serve(&[format!("p={url}")], &["--statement-timeout", "300"]);
    // So that the service knows that these calls are quick.
    for _ in 0..10 {
        service.data("GET", "p", "/models/free/1").expect(200);
        service.data("GET", "p", "/models/free").expect(200);
    }
    let answered = AtomicUsize::new(0);
    let (answered, service) = (&answered, &service);
    thread::scope(|scope| {
        for table in ["a", "b", "c"] {
            for _ in 0..CALLERS {
                scope.spawn(move || {
                    let path = format!("/models/{table}{query}");
                    service.data("GET", "p", &path).expect(200);
                    answered.fetch_add(1, Ordering::Relaxed);
                });
            }
        }
        wait_until("many wait for the locks", || waiting() >= 7);
        for _ in 0..5 {
            service.data("GET", "p", "/models/free/1").expect(200);
            service.data("GET", "p", "/models/free").expect(200);
        }
        if url.starts_with("postgres") {
            service.data("POST", "p", "/reload").expect(200);
            service.data("GET", "p", "/models/free/1").expect(200);
        }
        let meanwhile = answered.load(Ordering::Relaxed);
        release();
        assert_eq!(meanwhile, 0, "they still waited");
    });
}

#[test]
fn searches_in_sqlite_leave_a_reader_for_short_statements() {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("big.db"))
        .unwrap()
        .execute_batch(
            "CREATE TABLE big (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
             INSERT INTO big SELECT i, hex(randomblob(30)), hex(randomblob(30)) FROM n;",
        )
        .unwrap();
    let service = Service::start(
        folder.path(),
        &[
            "serve",
            "--connect",
            "s=sqlite:big.db",
            "--sqlite-readers",
            "2",
        ],
    );
    service.data("GET", "s", "/models/big/1").expect(200);
    let done = AtomicUsize::new(0);
    let begun = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                begun.fetch_add(1, Ordering::Relaxed);
                service
                    .data("GET", "s", "/models/big?_search=nowhere%20to%20be%20found")
                    .expect(200);
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
        wait_until("the first search has ended", || {
            done.load(Ordering::Relaxed) > 0
        });
        let before = done.load(Ordering::Relaxed);
        for _ in 0..5 {
            service.data("GET", "s", "/models/big/1").expect(200);
        }
        let meanwhile = done.load(Ordering::Relaxed) - before;
        assert!(meanwhile <= 3, "{meanwhile} searches came first");
    });
}
