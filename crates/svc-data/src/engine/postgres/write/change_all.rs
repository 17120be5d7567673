//! All records that pass a test, changed or deleted.

use std::pin::pin;

use futures_util::StreamExt as _;
use sea_query::{PostgresQueryBuilder, ReturningClause};
use tokio_postgres::Row;

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
            types,
        },
        server::ServerEngine as _,
    },
    query::{
        SELF,
        change_all::{Change, ChangeAllQuery, rows_again},
    },
    record::{
        Keeping,
        change_all::{ChangeAll, ChangedRecords, ChangedRows},
    },
};

/// Takes back a change that was refused.
const UNDO: &str = "ROLLBACK TO change_all";

/// Changes the records in an open transaction, and returns them.
pub(in crate::engine::postgres) async fn change_all(
    lease: &mut Lease,
    model: &Model,
    request: &ChangeAll,
) -> Result<ChangedRecords> {
    let query = ChangeAllQuery::new(&PostgresDialect, model, request, Postgres::stored)?;
    let row = one(lease, &Statement::select(&query.count)).await?;
    let row = row.ok_or_else(|| Error::internal("a count gave no row"))?;
    let count: i64 = row.try_get(0).map_err(fault::translate)?;
    request.check(count.unsigned_abs())?;
    let keeping = request.keeping(model, count.unsigned_abs());
    Postgres::run(lease, "SAVEPOINT change_all").await?;
    let records = match keeping {
        None => change(lease, model, query).await,
        Some(keeping) => change_kept(lease, model, query, keeping).await,
    };
    let records = match records {
        Ok(records) => records,
        Err(error) => {
            return Err(probe::blame(lease, probes(model, request), Some(UNDO), error).await);
        }
    };
    // Others may have added records in between.
    request.check(records.keys.len() as u64)?;
    Ok(records)
}

/// Changes the records, of which nothing is kept.
async fn change(lease: &Lease, model: &Model, query: ChangeAllQuery) -> Result<ChangedRecords> {
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
    let mut records = ChangedRows::default();
    each(lease, &statement, |row| {
        let mut json = Vec::with_capacity(32);
        row.write_shown(&mut json, &model.fields, &query.key)?;
        records.add(model, RecordJson::new(json.into(), String::new()))
    })
    .await?;
    records.finish(false)
}

/// Changes records, of which is kept what they were and what they are.
async fn change_kept(
    lease: &Lease,
    model: &Model,
    mut query: ChangeAllQuery,
    keeping: Keeping,
) -> Result<ChangedRecords> {
    let key = query.key.keeping(Some(keeping));
    let mut records = ChangedRows::default();
    let update = match query.change {
        Change::Delete(mut delete) => {
            let fields = model.fields.iter();
            let fields = fields.map(|field| types::read(SELF, field));
            let delete = delete.returning(ReturningClause::Exprs(fields.collect()));
            let statement = delete.build(PostgresQueryBuilder).into();
            each(lease, &statement, |row| {
                records.add(model, row.record(&model.fields, &key)?)
            })
            .await?;
            return records.finish(true);
        }
        Change::Update(update) => Some(update),
        Change::Nothing => None,
    };
    // Locked, so that they are what is changed.
    let statement = Statement::select(query.rows.lock_exclusive());
    each(lease, &statement, |row| {
        records.add(model, row.record(&model.fields, &key)?)
    })
    .await?;
    if let Some(mut update) = update {
        let update = update.returning(ReturningClause::Exprs(query.read_key));
        let mut others = ChangedRows::default();
        each(lease, &update.build(PostgresQueryBuilder).into(), |row| {
            let mut json = Vec::with_capacity(32);
            row.write_shown(&mut json, &model.fields, &key)?;
            others.add(model, RecordJson::new(json.into(), String::new()))
        })
        .await?;
        records.take_changed(others);
    }
    let mut changed = Vec::new();
    for keys in records.kept_keys() {
        let again = Statement::select(&rows_again(&PostgresDialect, model, keys)?);
        each(lease, &again, |row| {
            changed.push(row.record(&model.fields, &key)?);
            Ok(())
        })
        .await?;
    }
    records.compare(model, changed)?;
    records.finish(false)
}

/// Gives each row of a statement to `add`.
async fn each(
    lease: &Lease,
    statement: &Statement,
    mut add: impl FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let prepared = lease.prepare(&statement.sql).await?;
    let rows = lease.client()?.query_raw(&prepared, &statement.values);
    let mut rows = pin!(rows.await.map_err(fault::translate)?);
    while let Some(row) = rows.next().await {
        add(&row.map_err(fault::translate)?)?;
    }
    Ok(())
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
