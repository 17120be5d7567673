//! All records that pass a test, changed or deleted.

use std::sync::Arc;

use rusqlite::params_from_iter;
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
    query::change_all::{Change, ChangeAllQuery},
    record::{
        Projection,
        change_all::{ChangeAll, ChangedKeys},
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

    /// Changes the records in the transaction of the writer, and returns their keys.
    pub(crate) fn run(&self, session: Session<'_>) -> Result<ChangedKeys, Fault> {
        let model = &self.model;
        session.check_version(model)?;
        self.misfits.check(session)?;
        let mut count = session.prepare_cached(&self.count.sql)?;
        let count: i64 = count.query_row(params_from_iter(&self.count.values), |row| row.get(0))?;
        self.request.check(count.unsigned_abs())?;
        let mut keys = ChangedKeys::new();
        let mut prepared = session.prepare_cached(&self.keys.sql)?;
        let mut rows = prepared.query(params_from_iter(&self.keys.values))?;
        while let Some(row) = rows.next()? {
            let mut json = Vec::with_capacity(32);
            row.write_shown(&mut json, &model.fields, &self.key)?;
            keys.push(RecordJson::new(json.into(), String::new()).id(model)?);
        }
        drop(rows);
        if let Some(statement) = self.change.as_ref().filter(|_| !keys.is_empty()) {
            let done = session
                .prepare_cached(&statement.sql)
                .and_then(|mut change| change.execute(params_from_iter(&statement.values)));
            session
                .translate(done)
                .map_err(|error| refusal::explain(&session, model, &self.given, None, error))?;
        }
        Ok(keys)
    }
}
