//! Which rule of an SQLite database refused a write, and which fields it is about.

use rusqlite::Connection;
use sea_query::{Expr, ExprTrait, Query};

use super::{bound::bind, select::Statement};
use crate::{
    ConstraintKind, Error, ErrorKind, Model,
    query::{SELF, column, cursor::KeyValue, name},
    record::refusal::{at_commit, names, refused, refused_by_check, refused_by_referrer},
    structure::{ForeignKey, Referrer, Rule},
};

/// A field and the value that a statement gave it.
pub(crate) type Given = (usize, KeyValue);

/// Explains a refusal of a statement on `model` that set the fields `given`; a delete sets none. `record` holds for the
/// record that was to be changed or deleted.
pub(crate) fn explain(
    connection: &Connection,
    model: &Model,
    given: &[Given],
    record: Option<Expr>,
    error: Error,
) -> Error {
    if error.kind() != ErrorKind::Constraint {
        return error;
    }
    let Some(constraint) = error.constraint() else {
        return at_commit(&error);
    };
    match constraint.kind {
        ConstraintKind::Check => {
            refused_by_check(constraint, None, model, check(model, &constraint.text))
        }
        ConstraintKind::ForeignKey => {
            let dangling = dangling(connection, model, given).unwrap_or_default();
            if dangling.is_empty()
                && let Some(record) = record
                && let Ok(Some(referrer)) = referrer(connection, model, &record)
            {
                return refused_by_referrer(constraint, referrer);
            }
            let fields: Vec<usize> = dangling
                .into_iter()
                .flat_map(|key| key.fields.clone())
                .collect();
            refused(constraint, None, &names(model, &fields), !given.is_empty())
        }
        // A trigger may have been refused on another table, whose name is not disclosed.
        _ => {
            let fields = named_fields(model, &constraint.text);
            refused(constraint, None, &fields, true)
        }
    }
}

/// The fields that a refusal names as `table.column, table.column`, when it is about this table.
/// Names may contain dots and commas themselves, so that they are found by what is known of them.
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

/// SQLite tells the name of a CHECK, or its text when it has none.
fn check<'m>(model: &'m Model, text: &str) -> Option<&'m Rule> {
    let named = model.checks.iter();
    named
        .clone()
        .find(|check| check.name.as_deref() == Some(text))
        .or_else(|| named.clone().find(|check| check.text == text))
}

/// The foreign keys of a record whose other side is missing.
fn dangling<'m>(
    connection: &Connection,
    model: &'m Model,
    given: &[Given],
) -> rusqlite::Result<Vec<&'m ForeignKey>> {
    let mut missing = Vec::new();
    let value_of = |field: &usize| {
        let found = given.iter().find(|(index, _)| index == field);
        found.map(|(_, value)| value)
    };
    for key in &model.foreign_keys {
        let parts: Option<Vec<&KeyValue>> = key.fields.iter().map(value_of).collect();
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
        if !Statement::select(&query).has_rows(connection)? {
            missing.push(key);
        }
    }
    Ok(missing)
}

/// A foreign key by which records of another model, or other ones of this, refer to a record.
fn referrer<'m>(
    connection: &Connection,
    model: &'m Model,
    record: &Expr,
) -> rusqlite::Result<Option<&'m Referrer>> {
    const CHILD: &str = "child";
    for referrer in &model.referrers {
        let mut query = Query::select();
        query
            .expr(Expr::val(1_i64))
            .from_as((name("main"), name(&model.table)), name(SELF))
            .from_as((name("main"), name(&referrer.model)), name(CHILD))
            .and_where(record.clone());
        for (field, referred) in referrer.fields.iter().zip(&referrer.columns) {
            query.and_where(column(CHILD, field).equals((name(SELF), name(referred))));
        }
        if Statement::select(&query).has_rows(connection)? {
            return Ok(Some(referrer));
        }
    }
    Ok(None)
}
