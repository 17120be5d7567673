//! Records created, changed and deleted in PostgreSQL.

use std::sync::Arc;

use sea_query::{
    DynIden, Expr, ExprTrait, InsertStatement, IntoTableRef, OnConflict, PostgresQueryBuilder,
    Query, ReturningClause, TableRef, UpdateStatement,
};
use tokio_postgres::Row;

use super::{
    Postgres,
    connect::{Lease, Manager},
    fault, literal,
    probe::{self, Probe},
    read::one,
    select::{Bound, MAX_FRACTION, PostgresDialect, Statement},
    types::{self, Type, type_of},
};
use crate::{
    Before, Error, Field, Model, RecordJson, Result,
    engine::answers::Cells as _,
    engine::server::{
        CreateRecord, ServerEngine as _, change::Change, lease::Faults as _, transaction::finish,
    },
    query::{
        SELF,
        assignments::{Assignment, assignments, insert_values, set_values},
        column, is_record, name, select,
    },
    record::{Changed, Projection, RecordBody, check_size, no_such_record},
    structure::Default,
    value::{Scalar, TOO_FINE, Values},
};

mod change_all;
mod together;
mod upsert;

pub(super) use change_all::change_all;
use together::insert_of;
pub(super) use together::{create_together, creates_together};
pub(super) use upsert::{Upserts, change_or_create};

/// A record to be created.
pub(crate) struct Create {
    model: Arc<Model>,
    /// The fields that it gives, and their values.
    given: Vec<usize>,
    values: Vec<Bound>,
    /// The fields in which another record may have its values; then nothing is created.
    unique: Vec<usize>,
    shown: Projection,
}

impl CreateRecord<Manager> for Create {
    fn new(model: &Arc<Model>, body: &RecordBody, shown: Projection) -> Result<Self> {
        let (given, values) = given(model, &body.values)?;
        Ok(Self {
            model: Arc::clone(model),
            given,
            values,
            unique: body.unique.iter().map(|(index, _)| *index).collect(),
            shown,
        })
    }

    async fn run(&self, lease: &mut Lease) -> Result<RecordJson> {
        match self.insert(lease).await {
            Err(error) => Err(probe::blame(lease, self.probes(), None, error).await),
            created => created,
        }
    }

    async fn insert(&self, lease: &mut Lease) -> Result<RecordJson> {
        let created = self.insert_new(lease).await?;
        created.ok_or_else(|| {
            Error::invalid("a rule of the database left the record out without saying why")
        })
    }

    async fn insert_new(&self, lease: &mut Lease) -> Result<Option<RecordJson>> {
        let model = &self.model;
        let row = one(lease, &self.statement()?).await;
        let row = row.map_err(|error| Manager::explain(model, error, true))?;
        row.map(|row| row.record(&model.fields, &self.shown))
            .transpose()
    }
}

/// The fields that a new record gives, and their values.
fn given(model: &Model, values: &Values) -> Result<(Vec<usize>, Vec<Bound>)> {
    let stored = |field: &Field, scalar: &Scalar| stored(field, scalar).map(Bound);
    let given = assignments(model, values, stored)?.into_iter();
    // A number that the database chooses is left out.
    let is_chosen = |index: usize| {
        model.fields.get(index).is_some_and(|field| {
            matches!(field.default, Some(Default::AutoIncrement)) && !field.nullable
        })
    };
    let given = given.filter(|(index, value)| value.0.is_some() || !is_chosen(*index));
    Ok(given.unzip())
}

impl Create {
    /// What finds the field whose value the server could not read.
    pub(super) fn probes(&self) -> Vec<Probe> {
        let given = self.given.iter().zip(&self.values);
        let probes = given.filter_map(|(index, value)| {
            let text = value.0.as_deref()?;
            Probe::of_stored(self.model.fields.get(*index)?, Expr::val(text))
        });
        probes.collect()
    }

    /// What it gives to its columns.
    fn assignments(&self) -> impl Iterator<Item = Assignment> {
        let given = self.given.iter().zip(&self.values);
        given.map(|(index, value)| (*index, Expr::val(value.0.clone())))
    }

    /// The statement that creates it.
    fn statement(&self) -> Result<Statement> {
        if !self.unique.is_empty() {
            return self.write_statement();
        }
        let insert = insert_of(&self.model, &self.given, 1, false)?;
        Ok(Statement {
            sql: insert.sql.clone(),
            values: self.values.clone(),
        })
    }

    fn write_statement(&self) -> Result<Statement> {
        let mut insert = self.insertion()?;
        match self.given.as_slice() {
            [] => {
                insert.or_default_values();
            }
            _ => insert_values(&mut insert, &self.model, self.assignments())?,
        }
        Ok(insert.build(PostgresQueryBuilder).into())
    }

