//! SQL of clients that only reads.

use svc_model::sql::SqlQuery;
use tokio::{sync::Semaphore, task};

use super::{Resource, StatementKind};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Error, Result,
    sql::{SqlJob, SqlOutput},
};

/// The longest SQL of a client, in bytes, that is examined where the request is handled. It takes about a millisecond.
const SHORT_QUERY: usize = 8 << 10;
/// Longer ones are examined on other threads, and not many at once: one of a mebibyte takes a good part of a second.
static LONG_QUERIES: Semaphore = Semaphore::const_new(2);

impl Resource {
    /// Answers a read-only SQL query (specification, section 1; wire contract, section 5).
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the guard refuses the query, naming the rule, and when the database does, in
    /// its words; else as [`Resource::list`].
    pub async fn sql(&self, query: &SqlQuery) -> Result<SqlOutput> {
        let driver = &self.inner.driver;
        let engine = driver.sql_engine();
        let job = if query.query.len() <= SHORT_QUERY {
            SqlJob::new(query, engine)
        } else {
            // The semaphore is never closed.
            let _place = LONG_QUERIES.acquire().await.ok();
            let query = query.clone();
            let read = task::spawn_blocking(move || SqlJob::new(&query, engine));
            read.await
                .map_err(|source| Error::internal("a query was not examined").with_source(source))?
        };
        let answer = driver.sql(job?);
        self.inner
            .statements
            .timed(StatementKind::Sql, answer)
            .await
    }
}
