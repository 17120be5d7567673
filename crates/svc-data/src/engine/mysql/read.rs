//! Lists and single records, read from MySQL and MariaDB.

use std::{sync::Arc, time::Duration};

use mysql_async::{
    Row, Value,
    prelude::{FromValue as _, Queryable as _},
};

use super::{
    connect::Lease,
    fault,
    select::{MAX_BOUND, MysqlDialect, Statement},
    value,
};
use crate::{
    Error, ErrorKind, Model, Result,
    plan::ListPlan,
    query::{PageQuery, PageWriter, cursor::KeyValue},
    record::{Counted, Part},
};

/// The most rows of a part of a page. The server sends all rows of a statement or none, so that those that no
/// longer fit are sent in vain.
const MAX_PART: u32 = 500;

/// A list as statements.
pub(super) type ListQuery = crate::engine::statement::ListQuery<Value>;

/// Turns the plan of a list into statements.
pub(super) fn list_query(model: &Arc<Model>, mut plan: ListPlan) -> Result<ListQuery> {
    if model.distinct_rows && !plan.is_internal {
        plan.limit = plan.limit.min(MAX_PART);
    }
    ListQuery::new(&MysqlDialect, model, plan, MAX_BOUND)
}

/// Has the statements behind it see the same state of the database.
const ONE_VIEW: [&str; 2] = [
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    "START TRANSACTION",
];

/// Runs a list.
pub(super) async fn list(lease: &mut Lease, list: &ListQuery) -> Result<Part> {
    let mut page = PageWriter::new(&list.query);
    match list.pages.len() {
        1 => read_pages(lease, list, &mut page).await?,
        _ => read_in_one_view(lease, list, &mut page).await?,
    }
    let mut part = page.finish();
    if let Some(statement) = list.prove_count(&mut part) {
        part.count = count(lease, list, statement).await?;
    }
    Ok(part)
}

async fn read_in_one_view(
    lease: &mut Lease,
    list: &ListQuery,
    page: &mut PageWriter<'_>,
) -> Result<()> {
    let begun = control(lease, &ONE_VIEW).await;
    let read = match begun {
        Ok(()) => read_pages(lease, list, page).await,
        Err(error) => Err(error),
    };
    // What is read may write, such as a view of a function that does.
    let end = if read.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = control(lease, &[end]).await;
    if ended.is_err() {
        // It may be in the transaction still.
        lease.close();
    }
    read.and(ended)
}

async fn control(lease: &mut Lease, statements: &[&str]) -> Result<()> {
    for statement in statements {
        let done = lease.client_mut()?.query_drop(*statement).await;
        done.map_err(fault::translate)?;
    }
    Ok(())
}

async fn read_pages(lease: &mut Lease, list: &ListQuery, page: &mut PageWriter<'_>) -> Result<()> {
    let query = &list.query;
    for statement in &list.pages {
        let conn = lease.client_mut()?;
        let rows = conn.exec_iter(statement.sql.as_str(), statement.params());
        let mut rows = rows.await.map_err(fault::translate)?;
        while let Some(row) = rows.next().await.map_err(fault::translate)? {
            if page.is_full() {
                return rows.drop_result().await.map_err(fault::translate);
            }
            page.write(&row, || keys(query, &row))?;
        }
        rows.drop_result().await.map_err(fault::translate)?;
    }
    Ok(())
}

/// What a row has in the columns of the order.
fn keys(query: &PageQuery, row: &Row) -> Result<Option<Vec<KeyValue>>> {
    let keys = query.keys().iter().zip(&query.key_positions);
    keys.map(|(key, position)| {
        let index = key
            .field
            .ok_or_else(|| Error::internal("a column of the order is no field"))?;
        let cell = value::cell(row, *position)?;
        Ok(value::key(query.model.at(index)?, cell))
    })
    .collect()
}

/// How many records match: counted, or estimated where that will do.
async fn count(
    lease: &mut Lease,
    list: &ListQuery,
    statement: &Statement,
) -> Result<Option<Counted>> {
    if list.is_estimated()
        && let Some(estimate) = estimate(lease, list).await?
    {
        return Ok(Some(estimate));
    }
    let mut statement = statement.clone();
    if let Some(time) = list.counting_time() {
        statement.sql = limited(&statement.sql, time);
    }
    let row = match one(lease, &statement).await {
        // The connection is as before it.
        Err(error) if error.kind() == ErrorKind::Timeout && list.counting_time().is_some() => {
            return estimate(lease, list).await;
        }
        row => row?,
    };
    row.and_then(|row| row.get(0))
        .map(|count| Some(Counted::exact(count)))
        .ok_or_else(|| Error::internal("a count gave no number"))
}

/// A query that may run only so long: MariaDB reads the first comment, MySQL the second one.
fn limited(query: &str, time: Duration) -> String {
    let query = query.strip_prefix("SELECT ").unwrap_or(query);
    let (seconds, milliseconds) = (time.as_secs_f64(), time.as_millis());
    format!(
        "/*M! SET STATEMENT max_statement_time={seconds} FOR */ SELECT /*+ MAX_EXECUTION_TIME({milliseconds}) */ {query}"
    )
}

/// How many rows the optimizer expects to match.
async fn estimate(lease: &mut Lease, list: &ListQuery) -> Result<Option<Counted>> {
    let Some(expected) = &list.expected else {
        return Ok(None);
    };
    // MySQL says without the word, which it does not know any more, what share of the rows passes the filters.
    let explain = Statement {
        sql: format!("EXPLAIN /*M! EXTENDED */ {}", expected.sql),
        values: expected.values.clone(),
    };
    let row = one(lease, &explain).await?;
    let column = |name: &str| {
        let column: Option<Value> = row.as_ref()?.get_opt(name)?.ok();
        f64::from_value_opt(column?).ok()
    };
    let (Some(rows), share) = (column("rows"), column("filtered").unwrap_or(100.0)) else {
        return Ok(None);
    };
    Ok(Some(Counted::estimate((rows * share / 100.0) as u64)))
}

/// The first row of a statement.
pub(super) async fn one(lease: &mut Lease, statement: &Statement) -> Result<Option<Row>> {
    let conn = lease.client_mut()?;
    let row = conn.exec_first(statement.sql.as_str(), statement.params());
    row.await.map_err(fault::translate)
}