    /// The same without the row. It creates nothing where another record has its unique values.
    fn insertion(&self) -> Result<InsertStatement> {
        let model = &self.model;
        let mut insert = Query::insert();
        insert.into_table(table(model));
        if !self.unique.is_empty() {
            let unique = self.unique.iter();
            let columns = unique.map(|index| Ok(name(&model.at(*index)?.name)));
            let columns: Vec<DynIden> = columns.collect::<Result<_>>()?;
            insert.on_conflict(OnConflict::columns(columns).do_nothing().to_owned());
        }
        insert.returning(ReturningClause::Exprs(returned(model)));
        Ok(insert)
    }
}

/// Keeps others from changing or creating many records of a model until the transaction ends. The server looks for deadlocks
/// only after a second.
pub(super) async fn lock_upserts(lease: &Lease, model: &Model) -> Result<()> {
    let lock = "SELECT pg_advisory_xact_lock(hashtext('svc upserts'), hashtext($1))";
    let prepared = lease.prepare(lock).await?;
    let locked = lease.client()?.execute(&prepared, &[&model.name]).await;
    locked.map(drop).map_err(fault::translate)
}

/// Changes or deletes a record; returns what it was, and after an update what it is.
pub(super) async fn change(lease: &mut Lease, change: &Change) -> Result<Changed> {
    let model = &change.model;
    let changed = if is_one_statement(change) {
        change_within(lease, change).await
    } else {
        Postgres::run(lease, Postgres::BEGIN).await?;
        let changed = change_within(lease, change).await;
        finish::<Postgres, _>(lease, model, changed, change.is_write()).await
    };
    match changed {
        Err(error) => Err(probe::blame(lease, probes(change), None, error).await),
        changed => changed,
    }
}

/// The same in a transaction that is open, or with [one statement](is_one_statement).
pub(super) async fn change_within(lease: &Lease, change: &Change) -> Result<Changed> {
    if !is_one_statement(change) {
        return find_and_act(lease, change).await;
    }
    let key = is_record(&PostgresDialect, &change.model, &change.key)?;
    act(lease, change, key, None, &[]).await
}

/// Whether nobody has to look at the record before it is changed, and its key is not that of several records.
fn is_one_statement(change: &Change) -> bool {
    let setting = change.setting.as_ref();
    let is_empty = setting.is_some_and(|setting| setting.assignments.is_empty());
    change.is_unconditional() && !change.model.primary_key_auto && !is_empty
}

/// What finds the field whose value the server could not read.
fn probes(change: &Change) -> Vec<Probe> {
    let settings = change.setting.iter();
    let values = settings.flat_map(|setting| &setting.assignments);
    let probes = values.filter_map(|(index, value)| {
        let field = change.model.fields.get(*index)?;
        let is_value = matches!(value, Expr::Value(_));
        is_value.then(|| Probe::of_stored(field, value.clone()))?
    });
    probes.collect()
}

/// Looks at the record before it is changed, in the same transaction.
async fn find_and_act(lease: &Lease, change: &Change) -> Result<Changed> {
    let model = &change.model;
    let (row, before) = find(lease, change).await?;
    let read = |shown: &Projection| row.record(&model.fields, shown);
    let unchanged = change.unchanged(read)?;
    if let Some(setting) = &change.setting
        && unchanged.len() == setting.assignments.len()
    {
        return Changed::updated(before, read(&setting.shown)?);
    }
    let found = match &model.row_id {
        Some(row_id) => {
            let id: &str = row.try_get(model.fields.len()).map_err(fault::translate)?;
            column(SELF, row_id).eq(Expr::val(id).cast_as("tid"))
        }
        None => is_record(&PostgresDialect, model, &change.key)?,
    };
    act(lease, change, found, Some(before), &unchanged).await
}

/// Finds the one record of the key, keeps others from changing it, and checks the precondition.
async fn find(lease: &Lease, change: &Change) -> Result<(Row, Before)> {
    let model = &change.model;
    let key = is_record(&PostgresDialect, model, &change.key)?;
    let mut find = select(&PostgresDialect, model, Some(key));
    for field in model.fields.iter() {
        find.expr(types::read(SELF, field));
    }
    if let Some(row_id) = &model.row_id {
        find.expr(column(SELF, row_id).cast_as("text"));
    }
    find.limit(2);
    if !model.is_view {
        find.lock_exclusive();
    }
    let statement = Statement::select(&find);
    let prepared = lease.prepare(&statement.sql).await?;
    let values: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> =
        statement.values.iter().map(|value| value as _).collect();
    let rows = lease.client()?.query(&prepared, &values).await;
    change.found(rows.map_err(fault::translate)?)
}

