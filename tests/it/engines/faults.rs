//! Servers that stop, structures that change, clients that disconnect.

use std::time::{Duration, Instant};

use serde_json::json;
use svc_tests::{
    PROMPT, Service,
    servers::{MariadbServer, PostgresServer, Server},
    wait_until,
};

pub(super) fn serve(connect: &[String], options: &[&str]) -> (tempfile::TempDir, Service) {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("s.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        .unwrap();
    let mut arguments = vec!["serve", "--connect", "s=sqlite:s.db"];
    for resource in connect {
        arguments.extend(["--connect", resource]);
    }
    arguments.extend(options);
    let service = Service::start(folder.path(), &arguments);
    (folder, service)
}

#[test]
fn a_stopped_postgresql_server_causes_503_quickly_and_is_used_again_when_it_is_back() {
    goes_away(&mut PostgresServer::start());
}

#[test]
fn a_stopped_mariadb_server_causes_503_quickly_and_is_used_again_when_it_is_back() {
    goes_away(&mut MariadbServer::start());
}

fn goes_away(server: &mut dyn Server) {
    let url = server.database("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1);");
    let (_folder, service) = serve(&[format!("p={url}")], &[]);
    service.data("GET", "p", "/models/t/1").expect(200);
    server.stop();
    for _ in 0..20 {
        let begun = Instant::now();
        let answer = service.data("GET", "p", "/models/t/1").expect(503);
        assert!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
        assert_eq!(answer.json()["error_code"], "resource_unavailable");
        assert_eq!(answer.header("retry-after"), "1");
        assert!(!answer.body.contains("127.0.0.1") && !answer.body.contains("s3cret"));
        service.data("GET", "s", "/models/t").expect(200);
    }
    server.run();
    wait_until("the resource answers again", || {
        service.data("GET", "p", "/models/t/1").send().status == 200
    });
    assert!(!service.log().contains("s3cret"), "{}", service.log());
}

#[test]
fn a_connection_that_postgresql_ends_while_a_transaction_pauses_is_no_fault_of_the_service() {
    let url = PostgresServer::shared().database(
        "CREATE TABLE t (id INT PRIMARY KEY);
         DO $$ BEGIN EXECUTE format(
           'ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''1ms''', current_database()
         ); END $$;",
    );
    let (_folder, service) = serve(&[format!("p={url}")], &[]);
    let mut id = 0;
    wait_until("a transaction was ended", || {
        let records: Vec<_> = (id..id + 5).map(|id| json!({"id": id})).collect();
        id += 5;
        let create = service.data("POST", "p", "/models/t/bulk_create");
        let answer = create.json(&json!(records)).send();
        if answer.status == 503 {
            assert_eq!(answer.json()["error_code"], "resource_unavailable");
            return true;
        }
        assert_eq!(answer.status, 200, "{}", answer.body);
        false
    });
}

#[test]
fn a_postgresql_server_that_starts_after_the_service_is_found() {
    comes(&mut PostgresServer::start());
}

#[test]
fn a_mariadb_server_that_starts_after_the_service_is_found() {
    comes(&mut MariadbServer::start());
}

fn comes(server: &mut dyn Server) {
    let url = server.database("CREATE TABLE t (id INT PRIMARY KEY);");
    server.stop();
    let (_folder, service) = serve(&[format!("p={url}")], &[]);
    service.data("GET", "p", "/models/t").expect(503);
    server.run();
    wait_until("the resource answers", || {
        service.data("GET", "p", "/models/t").send().status == 200
    });
}

#[test]
fn an_added_dropped_or_changed_column_of_postgresql_is_noticed() {
    changes(
        PostgresServer::shared(),
        "ALTER COLUMN a TYPE text USING a::text",
    );
}

#[test]
fn an_added_dropped_or_changed_column_of_mariadb_is_noticed() {
    changes(MariadbServer::shared(), "MODIFY a TEXT");
}

fn changes(server: &dyn Server, to_text: &str) {
    let url = server.database(
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, b TEXT); INSERT INTO t VALUES (1, 2, 'x');",
    );
    let (_folder, service) = serve(&[format!("p={url}")], &[]);
    let read = || service.data("GET", "p", "/models/t/1").ok();
    let execute = |script: &str| server.execute(&url, script);
    assert_eq!(read(), json!({"id": 1, "a": 2, "b": "x"}));
    execute("ALTER TABLE t DROP COLUMN b");
    assert_eq!(read(), json!({"id": 1, "a": 2}));
    execute(&format!("ALTER TABLE t {to_text}"));
    assert_eq!(read()["a"], "2");
    execute("ALTER TABLE t ADD COLUMN c INT DEFAULT 5");
    let filtered = service.data("GET", "p", "/models/t?c=5").ok();
    assert_eq!(filtered["results"], json!([{"id": 1, "a": "2", "c": 5}]));
    execute("ALTER TABLE t ADD COLUMN d INT DEFAULT 6");
    service.data("POST", "p", "/reload").expect(200);
    assert_eq!(read()["d"], 6);
    execute("CREATE TABLE u (id INT PRIMARY KEY)");
    service.data("GET", "p", "/models/u").expect(200);
    execute("DROP TABLE u");
    service.data("GET", "p", "/models/u").expect(404);
}

