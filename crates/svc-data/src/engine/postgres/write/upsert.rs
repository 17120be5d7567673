//! Records that are changed where they are there, and else created, with one statement.
//!
//! `INSERT ... ON CONFLICT DO UPDATE` is not used: it refuses a body that lacks a required field, and returns the row as it is
//! afterwards only. The insert here depends on the update instead, and runs where that has found no row.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use sea_query::{
    CommonTableExpression, Expr, ExprTrait as _, PostgresQueryBuilder, Query, QueryBuilder as _,
    SelectStatement, SqlWriterValues, UnionType, WithClause,
};
use tokio_postgres::error::SqlState;

use super::{Create, is_one_statement, update};
use crate::{
    Before, Error, ErrorKind, Result,
    engine::{
        answers::Cells as _,
        postgres::{
            connect::{Lease, Manager},
            fault,
            read::one,
            select::{Bound, PostgresDialect, Statement},
        },
        server::{AtOnce, change::Change, lease::Faults as _},
        statement,
    },
    query::{assignments::Assignment, column, is_record, name},
    record::Changed,
};

/// How many statements are kept.
const MOST: usize = 256;
/// The row that was changed, and the one that was created.
const CHANGED: &str = "changed";
const CREATED: &str = "created";

/// Changes the record that has unique values, or creates it.
pub(in super::super) async fn change_or_create(
    upserts: &Upserts,
    lease: &Lease,
    change: &Change,
    create: &Create,
) -> Result<AtOnce> {
    let Some(setting) = &change.setting else {
        return Ok(AtOnce::Unsuited);
    };
    if !is_one_statement(change) || create.given.is_empty() {
        return Ok(AtOnce::Unsuited);
    }
    let (model, fields) = (&change.model, &change.model.fields);
    let row = match one(lease, &upserts.statement(change, create)?).await {
        Err(error) if is_unsuited(&error) => return Ok(AtOnce::Unsuited),
        row => row.map_err(|error| Manager::explain(model, error, true))?,
    };
    let Some(row) = row else {
        return Ok(AtOnce::Taken);
    };
    let record = row.record(fields, &setting.shown)?;
    let is_changed = row.try_get(2 * fields.len()).map_err(fault::translate)?;
    Ok(AtOnce::Written(match is_changed {
        true => {
            let before = row.record_at(fields, &change.key_shown, fields.len())?;
            Changed::updated(Before::of(model, before)?, record)?.into_updated()?
        }
        false => record,
    }))
}

/// Whether the server refuses the statement as such: a table with rules accepts no such one, and it needs the rights of both an
/// update and an insert whichever it does.
fn is_unsuited(error: &Error) -> bool {
    let refusals = [
        SqlState::FEATURE_NOT_SUPPORTED,
        SqlState::INSUFFICIENT_PRIVILEGE,
    ];
    error.kind() == ErrorKind::Invalid
        && fault::code(error).is_some_and(|code| refusals.contains(code))
}

/// The statements that were written, by what they differ in. Writing one takes as long as the rest of an upsert.
#[derive(Default)]
pub(in super::super) struct Upserts(Mutex<HashMap<Shape, Arc<str>>>);

/// What the statement of an upsert depends on, beside its values.
#[derive(PartialEq, Eq, Hash)]
struct Shape {
    model: String,
    structure_version: i64,
    /// The test that finds the record.
    key: String,
    unique: Vec<usize>,
    /// The fields that an update sets, and those that a new record gives.
    set: Vec<usize>,
    given: Vec<usize>,
}

impl Upserts {
    /// The statement of an upsert.
    fn statement(&self, change: &Change, create: &Create) -> Result<Statement> {
        let model = &change.model;
        let found = is_record(&PostgresDialect, model, &change.key)?;
        let key = condition(&found);
        let set = change.setting.iter();
        let set = set.flat_map(|setting| &setting.assignments);
        let Some(values) = values(set.clone(), &key.values, &create.values) else {
            return write(change, create, found);
        };
        let indexes = |(index, _): &Assignment| *index;
        let shape = Shape {
            model: model.name.clone(),
            structure_version: model.structure_version,
            key: key.sql,
            unique: create.unique.clone(),
            set: set.map(indexes).collect(),
            given: create.given.clone(),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sql) = known.get(&shape) {
            let sql = sql.to_string();
            return Ok(Statement { sql, values });
        }
        let statement = write(change, create, found)?;
        // It is not kept where it binds its values in another order.
        if statement.values == values {
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(shape, statement.sql.as_str().into());
        }
        Ok(statement)
    }
}

/// A test as the text and the values of a statement.
fn condition(test: &Expr) -> Statement {
    let (placeholder, is_numbered) = PostgresQueryBuilder.placeholder();
    let mut sql = SqlWriterValues::new(placeholder, is_numbered);
    PostgresQueryBuilder.prepare_expr(test, &mut sql);
    sql.into_parts().into()
}

/// The values in the order in which the statement binds them: the test is in it twice. `None` where one of them is no plain value.
fn values<'a>(
    set: impl Iterator<Item = &'a Assignment>,
    key: &[Bound],
    given: &[Bound],
) -> Option<Vec<Bound>> {
    let plain = |(_, value): &Assignment| match value {
        Expr::Value(value) => Some(<Bound as statement::Bound>::of(value.clone())),
        _ => None,
    };
    let mut values = set.map(plain).collect::<Option<Vec<_>>>()?;
    values.extend_from_slice(key);
    values.extend_from_slice(key);
    values.extend_from_slice(given);
    Some(values)
}

/// Writes the statement. Its row is the record, then what it was, NULL where it was created, and then whether it was changed.
fn write(change: &Change, create: &Create, found: Expr) -> Result<Statement> {
    let model = &change.model;
    let count = model.fields.len();
    let settings = change.setting.iter();
    let assignments = settings.flat_map(|setting| &setting.assignments);
    let update = update(model, assignments, found, true)?;

    let mut is_changed = Query::select();
    is_changed.expr(Expr::cust("1")).from(name(CHANGED));
    let mut new = Query::select();
    new.exprs(create.assignments().map(|(_, value)| value));
    new.and_where(Expr::exists(is_changed).not());
    let mut insert = create.insertion()?;
    let columns = create.given.iter();
    let columns = columns.map(|index| Ok(name(&model.at(*index)?.name)));
    insert.columns(columns.collect::<Result<Vec<_>>>()?);
    let inserted = insert.select_from(new);
    inserted.map_err(|error| Error::internal("an insert has too few values").with_source(error))?;

    let mut both = WithClause::new();
    both.cte(part(CHANGED, 2 * count).query(update).to_owned());
    both.cte(part(CREATED, count).query(insert).to_owned());
    let mut changed = read(CHANGED, 2 * count);
    changed.expr(Expr::cust("TRUE"));
    let mut created = read(CREATED, count);
    created.exprs((0..count).map(|_| Expr::cust("NULL")));
    created.expr(Expr::cust("FALSE"));
    changed.union(UnionType::All, created);
    Ok(both.query(changed).build(PostgresQueryBuilder).into())
}

/// A part of the statement that returns so many columns.
fn part(called: &str, columns: usize) -> CommonTableExpression {
    let mut part = CommonTableExpression::new();
    part.table_name(name(called));
    part.columns((0..columns).map(|index| name(&place(index))));
    part
}

/// Reads the columns of a part.
fn read(called: &str, columns: usize) -> SelectStatement {
    let mut read = Query::select();
    read.exprs((0..columns).map(|index| column(called, &place(index))));
    read.from(name(called));
    read
}

/// What a column of a part is called.
fn place(index: usize) -> String {
    format!("c{index}")
}
