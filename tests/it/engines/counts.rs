//! Counts: one that takes too long becomes an estimate (`_count=auto`), and one that is remembered is not an old one.

use serde_json::{Value, json};
use svc_tests::{
    servers::{MariadbServer, PostgresPair, PostgresServer, Server as _},
    wait_until,
};

use super::faults::serve;

/// A thousand records, and a view of them of which each row takes some milliseconds.
const RECORDS: &str = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT NOT NULL);
    INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, i % 10 FROM n;";
const SQLITE: &str = "CREATE VIEW slow AS SELECT id, a, id + (WITH RECURSIVE n(i) AS
        (SELECT t.id UNION ALL SELECT i + 1 FROM n WHERE i < t.id + 20000) SELECT count(*) FROM n) AS computed FROM t;
    ANALYZE;";
const POSTGRES: &str = "
    CREATE FUNCTION slowly(i INT) RETURNS INT VOLATILE LANGUAGE SQL AS 'SELECT i FROM pg_sleep(0.005)';
    CREATE VIEW slow AS SELECT id, a, slowly(id) AS computed FROM t;
    ANALYZE t;";
const MARIADB: &str = "CREATE VIEW slow AS SELECT id, a, id + SLEEP(0.005) AS computed FROM t;
    ANALYZE TABLE t;";

#[test]
fn a_count_that_takes_too_long_becomes_an_estimate_where_the_engine_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("counted.db");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(&format!("{RECORDS}{SQLITE}"))
        .unwrap();
    let postgres = PostgresServer::shared().database(&format!("{}{POSTGRES}", of_postgres()));
    let mariadb = MariadbServer::shared().database(&format!("{RECORDS}{MARIADB}"));
    let resources = [
        format!("sqlite=sqlite:{}", file.display()),
        format!("postgres={postgres}"),
        format!("mariadb={mariadb}"),
    ];
    let (_folder, service) = serve(&resources, &[]);
    for engine in ["sqlite", "postgres", "mariadb"] {
        let page = |query: &str| -> Value {
            let path = format!("/models/{query}");
            service.data("GET", engine, &path).expect(200).json()
        };
        let quick = page("t?_count=auto&_per_page=2&a=3");
        assert_eq!(quick["count"], 100, "{engine}");
        assert_eq!(quick["count_is"], "exact", "{engine}");
        assert_eq!(quick["num_pages"], 50, "{engine}");
        let proven = page("slow?_count=auto&_per_page=2&id=1");
        assert_eq!(
            (&proven["count"], &proven["count_is"]),
            (&json!(1), &json!("exact"))
        );
        let slow = page("slow?_count=auto&_per_page=2&_order_by=id&id__lte=990&computed__gte=0");
        assert_eq!(slow["has_more"], true, "{engine}");
        assert_eq!(
            slow["results"].as_array().map(Vec::len),
            Some(2),
            "{engine}"
        );
        if engine == "sqlite" {
            assert_eq!(slow["count"], Value::Null, "{slow}");
            assert_eq!(slow["count_is"], Value::Null, "{slow}");
            assert_eq!(slow["num_pages"], Value::Null, "{slow}");
        } else {
            assert_eq!(slow["count_is"], "estimate", "{engine}: {slow}");
            let count = slow["count"].as_u64().expect("a number");
            assert!((1..=2000).contains(&count), "{engine}: {count}");
        }
        // The connection works on as before.
        assert_eq!(page("t?_per_page=1")["count"], 1000, "{engine}");
        let plain = page("t?_per_page=1&_count=exact");
        assert!(plain.get("count_is").is_none(), "{engine}: {plain}");
        let estimated = page("t?_per_page=1&_count=estimated");
        assert_eq!(estimated["count_is"], "estimate", "{engine}");
    }
}

/// PostgreSQL reads the words of a recursive query in front of the insert.
fn of_postgres() -> String {
    "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT NOT NULL);
     INSERT INTO t SELECT i, i % 10 FROM generate_series(1, 1000) AS n(i);"
        .to_owned()
}

#[test]
fn a_count_of_a_standby_has_what_was_committed_meanwhile() {
    let pair = PostgresPair::start();
    let [primary, standby] = pair.single(&pair.database("CREATE TABLE t (id SERIAL PRIMARY KEY)"));
    let resource = format!("standby={standby}?target_session_attrs=any");
    let (_folder, service) = serve(&[resource], &[]);
    // The oldest one goes on, so that those that end after it are all that changes.
    let inserts = |rows: u32| {
        let mut client = postgres::Client::connect(&primary, postgres::NoTls).unwrap();
        let sql = format!("BEGIN; INSERT INTO t SELECT FROM generate_series(1, {rows})");
        client.batch_execute(&sql).unwrap();
        client
    };
    let (_oldest, mut middle, mut newest) = (inserts(1), inserts(100), inserts(10));
    let count = || service.data("GET", "standby", "/models/t?_per_page=2").ok()["count"].clone();
    newest.batch_execute("COMMIT").unwrap();
    wait_until("the standby has ten", || count() == 10);
    assert_eq!(count(), 10);
    middle.batch_execute("COMMIT").unwrap();
    wait_until("the standby has all that are committed", || count() == 110);
}
