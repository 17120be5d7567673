//! Columns and what a write puts into them.

use sea_query::{Expr, InsertStatement, UpdateStatement};

use super::name;
use crate::{
    Error, Field, Model, Result,
    record::refusal::Refusals,
    value::{Scalar, Values},
};

/// A column and what goes into it.
pub(crate) type Assignment = (usize, Expr);

/// Turns the values of a body into what is stored.
pub(crate) fn assignments<T>(
    model: &Model,
    values: &Values,
    stored: impl Fn(&Field, &Scalar) -> Result<T, String>,
) -> Result<Vec<(usize, T)>> {
    let mut invalid = Refusals::default();
    let mut assignments = Vec::with_capacity(values.len());
    for (index, scalar) in values {
        let field = model.at(*index)?;
        match stored(field, scalar) {
            Ok(value) => assignments.push((*index, value)),
            Err(message) => invalid.push_field(&field.name, message),
        }
    }
    invalid.into_result()?;
    Ok(assignments)
}

/// Adds the columns of a new row and their values.
pub(crate) fn insert_values(
    insert: &mut InsertStatement,
    model: &Model,
    assignments: impl IntoIterator<Item = Assignment>,
) -> Result<()> {
    let (mut columns, mut exprs) = (Vec::new(), Vec::new());
    for (index, expr) in assignments {
        columns.push(name(&model.at(index)?.name));
        exprs.push(expr);
    }
    let inserted = insert.columns(columns).values(exprs);
    inserted
        .map(drop)
        .map_err(|error| Error::internal("an insert has too few values").with_source(error))
}

/// Sets columns of a row.
pub(crate) fn set_values<'a>(
    update: &mut UpdateStatement,
    model: &Model,
    assignments: impl IntoIterator<Item = &'a Assignment>,
) -> Result<()> {
    for (index, expr) in assignments {
        update.value(name(&model.at(*index)?.name), expr.clone());
    }
    Ok(())
}