/// Changes the record for which a test is true, but for its unchanged fields. The same statement reads what it was,
/// where that was not read before.
async fn act(
    lease: &Lease,
    change: &Change,
    test: Expr,
    before: Option<Before>,
    unchanged: &[usize],
) -> Result<Changed> {
    let model = &change.model;
    let fields = &model.fields;
    let statement: Statement = match &change.setting {
        Some(setting) => {
            let changed = setting.changed(unchanged);
            let update = update(model, changed, test, before.is_none())?;
            update.build(PostgresQueryBuilder).into()
        }
        None => {
            let mut delete = Query::delete();
            delete.from_table(table(model)).and_where(test);
            delete.returning(ReturningClause::Exprs(match before {
                None => returned(model),
                Some(_) => vec![Expr::cust("1")],
            }));
            delete.build(PostgresQueryBuilder).into()
        }
    };
    let row = one(lease, &statement).await;
    let row = row.map_err(|error| Manager::explain(model, error, change.is_write()))?;
    let row = row.ok_or_else(|| no_such_record(model))?;
    let was = |first| Before::of(model, row.record_at(fields, &change.key_shown, first)?);
    Ok(match &change.setting {
        Some(setting) => {
            let before = before.map_or_else(|| was(fields.len()), Ok)?;
            Changed::updated(before, row.record(fields, &setting.shown)?)?
        }
        None => Changed::deleted(before.map_or_else(|| was(0), Ok)?),
    })
}

/// The statement that sets columns of the row for which a test is true and returns it, and behind it what it was, where that is
/// to be read.
fn update<'a>(
    model: &Model,
    assignments: impl Iterator<Item = &'a Assignment>,
    test: Expr,
    reads_old: bool,
) -> Result<UpdateStatement> {
    let mut update = Query::update();
    let mut returned = returned(model);
    if reads_old {
        update.from(old_row(model, test.clone()));
        let old = (0..model.fields.len()).map(|index| column(OLD, &old_column(index)));
        returned.extend(old);
    }
    update.table(table(model)).and_where(test);
    set_values(&mut update, model, assignments)?;
    update.returning(ReturningClause::Exprs(returned));
    Ok(update)
}

/// The row as it is before the statement, as a table to join. It is locked: otherwise it could be an older one
/// than the statement changes.
fn old_row(model: &Model, test: Expr) -> TableRef {
    let mut old = select(&PostgresDialect, model, Some(test));
    for (index, field) in model.fields.iter().enumerate() {
        old.expr_as(types::read(SELF, field), old_column(index));
    }
    old.lock_exclusive();
    TableRef::SubQuery(old.into(), name(OLD))
}

/// The alias of the row as it was.
const OLD: &str = "was";

/// What a field is called in the row as it was.
fn old_column(index: usize) -> String {
    format!("w{index}")
}

/// The table, under the name that columns are read of.
fn table(model: &Model) -> TableRef {
    let schema = model.schema.as_deref().unwrap_or_default();
    (name(schema), name(&model.table))
        .into_table_ref()
        .alias(name(SELF))
}

/// What returns the whole record.
fn returned(model: &Model) -> Vec<Expr> {
    let fields = model.fields.iter();
    fields.map(|field| types::read(SELF, field)).collect()
}

/// The same of the primary key, in the order of the columns.
fn returned_keys(model: &Model) -> Vec<Expr> {
    let fields = model.fields.iter().enumerate();
    let keys = fields.filter(|(index, _)| model.key.contains(index));
    keys.map(|(_, field)| types::read(SELF, field)).collect()
}

/// Refuses an element of an array of which something would be lost.
fn check_element(element: &Field, scalar: &Scalar) -> Result<(), String> {
    check_size(element, scalar).map_err(|(_, message)| message)?;
    stored(element, scalar).map(drop)
}

/// A value as the text that PostgreSQL reads as the type of the column; refused where something of it would be
/// lost.
pub(super) fn stored(field: &Field, scalar: &Scalar) -> Result<Option<String>, String> {
    let sort = type_of(field);
    let most = field
        .precision
        .and_then(|precision| u8::try_from(precision).ok())
        .unwrap_or(MAX_FRACTION);
    match scalar {
        Scalar::Text(text) | Scalar::Json(text) if text.contains('\0') => {
            Err("must not contain a NUL character".to_owned())
        }
        Scalar::Json(text) if sort == Type::Jsonb && text.contains("\\u0000") => {
            Err("must not contain a NUL character".to_owned())
        }
        Scalar::Json(json) if field.detail.element.is_some() => {
            let element = field.detail.element.as_deref().unwrap_or(field);
            literal::array(element, json, check_element).map(Some)
        }
        // A column that declares the system of its coordinates accepts no others.
        Scalar::Text(text) if sort == Type::Geometry && !text.contains('=') => {
            Ok(Some(match field.detail.srid {
                Some(srid) if srid != 0 => format!("SRID={srid};{text}"),
                _ => text.clone(),
            }))
        }
        scalar if scalar.is_finer_than(most) => Err(TOO_FINE.to_owned()),
        Scalar::Float(number) if sort == Type::Real && number.abs() > f64::from(f32::MAX) => {
            Err("the number is too large".to_owned())
        }
        _ => Ok(literal::text(sort, scalar)),
    }
}
