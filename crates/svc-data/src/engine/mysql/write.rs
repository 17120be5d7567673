//! Records created, changed and deleted in MySQL and MariaDB, each in a transaction.

use std::sync::Arc;

use mysql_async::{Row, prelude::Queryable as _};
use sea_query::{Expr, ExprTrait as _, MysqlQueryBuilder, Query};

use super::{
    connect::{Lease, is_mariadb},
    fault,
    read::one,
    select::{self, MAX_FRACTION, MysqlDialect, Statement, quoted},
    types::{self, Type, call, type_of},
    value,
};
use crate::{
    Before, Error, ErrorKind, Field, IfMatch, Model, RecordJson,
    engine::Update,
    plan::{Comparison, Test},
    query::{SELF, all_fields, all_of, by_key, column, name, test},
    record::{
        BulkPlan, Changed, Projection, RecordBody, changed_since,
        fixed::FixedValues,
        no_such_record,
        refusal::Refusals,
        several_records, taken_away, taken_back,
        unchanged::{ComparedValues, compare},
    },
    structure::Default,
    value::{Scalar, Values},
};

/// A column and what goes into it.
type Assignment = (usize, Expr);

/// Runs a statement that gives no rows.
async fn run(lease: &mut Lease, sql: &str) -> Result<(), Error> {
    let conn = lease.conn()?;
    conn.query_drop(sql).await.map_err(fault::translate)
}

/// Runs a write.
async fn execute(lease: &mut Lease, statement: &Statement) -> Result<(), Error> {
    let conn = lease.conn()?;
    let done = conn.exec_drop(statement.sql.as_str(), statement.params());
    done.await.map_err(fault::translate)
}

/// Ends a transaction: keeps what was done, or none of it.
async fn finish<T>(
    lease: &mut Lease,
    model: &Model,
    result: Result<T, Error>,
    is_write: bool,
) -> Result<T, Error> {
    match result {
        Ok(value) => {
            let committed = run(lease, "COMMIT").await;
            committed.map_err(|error| fault::explain(model, error, is_write))?;
            Ok(value)
        }
        Err(error) => {
            // What fails here closes the connection, which ends the transaction too.
            if !fault::breaks_the_connection(&error) {
                run(lease, "ROLLBACK").await.ok();
            }
            Err(error)
        }
    }
}

/// A record to be created.
pub(super) struct Create {
    model: Arc<Model>,
    values: Values,
    assignments: Vec<Assignment>,
    shown: Projection,
}

impl Create {
    pub(super) fn new(
        model: &Arc<Model>,
        values: &Values,
        shown: Projection,
    ) -> Result<Self, Error> {
        Ok(Self {
            model: Arc::clone(model),
            values: values.clone(),
            assignments: assignments(model, values)?,
            shown,
        })
    }

    pub(super) async fn run(&self, lease: &mut Lease) -> Result<RecordJson, Error> {
        run(lease, "START TRANSACTION").await?;
        let created = self.insert(lease).await;
        finish(lease, &self.model, created, true).await
    }

    /// Inserts the row and reads it, in a transaction.
    async fn insert(&self, lease: &mut Lease) -> Result<RecordJson, Error> {
        let model = &self.model;
        let mut values = self.values.clone();
        let mut assignments = self.assignments.clone();
        // A key that an expression gives is made first, since there is no other way to know it.
        for index in model.key.iter().filter(|_| !model.primary_key_auto) {
            let field = model.at(*index)?;
            let given = values.iter().any(|(given, _)| given == index);
            if let Some(Default::Expression(sql) | Default::Now(sql)) = &field.default
                && !given
            {
                let conn = lease.conn()?;
                let made: Option<Option<String>> = conn
                    .query_first(format!("SELECT CAST({sql} AS CHAR)"))
                    .await
                    .map_err(fault::translate)?;
                let made = made.flatten().map_or(Scalar::Null, Scalar::Text);
                assignments.push((*index, Expr::val(select::stored(Type::Text, &made))));
                values.push((*index, made));
            }
        }
        let mut insert = Query::insert();
        insert.into_table(table(model));
        let (mut columns, mut exprs) = (Vec::new(), Vec::new());
        for (index, expr) in &assignments {
            columns.push(name(&model.at(*index)?.name));
            exprs.push(expr.clone());
        }
        insert.columns(columns);
        insert
            .values(exprs)
            .map_err(|error| Error::internal("an insert has too few values").with_source(error))?;
        let statement = match assignments.is_empty() {
            false => insert.build(MysqlQueryBuilder).into(),
            // There is no other way to write an empty row.
            true => {
                let schema = quoted(model.schema.as_deref().unwrap_or_default());
                Statement {
                    sql: format!("INSERT INTO {schema}.{} () VALUES ()", quoted(&model.table)),
                    values: Vec::new(),
                }
            }
        };
        if model.primary_key_auto && !model.is_view && gives_back_inserted(lease).await? {
            let inserted = one(lease, &self.returning(statement)).await;
            let row = inserted.map_err(|error| fault::explain(model, error, true))?;
            return self.created(&values, &row.ok_or_else(taken_away)?);
        }
        let inserted = execute(lease, &statement).await;
        inserted.map_err(|error| fault::explain(model, error, true))?;
        let number = lease.conn()?.last_insert_id();
        let found = self.identity(&values, number)?;
        let mut query = crate::query::select(&MysqlDialect, model, Some(found));
        all_fields(&MysqlDialect, &mut query, model);
        query.limit(1);
        let row = one(lease, &Statement::select(&query)).await?;
        self.created(&values, &row.ok_or_else(taken_away)?)
    }

