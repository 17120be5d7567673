//! All records that pass a test, changed or deleted.

use std::pin::pin;

use futures_util::StreamExt as _;
use sea_query::{PostgresQueryBuilder, ReturningClause};

use crate::{
    Error, Model, RecordJson, Result,
    engine::{
        answers::Cells as _,
        postgres::{
            Postgres,
            connect::Lease,
            fault,
            probe::{self, Probe},
            read::one,
            select::{PostgresDialect, Statement},
        },
        server::ServerEngine as _,
    },
    query::change_all::{Change, ChangeAllQuery},
    record::change_all::{ChangeAll, ChangedKeys},
};

/// Takes back a change that was refused.
const UNDO: &str = "ROLLBACK TO change_all";

/// Changes the records in an open transaction, and returns their keys.
pub(in crate::engine::postgres) async fn change_all(
    lease: &mut Lease,
    model: &Model,
    request: &ChangeAll,
) -> Result<ChangedKeys> {
    let query = ChangeAllQuery::new(&PostgresDialect, model, request, Postgres::stored)?;
    let row = one(lease, &Statement::select(&query.count)).await?;
    let row = row.ok_or_else(|| Error::internal("a count gave no row"))?;
    let count: i64 = row.try_get(0).map_err(fault::translate)?;
    request.check(count.unsigned_abs())?;
    let returning = ReturningClause::Exprs(query.read_key);
    let statement: Statement = match query.change {
        Change::Update(mut update) => update
            .returning(returning)
            .build(PostgresQueryBuilder)
            .into(),
        Change::Delete(mut delete) => delete
            .returning(returning)
            .build(PostgresQueryBuilder)
            .into(),
        Change::Nothing => Statement::select(&query.keys),
    };
    Postgres::run(lease, "SAVEPOINT change_all").await?;
    let keys = match keys(lease, model, &query.key, &statement).await {
        Ok(keys) => keys,
        Err(error) => {
            return Err(probe::blame(lease, probes(model, request), Some(UNDO), error).await);
        }
    };
    // Others may have added records in between.
    request.check(keys.len() as u64)?;
    Ok(keys)
}

/// Runs a statement that returns the keys of records.
async fn keys(
    lease: &Lease,
    model: &Model,
    key: &crate::record::Projection,
    statement: &Statement,
) -> Result<ChangedKeys> {
    let prepared = lease.prepare(&statement.sql).await?;
    let rows = lease.client()?.query_raw(&prepared, &statement.values);
    let mut rows = pin!(rows.await.map_err(fault::translate)?);
    let mut keys = ChangedKeys::new();
    while let Some(row) = rows.next().await {
        let mut json = Vec::with_capacity(32);
        let row = row.map_err(fault::translate)?;
        row.write_shown(&mut json, &model.fields, key)?;
        keys.push(RecordJson::new(json.into(), String::new()).id(model)?);
    }
    Ok(keys)
}

/// What finds the field whose value the server could not read.
fn probes(model: &Model, request: &ChangeAll) -> Vec<Probe> {
    let values = request.values.iter().flatten();
    let probes = values.filter_map(|(index, value)| {
        let field = model.fields.get(*index)?;
        Probe::of_stored(field, Postgres::stored(field, value).ok()?)
    });
    probes.collect()
}
