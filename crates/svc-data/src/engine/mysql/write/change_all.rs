//! All records that pass a test, changed or deleted.

use mysql_async::{Row, prelude::Queryable as _};
use sea_query::MysqlQueryBuilder;

use super::execute;
use crate::{
    Error, Model, RecordJson, Result,
    engine::{
        answers::Cells as _,
        mysql::{
            Mysql,
            connect::Lease,
            fault,
            read::one,
            select::{MysqlDialect, Statement},
        },
        server::ServerEngine as _,
    },
    query::change_all::{Change, ChangeAllQuery, rows_again},
    record::{
        Projection,
        change_all::{ChangeAll, ChangedRecords, ChangedRows},
        refusal::Refusals,
    },
    value::Scalar,
};

/// Changes the records in an open transaction, and returns them.
pub(in crate::engine::mysql) async fn change_all(
    lease: &mut Lease,
    model: &Model,
    request: &ChangeAll,
) -> Result<ChangedRecords> {
    refuse_geometries(model, request)?;
    let mut query = ChangeAllQuery::new(&MysqlDialect, model, request, Mysql::stored)?;
    let row = one(lease, &Statement::select(&query.count)).await?;
    let count = row.and_then(|row| row.get(0));
    let count = count.ok_or_else(|| Error::internal("a count gave no number"))?;
    request.check(count)?;
    // From here on nobody else adds, changes or deletes such a record.
    let mut records = ChangedRows::default();
    let keeping = request.keeping(model, count);
    let key = query.key.keeping(keeping.clone());
    match keeping {
        None => {
            let statement = Statement::select(query.keys.lock_exclusive());
            each(lease, &statement, |row| {
                let mut json = Vec::with_capacity(32);
                row.write_shown(&mut json, &model.fields, &key)?;
                records.add(model, RecordJson::new(json.into(), String::new()))
            })
            .await?;
        }
        Some(_) => {
            let statement = Statement::select(query.rows.lock_exclusive());
            each(lease, &statement, |row| {
                records.add(model, row.record(&model.fields, &key)?)
            })
            .await?;
        }
    }
    request.check(records.keys.len() as u64)?;
    let statement: Statement = match &query.change {
        _ if records.keys.is_empty() => return records.finish(false),
        Change::Update(update) => update.build(MysqlQueryBuilder).into(),
        Change::Delete(delete) => {
            let mut statement: Statement = delete.build(MysqlQueryBuilder).into();
            // A table with another name is deleted from in the form for several tables.
            statement.sql = statement.sql.replacen("DELETE FROM", "DELETE `t0` FROM", 1);
            statement
        }
        Change::Nothing => return keep_changed(lease, model, records, &key).await,
    };
    execute(lease, &statement).await?;
    match request.values {
        None => records.finish(true),
        Some(_) => keep_changed(lease, model, records, &key).await,
    }
}

/// Compares records with what they are after the change, in the same transaction.
async fn keep_changed(
    lease: &mut Lease,
    model: &Model,
    mut records: ChangedRows,
    key: &Projection,
) -> Result<ChangedRecords> {
    let mut changed = Vec::new();
    for keys in records.kept_keys() {
        // Without the lock, those that have their values already could be older than what was locked.
        let mut again = rows_again(&MysqlDialect, model, keys)?;
        let again = Statement::select(again.lock_exclusive());
        each(lease, &again, |row| {
            changed.push(row.record(&model.fields, key)?);
            Ok(())
        })
        .await?;
    }
    records.compare(model, changed)?;
    records.finish(false)
}

/// Gives each row of a statement to `add`.
async fn each(
    lease: &mut Lease,
    statement: &Statement,
    mut add: impl FnMut(&Row) -> Result<()>,
) -> Result<()> {
    let rows = lease.client_mut()?;
    let rows = rows.exec_iter(statement.sql.as_str(), statement.params());
    let mut rows = rows.await.map_err(fault::translate)?;
    while let Some(row) = rows.next().await.map_err(fault::translate)? {
        add(&row)?;
    }
    rows.drop_result().await.map_err(fault::translate)
}

/// The server makes NULL of what is no geometry, which is looked for in a single record alone.
fn refuse_geometries(model: &Model, request: &ChangeAll) -> Result<()> {
    let mut invalid = Refusals::default();
    for (index, value) in request.values.iter().flatten() {
        let field = model.at(*index)?;
        if field.is_geometry() && *value != Scalar::Null {
            invalid.push_field(&field.name, "a geometry is set in one record at a time");
        }
    }
    invalid.into_result()
}
