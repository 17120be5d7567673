//! The crate against database servers.

use svc_data::{Resource, ResourceOptions, ResourceUrl};
use svc_model::{Count, ListQuery, Lookup, RecordView, sql::SqlQuery};
use svc_tests::servers::{MariadbServer, PostgresServer, Server as _};

/// 4 000 records of about 1 KB each, of which each third is filtered out.
const RECORDS: usize = 4_000;

fn script(table: &str, text: &str) -> String {
    let rows = (1..=RECORDS).map(|id| {
        let (other, order, kind) = (id % 7, id * 7_919 % 101, id % 3);
        format!("({id}, {other}, {order}, {kind}, '{}')", "x".repeat(1_000))
    });
    let rows: Vec<String> = rows.collect();
    let mut script = format!(
        "CREATE TABLE {table} (id INT NOT NULL, other INT NOT NULL, o INT, kind INT, filler {text},
         PRIMARY KEY (id, other));"
    );
    for rows in rows.chunks(500) {
        script.push_str(&format!("INSERT INTO {table} VALUES {};", rows.join(",")));
    }
    script.replace(
        "PRIMARY KEY (id, other)",
        match table {
            "one" => "PRIMARY KEY (id)",
            _ => "PRIMARY KEY (id, other)",
        },
    )
}

