//! All records that pass a test, changed or deleted.

use std::sync::Arc;

use rusqlite::{Row, params_from_iter};
use sea_query::{Expr, SqliteQueryBuilder};

use super::{
    Given,
    values::{stored, stored_value},
};
use crate::{
    Model, RecordJson, Result,
    engine::{
        answers::Cells as _,
        sqlite::{
            fault::Fault,
            misfits::Misfits,
            refusal,
            select::{SqliteDialect, Statement},
            session::Session,
        },
    },
    query::change_all::{Change, ChangeAllQuery, rows_again},
    record::{
        Projection,
        change_all::{ChangeAll, ChangedRecords, ChangedRows},
    },
};

/// A change of all records that pass a test, as statements.
pub(crate) struct AllChange {
    model: Arc<Model>,
    request: ChangeAll,
    misfits: Misfits,
    key: Projection,
    count: Statement,
    keys: Statement,
    rows: Statement,
    change: Option<Statement>,
    given: Vec<Given>,
}

impl AllChange {
    pub(crate) fn new(model: &Arc<Model>, request: ChangeAll) -> Result<Self> {
        let value = |field: &_, scalar: &_| stored(field, scalar).map(Expr::val);
        let query = ChangeAllQuery::new(&SqliteDialect, model, &request, value)?;
        let values = request.values.iter().flatten();
        let given = values.filter_map(|(index, scalar)| {
            let value = stored(model.fields.get(*index)?, scalar).ok()?;
            Some((*index, stored_value(&value)))
        });
        Ok(Self {
            given: given.collect(),
            misfits: Misfits::of(model, request.test.as_ref())?,
            count: Statement::select(&query.count),
            keys: Statement::select(&query.keys),
            rows: Statement::select(&query.rows),
            change: match query.change {
                Change::Update(update) => Some(update.build(SqliteQueryBuilder).into()),
                Change::Delete(delete) => Some(delete.build(SqliteQueryBuilder).into()),
                Change::Nothing => None,
            },
            key: query.key,
            model: Arc::clone(model),
            request,
        })
    }

    /// Changes the records in the transaction of the writer, and returns them.
    pub(crate) fn run(&self, session: Session<'_>) -> Result<ChangedRecords, Fault> {
        let model = &self.model;
        self.request.gate.check()?;
        session.check_version(model)?;
        self.misfits.check(session)?;
        let mut count = session.prepare_cached(&self.count.sql)?;
        let count: i64 = count.query_row(params_from_iter(&self.count.values), |row| row.get(0))?;
        self.request.check(count.unsigned_abs())?;
        let keeping = self.request.keeping(model, count.unsigned_abs());
        let mut records = ChangedRows::default();
        match keeping.clone() {
            None => self.each(session, &self.keys, |row| {
                let mut json = Vec::with_capacity(32);
                row.write_shown(&mut json, &model.fields, &self.key)?;
                Ok(records.add(model, RecordJson::new(json.into(), String::new()))?)
            })?,
            Some(keeping) => {
                let key = self.key.clone().keeping(Some(keeping));
                self.each(session, &self.rows, |row| {
                    Ok(records.add(model, row.record(&model.fields, &key)?)?)
                })?;
            }
        }
        if let Some(statement) = self.change.as_ref().filter(|_| !records.keys.is_empty()) {
            let done = session
                .prepare_cached(&statement.sql)
                .and_then(|mut change| change.execute(params_from_iter(&statement.values)));
            session
                .translate(done)
                .map_err(|error| refusal::explain(&session, model, &self.given, None, error))?;
        }
        let is_deleted = self.request.values.is_none();
        if let Some(keeping) = keeping.filter(|_| !is_deleted) {
            let key = self.key.clone().keeping(Some(keeping));
            let mut changed = Vec::new();
            for keys in records.kept_keys() {
                let again = Statement::select(&rows_again(&SqliteDialect, model, keys)?);
                self.each(session, &again, |row| {
                    changed.push(row.record(&model.fields, &key)?);
                    Ok(())
                })?;
            }
            records.compare(model, changed)?;
        }
        let records = records.finish(is_deleted)?;
        self.request.gate.pass()?;
        Ok(records)
    }

    /// Gives each row of a statement to `add`.
    fn each(
        &self,
        session: Session<'_>,
        statement: &Statement,
        mut add: impl FnMut(&Row<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut prepared = session.prepare_cached(&statement.sql)?;
        let mut rows = prepared.query(params_from_iter(&statement.values))?;
        while let Some(row) = rows.next()? {
            add(row)?;
        }
        Ok(())
    }
}