    /// The record of the row that was inserted.
    fn created(&self, values: &Values, row: &Row) -> Result<RecordJson, Error> {
        check_geometries(&self.model, values, row)?;
        value::record(&self.model.fields, &self.shown, row)
    }

    /// An insert that gives its row back: nothing but a look at every row would find one that has no key.
    fn returning(&self, mut insert: Statement) -> Statement {
        let model = &self.model;
        let mut query = Query::select();
        for field in model.fields.iter() {
            query.expr(types::read(&model.table, field));
        }
        let read = Statement::select(&query);
        let exprs = read.sql.strip_prefix("SELECT ").unwrap_or(&read.sql);
        insert.sql = format!("{} RETURNING {exprs}", insert.sql);
        insert.values.extend(read.values);
        insert
    }

    /// What finds the new row: its key, or where it has none, all that was given.
    fn identity(&self, values: &Values, number: Option<u64>) -> Result<Expr, Error> {
        let model = &self.model;
        let given = |index: &usize| {
            let value = values.iter().find(|(given, _)| given == index);
            value.map(|(_, value)| value.clone())
        };
        let mut tests = Vec::new();
        if model.primary_key_auto {
            for (index, value) in values {
                tests.push(match value {
                    Scalar::Null => Test::Null(*index),
                    value => Test::Compare(*index, Comparison::Equal, value.clone()),
                });
            }
        } else {
            for index in &model.key {
                let field = model.at(*index)?;
                let value = match (given(index), &field.default, number) {
                    (Some(value), _, _) if value != Scalar::Null => value,
                    (_, Some(Default::AutoIncrement), Some(number)) => {
                        match i64::try_from(number) {
                            Ok(number) => Scalar::Integer(number),
                            Err(_) => Scalar::Unsigned(number),
                        }
                    }
                    (_, Some(Default::Literal(_, json)), _) => {
                        let zone = &self.shown.zone;
                        Scalar::from_json(field, json, zone).map_err(Error::internal)?
                    }
                    _ => {
                        return Err(Error::internal("the key of a new record is not known"));
                    }
                };
                tests.push(Test::Compare(*index, Comparison::Equal, value));
            }
        }
        test(&MysqlDialect, model, SELF, &Test::All(tests))
    }
}

/// Whether the server has `INSERT ... RETURNING`, which MariaDB has since 10.5.
async fn gives_back_inserted(lease: &mut Lease) -> Result<bool, Error> {
    let conn = lease.conn()?;
    let version: Option<String> = conn
        .query_first("SELECT VERSION()")
        .await
        .map_err(fault::translate)?;
    let version = version.unwrap_or_default();
    let mut numbers = version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let major_minor = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    Ok(is_mariadb(&version) && major_minor >= (10, 5))
}

