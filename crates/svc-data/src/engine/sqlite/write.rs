//! Records created, changed and deleted in SQLite, each inside a transaction of the writer.

use std::sync::Arc;

use rusqlite::{params_from_iter, types::ValueRef};
use sea_query::{
    Expr, ExprTrait, Query, ReturningClause, SelectStatement, SqliteQueryBuilder, Value,
};
use serde_json::value::RawValue;

use super::{
    bound::{Bound, bind, keep},
    fault::Fault,
    json,
    read::one,
    refusal::{self, Given},
    select::{SqliteDialect, Statement},
    session::Session,
};
use crate::{
    Before, Error, IfMatch, Model, RecordJson, Result,
    engine::answers::Cells as _,
    engine::{ChangeRequest, Update, statement},
    query::{
        SELF, all_fields, all_of,
        assignments::{Assignment, assignments, insert_values, set_values},
        by_key, column,
        cursor::KeyValue,
        name, select,
    },
    record::{
        Changed, Projection, RecordBody, check_precondition, no_such_record, refusal::Refusals,
        several_records, taken_away,
    },
    structure::Insert,
    value::{Scalar, Values},
};

mod bulk;
pub(crate) mod change_all;
mod upsert;
mod values;

pub(crate) use self::{bulk::BulkCreate, upsert::NewRecord};
use values::{Lossy, storable, stored, stored_value};

/// A record to be created.
pub(crate) struct Create {
    model: Arc<Model>,
    insert: Arc<Insert>,
    /// The values of the columns that are given.
    values: Vec<Bound>,
    shown: Projection,
}

/// Writes the statement for records that give these fields.
fn insert_of(model: &Model, given: &[usize]) -> Result<Insert> {
    let mut insert = Query::insert();
    insert.into_table((name("main"), name(&model.table)));
    if given.is_empty() {
        insert.or_default_values();
    } else {
        let nothing = Expr::val(Value::String(None));
        let given = given.iter().map(|index| (*index, nothing.clone()));
        insert_values(&mut insert, model, given)?;
    }
    let read = model.new_row_id.map(|row_id| {
        let row = [(row_id.to_owned(), KeyValue::Integer(0))];
        by_identity(model, &row)
    });
    // To return the row, SQLite makes a table for it each time: that takes longer than reading it by its row id.
    let read = read.filter(|read| read.values.len() == 1);
    if read.is_none() {
        // A view shows its new row only here: what its trigger did with it cannot be followed. A table without triggers
        // shows it here as it stays.
        let returned: Vec<Expr> = if model.is_view || !model.has_triggers {
            let fields = model.fields.iter();
            fields.map(|field| Expr::col(name(&field.name))).collect()
        } else {
            let identity = identity_columns(model);
            identity
                .iter()
                .map(|column| Expr::col(name(column)))
                .collect()
        };
        insert.returning(ReturningClause::Exprs(returned));
    }
    Ok(Insert {
        given: given.to_vec(),
        records: 1,
        returns_keys_alone: false,
        sql: insert.build(SqliteQueryBuilder).0,
        read: read.map(|read| read.sql),
    })
}

impl Create {
    pub(crate) fn new(model: &Arc<Model>, values: &Values, shown: Projection) -> Result<Self> {
        let assignments = stored_assignments(model, values)?.into_iter();
        let assignments = assignments.map(|(index, expr)| match expr {
            Expr::Value(value) => Ok((index, <Bound as statement::Bound>::of(value))),
            _ => Err(Error::internal(
                "a column is given something else than a value",
            )),
        });
        let (given, values): (Vec<usize>, Vec<Bound>) = assignments.collect::<Result<_>>()?;
        Ok(Self {
            model: Arc::clone(model),
            insert: model
                .inserts
                .get_or_write(&given, 1, false, || insert_of(model, &given))?,
            values,
            shown,
        })
    }

