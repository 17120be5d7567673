//! Records created, changed and deleted in MySQL and MariaDB, each in a transaction.

mod change_all;

use std::sync::Arc;

use mysql_async::{Row, prelude::Queryable as _};
use sea_query::{Expr, ExprTrait as _, MysqlQueryBuilder, Query};

use super::{
    Mysql,
    connect::{Lease, Manager, is_mariadb},
    fault,
    read::one,
    select::{self, MAX_FRACTION, MysqlDialect, Statement, quoted},
    types::{self, Type, type_of},
    value,
};
use crate::{
    Before, ConstraintKind, Error, Field, Model, RecordJson, Result,
    engine::answers::Cells as _,
    engine::server::{
        CreateRecord, ServerEngine as _,
        change::{Change, found},
        lease::Faults as _,
        transaction::finish,
    },
    plan::{Comparison, Test},
    query::{
        Dialect as _, SELF, all_fields, all_of,
        assignments::{Assignment, assignments, insert_values, set_values},
        by_key, call, column,
        cursor::KeyValue,
        is_record, name, select as select_of, test,
    },
    record::{Changed, Projection, RecordBody, refusal::Refusals, taken_away},
    structure::Default,
    value::{Scalar, TOO_FINE, Values},
};

pub(super) use change_all::change_all;

/// Runs a write.
async fn execute(lease: &mut Lease, statement: &Statement) -> Result<()> {
    let conn = lease.client_mut()?;
    let done = conn.exec_drop(statement.sql.as_str(), statement.params());
    done.await.map_err(fault::translate)
}

/// A record to be created.
pub(crate) struct Create {
    model: Arc<Model>,
    values: Values,
    assignments: Vec<Assignment>,
    /// The names of the fields by whose values another record may be found.
    unique: Vec<String>,
    shown: Projection,
}

impl CreateRecord<Manager> for Create {
    fn new(model: &Arc<Model>, body: &RecordBody, shown: Projection) -> Result<Self> {
        let unique = body.unique.iter();
        let unique = unique.map(|(index, _)| Ok(model.at(*index)?.name.clone()));
        Ok(Self {
            model: Arc::clone(model),
            values: body.values.clone(),
            assignments: assignments(model, &body.values, stored)?,
            unique: unique.collect::<Result<_>>()?,
            shown,
        })
    }

    async fn run(&self, lease: &mut Lease) -> Result<RecordJson> {
        Mysql::run(lease, Mysql::BEGIN).await?;
        let created = self.insert(lease).await;
        finish::<Mysql, _>(lease, &self.model, created, true).await
    }

    /// Inserts the row and reads it.
    async fn insert(&self, lease: &mut Lease) -> Result<RecordJson> {
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
                let conn = lease.client_mut()?;
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
        let statement = match assignments.is_empty() {
            false => {
                insert_values(&mut insert, model, assignments)?;
                insert.build(MysqlQueryBuilder).into()
            }
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
            let row = inserted.map_err(|error| Manager::explain(model, error, true))?;
            return self.created(&values, &row.ok_or_else(taken_away)?);
        }
        let inserted = execute(lease, &statement).await;
        inserted.map_err(|error| Manager::explain(model, error, true))?;
        let found = self.identity(&values, lease.client_mut()?.last_insert_id())?;
        let mut query = select_of(&MysqlDialect, model, Some(found));
        all_fields(&MysqlDialect, &mut query, model);
        query.limit(1);
        let row = one(lease, &Statement::select(&query)).await?;
        self.created(&values, &row.ok_or_else(taken_away)?)
    }

