//! Why a database refused a write, in the words of the contract: on the field where one can be named, and
//! never with SQL or the name of another table.

use svc_model::Invalid;

use crate::{ConstraintKind, Error, Model, structure::Rule};

const TAKEN: &str = "record with the same value already exists";
const DANGLING: &str = "a related record does not exist, or other records refer to this one";
const NOT_ALLOWED: &str = "a rule of the database does not allow this value";

/// A refusal that is about these fields; where it names none, about the record. `is_write` tells a record that
/// was to be stored from one that was to be deleted.
pub(crate) fn worded(kind: ConstraintKind, fields: &[&str], text: &str, is_write: bool) -> Error {
    let general = fields.is_empty();
    on(
        fields,
        match kind {
            ConstraintKind::Unique => TAKEN,
            ConstraintKind::NotNull if !general => "this field may not be null",
            ConstraintKind::Type if !general => "the value is not of the column's type",
            ConstraintKind::ForeignKey if !is_write => {
                return Error::invalid(
                    "other records refer to this one; delete or change them first",
                );
            }
            ConstraintKind::ForeignKey if general => DANGLING,
            ConstraintKind::ForeignKey => "the related record does not exist",
            ConstraintKind::Trigger => text,
            _ => NOT_ALLOWED,
        },
    )
}

/// A refusal of a CHECK rule, where it is known which.
pub(crate) fn by_check(model: &Model, rule: Option<&Rule>) -> Error {
    let message = match rule.and_then(|rule| rule.name.as_deref()) {
        Some(name) => format!("the value breaks the rule {name:?}"),
        None => NOT_ALLOWED.to_owned(),
    };
    match rule.map(|rule| rule.fields.as_slice()) {
        Some([only]) => on(&names(model, &[*only]), &message),
        _ => Error::invalid(message),
    }
}

/// A refusal that came with the commit, when it is too late to ask which field it was.
pub(crate) fn at_commit(error: &Error) -> Error {
    match error.constraint().map(|constraint| constraint.kind) {
        Some(ConstraintKind::ForeignKey) => Error::invalid(DANGLING),
        _ => Error::invalid(NOT_ALLOWED),
    }
}

/// The names of fields of a model, each once.
pub(crate) fn names<'m>(model: &'m Model, fields: &[usize]) -> Vec<&'m str> {
    let mut names: Vec<&str> = Vec::with_capacity(fields.len());
    for field in fields.iter().filter_map(|index| model.fields.get(*index)) {
        if !names.contains(&field.name.as_str()) {
            names.push(&field.name);
        }
    }
    names
}

fn on(fields: &[&str], message: &str) -> Error {
    let mut invalid = Invalid::new();
    for field in fields {
        invalid.push_field(field, message);
    }
    if fields.is_empty() {
        invalid.push_general(message);
    }
    invalid.into()
}
