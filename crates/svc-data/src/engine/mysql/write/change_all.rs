//! All records that pass a test, changed or deleted.

use mysql_async::prelude::Queryable as _;
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
    query::change_all::{Change, ChangeAllQuery},
    record::{
        change_all::{ChangeAll, ChangedKeys},
        refusal::Refusals,
    },
    value::Scalar,
};

/// Changes the records in an open transaction, and returns their keys.
pub(in crate::engine::mysql) async fn change_all(
    lease: &mut Lease,
    model: &Model,
    request: &ChangeAll,
) -> Result<ChangedKeys> {
    refuse_geometries(model, request)?;
    let mut query = ChangeAllQuery::new(&MysqlDialect, model, request, Mysql::stored)?;
    let row = one(lease, &Statement::select(&query.count)).await?;
    let count = row.and_then(|row| row.get(0));
    request.check(count.ok_or_else(|| Error::internal("a count gave no number"))?)?;
    // From here on nobody else adds, changes or deletes such a record.
    let statement = Statement::select(query.keys.lock_exclusive());
    let mut keys = ChangedKeys::new();
    let rows = lease.client_mut()?;
    let rows = rows.exec_iter(statement.sql.as_str(), statement.params());
    let mut rows = rows.await.map_err(fault::translate)?;
    while let Some(row) = rows.next().await.map_err(fault::translate)? {
        let mut json = Vec::with_capacity(32);
        row.write_shown(&mut json, &model.fields, &query.key)?;
        keys.push(RecordJson::new(json.into(), String::new()).id(model)?);
    }
    rows.drop_result().await.map_err(fault::translate)?;
    request.check(keys.len() as u64)?;
    let statement: Statement = match &query.change {
        _ if keys.is_empty() => return Ok(keys),
        Change::Update(update) => update.build(MysqlQueryBuilder).into(),
        Change::Delete(delete) => {
            let mut statement: Statement = delete.build(MysqlQueryBuilder).into();
            // A table with another name is deleted from in the form for several tables.
            statement.sql = statement.sql.replacen("DELETE FROM", "DELETE `t0` FROM", 1);
            statement
        }
        Change::Nothing => return Ok(keys),
    };
    execute(lease, &statement).await?;
    Ok(keys)
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