    /// Creates the record. The caller has checked the version of the structure in this transaction.
    fn run_unchecked(&self, session: Session<'_>) -> Result<RecordJson, Fault> {
        let model = &self.model;
        let inserted = session.translate(self.insert(session));
        let (identity, returned) = inserted.map_err(|error| self.explain(session, error))?;
        let returned = match returned {
            Some(record) if !model.is_view => return Ok(record),
            returned => returned,
        };
        let found = one(session, model, &by_identity(model, &identity), &self.shown)?;
        Ok(found.or(returned).ok_or_else(taken_away)?)
    }

    /// Creates the record, and says nothing of it but its key, a field that is the row id. The caller has checked the
    /// version of the structure in this transaction.
    fn run_for_key(&self, session: Session<'_>, key: usize) -> Result<RecordJson, Fault> {
        if self.insert.read.is_none() {
            return self.run_unchecked(session);
        }
        let inserted = session
            .prepare_cached(&self.insert.sql)
            .and_then(|mut insert| insert.execute(params_from_iter(&self.values)));
        match session.translate(inserted) {
            Ok(0) => Err(left_out().into()),
            Ok(_) => {
                let row_id = ValueRef::Integer(session.last_insert_rowid());
                let key = self.model.at(key)?;
                let mut body = [b"{", key.json_key.as_bytes()].concat();
                json::write_value(&mut body, key, row_id, &self.shown.zone);
                body.push(b'}');
                Ok(RecordJson::new(body.into(), String::new()))
            }
            Err(error) => Err(self.explain(session, error).into()),
        }
    }

    fn explain(&self, session: Session<'_>, error: Error) -> Error {
        refusal::explain(&session, &self.model, &self.given(), None, error)
    }

    /// The values that the statement gives, as they are stored.
    fn given(&self) -> Vec<Given> {
        let given = self.insert.given.iter().zip(&self.values);
        given
            .map(|(index, Bound(value))| (*index, stored_value(value)))
            .collect()
    }

    /// Inserts the row and says how it is found, and how it looks where that is known already.
    fn insert(&self, session: Session<'_>) -> Result<(Identity, Option<RecordJson>), Fault> {
        let model = &self.model;
        let mut prepared = session.prepare_cached(&self.insert.sql)?;
        let values = params_from_iter(&self.values);
        if let Some(read) = &self.insert.read {
            if prepared.execute(values)? == 0 {
                return Err(left_out().into());
            }
            let mut read = session.prepare_cached(read)?;
            let mut rows = read.query([session.last_insert_rowid()])?;
            let row = rows.next()?.ok_or_else(taken_away)?;
            let record = row.record(&model.fields, &self.shown)?;
            return Ok((Identity::new(), Some(record)));
        }
        let mut rows = prepared.query(values)?;
        let row = rows.next()?.ok_or_else(left_out)?;
        let mut returned = None;
        if model.is_view || !model.has_triggers {
            returned = Some(row.record(&model.fields, &self.shown)?);
        }
        let mut identity = Vec::new();
        let followed = match returned.is_some() && !model.is_view {
            true => Vec::new(),
            false => identity_columns(model),
        };
        for (position, column) in followed.into_iter().enumerate() {
            let position = match model.is_view {
                true => model.index_of(&column).unwrap_or(position),
                false => position,
            };
            identity.push((column, keep(row.get_ref(position)?)));
        }
        // To its end, where the foreign keys are checked.
        while rows.next()?.is_some() {}
        Ok((identity, returned))
    }
}

fn left_out() -> Error {
    Error::invalid("a rule of the database left the record out without saying why")
}

/// A record to be changed or deleted.
pub(crate) struct Change {
    model: Arc<Model>,
    find: Statement,
    /// What is kept of the record as it was.
    key: Projection,
    if_match: Option<IfMatch>,
    /// None where the record is deleted.
    setting: Option<Setting>,
}

/// What an update sets.
struct Setting {
    body: RecordBody,
    /// The values of the body, and of a record that is replaced the defaults too.
    assignments: Vec<Assignment>,
    given: Vec<Given>,
    /// The values that cannot be stored, so that the record has to show them already.
    lossy: Vec<Lossy>,
    shown: Projection,
}

