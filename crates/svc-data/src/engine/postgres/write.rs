//! Records created, changed and deleted in PostgreSQL.

use std::sync::Arc;

use sea_query::{
    Expr, ExprTrait, IntoTableRef, PostgresQueryBuilder, Query, ReturningClause, TableRef,
};
use tokio_postgres::{Row, error::SqlState};

use super::{
    connect::Lease,
    fault, literal,
    probe::{self, Probe},
    read::one,
    select::{MAX_FRACTION, PostgresDialect, Statement},
    types::{self, Type, type_of},
    value,
};
use crate::{
    Before, Error, ErrorKind, Field, IfMatch, Model, RecordJson,
    engine::Update,
    query::{SELF, column, is_record, name, select},
    record::{
        BulkPlan, Changed, Projection, changed_since,
        fixed::FixedValues,
        no_such_record,
        refusal::Refusals,
        several_records, taken_back,
        unchanged::{ComparedValues, compare},
    },
    structure::Default,
    value::{Scalar, Values},
};

/// A column and what goes into it.
type Assignment = (usize, Expr);

/// A record to be created.
pub(super) struct Create {
    model: Arc<Model>,
    /// The fields that values are given for, in the order in which the statement binds them.
    given: Vec<usize>,
    insert: Statement,
    shown: Projection,
}

impl Create {
    pub(super) fn new(
        model: &Arc<Model>,
        values: &Values,
        shown: Projection,
    ) -> Result<Self, Error> {
        let mut assignments = assignments(model, values)?;
        // A number that the database gives is asked for by leaving it out.
        assignments.retain(|(index, value)| {
            let numbered = model.fields.get(*index).is_some_and(|field| {
                matches!(field.default, Some(Default::AutoIncrement)) && !field.nullable
            });
            !(numbered && *value == null())
        });
        let given = assignments.iter().map(|(index, _)| *index).collect();
        let mut insert = Query::insert();
        insert.into_table(table(model));
        if assignments.is_empty() {
            insert.or_default_values();
        } else {
            let mut columns = Vec::with_capacity(assignments.len());
            let mut exprs = Vec::with_capacity(assignments.len());
            for (index, expr) in assignments {
                columns.push(name(&model.at(index)?.name));
                exprs.push(expr);
            }
            insert.columns(columns);
            insert.values(exprs).map_err(|error| {
                Error::internal("an insert has too few values").with_source(error)
            })?;
        }
        insert.returning(ReturningClause::Exprs(returned(model)));
        Ok(Self {
            model: Arc::clone(model),
            given,
            insert: insert.build(PostgresQueryBuilder).into(),
            shown,
        })
    }

    pub(super) async fn run(&self, lease: &Lease) -> Result<RecordJson, Error> {
        match self.insert(lease).await {
            Err(error) => Err(probe::blame(lease, self.probes(), None, error).await),
            created => created,
        }
    }

    /// What finds the field whose value the server could not read.
    fn probes(&self) -> Vec<Probe> {
        let values = self.given.iter().zip(&self.insert.values);
        let probes = values.filter_map(|(index, bound)| {
            let field = self.model.fields.get(*index)?;
            Probe::of_stored(field, Expr::val(bound.0.clone()?))
        });
        probes.collect()
    }

    async fn insert(&self, lease: &Lease) -> Result<RecordJson, Error> {
        let model = &self.model;
        let row = one(lease, &self.insert).await;
        let row = row.map_err(|error| fault::explain(model, error, true))?;
        let row = row.ok_or_else(|| {
            Error::invalid("a rule of the database left the record out without saying why")
        })?;
        value::record(&model.fields, &self.shown, &row)
    }
}

/// Takes back what was done since the savepoint of a record.
const UNDO_RECORD: &str = "ROLLBACK TO record";

