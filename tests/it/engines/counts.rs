//! `_count=auto`: a count that takes too long becomes an estimate.

use serde_json::{Value, json};
use svc_tests::servers::{MariadbServer, PostgresServer, Server as _};

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
