//! Many records created in PostgreSQL with one statement: `INSERT ... VALUES (...), (...)`. `COPY` would not return what
//! the database made of them.

use std::sync::Arc;

use futures_util::{TryStreamExt as _, future::try_join};
use sea_query::{Expr, PostgresQueryBuilder, Query, ReturningClause, Value};
use tokio_postgres::Row;

use super::{Create, returned, returned_keys, table};
use crate::{
    Error, Model, Result,
    engine::{
        postgres::{
            connect::{Lease, Manager},
            fault,
            select::{Bound, Statement},
        },
        server::lease::Faults as _,
    },
    query::assignments::insert_values,
    structure::Insert,
};

/// How many values PostgreSQL binds in one statement.
const MAX_BOUND: usize = 65_535;

/// Whether it makes no difference to the rows of a table which of them come with the same statement. To triggers, rules and
/// policies it may, and to foreign keys that lead to the table itself it does: they are checked at the end of a statement.
pub(in super::super) async fn creates_together(lease: &mut Lease, model: &Model) -> Result<bool> {
    let statement = lease
        .prepare(
            "SELECT c.relkind = 'r' AND NOT c.relhasrules AND NOT c.relrowsecurity
                 AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
                 AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.confrelid = c.oid)
             FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = $1 AND c.relname = $2",
        )
        .await?;
    let schema = model.schema.as_deref().unwrap_or_default();
    let row = lease
        .client()?
        .query_opt(&statement, &[&schema, &model.table])
        .await
        .map_err(fault::translate)?;
    let plain = row.map(|row| row.try_get(0).map_err(fault::translate));
    Ok(plain.transpose()?.unwrap_or(false))
}

/// Creates records behind a savepoint; those that follow each other and give the same columns come with one statement. Gives
/// all fields of their rows, or the primary keys alone.
pub(in super::super) async fn create_together(
    lease: &Lease,
    model: &Model,
    records: &[&Create],
    keys_alone: bool,
    savepoint: &str,
) -> Result<Vec<Row>> {
    let mut savepoint = Some(savepoint);
    let mut created = Vec::with_capacity(records.len());
    for alike in records.chunk_by(|a, b| a.given == b.given) {
        let mut rest = alike;
        while let Some(first) = rest.first() {
            let (records, others) = rest.split_at(at_once(rest.len(), first.given.len()));
            rest = others;
            let insert = insert_of(model, &first.given, records.len(), keys_alone)?;
            let inserted = run(lease, savepoint.take(), &insert.sql, records).await;
            let inserted = inserted.map_err(|error| Manager::explain(model, error, true))?;
            if inserted.len() != records.len() {
                return Err(Error::invalid("a rule of the database left a record out"));
            }
            created.extend(inserted);
        }
    }
    Ok(created)
}

/// How many of so many rows come with the next statement: a power of two, so that few different statements are prepared.
fn at_once(rows: usize, columns: usize) -> usize {
    let most = rows.min(MAX_BOUND.checked_div(columns).unwrap_or(1));
    most.checked_ilog2().map_or(1, |power| 1 << power)
}

/// The statement that inserts so many rows with values in these columns, and returns all columns or the primary keys alone.
pub(super) fn insert_of(
    model: &Model,
    given: &[usize],
    rows: usize,
    keys_alone: bool,
) -> Result<Arc<Insert>> {
    let write = || {
        Ok(Insert {
            given: given.to_vec(),
            records: rows,
            returns_keys_alone: keys_alone,
            sql: write(model, given, rows, keys_alone)?,
            read: None,
        })
    };
    let inserts = &model.inserts;
    inserts.get_or_write(given, rows, keys_alone, write)
}

fn write(model: &Model, given: &[usize], rows: usize, keys_alone: bool) -> Result<String> {
    let mut insert = Query::insert();
    insert.into_table(table(model));
    let nothing = || {
        given
            .iter()
            .map(|index| (*index, Expr::val(Value::String(None))))
    };
    match given {
        [] => {
            insert.or_default_values();
        }
        _ => {
            for _ in 0..rows {
                insert_values(&mut insert, model, nothing())?;
            }
        }
    }
    let returned = match keys_alone {
        true => returned_keys(model),
        false => returned(model),
    };
    insert.returning(ReturningClause::Exprs(returned));
    let Statement { sql, values } = insert.build(PostgresQueryBuilder).into();
    match values.len() == given.len() * rows {
        true => Ok(sql),
        false => Err(Error::internal(
            "an insert binds other values than those of its rows",
        )),
    }
}

async fn make(lease: &Lease, savepoint: &str) -> Result<()> {
    let made = lease.client()?.batch_execute(savepoint).await;
    made.map_err(fault::translate)
}

/// Runs a statement, behind a savepoint whose answer is not waited for before.
async fn run(
    lease: &Lease,
    savepoint: Option<&str>,
    sql: &str,
    records: &[&Create],
) -> Result<Vec<Row>> {
    let make_savepoint = async {
        match savepoint {
            Some(savepoint) => make(lease, savepoint).await,
            None => Ok(()),
        }
    };
    let insert = async {
        let prepared = lease.prepare(sql).await?;
        let values = records.iter().flat_map(|record| &record.values);
        let values: Vec<&Bound> = values.collect();
        let inserted = lease.client()?.query_raw(&prepared, values);
        let inserted = inserted.await.map_err(fault::translate)?;
        inserted.try_collect().await.map_err(fault::translate)
    };
    // Polled in this order, so that the server gets both in it.
    let ((), inserted) = try_join(make_savepoint, insert).await?;
    Ok(inserted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_powers_of_two_and_bind_no_more_than_the_server_accepts() {
        assert_eq!(at_once(256, 6), 256);
        assert_eq!(at_once(200, 6), 128);
        assert_eq!(at_once(1, 6), 1);
        assert_eq!(at_once(256, 1_600), 32);
        assert_eq!(at_once(3, 0), 1);
    }
}