/// Creates records in one transaction, each in a savepoint of its own.
pub(super) async fn bulk_create(
    lease: &Lease,
    model: &Arc<Model>,
    plan: &BulkPlan,
    has_names: bool,
) -> Result<Vec<Result<RecordJson, Error>>, Error> {
    let run = async |sql: &str| -> Result<(), Error> {
        let done = lease.client()?.batch_execute(sql).await;
        done.map_err(fault::translate)
    };
    run("BEGIN").await?;
    let created: Result<Vec<_>, Error> = async {
        let mut results = Vec::with_capacity(plan.records.len());
        for record in &plan.records {
            let create = match record {
                Ok(record) => Create::new(model, &record.values, plan.shown.clone())
                    .map(|create| (create, record)),
                Err(error) => Err(error.clone()),
            };
            let result = match create {
                Ok((create, record)) => {
                    run("SAVEPOINT record").await?;
                    let result = create.insert(lease).await.and_then(|created| {
                        record.fixed.check(model, &created, &plan.shown.zone)?;
                        Ok(created)
                    });
                    match result {
                        Ok(created) => {
                            run("RELEASE record").await?;
                            Ok(created)
                        }
                        Err(error)
                            if error.kind() == ErrorKind::Invalid
                                || fault::is_about_a_value(&error) =>
                        {
                            run(UNDO_RECORD).await?;
                            let probes = create.probes();
                            Err(probe::blame(lease, probes, Some(UNDO_RECORD), error).await)
                        }
                        Err(error) => Err(error),
                    }
                }
                Err(error) => Err(error),
            };
            match result {
                Err(error) if error.kind() != ErrorKind::Invalid => return Err(error),
                result => results.push(result),
            }
        }
        Ok(results)
    }
    .await;
    let mut results = match created {
        Ok(results) => results,
        Err(error) => {
            // What fails here closes the connection, which ends the transaction too.
            run("ROLLBACK").await.ok();
            return Err(error);
        }
    };
    if plan.atomic && results.iter().any(Result::is_err) {
        run("ROLLBACK").await?;
        for result in results.iter_mut().filter(|result| result.is_ok()) {
            *result = Err(taken_back());
        }
        return Ok(results);
    }
    if plan.is_watched(&results) {
        let watched = async {
            let name = match has_names {
                true => Some(transaction_name(lease).await?),
                false => None,
            };
            plan.before_commit(&results, name.as_deref()).await
        };
        if let Err(error) = watched.await {
            run("ROLLBACK").await.ok();
            return Err(error);
        }
    }
    let committed = run("COMMIT").await;
    committed.map_err(|error| fault::explain(model, error, true))?;
    Ok(results)
}

/// The name of the transaction that is open, by which [`transaction_status`] finds it.
async fn transaction_name(lease: &Lease) -> Result<String, Error> {
    let row = lease
        .client()?
        .query_one("SELECT txid_current()::text", &[]);
    let row = row.await.map_err(fault::translate)?;
    row.try_get(0).map_err(fault::translate)
}

/// How a transaction ended, or that it has not; `None` for one that the server does not know or has forgotten.
pub(super) async fn transaction_status(lease: &Lease, name: i64) -> Result<Option<String>, Error> {
    let client = lease.client()?;
    match client.query_one("SELECT txid_status($1)", &[&name]).await {
        Ok(row) => row.try_get(0).map_err(fault::translate),
        // It lies in the future: this is another server.
        Err(error) if error.code() == Some(&SqlState::INVALID_PARAMETER_VALUE) => Ok(None),
        Err(error) => Err(fault::translate(error)),
    }
}

/// A record to be changed or deleted.
pub(super) struct Change {
    model: Arc<Model>,
    key: Values,
    /// What is kept of the record as it was.
    key_shown: Projection,
    if_match: Option<IfMatch>,
    /// What the record has to have already.
    fixed: FixedValues,
    /// What is not written where the record has it already.
    compared: ComparedValues,
    action: Action,
}

enum Action {
    /// Sets columns.
    Update(Vec<Assignment>, Projection),
    Delete,
}

impl Change {
    pub(super) fn update(model: &Arc<Model>, update: Update) -> Result<Self, Error> {
        let mut assignments = assignments(model, &update.body.values)?;
        if update.replace {
            for (index, field) in model.fields.iter().enumerate() {
                let stays = !field.editable
                    || model.key.contains(&index)
                    || assignments.iter().any(|(given, _)| *given == index);
                if !stays {
                    // A view has no defaults of its own; PostgreSQL takes those of its table.
                    assignments.push((index, Expr::cust("DEFAULT")));
                }
            }
        }
        let compared = ComparedValues::of(model, &update.body.values, |field| {
            type_of(field).holds_more_than_it_shows()
        })?;
        Ok(Self {
            model: Arc::clone(model),
            key: update.key,
            key_shown: Projection::of_key(model)?,
            if_match: update.if_match,
            fixed: update.body.fixed,
            compared,
            action: Action::Update(assignments, update.shown),
        })
    }

