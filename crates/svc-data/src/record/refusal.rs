//! Why a write was refused, in the words of the contract: on the field where one can be named, with a code for programs,
//! and never with SQL or the name of another table.

use svc_model::{Invalid, MAX_MESSAGES, NON_FIELD_ERRORS};

use crate::{
    Constraint, ConstraintKind, Error, ErrorCode, Model, Result,
    structure::{Referrer, Rule},
};

const TAKEN: &str = "record with the same value already exists";
const DANGLING: &str = "a related record does not exist, or other records refer to this one";
const REFERRED_TO: &str = "other records refer to this one; delete or change them first";
const NOT_ALLOWED: &str = "a rule of the database does not allow this value";

/// What is wrong with the values of a body, each with its code.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    invalid: Invalid,
    codes: Vec<(String, ErrorCode)>,
}

impl Refusals {
    /// Adds what is wrong with a field.
    pub(crate) fn push(&mut self, field: &str, code: ErrorCode, message: impl Into<String>) {
        self.invalid.push_field(field, message);
        // As many as messages are kept.
        if self.codes.len() < MAX_MESSAGES {
            self.codes.push((field.to_owned(), code));
        }
    }

    /// Adds a value that its field does not accept.
    pub(crate) fn push_field(&mut self, field: &str, message: impl Into<String>) {
        self.push(field, ErrorCode::Invalid, message);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.invalid.is_empty()
    }

    /// `Ok` when nothing is wrong.
    pub(crate) fn into_result(self) -> Result<()> {
        if self.invalid.is_empty() {
            return Ok(());
        }
        let codes = self.codes.into_iter();
        Err(
            codes.fold(Error::from(self.invalid), |error, (field, code)| {
                error.with_code(field, code)
            }),
        )
    }
}

/// The refusal of a write by a constraint of the database that has this name and is about these fields; where it is
/// about none, the message is about the record. `is_write` is true for a record that was to be stored, and false for one
/// that was to be deleted.
pub(crate) fn refused(
    constraint: &Constraint,
    name: Option<&str>,
    fields: &[&str],
    is_write: bool,
) -> Error {
    worded(constraint.kind, fields, &constraint.text, is_write)
        .with_constraint(named(constraint, name, fields))
}

/// The refusal of a CHECK, where it is known which.
pub(crate) fn refused_by_check(
    constraint: &Constraint,
    name: Option<&str>,
    model: &Model,
    rule: Option<&Rule>,
) -> Error {
    let name = rule.and_then(|rule| rule.name.as_deref()).or(name);
    let fields = rule
        .map(|rule| names(model, &rule.fields))
        .unwrap_or_default();
    let message = match name {
        Some(name) => format!("the value breaks the rule {name:?}"),
        None => NOT_ALLOWED.to_owned(),
    };
    // Of several columns it is not known which one is wrong.
    let blamed = match fields.as_slice() {
        [only] => &[*only][..],
        _ => &[],
    };
    on(blamed, ErrorCode::Check, &message).with_constraint(named(constraint, name, &fields))
}

/// The refusal of a write by a foreign key of another model, whose records refer to the record.
pub(crate) fn refused_by_referrer(constraint: &Constraint, referrer: &Referrer) -> Error {
    let columns: Vec<&str> = referrer.fields.iter().map(String::as_str).collect();
    let mut shown = named(constraint, referrer.name.as_deref(), &columns);
    shown.model = Some(referrer.model.clone());
    on(&[], ErrorCode::ForeignKey, REFERRED_TO).with_constraint(shown)
}

/// A refusal that came with the commit, when it is too late to ask which field it was.
pub(crate) fn at_commit(error: &Error) -> Error {
    let Some(constraint) = error.constraint() else {
        return Error::invalid(NOT_ALLOWED);
    };
    let message = match constraint.kind {
        ConstraintKind::ForeignKey => DANGLING,
        _ => NOT_ALLOWED,
    };
    on(&[], constraint.kind.code(), message).with_constraint(named(constraint, None, &[]))
}

/// A constraint as a client may see it: with the name and the columns that belong to the model that was written.
fn named(constraint: &Constraint, name: Option<&str>, fields: &[&str]) -> Constraint {
    Constraint {
        table: constraint.table.clone(),
        name: name.filter(|name| !name.is_empty()).map(str::to_owned),
        columns: fields.iter().copied().map(str::to_owned).collect(),
        ..Constraint::new(constraint.kind, constraint.text.as_str())
    }
}

fn worded(kind: ConstraintKind, fields: &[&str], text: &str, is_write: bool) -> Error {
    let general = fields.is_empty();
    on(
        fields,
        kind.code(),
        match kind {
            ConstraintKind::Unique => TAKEN,
            ConstraintKind::NotNull if !general => "this field may not be null",
            ConstraintKind::Type if !general => "the value is not of the column's type",
            ConstraintKind::TooLong => "the value is longer than the column allows",
            ConstraintKind::OutOfRange => "the value is out of the range of the column",
            ConstraintKind::ForeignKey if !is_write => {
                return on(&[], ErrorCode::ForeignKey, REFERRED_TO);
            }
            ConstraintKind::ForeignKey if general => DANGLING,
            ConstraintKind::ForeignKey => "the related record does not exist",
            ConstraintKind::Trigger => text,
            _ => NOT_ALLOWED,
        },
    )
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

fn on(fields: &[&str], code: ErrorCode, message: &str) -> Error {
    if fields.is_empty() {
        return Error::invalid(message).with_code(NON_FIELD_ERRORS, code);
    }
    let mut refusals = Refusals::default();
    for field in fields {
        refusals.push(field, code, message);
    }
    match refusals.into_result() {
        Err(error) => error,
        Ok(()) => Error::invalid(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_constraint_its_columns_and_a_code() {
        let unique = Constraint::new(ConstraintKind::Unique, "");
        let error = refused(&unique, Some("orders_key"), &["shop", "number"], true);
        let shown = error.constraint().unwrap();
        assert_eq!(shown.name.as_deref(), Some("orders_key"));
        assert_eq!(shown.columns, ["shop", "number"]);
        let codes = [("shop", ErrorCode::Unique), ("number", ErrorCode::Unique)];
        assert_eq!(
            error.codes(),
            codes.map(|(field, code)| (field.to_owned(), code))
        );
        assert_eq!(error.messages().field_errors().len(), 2);
        let kept = refused(
            &Constraint::new(ConstraintKind::ForeignKey, ""),
            None,
            &[],
            false,
        );
        assert_eq!(
            kept.codes(),
            [(NON_FIELD_ERRORS.to_owned(), ErrorCode::ForeignKey)]
        );
        assert_eq!(kept.constraint().unwrap().name, None);
    }
}