fn ids(json: &[u8]) -> Vec<i64> {
    let records: Vec<serde_json::Value> =
        serde_json::from_slice(json).expect("an array of records");
    let ids = records
        .iter()
        .map(|record| record["id"].as_i64().expect("a number"));
    ids.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_parts_gives_each_record_once_and_in_order_on_every_engine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    for table in ["one", "two"] {
        database.execute_batch(&script(table, "TEXT")).unwrap();
    }
    // The servers are asked on threads of their own.
    let scripts = || ["one", "two"].map(|table| script(table, "TEXT")).concat();
    let postgres = std::thread::spawn(move || PostgresServer::shared().database(&scripts()));
    let mariadb = std::thread::spawn(move || MariadbServer::shared().database(&scripts()));
    let urls = [
        format!("sqlite:{}", file.display()),
        postgres.join().unwrap(),
        mariadb.join().unwrap(),
    ];
    for url in urls {
        let url: ResourceUrl = url.parse().unwrap();
        let options = ResourceOptions::default();
        let resource = Resource::connect("r", &url, options).await.unwrap();
        for (table, order) in [("one", "o"), ("one", "-o"), ("one", "id"), ("two", "o")] {
            let model = resource.model(table).unwrap();
            let mut expected: Vec<i64> = (1..=RECORDS as i64).filter(|id| id % 3 != 0).collect();
            match order {
                "o" => expected.sort_by_key(|id| (id * 7_919 % 101, *id)),
                "-o" => expected.sort_by_key(|id| (-(id * 7_919 % 101), *id)),
                _ => {}
            }
            let mut query = ListQuery::new().per_page(2_000).order_by(order).filter(
                "kind",
                Lookup::In,
                ["1", "2"],
            );
            query.count = Count::None;
            let (mut seen, mut parts) = (Vec::new(), 0);
            loop {
                let mut page = resource.list(&model, &query).await.unwrap();
                seen.extend(ids(&page.results));
                while let Some(rest) = page.rest.take() {
                    parts += 1;
                    page = rest.read().await.unwrap();
                    assert_eq!(ids(&page.results).len(), page.len);
                    seen.extend(ids(&page.results));
                }
                assert_eq!(page.has_more, seen.len() < expected.len());
                let Some(after) = page.after else { break };
                query.after = Some(after);
                // As in a link to the next page.
                query.page += 1;
            }
            if order == "-o" {
                // Which way equal ones are ordered is not what this is about.
                let by = |id: &i64| (-(id * 7_919 % 101), *id);
                assert!(seen.is_sorted_by_key(|id| by(id).0));
                seen.sort_by_key(by);
            }
            assert_eq!(seen, expected, "{url:?} {table} {order}");
            assert!(parts >= 2, "{parts}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_that_an_index_begins_with_are_known_on_every_engine() {
    const TABLE: &str = "CREATE TABLE t (x INT NOT NULL, y INT NOT NULL, a INT, b INT, c INT, d INT, e INT, note VARCHAR(80),
         PRIMARY KEY (x, y));
         CREATE INDEX t_a_b ON t (a, b); CREATE UNIQUE INDEX t_c_d ON t (c, d);
         CREATE TABLE keyless (v INT); CREATE VIEW seen AS SELECT a FROM t;";
    const PARTS: &str =
        "CREATE INDEX t_d ON t (d) WHERE d > 0; CREATE UNIQUE INDEX t_e ON t (e) WHERE e > 0;
         CREATE INDEX t_sum ON t ((b + 1));";
    const OF_SQLITE: &str = "CREATE INDEX t_note ON t (note COLLATE NOCASE); CREATE TABLE own (id INTEGER PRIMARY KEY);";
    const OF_MARIADB: &str = "CREATE FULLTEXT INDEX t_note ON t (note);";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.db");
    let sqlite = rusqlite::Connection::open(&file).unwrap();
    sqlite
        .execute_batch(&[TABLE, PARTS, OF_SQLITE].concat())
        .unwrap();
    let postgres =
        std::thread::spawn(|| PostgresServer::shared().database(&[TABLE, PARTS].concat()));
    let mariadb =
        std::thread::spawn(|| MariadbServer::shared().database(&[TABLE, OF_MARIADB].concat()));
    let urls = [
        format!("sqlite:{}", file.display()),
        postgres.join().unwrap(),
        mariadb.join().unwrap(),
    ];
    for url in urls {
        let parsed: ResourceUrl = url.parse().unwrap();
        let options = ResourceOptions::default();
        let resource = Resource::connect("r", &parsed, options).await.unwrap();
        let indexed = |model: &str| {
            let description = resource.model(model).unwrap().description();
            let fields = description.fields.into_iter();
            let names = fields.filter(|field| field.indexed).map(|field| field.name);
            names.collect::<Vec<_>>().join(",")
        };
        assert_eq!(indexed("t"), "x,a,c", "{url}");
        assert_eq!(indexed("keyless"), "", "{url}");
        assert_eq!(indexed("seen"), "", "{url}");
        let more = "CREATE INDEX t_b ON t (b)";
        if url.starts_with("sqlite:") {
            assert_eq!(indexed("own"), "id");
            sqlite.execute_batch(more).unwrap();
        } else {
            let url = url.clone();
            let run = move || match url.starts_with("postgres") {
                true => PostgresServer::shared().execute(&url, more),
                false => MariadbServer::shared().execute(&url, more),
            };
            std::thread::spawn(run).join().unwrap();
        }
        assert!(resource.reload_if_changed().await.unwrap(), "{url}");
        assert_eq!(indexed("t"), "x,a,b,c", "{url}");
    }
}

/// Asks for rows that are larger than is taken into memory, and for others: in a table `t` the second is too large.
#[tokio::main]
async fn refuses_large_rows(url: &str) {
    let (url, options) = (url.parse().unwrap(), ResourceOptions::default());
    let resource = Resource::connect("r", &url, options).await.unwrap();
    let ask = async |sql: &str| resource.sql(&SqlQuery::new(sql)).await;
    let refused = ask("select repeat('x', 200000000)").await.unwrap_err();
    let message = refused.to_string();
    assert!(message.contains("larger than 64 MiB"), "{message}");
    assert_eq!(ask("select 1").await.unwrap().data, "[[1]]");
    let model = resource.model("t").unwrap();
    let view = RecordView::default();
    for _ in 0..3 {
        let refused = resource.retrieve(&model, "2", &view).await.unwrap_err();
        assert!(refused.to_string().contains("_fields"), "{refused}");
        resource.retrieve(&model, "3", &view).await.unwrap();
    }
}

#[test]
fn a_row_that_is_too_large_for_postgresql_is_refused_and_the_rest_goes_on() {
    let server = PostgresServer::shared();
    let url = server.database(
        "CREATE TABLE t (id int PRIMARY KEY, big text);
         INSERT INTO t VALUES (1, 'a'), (2, repeat('x', 70000000)), (3, 'c');",
    );
    for url in [server.socket_url(&url), url] {
        refuses_large_rows(&url);
    }
}

#[test]
fn a_row_that_is_too_large_for_mariadb_is_refused_and_the_rest_goes_on() {
    let server = MariadbServer::start();
    server.set_max_packet(1 << 30);
    let url = server.database(
        "CREATE TABLE t (id int PRIMARY KEY, big longtext);
         INSERT INTO t VALUES (1, 'a'), (2, repeat('x', 70000000)), (3, 'c');",
    );
    refuses_large_rows(&url);
}
