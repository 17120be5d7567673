//! What the tests of several modules share.

use std::future::Future;

use proptest::prelude::ProptestConfig;

/// So many cases, unless `PROPTEST_CASES` asks for another number.
pub(crate) fn cases(number: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(number),
    }
}

/// Runs a future, and others beside it.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().build().unwrap().block_on(future)
}

/// Runs statements that a query may not run, and checks that the result of `state` stays the same. Returns it.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) async fn attack(
    driver: &dyn crate::engine::Driver,
    state: &str,
    attacks: &[&str],
) -> bytes::Bytes {
    let query = async |sql: &str| driver.sql(crate::sql::SqlJob::unchecked(sql)).await;
    let before = query(state).await.unwrap().data;
    for sql in attacks {
        let _ = query(sql).await;
        assert_eq!(query(state).await.unwrap().data, before, "{sql}");
    }
    before
}

/// Asks for rows that are larger than is taken into memory, and for others: in a table `t` the second is too large.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(crate) async fn refuses_large_rows(url: &str) {
    let (url, options) = (url.parse().unwrap(), crate::ResourceOptions::default());
    let resource = crate::Resource::connect("r", &url, options).await.unwrap();
    let ask = async |sql: &str| resource.sql(&svc_model::sql::SqlQuery::new(sql)).await;
    let refused = ask("select repeat('x', 200000000)").await.unwrap_err();
    let message = refused.to_string();
    assert!(message.contains("larger than 64 MiB"), "{message}");
    assert_eq!(ask("select 1").await.unwrap().data, "[[1]]");
    let model = resource.model("t").unwrap();
    let view = svc_model::RecordView::default();
    for _ in 0..3 {
        let refused = resource.retrieve(&model, "2", &view).await.unwrap_err();
        assert!(refused.to_string().contains("_fields"), "{refused}");
        resource.retrieve(&model, "3", &view).await.unwrap();
    }
}