#[test]
fn an_endless_query_of_postgresql_is_stopped_and_an_abandoned_one_is_cancelled() {
    let server = PostgresServer::shared();
    let url = server.database("CREATE TABLE t (id INT PRIMARY KEY)");
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let running = || -> i64 {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%endless%' AND state = 'active'
            AND pid <> pg_backend_pid() AND datname = current_database()";
        client.query_one(sql, &[]).unwrap().get(0)
    };
    is_ended(
        &url,
        "select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) endless",
        running,
    );
}

#[test]
fn an_endless_query_of_mariadb_is_stopped_and_an_abandoned_one_is_cancelled() {
    let server = MariadbServer::shared();
    let url = server.database("CREATE TABLE t (id INT PRIMARY KEY)");
    let name = url.rsplit('/').next().unwrap().to_owned();
    let running = || -> i64 {
        server.number(&format!(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{name}' AND INFO LIKE '%endless%'"
        ))
    };
    let ten = "(select 0 as n union all select 1 union all select 2 union all select 3 union all select 4
        union all select 5 union all select 6 union all select 7 union all select 8 union all select 9)";
    let tables: Vec<String> = (0..14)
        .map(|number| format!("{ten} as endless_{number}"))
        .collect();
    is_ended(
        &url,
        &format!("select count(*) from {}", tables.join(", ")),
        running,
    );
}

fn is_ended(url: &str, endless: &str, mut running: impl FnMut() -> i64) {
    let (_folder, service) = serve(&[format!("p={url}")], &["--statement-timeout", "2"]);
    let endless = json!({ "query": endless });
    let begun = Instant::now();
    let call = service.data("POST", "p", "/sql_get_query").json(&endless);
    assert_eq!(call.expect(504).json()["error_code"], "timeout");
    assert!(begun.elapsed() < Duration::from_secs(10));
    service.data("GET", "p", "/models/t").expect(200);
    let plain = json!({"query": "select 1"});
    service
        .data("POST", "p", "/sql_get_query")
        .json(&plain)
        .expect(200);

    let (_folder, service) = serve(&[format!("p={url}")], &["--statement-timeout", "60"]);
    let leaving = service.data("POST", "p", "/sql_get_query").json(&endless);
    let leaving = leaving.timeout(Duration::from_secs(1));
    let asking = std::thread::spawn(move || leaving.try_send().is_err());
    wait_until("the query runs", || running() == 1);
    assert!(asking.join().unwrap(), "the client left");
    wait_until("the query is cancelled", || running() == 0);
}

#[test]
fn the_password_of_a_database_is_never_shown() {
    let servers: [&dyn Server; 2] = [PostgresServer::shared(), MariadbServer::shared()];
    for server in servers {
        let url = server.database("CREATE TABLE t (id INT PRIMARY KEY)");
        let wrong = url.replace("s3cret", "wr0ngpass");
        let (_folder, service) = serve(&[format!("p={wrong}")], &[]);
        let answer = service.data("GET", "p", "/models/t").expect(503);
        assert!(!answer.body.contains("wr0ngpass"));
        let log = service.log();
        assert!(!log.contains("wr0ngpass"), "{log}");
        assert!(
            log.contains("check the user and the password"),
            "the remedy is told: {log}"
        );
    }
}