/// Creates records in one transaction, each in a savepoint of its own.
pub(super) async fn bulk_create(
    lease: &mut Lease,
    model: &Arc<Model>,
    plan: &BulkPlan,
) -> Result<Vec<Result<RecordJson, Error>>, Error> {
    run(lease, "START TRANSACTION").await?;
    let results = create_each(lease, model, plan).await;
    let refused = |results: &Vec<Result<RecordJson, Error>>| results.iter().any(Result::is_err);
    match results {
        Ok(mut results) if plan.atomic && refused(&results) => {
            run(lease, "ROLLBACK").await?;
            for result in results.iter_mut().filter(|result| result.is_ok()) {
                *result = Err(taken_back());
            }
            Ok(results)
        }
        Ok(results) if plan.is_watched(&results) => {
            let watched = plan.before_commit(&results, None).await;
            finish(lease, model, watched.map(|()| results), true).await
        }
        results => finish(lease, model, results, true).await,
    }
}

async fn create_each(
    lease: &mut Lease,
    model: &Arc<Model>,
    plan: &BulkPlan,
) -> Result<Vec<Result<RecordJson, Error>>, Error> {
    let mut results = Vec::with_capacity(plan.records.len());
    for record in &plan.records {
        let create = match record {
            Ok(record) => Create::new(model, &record.values, plan.shown.clone())
                .map(|create| (create, record)),
            Err(error) => Err(error.clone()),
        };
        let result = match create {
            Ok((create, record)) => {
                run(lease, "SAVEPOINT record").await?;
                let result = create.insert(lease).await.and_then(|created| {
                    record.fixed.check(model, &created, &plan.shown.zone)?;
                    Ok(created)
                });
                if result
                    .as_ref()
                    .is_err_and(|error| error.kind() == ErrorKind::Invalid)
                {
                    run(lease, "ROLLBACK TO record").await?;
                }
                result
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
    Update(Values, Vec<Assignment>, Projection),
    Delete,
}

impl Change {
    pub(super) fn update(model: &Arc<Model>, update: Update) -> Result<Self, Error> {
        let RecordBody { values, fixed } = update.body;
        let mut assignments = assignments(model, &values)?;
        if update.replace {
            for (index, field) in model.fields.iter().enumerate() {
                let stays = !field.editable
                    || model.key.contains(&index)
                    || assignments.iter().any(|(given, _)| *given == index);
                if !stays {
                    assignments.push((index, Expr::cust("DEFAULT")));
                }
            }
        }
        Ok(Self {
            model: Arc::clone(model),
            key: update.key,
            key_shown: Projection::of_key(model)?,
            if_match: update.if_match,
            fixed,
            compared: ComparedValues::of(model, &values, |field| {
                type_of(field).holds_more_than_it_shows()
            })?,
            action: Action::Update(values, assignments, update.shown),
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
    pub(super) async fn run(&self, lease: &mut Lease) -> Result<Changed, Error> {
        run(lease, "START TRANSACTION").await?;
        let changed = self.act(lease).await;
        let is_write = matches!(self.action, Action::Update(..));
        finish(lease, &self.model, changed, is_write).await
    }

    async fn act(&self, lease: &mut Lease) -> Result<Changed, Error> {
        let model = &self.model;
        let (row, before) = self.find(lease).await?;
        let is_it = self.is_it(&row)?;
        let mut unchanged = Vec::new();
        if let Action::Update(_, _, Projection { zone, .. }) = &self.action {
            let read = |shown: &Projection| value::record(&model.fields, shown, &row);
            unchanged = compare(model, zone, &self.fixed, &self.compared, read)?;
        }
        match &self.action {
            Action::Delete => {
                let mut delete = Query::delete();
                delete.from_table(table(model)).and_where(is_it);
                let statement: Statement = delete.build(MysqlQueryBuilder).into();
                let done = execute(lease, &statement).await;
                done.map_err(|error| fault::explain(model, error, false))?;
                Ok(Changed::deleted(before))
            }
            Action::Update(_, assignments, shown) if assignments.len() == unchanged.len() => {
                let record = value::record(&model.fields, shown, &row)?;
                Ok(Changed::updated(before, record))
            }
            Action::Update(values, assignments, shown) => {
                let mut update = Query::update();
                update.table(table(model)).and_where(is_it);
                let changed = assignments
                    .iter()
                    .filter(|(index, _)| !unchanged.contains(index));
                for (index, expr) in changed {
                    update.value(name(&model.at(*index)?.name), expr.clone());
                }
                let statement: Statement = update.build(MysqlQueryBuilder).into();
                let done = execute(lease, &statement).await;
                done.map_err(|error| fault::explain(model, error, true))?;
                let mut key = self.key.clone();
                for (index, value) in &mut key {
                    if let Some((_, new)) = values.iter().find(|(given, _)| given == index) {
                        *value = new.clone();
                    }
                }
                let mut query = by_key(&MysqlDialect, model, &key)?;
                let row = one(lease, &Statement::select(query.limit(1))).await?;
                let row = row.ok_or_else(taken_away)?;
                check_geometries(model, values, &row)?;
                let record = value::record(&model.fields, shown, &row)?;
                Ok(Changed::updated(before, record))
            }
        }
    }

    /// Finds the one record of the key, keeps others from changing it, and checks the precondition.
    async fn find(&self, lease: &mut Lease) -> Result<(Row, Before), Error> {
        let model = &self.model;
        let mut find = by_key(&MysqlDialect, model, &self.key)?;
        find.limit(2).lock_exclusive();
        let statement = Statement::select(&find);
        let conn = lease.conn()?;
        let rows: Vec<Row> = conn
            .exec(statement.sql.as_str(), statement.params())
            .await
            .map_err(fault::translate)?;
        let mut rows = rows.into_iter();
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

    /// What holds for the record that was found, and no other: its key as it is stored, since a key that was asked
    /// for may equal others in the collation of the column.
    fn is_it(&self, row: &Row) -> Result<Expr, Error> {
        let model = &self.model;
        let mut tests = Vec::with_capacity(model.key.len());
        for index in &model.key {
            let field = model.at(*index)?;
            let here = match type_of(field) {
                Type::Geometry => types::read(&model.table, field),
                _ => column(&model.table, &field.name),
            };
            let key = value::key(field, value::cell(row, *index)?);
            let key =
                key.ok_or_else(|| Error::invalid("the key of the record is not valid text"))?;
            tests.push(match key {
                crate::query::cursor::KeyValue::Null => here.is_null(),
                key => here.eq(crate::query::Dialect::bind_key(
                    &MysqlDialect,
                    Some(field),
                    &key,
                )?),
            });
        }
        Ok(all_of(tests))
    }
}

/// The table, under its own name.
fn table(model: &Model) -> (sea_query::DynIden, sea_query::DynIden) {
    let schema = model.schema.as_deref().unwrap_or_default();
    (name(schema), name(&model.table))
}

/// Turns the values of a body into what is stored.
fn assignments(model: &Model, values: &Values) -> Result<Vec<Assignment>, Error> {
    let mut invalid = Refusals::default();
    let mut assignments = Vec::with_capacity(values.len());
    for (index, scalar) in values {
        let field = model.at(*index)?;
        match stored(field, scalar) {
            Ok(expr) => assignments.push((*index, expr)),
            Err(message) => invalid.push_field(&field.name, message),
        }
    }
    invalid.into_result()?;
    Ok(assignments)
}

/// A value as a column takes it; refused where something of it would be lost.
fn stored(field: &Field, scalar: &Scalar) -> Result<Expr, String> {
    let most = field.precision.unwrap_or(0);
    let most = u8::try_from(most).unwrap_or(MAX_FRACTION);
    let nanoseconds = match scalar {
        Scalar::Time(time, digits) if *digits > most => time.subsec_nanosecond(),
        Scalar::DateTime(timestamp, digits) if *digits > most => timestamp.subsec_nanosecond(),
        _ => 0,
    };
    let unit = 10_i32.pow(9_u32.saturating_sub(most.into()));
    if nanoseconds % unit != 0 {
        return Err("the column does not hold fractions of a second this fine".to_owned());
    }
    if let (Type::Geometry, Scalar::Text(text)) = (type_of(field), scalar) {
        let (wkt, srid) = select::split_srid(text);
        let shape = call("ST_GeomFromText").arg(Expr::val(wkt));
        return Ok(shape.arg(Expr::val(srid.unwrap_or(0))).into());
    }
    Ok(Expr::val(select::stored(type_of(field), scalar)))
}

/// Refuses a record of which a geometry was given and none was stored: the server makes NULL of what is no WKT.
fn check_geometries(model: &Model, values: &Values, row: &Row) -> Result<(), Error> {
    let mut invalid = Refusals::default();
    for (index, value) in values {
        let field = model.at(*index)?;
        let is_lost = type_of(field) == Type::Geometry
            && *value != Scalar::Null
            && *value::cell(row, *index)? == mysql_async::Value::NULL;
        if is_lost {
            invalid.push_field(&field.name, "must be a geometry as WKT, such as POINT(1 2)");
        }
    }
    invalid.into_result()
}