    pub(super) fn delete(
        model: &Arc<Model>,
        key: Values,
        if_match: Option<IfMatch>,
    ) -> Result<Self, Error> {
        Ok(Self {
            model: Arc::clone(model),
            key,
            key_shown: Projection::of_key(model)?,
            if_match,
            fixed: FixedValues::default(),
            compared: ComparedValues::default(),
            action: Action::Delete,
        })
    }

    /// Changes the record; gives what it was, and after an update what it is.
    pub(super) async fn run(&self, lease: &Lease) -> Result<Changed, Error> {
        match self.change(lease).await {
            Err(error) => Err(probe::blame(lease, self.probes(), None, error).await),
            changed => changed,
        }
    }

    /// What finds the field whose value the server could not read.
    fn probes(&self) -> Vec<Probe> {
        let Action::Update(assignments, _) = &self.action else {
            return Vec::new();
        };
        let values = assignments.iter().filter_map(|(index, value)| {
            let field = self.model.fields.get(*index)?;
            let is_value = matches!(value, Expr::Value(_));
            is_value.then(|| Probe::of_stored(field, value.clone()))?
        });
        values.collect()
    }

    async fn change(&self, lease: &Lease) -> Result<Changed, Error> {
        let model = &self.model;
        // One statement will do where the key cannot be that of several records.
        let is_plain = self.if_match.is_none()
            && self.fixed.is_empty()
            && self.compared.is_empty()
            && !model.primary_key_auto
            && !self.is_empty();
        if is_plain {
            let key = is_record(&PostgresDialect, model, &self.key)?;
            return self.act(lease, key, None, &[]).await;
        }
        let run = async |sql: &str| -> Result<(), Error> {
            let done = lease.client()?.batch_execute(sql).await;
            done.map_err(fault::translate)
        };
        run("BEGIN").await?;
        let changed = async {
            let (row, before) = self.find(lease).await?;
            let mut unchanged = Vec::new();
            if let Action::Update(assignments, shown) = &self.action {
                let read = |shown: &Projection| value::record(&model.fields, shown, &row);
                unchanged = compare(model, &shown.zone, &self.fixed, &self.compared, read)?;
                if unchanged.len() == assignments.len() {
                    let record = read(shown)?;
                    return Ok(Changed::updated(before, record));
                }
            }
            let found = match &model.row_id {
                Some(row_id) => {
                    let id: &str = row.try_get(model.fields.len()).map_err(fault::translate)?;
                    column(SELF, row_id).eq(Expr::val(id).cast_as("tid"))
                }
                None => is_record(&PostgresDialect, model, &self.key)?,
            };
            self.act(lease, found, Some(before), &unchanged).await
        }
        .await;
        match changed {
            Ok(record) => {
                let committed = run("COMMIT").await;
                committed.map_err(|error| fault::explain(model, error, self.is_write()))?;
                Ok(record)
            }
            Err(error) => {
                run("ROLLBACK").await.ok();
                Err(error)
            }
        }
    }

    fn is_write(&self) -> bool {
        matches!(self.action, Action::Update(..))
    }

    /// Whether nothing is to be changed.
    fn is_empty(&self) -> bool {
        matches!(&self.action, Action::Update(assignments, _) if assignments.is_empty())
    }

    /// Finds the one record of the key, keeps others from changing it, and checks the precondition.
    async fn find(&self, lease: &Lease) -> Result<(Row, Before), Error> {
        let model = &self.model;
        let key = is_record(&PostgresDialect, model, &self.key)?;
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
        let mut rows = rows.map_err(fault::translate)?.into_iter();
        let row = rows.next().ok_or_else(|| no_such_record(model))?;
        let found = value::record(&model.fields, &self.key_shown, &row)?;
        if let Some(if_match) = &self.if_match
            && !if_match.holds(&found.etag)
        {
            return Err(changed_since());
        }
        match rows.next() {
            None => Ok((row, Before::of(model, found)?)),
            Some(_) => Err(several_records()),
        }
    }

