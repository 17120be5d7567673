//! Files that are missing, replaced, locked, damaged, read-only, and statements that take too long.

use std::{
    fs,
    time::{Duration, Instant},
};

use svc_data::{ErrorKind, Resource, ResourceOptions};
use svc_model::ListQuery;

use crate::fixture::Shop;

const SQL: &str = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x')";

async fn connect(url: &str) -> Result<Resource, svc_data::Error> {
    Resource::connect("x", &url.parse()?, ResourceOptions::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_missing_or_no_database_is_named_and_never_made() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.db");
    let error = connect(&format!("sqlite:{}", missing.display()))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error.to_string().contains("missing.db does not exist"),
        "{error}"
    );
    assert!(!missing.exists());
    let text = folder.path().join("notes.txt");
    fs::write(&text, "not a database at all, just some text. ".repeat(50)).unwrap();
    let error = connect(&format!("sqlite:{}", text.display()))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("not an SQLite database"),
        "{error}"
    );
    let error = connect(&format!("sqlite:{}", folder.path().display()))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("folder"), "{error}");
    assert!(
        connect("oracle://x")
            .await
            .unwrap_err()
            .to_string()
            .contains("sqlite:PATH")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_goes_and_comes_back_is_served_again() {
    let shop = Shop::new(SQL).await;
    let model = shop.model("t");
    let away = shop.path.with_extension("away");
    fs::rename(&shop.path, &away).unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match shop.resource.list(&model, &ListQuery::new()).await {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unavailable);
                assert!(!error.public_message().contains("shop.db"));
                break;
            }
            Ok(_) => assert!(
                Instant::now() < deadline,
                "the missing file was not noticed"
            ),
        }
    }
    let error = shop.create("t", "{}").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    // Another database under the same name, with another structure.
    rusqlite::Connection::open(&shop.path)
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT); CREATE TABLE u (x); INSERT INTO t VALUES (2, 'y')")
        .unwrap();
    until(&shop, r#"[{"id":2,"b":"y"}]"#).await;
    fs::rename(&away, &shop.path).unwrap();
    until(&shop, r#"[{"id":1,"a":"x"}]"#).await;
}

/// Lists until the answer is this one: a reader may hold its view of the file for a moment.
async fn until(shop: &Shop, expected: &str) {
    let model = shop.model("t");
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let page = shop.resource.list(&model, &ListQuery::new()).await.unwrap();
        if page.results == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{page:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_takes_too_long_is_ended_and_the_connection_goes_on() {
    let mut options = ResourceOptions::default();
    options.statement_timeout = Duration::from_millis(200);
    options.readers = 1;
    let shop = Shop::with_options(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x');
         CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
            SELECT count(*) AS i FROM n;
         CREATE TABLE jobs (id INTEGER PRIMARY KEY);
         CREATE TRIGGER slowly AFTER INSERT ON jobs BEGIN UPDATE t SET a = (SELECT i FROM slow); END;",
        options,
    )
    .await;
    let begun = Instant::now();
    let error = shop.page("slow", "").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    let error = shop.create("jobs", "{}").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(shop.column("t", "a", "").await, "\"x\"");
    shop.update("t", "1", r#"{"a":"y"}"#).await.unwrap();
    assert_eq!(shop.list("jobs", "").await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_leaves_frees_the_reader() {
    let mut options = ResourceOptions::default();
    options.statement_timeout = Duration::from_secs(60);
    options.readers = 1;
    let shop = Shop::with_options(
        "CREATE TABLE t (id INTEGER PRIMARY KEY);
         CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
            SELECT count(*) AS i FROM n;",
        options,
    )
    .await;
    let left = tokio::time::timeout(Duration::from_millis(50), shop.page("slow", "")).await;
    assert!(left.is_err());
    let next = tokio::time::timeout(Duration::from_secs(10), shop.page("t", "")).await;
    assert_eq!(next.expect("the reader is free again").unwrap().len, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_resource_reads_and_refuses_writes() {
    let shop = Shop::new(SQL).await;
    let resource = connect(&format!("sqlite:{}?mode=ro", shop.path.display()))
        .await
        .unwrap();
    let model = resource.model("t").unwrap();
    assert_eq!(
        resource.list(&model, &ListQuery::new()).await.unwrap().len,
        1
    );
    let error = resource.delete(&model, "1", None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("read-only"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_mode_of_a_given_database_stays_what_it_is() {
    let shop = Shop::new(SQL).await;
    shop.create("t", "{}").await.unwrap();
    let mode: String = shop
        .other()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "delete");
    let mut options = ResourceOptions::default();
    options.set_wal = true;
    let url = format!("sqlite:{}", shop.path.display()).parse().unwrap();
    let other = Resource::connect("x", &url, options).await.unwrap();
    let mode: String = shop
        .other()
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
    drop(other);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_and_writes_go_on_while_the_structure_is_read_again_and_again() {
    let shop = Shop::new(SQL).await;
    let model = shop.model("t");
    let reloads = async {
        for _ in 0..50 {
            shop.resource.reload().await.unwrap();
        }
    };
    let work = async {
        for _ in 0..50 {
            shop.create("t", "{}").await.unwrap();
            shop.resource.list(&model, &ListQuery::new()).await.unwrap();
        }
    };
    tokio::join!(reloads, work);
    assert_eq!(shop.page("t", "_per_page=1").await.unwrap().count, Some(51));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_needs_more_than_we_have_is_no_fault_of_ours() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, meta JSON);
         INSERT INTO t (meta) VALUES ('{broken');
         CREATE VIEW v AS SELECT id, json_extract(meta, '$.a') AS a FROM t;
         CREATE TABLE jobs (id INTEGER PRIMARY KEY, a TEXT);
         CREATE TRIGGER gone AFTER INSERT ON jobs BEGIN INSERT INTO nowhere VALUES (1); END;
         CREATE TRIGGER unknown AFTER UPDATE ON jobs BEGIN SELECT some_extension(1); END;",
    )
    .await;
    for (what, error) in [
        ("malformed JSON", shop.page("v", "").await.unwrap_err()),
        (
            "does not have",
            shop.create("jobs", r#"{"a":"x"}"#).await.unwrap_err(),
        ),
    ] {
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error:?}");
        assert!(error.public_message().contains(what), "{error:?}");
        assert!(!error.public_message().contains("nowhere"));
    }
    shop.other()
        .execute_batch("DROP TRIGGER gone; INSERT INTO jobs VALUES (1, 'x')")
        .unwrap();
    let error = shop.update("jobs", "1", r#"{"a":"y"}"#).await.unwrap_err();
    assert!(error.public_message().contains("extension"), "{error:?}");
    assert_eq!(shop.column("jobs", "a", "").await, "\"x\"");
}