    async fn insert_new(&self, lease: &mut Lease) -> Result<Option<RecordJson>> {
        match self.insert(lease).await {
            Ok(created) => Ok(Some(created)),
            Err(error) if self.is_taken(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Create {
    /// Whether a record was refused since another has its unique values.
    fn is_taken(&self, error: &Error) -> bool {
        error.constraint().is_some_and(|constraint| {
            constraint.kind == ConstraintKind::Unique
                && constraint.columns.len() == self.unique.len()
                && constraint.columns.iter().all(|it| self.unique.contains(it))
        })
    }

    /// The record of the row that was inserted.
    fn created(&self, values: &Values, row: &Row) -> Result<RecordJson> {
        check_geometries(&self.model, values, row)?;
        row.record(&self.model.fields, &self.shown)
    }

    /// An insert that returns its row: nothing but reading every row would find one that has no key.
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
    fn identity(&self, values: &Values, number: Option<u64>) -> Result<Expr> {
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
async fn gives_back_inserted(lease: &mut Lease) -> Result<bool> {
    let conn = lease.client_mut()?;
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

/// Changes or deletes a record; returns what it was, and after an update what it is.
pub(super) async fn change(lease: &mut Lease, change: &Change) -> Result<Changed> {
    Mysql::run(lease, Mysql::BEGIN).await?;
    let changed = act(lease, change).await;
    finish::<Mysql, _>(lease, &change.model, changed, change.is_write()).await
}

/// Changes the record that has unique values, if there is one, in a transaction that is open. One that was not refused for
/// their sake yet is looked for without a lock: locks on what is not there keep others from creating it, and them us.
pub(super) async fn change_found(
    lease: &mut Lease,
    change: &Change,
    is_there: bool,
) -> Result<Option<Changed>> {
    if !is_there {
        let key = is_record(&MysqlDialect, &change.model, &change.key)?;
        let mut look = select_of(&MysqlDialect, &change.model, Some(key));
        look.expr(Expr::val(1)).limit(1);
        if one(lease, &Statement::select(&look)).await?.is_none() {
            return Ok(None);
        }
    }
    found(act(lease, change).await)
}

async fn act(lease: &mut Lease, change: &Change) -> Result<Changed> {
    let model = &change.model;
    let (row, before) = find(lease, change).await?;
    let identity = identity_predicate(model, &row)?;
    let unchanged = change.unchanged(|shown| row.record(&model.fields, shown))?;
    let explained = |error| Manager::explain(model, error, change.is_write());
    let Some(setting) = &change.setting else {
        let mut delete = Query::delete();
        delete.from_table(table(model)).and_where(identity);
        let done = execute(lease, &delete.build(MysqlQueryBuilder).into()).await;
        done.map_err(explained)?;
        return Ok(Changed::deleted(before));
    };
    if setting.assignments.len() == unchanged.len() {
        let record = row.record(&model.fields, &setting.shown)?;
        return Changed::updated(before, record);
    }
    let mut update = Query::update();
    update.table(table(model)).and_where(identity);
    set_values(&mut update, model, setting.changed(&unchanged))?;
    let done = execute(lease, &update.build(MysqlQueryBuilder).into()).await;
    done.map_err(explained)?;
    let mut key = change.key.clone();
    for (index, value) in &mut key {
        let mut values = setting.values.iter();
        if let Some((_, new)) = values.find(|(given, _)| given == index) {
            *value = new.clone();
        }
    }
    let mut query = by_key(&MysqlDialect, model, &key)?;
    // A read without a lock may show the database as it was before others made the record again.
    query.limit(1).lock_exclusive();
    let row = one(lease, &Statement::select(&query)).await?;
    let row = row.ok_or_else(taken_away)?;
    check_geometries(model, &setting.values, &row)?;
    let record = row.record(&model.fields, &setting.shown)?;
    Changed::updated(before, record)
}

/// Finds the one record of the key, keeps others from changing it, and checks the precondition.
async fn find(lease: &mut Lease, change: &Change) -> Result<(Row, Before)> {
    let mut find = by_key(&MysqlDialect, &change.model, &change.key)?;
    find.limit(2).lock_exclusive();
    let statement = Statement::select(&find);
    let conn = lease.client_mut()?;
    let rows = conn.exec(statement.sql.as_str(), statement.params());
    change.found(rows.await.map_err(fault::translate)?)
}

/// The test that is true for the record that was found, and for no other: its key as it is stored, since the requested
/// key may equal others in the collation of the column.
fn identity_predicate(model: &Model, row: &Row) -> Result<Expr> {
    let mut tests = Vec::with_capacity(model.key.len());
    for index in &model.key {
        let field = model.at(*index)?;
        let here = match type_of(field) {
            Type::Geometry => types::read(&model.table, field),
            _ => column(&model.table, &field.name),
        };
        let key = value::key(field, value::cell(row, *index)?);
        let key = key.ok_or_else(|| Error::invalid("the key of the record is not valid text"))?;
        tests.push(match key {
            KeyValue::Null => here.is_null(),
            key => here.eq(MysqlDialect.bind_key(Some(field), &key)?),
        });
    }
    Ok(all_of(tests))
}

/// The table, under its own name.
fn table(model: &Model) -> (sea_query::DynIden, sea_query::DynIden) {
    let schema = model.schema.as_deref().unwrap_or_default();
    (name(schema), name(&model.table))
}

/// A value in the form that a column accepts; refused where something of it would be lost.
pub(super) fn stored(field: &Field, scalar: &Scalar) -> Result<Expr, String> {
    let most = field.precision.unwrap_or(0);
    if scalar.is_finer_than(u8::try_from(most).unwrap_or(MAX_FRACTION)) {
        return Err(TOO_FINE.to_owned());
    }
    if let (Type::Geometry, Scalar::Text(text)) = (type_of(field), scalar) {
        let (wkt, srid) = select::split_srid(text);
        let shape = call("ST_GeomFromText").arg(Expr::val(wkt));
        return Ok(shape.arg(Expr::val(srid.unwrap_or(0))).into());
    }
    Ok(Expr::val(select::stored(type_of(field), scalar)))
}

/// Refuses a record of which a geometry was given and none was stored: the server makes NULL of what is no WKT.
fn check_geometries(model: &Model, values: &Values, row: &Row) -> Result<()> {
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
