//! Lists and single records, read from MySQL and MariaDB.

use std::sync::Arc;

use mysql_async::{Row, Value, prelude::Queryable as _};

use super::{
    connect::Lease,
    fault,
    select::{MAX_BOUND, MysqlDialect, Statement},
    value,
};
use crate::{
    Error, Model, Result,
    engine::answers::Cells as _,
    plan::ListPlan,
    query::{PageQuery, PageWriter, cursor::KeyValue},
    record::Part,
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

/// Runs a list.
pub(super) async fn list(lease: &mut Lease, list: &ListQuery) -> Result<Part> {
    let query = &list.query;
    let mut page = PageWriter::new(query);
    'pages: for statement in &list.pages {
        let conn = lease.client_mut()?;
        let rows = conn.exec_iter(statement.sql.as_str(), statement.params());
        let mut rows = rows.await.map_err(fault::translate)?;
        while let Some(row) = rows.next().await.map_err(fault::translate)? {
            if page.is_full() {
                rows.drop_result().await.map_err(fault::translate)?;
                break 'pages;
            }
            let write = |out: &mut Vec<u8>, query: &PageQuery| {
                let (fields, shown) = (&query.model.fields, &query.shown);
                row.write_shown(out, fields, shown)
            };
            page.write(write, || keys(query, &row))?;
        }
        rows.drop_result().await.map_err(fault::translate)?;
    }
    let mut part = page.finish();
    if let Some(statement) = list.prove_count(&mut part) {
        part.count = Some(count(lease, query, statement).await?);
    }
    Ok(part)
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

/// How many records match.
async fn count(lease: &mut Lease, query: &PageQuery, statement: &Statement) -> Result<u64> {
    if query.estimate
        && let Some(estimate) = estimate(lease, &query.model).await?
    {
        return Ok(estimate);
    }
    let row = one(lease, statement).await?;
    row.and_then(|row| row.get(0))
        .ok_or_else(|| Error::internal("a count gave no number"))
}

/// What the engine of a table knows about the number of its rows.
async fn estimate(lease: &mut Lease, model: &Model) -> Result<Option<u64>> {
    let guess: Option<Option<u64>> = lease
        .client_mut()?
        .exec_first(
            "SELECT CAST(TABLE_ROWS AS UNSIGNED) FROM information_schema.TABLES
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND TABLE_TYPE = 'BASE TABLE'",
            (&model.table,),
        )
        .await
        .map_err(fault::translate)?;
    Ok(guess.flatten())
}

/// The first row of a statement.
pub(super) async fn one(lease: &mut Lease, statement: &Statement) -> Result<Option<Row>> {
    let conn = lease.client_mut()?;
    let row = conn.exec_first(statement.sql.as_str(), statement.params());
    row.await.map_err(fault::translate)
}