impl Setting {
    fn new(model: &Model, update: Update) -> Result<Self> {
        let (mut assignments, lossy) = storable(model, &update.body.values)?;
        if update.replace {
            assignments.extend(update.body.left_out(model).map(|(index, field)| {
                let value = match field.default.as_ref().and_then(|default| default.sql()) {
                    // The structure's own text, as the database would evaluate it.
                    Some(sql) => Expr::cust(format!("({sql})")),
                    None => Expr::val(Value::String(None)),
                };
                (index, value)
            }));
        }
        Ok(Self {
            body: update.body,
            given: given(&assignments),
            assignments,
            lossy,
            shown: update.shown,
        })
    }

    /// Checks what a record has to have already, and returns the fields of the body that need not be set: the record
    /// shows these values already, although it may store them in another form, which is kept.
    fn compare(&self, model: &Model, row: &rusqlite::Row<'_>) -> Result<Vec<usize>, Fault> {
        let zone = &self.shown.zone;
        let fixed = &self.body.fixed;
        if !fixed.is_empty() {
            fixed.check(model, &row.record(&model.fields, &fixed.shown(zone))?, zone)?;
        }
        let mut kept = Vec::new();
        for (index, value) in &self.body.values {
            let assigned = self.given.iter().find(|(given, _)| given == index);
            let stored = row.get_ref(*index)?;
            let is_the_same_cell = assigned.is_some_and(|(_, value)| *value == keep(stored));
            // What cannot be shown is shown as null, which does not stand for it.
            if is_the_same_cell || *value == Scalar::Null {
                continue;
            }
            let field = model.at(*index)?;
            let mut shown = Vec::new();
            json::write_value(&mut shown, field, stored, zone);
            let shown = serde_json::from_slice::<&RawValue>(&shown)
                .map_err(|source| Error::internal("a value is no JSON").with_source(source))?;
            if Scalar::from_json(field, shown, zone).is_ok_and(|shown| shown.is_same(value)) {
                kept.push(*index);
            }
        }
        let mut invalid = Refusals::default();
        for (index, message) in &self.lossy {
            if !kept.contains(index) {
                invalid.push_field(&model.at(*index)?.name, message.as_str());
            }
        }
        invalid.into_result()?;
        Ok(kept)
    }
}

/// A record that was found to be changed.
struct Found {
    before: Before,
    identity: Identity,
    /// The fields that need not be set.
    kept: Vec<usize>,
}

impl Change {
    pub(crate) fn new(model: &Arc<Model>, request: ChangeRequest) -> Result<Self> {
        let mut find = by_key(&SqliteDialect, model, &request.key)?;
        if let Some(row_id) = &model.row_id {
            find.expr(column(SELF, row_id));
        }
        find.limit(2);
        let setting = request.update.map(|update| Setting::new(model, update));
        Ok(Self {
            model: Arc::clone(model),
            find: Statement::select(&find),
            key: Projection::of_key(model)?.keeping(request.keeping),
            if_match: request.if_match,
            setting: setting.transpose()?,
        })
    }

    /// Changes the record; returns what it was, and after an update what it is.
    pub(crate) fn run(&self, session: Session<'_>) -> Result<Changed, Fault> {
        session.check_version(&self.model)?;
        self.run_unchecked(session)
    }

