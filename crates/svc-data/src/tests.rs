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
