//! Lists that are slow: what is said about them, and that they end with the page that shows them.

use svc_tests::{
    servers::{MariadbServer, PostgresServer, Server as _},
    wait_until,
};

use super::{ENGINES, HOME, Setup, signed_in, sql::begun};

/// A service over the same large table in each engine, and views that take their time in two of them.
fn setup() -> Setup {
    let table = "CREATE TABLE big (id INTEGER NOT NULL PRIMARY KEY, a INTEGER, b INTEGER, note VARCHAR(20));\
        CREATE INDEX big_a ON big (a);";
    let filled = |from: &str| format!("{table} INSERT INTO big SELECT n, n, n % 7, 'x' {from};");
    let sqlite = filled(
        "FROM (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 120000) SELECT n FROM s)",
    );
    let postgres = filled("FROM generate_series(1, 120000) n")
        + "ANALYZE big;\
           CREATE VIEW late AS SELECT 1 AS id, pg_sleep(0.6)::text || 'console_row' AS nap;\
           CREATE VIEW never AS SELECT 1 AS id, pg_sleep(60)::text AS console_never;";
    let mariadb = filled("FROM (SELECT seq AS n FROM seq_1_to_120000) numbers")
        + "ANALYZE TABLE big;\
           CREATE VIEW late AS SELECT 1 AS id, CONCAT(SLEEP(0.6), 'console_row') AS nap;\
           CREATE VIEW never AS SELECT 1 AS id, SLEEP(60) AS console_never;";
    Setup::over(&sqlite, &postgres, &mariadb)
}

#[test]
fn a_list_that_no_index_helps_with_says_so_and_how_it_becomes_fast() {
    let setup = setup();
    let browser = signed_in(&setup.service);
    for engine in ENGINES {
        let list = format!("{HOME}records/{engine}/big/");
        for quick in [
            "",
            "?a=5",
            "?_order_by=-a",
            "?a=5&b=1&_order_by=note",
            "?id__in=1,2",
        ] {
            let page = browser.page(&format!("{list}{quick}"));
            assert!(
                !page.contains("class=\"small slow\""),
                "{engine} {quick}: {page}"
            );
        }
        for (slow, said) in [
            ("?b=1", "index on these columns: b."),
            ("?_order_by=note", "index on these columns: note."),
            ("?note__icontains=y", "a column that has one: id, a."),
            ("?_search=5", "a column that has one: id, a."),
        ] {
            let page = browser.page(&format!("{list}{slow}"));
            let (_, sentence) = page.split_once("class=\"small slow\"").expect(slow);
            let (sentence, _) = sentence.split_once("</p>").unwrap();
            assert!(
                sentence.contains("reads the whole table") && sentence.contains(said),
                "{engine} {slow}: {sentence}"
            );
        }
    }
    // A small table is read in no time.
    let small = Setup::new();
    let browser = signed_in(&small.service);
    for engine in ENGINES {
        let page = browser.page(&format!("{}?note=x", super::list(engine)));
        assert!(!page.contains("class=\"small slow\""), "{engine}: {page}");
    }
}

#[test]
fn a_slow_list_begins_at_once_is_cancelled_by_a_link_and_ends_with_its_page() {
    let setup = setup();
    let browser = signed_in(&setup.service);
    let url = PostgresServer::shared().database("SELECT 1");
    let mut postgres = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let mut is_at_work = |engine: &str| match engine {
        "p" => {
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() \
                AND query LIKE '%console_never%'";
            postgres.query_one(sql, &[]).unwrap().get::<_, i64>(0) > 0
        }
        _ => {
            let sql = "SELECT COUNT(*) FROM information_schema.PROCESSLIST \
                WHERE INFO LIKE '%console_never%' AND ID <> CONNECTION_ID()";
            MariadbServer::shared().number(sql) > 0
        }
    };
    for engine in ["p", "m"] {
        let late = format!("{HOME}records/{engine}/late/");
        let (beginning, _) = begun(&browser, &late, "class=\"running\"");
        assert!(!beginning.contains("console_row"), "{beginning}");
        let page = browser.page(&late);
        assert!(page.contains("console_row"), "{page}");
        assert!(page.ends_with("</html>"), "{page}");

        let never = format!("{HOME}records/{engine}/never/?_fields=console_never,id&_pin=id");
        let (beginning, rest) = begun(&browser, &never, "Cancel it</a>");
        let cancel = "_fields=console_never,id&amp;_pin=id&amp;_hold=1\"";
        assert!(beginning.contains(cancel), "{beginning}");
        wait_until("the server works on it", || is_at_work(engine));
        // A browser that follows the link, or stops, closes the connection.
        drop(rest);
        wait_until("the server does not work on it", || !is_at_work(engine));
        let page = browser.page(&format!("{never}&_hold=1"));
        assert!(
            page.contains("It was cancelled.") && page.contains("Load the list"),
            "{page}"
        );
        assert!(!is_at_work(engine));
    }
}