    /// Changes the record. The caller has checked the version of the structure in this transaction.
    fn run_unchecked(&self, session: Session<'_>) -> Result<Changed, Fault> {
        let model = &self.model;
        let Found {
            before,
            mut identity,
            kept,
        } = self.find(session)?;
        let found = identity.clone();
        let run = |statement: &Statement, given: &[Given]| -> Result<()> {
            let done = session
                .prepare_cached(&statement.sql)
                .and_then(|mut s| s.execute(params_from_iter(&statement.values)));
            session.translate(done).map(drop).map_err(|error| {
                let record = is_identity(SELF, &found);
                refusal::explain(&session, model, given, Some(record), error)
            })
        };
        let Some(setting) = &self.setting else {
            let mut delete = Query::delete();
            delete
                .from_table((name("main"), name(&model.table)))
                .and_where(is_identity(&model.table, &identity));
            run(&delete.build(SqliteQueryBuilder).into(), &[])?;
            return Ok(Changed::deleted(before));
        };
        let assignments = setting.assignments.iter();
        let assignments: Vec<&Assignment> = assignments
            .filter(|(index, _)| !kept.contains(index))
            .collect();
        if !assignments.is_empty() {
            let mut update = Query::update();
            update
                .table((name("main"), name(&model.table)))
                .and_where(is_identity(&model.table, &identity));
            set_values(&mut update, model, assignments.iter().copied())?;
            run(&update.build(SqliteQueryBuilder).into(), &setting.given)?;
            for (column, value) in &mut identity {
                let assigned = assignments
                    .iter()
                    .find(|(index, _)| model.fields.get(*index).is_some_and(|f| f.name == *column));
                if let Some((_, Expr::Value(assigned))) = assigned {
                    *value = stored_value(assigned);
                }
            }
        }
        let record = one(
            session,
            model,
            &by_identity(model, &identity),
            &setting.shown,
        )?;
        Ok(Changed::updated(before, record.ok_or_else(taken_away)?)?)
    }

    /// Finds the one record of the key and checks the precondition.
    fn find(&self, session: Session<'_>) -> Result<Found, Fault> {
        let model = &self.model;
        let mut prepared = session.prepare_cached(&self.find.sql)?;
        let mut rows = prepared.query(params_from_iter(&self.find.values))?;
        let row = rows.next()?.ok_or_else(|| no_such_record(model))?;
        let found = row.record(&model.fields, &self.key)?;
        check_precondition(self.if_match.as_ref(), &found)?;
        let kept = match &self.setting {
            Some(setting) => setting.compare(model, row)?,
            None => Vec::new(),
        };
        let mut identity = Vec::new();
        for column in identity_columns(model) {
            let position = if model.row_id.as_ref() == Some(&column) {
                model.fields.len()
            } else {
                model.index_of(&column).unwrap_or_default()
            };
            identity.push((column, keep(row.get_ref(position)?)));
        }
        if rows.next()?.is_some() {
            return Err(several_records().into());
        }
        Ok(Found {
            before: Before::of(model, found)?,
            identity,
            kept,
        })
    }
}

/// The values of a new record in the form in which their columns store them.
fn stored_assignments(model: &Model, values: &Values) -> Result<Vec<Assignment>> {
    assignments(model, values, |field, scalar| {
        stored(field, scalar).map(Expr::val)
    })
}

/// The values that a statement gives, as they are stored.
fn given(assignments: &[Assignment]) -> Vec<Given> {
    assignments
        .iter()
        .filter_map(|(index, expr)| match expr {
            Expr::Value(value) => Some((*index, stored_value(value))),
            _ => None,
        })
        .collect()
}

/// The columns that distinguish a record from every other, and what the record has in them.
type Identity = Vec<(String, KeyValue)>;

/// The columns that distinguish a record from every other.
fn identity_columns(model: &Model) -> Vec<String> {
    match &model.row_id {
        Some(row_id) => vec![row_id.clone()],
        None => model
            .primary_key()
            .map(|field| field.name.clone())
            .collect(),
    }
}

fn is_identity(table: &str, identity: &[(String, KeyValue)]) -> Expr {
    all_of(
        identity
            .iter()
            .map(|(name, value)| match value {
                KeyValue::Null => column(table, name).is_null(),
                value => column(table, name).eq(bind(value)),
            })
            .collect(),
    )
}

fn by_identity(model: &Model, identity: &[(String, KeyValue)]) -> Statement {
    let mut query: SelectStatement =
        select(&SqliteDialect, model, Some(is_identity(SELF, identity)));
    all_fields(&SqliteDialect, &mut query, model);
    Statement::select(&query)
}