    /// Changes the record that a test holds for, but for its unchanged fields. What it was is asked for by the same
    /// statement where nobody has looked before.
    async fn act(
        &self,
        lease: &Lease,
        test: Expr,
        before: Option<Before>,
        unchanged: &[usize],
    ) -> Result<Changed, Error> {
        let model = &self.model;
        let fields = &model.fields;
        let statement: Statement = match &self.action {
            Action::Update(assignments, _) => {
                let mut update = Query::update();
                let mut returned = returned(model);
                if before.is_none() {
                    update.from(self.old_row(test.clone()));
                    let old = (0..fields.len()).map(|index| column(OLD, &old_column(index)));
                    returned.extend(old);
                }
                update.table(table(model)).and_where(test);
                let changed = assignments
                    .iter()
                    .filter(|(index, _)| !unchanged.contains(index));
                for (index, expr) in changed {
                    update.value(name(&model.at(*index)?.name), expr.clone());
                }
                update.returning(ReturningClause::Exprs(returned));
                update.build(PostgresQueryBuilder).into()
            }
            Action::Delete => {
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
        let row = row.map_err(|error| fault::explain(model, error, self.is_write()))?;
        let row = row.ok_or_else(|| no_such_record(model))?;
        let was = |first| {
            Before::of(
                model,
                value::record_at(fields, &self.key_shown, &row, first)?,
            )
        };
        Ok(match &self.action {
            Action::Update(_, shown) => {
                let before = before.map_or_else(|| was(fields.len()), Ok)?;
                Changed::updated(before, value::record(fields, shown, &row)?)
            }
            Action::Delete => Changed::deleted(before.map_or_else(|| was(0), Ok)?),
        })
    }

    /// The row as it is before the statement, as a table to join. It is locked: otherwise it could be an older one
    /// than the statement changes.
    fn old_row(&self, test: Expr) -> TableRef {
        let model = &self.model;
        let mut old = select(&PostgresDialect, model, Some(test));
        for (index, field) in model.fields.iter().enumerate() {
            old.expr_as(types::read(SELF, field), old_column(index));
        }
        old.lock_exclusive();
        TableRef::SubQuery(old.into(), name(OLD))
    }
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

/// What gives the whole record back.
fn returned(model: &Model) -> Vec<Expr> {
    let fields = model.fields.iter();
    fields.map(|field| types::read(SELF, field)).collect()
}

fn null() -> Expr {
    Expr::val(sea_query::Value::String(None))
}

/// Turns the values of a body into what is stored.
fn assignments(model: &Model, values: &Values) -> Result<Vec<Assignment>, Error> {
    let mut invalid = Refusals::default();
    let mut assignments = Vec::with_capacity(values.len());
    for (index, scalar) in values {
        let field = model.at(*index)?;
        match stored(field, scalar) {
            Ok(value) => assignments.push((*index, Expr::val(value))),
            Err(message) => invalid.push_field(&field.name, message),
        }
    }
    invalid.into_result()?;
    Ok(assignments)
}

/// A value as the text that PostgreSQL reads as the type of the column; refused where something of it would be
/// lost.
fn stored(field: &Field, scalar: &Scalar) -> Result<Option<String>, String> {
    let sort = type_of(field);
    let most = field
        .precision
        .and_then(|precision| u8::try_from(precision).ok())
        .unwrap_or(MAX_FRACTION);
    match scalar {
        Scalar::Text(text) | Scalar::Json(text) if text.contains('\0') => {
            Err("must not hold a NUL character".to_owned())
        }
        Scalar::Json(text) if sort == Type::Jsonb && text.contains("\\u0000") => {
            Err("must not hold a NUL character".to_owned())
        }
        Scalar::Json(json) if field.detail.element.is_some() => {
            let element = field.detail.element.as_deref().unwrap_or(field);
            literal::array(element, json).map(Some)
        }
        // A column that declares the system of its coordinates takes no others.
        Scalar::Text(text) if sort == Type::Geometry && !text.contains('=') => {
            Ok(Some(match field.detail.srid {
                Some(srid) if srid != 0 => format!("SRID={srid};{text}"),
                _ => text.clone(),
            }))
        }
        Scalar::Time(time, digits) if *digits > most => {
            exact(time.subsec_nanosecond(), most).map(|()| literal::text(sort, scalar))
        }
        Scalar::DateTime(timestamp, digits) if *digits > most => {
            exact(timestamp.subsec_nanosecond(), most).map(|()| literal::text(sort, scalar))
        }
        Scalar::Float(number) if sort == Type::Real && number.abs() > f64::from(f32::MAX) => {
            Err("the number is too large".to_owned())
        }
        _ => Ok(literal::text(sort, scalar)),
    }
}

/// Whether a fraction of a second has no digits behind the first `most`.
fn exact(nanoseconds: i32, most: u8) -> Result<(), String> {
    let unit = 10_i32.pow(9_u32.saturating_sub(most.into()));
    match nanoseconds % unit {
        0 => Ok(()),
        _ => Err("the column does not hold fractions of a second this fine".to_owned()),
    }
}
