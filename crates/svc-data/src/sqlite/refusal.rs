//! Why the database refused a write, in the words of the contract: on the field where one can be named,
//! and never with SQL or the name of another table.

use rusqlite::{Connection, params_from_iter};
use sea_query::{Expr, ExprTrait, Query};
use svc_model::Invalid;

use super::select::{Statement, bind};
use crate::{
    ConstraintKind, Error, Model,
    cursor::KeyValue,
    query::{column, name},
    structure::ForeignKey,
};

const TAKEN: &str = "record with the same value already exists";
const DANGLING: &str = "a related record does not exist, or other records refer to this one";
const NOT_ALLOWED: &str = "a rule of the database does not allow this value";

/// A field and the value that a statement gave it.
pub(crate) type Given = (usize, KeyValue);

/// Explains a refusal of a statement on `model` that set the fields `given`; a delete sets none.
pub(crate) fn explain(
    connection: &Connection,
    model: &Model,
    given: &[Given],
    error: &Error,
) -> Error {
    let Some(constraint) = error.constraint() else {
        return at_commit(error);
    };
    // A trigger may have been refused on another table, which is nobody's business.
    let fields = named_fields(model, &constraint.text);
    let on = |fields: &[&str], message: &str| -> Error {
        let mut invalid = Invalid::new();
        for field in fields {
            invalid.push_field(field, message);
        }
        if fields.is_empty() {
            invalid.push_general(message);
        }
        invalid.into()
    };
    let explained = match constraint.kind {
        ConstraintKind::Unique => on(&fields, TAKEN),
        ConstraintKind::NotNull if fields.is_empty() => on(&[], NOT_ALLOWED),
        ConstraintKind::NotNull => on(&fields, "this field may not be null"),
        ConstraintKind::Type if fields.is_empty() => on(&[], NOT_ALLOWED),
        ConstraintKind::Type => on(&fields, "the value is not of the column's type"),
        ConstraintKind::Check => check(model, &constraint.text),
        ConstraintKind::ForeignKey if given.is_empty() => on(
            &[],
            "other records refer to this one; delete or change them first",
        ),
        ConstraintKind::ForeignKey => {
            let mut fields: Vec<&str> = dangling(connection, model, given)
                .unwrap_or_default()
                .into_iter()
                .flat_map(|key| &key.fields)
                .filter_map(|index| model.fields.get(*index))
                .map(|field| field.name.as_str())
                .collect();
            fields.dedup();
            match fields.as_slice() {
                [] => on(&[], DANGLING),
                fields => on(fields, "the related record does not exist"),
            }
        }
        ConstraintKind::Trigger => on(&[], &constraint.text),
        _ => on(&[], NOT_ALLOWED),
    };
    explained.with_constraint(constraint.clone())
}

/// The fields that a refusal names as `table.column, table.column`, when it is about this table.
/// Names may hold dots and commas themselves, so that they are found by what is known of them.
fn named_fields<'m>(model: &'m Model, text: &str) -> Vec<&'m str> {
    let text = text
        .strip_prefix("cannot store ")
        .and_then(|text| text.split_once(" column "))
        .map_or(text, |(_, name)| name);
    let mut fields = Vec::new();
    let mut rest = text;
    loop {
        let Some(column) = rest
            .strip_prefix(model.table.as_str())
            .and_then(|rest| rest.strip_prefix('.'))
        else {
            return Vec::new();
        };
        let found = model
            .fields
            .iter()
            .filter_map(|field| Some((field, column.strip_prefix(field.name.as_str())?)))
            .filter(|(_, after)| after.is_empty() || after.starts_with(", "))
            .max_by_key(|(field, _)| field.name.len());
        let Some((field, after)) = found else {
            return Vec::new();
        };
        fields.push(field.name.as_str());
        match after.strip_prefix(", ") {
            Some(after) => rest = after,
            None => return fields,
        }
    }
}

/// Explains a refusal that came with the commit, when it is too late to ask which field it was.
pub(crate) fn at_commit(error: &Error) -> Error {
    match error.constraint().map(|constraint| constraint.kind) {
        Some(ConstraintKind::ForeignKey) => Error::invalid(DANGLING),
        _ => Error::invalid(NOT_ALLOWED),
    }
}

/// SQLite tells the name of a CHECK, or its text when it has none.
fn check(model: &Model, text: &str) -> Error {
    let rule = model
        .checks
        .iter()
        .find(|check| check.name.as_deref() == Some(text))
        .or_else(|| model.checks.iter().find(|check| check.text == text));
    let message = match rule.and_then(|rule| rule.name.as_deref()) {
        Some(name) => format!("the value breaks the rule {name:?}"),
        None => NOT_ALLOWED.to_owned(),
    };
    match rule.map(|rule| rule.fields.as_slice()) {
        Some([only]) => match model.fields.get(*only) {
            Some(field) => Error::invalid_field(&field.name, message),
            None => Error::invalid(message),
        },
        _ => Error::invalid(message),
    }
}

/// The foreign keys of a record whose other side is missing.
fn dangling<'m>(
    connection: &Connection,
    model: &'m Model,
    given: &[Given],
) -> rusqlite::Result<Vec<&'m ForeignKey>> {
    let mut missing = Vec::new();
    for key in &model.foreign_keys {
        let parts: Option<Vec<&KeyValue>> = key
            .fields
            .iter()
            .map(|field| {
                given
                    .iter()
                    .find(|(index, _)| index == field)
                    .map(|(_, v)| v)
            })
            .collect();
        let Some(parts) = parts else { continue };
        if key.columns.len() != parts.len() || parts.contains(&&KeyValue::Null) {
            continue;
        }
        let mut query = Query::select();
        query
            .expr(Expr::val(1_i64))
            .from_as((name("main"), name(&key.table)), name("parent"));
        for (to, value) in key.columns.iter().zip(parts) {
            query.and_where(column("parent", to).eq(bind(value)));
        }
        let statement = Statement::select(&query);
        if !connection
            .prepare_cached(&statement.sql)?
            .exists(params_from_iter(&statement.values))?
        {
            missing.push(key);
        }
    }
    Ok(missing)
}
