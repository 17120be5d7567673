//! The types of what views compute: SQLite declares none for an expression. The expression tells which columns hold
//! numbers, and some rows tell it of others, and in which form dates are stored.

use std::sync::Arc;

use rusqlite::{Connection, types::ValueRef};
use svc_model::resources::FieldType;

use super::{expressions, sample::has_forms};
use crate::{Field, Model, engine::sqlite::temporal::Forms, query::quoted, structure::Kind};

/// How many rows of a view are looked at.
const SAMPLE: u32 = 100;

/// A look at some rows of a view.
pub(crate) struct ViewSample {
    columns: Vec<usize>,
    sql: String,
}

/// What was seen of a column.
pub(crate) struct Column {
    index: usize,
    numbers: Seen,
    forms: Forms,
}

impl ViewSample {
    /// A look at the columns of a view that have no declared type, or one whose values have several forms.
    pub(crate) fn of(model: &Model) -> Option<Self> {
        let is_open = |index: &usize| {
            model
                .fields
                .get(*index)
                .is_some_and(|field| field.db_type.is_empty() || has_forms(field.kind))
        };
        let columns: Vec<usize> = (0..model.fields.len()).filter(is_open).collect();
        if !model.is_view || columns.is_empty() {
            return None;
        }
        let names = columns.iter().filter_map(|index| model.fields.get(*index));
        let names: Vec<String> = names.map(|field| quoted(&field.name)).collect();
        Some(Self {
            sql: format!(
                "SELECT {} FROM main.{} LIMIT {SAMPLE}",
                names.join(", "),
                quoted(&model.table)
            ),
            columns,
        })
    }

    /// Looks at the rows.
    pub(crate) fn run(&self, connection: &Connection) -> rusqlite::Result<Vec<Column>> {
        let column = |index: &usize| Column {
            index: *index,
            numbers: Seen::Nothing,
            forms: Forms::default(),
        };
        let mut columns: Vec<Column> = self.columns.iter().map(column).collect();
        let mut statement = connection.prepare(&self.sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for (position, column) in columns.iter_mut().enumerate() {
                let value = row.get_ref(position)?;
                column.numbers.see(value);
                column.forms.see(value);
            }
        }
        Ok(columns)
    }
}

/// Gives the columns of a view the types that follow from their expressions.
pub(super) fn set_kinds_of_expressions(model: &mut Model, create_view: &str) {
    if !model.is_view {
        return;
    }
    let kinds = expressions::kinds(create_view);
    if kinds.len() != model.fields.len() {
        return;
    }
    for (field, kind) in Arc::make_mut(&mut model.fields).iter_mut().zip(kinds) {
        if let (true, Some(kind)) = (field.db_type.is_empty(), kind) {
            set_kind(field, kind);
        }
    }
}

/// Gives the columns of a view the types and forms that were seen.
pub(crate) fn set_seen(model: &mut Model, columns: &[Column]) {
    let fields = Arc::make_mut(&mut model.fields);
    for column in columns {
        let Some(field) = fields.get_mut(column.index) else {
            continue;
        };
        match column.numbers.kind() {
            Some(kind) if field.db_type.is_empty() => set_kind(field, kind),
            _ => field.storage = column.forms.storage(field.kind, field.storage),
        }
    }
}

fn set_kind(field: &mut Field, kind: Kind) {
    field.kind = kind;
    field.field_type = match kind {
        Kind::Integer => FieldType::IntegerField,
        _ => FieldType::FloatField,
    };
}

/// What a column held so far, besides NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Nothing,
    Integers,
    Numbers,
    Others,
}

impl Seen {
    fn see(&mut self, value: ValueRef<'_>) {
        *self = match (*self, value) {
            (seen, ValueRef::Null) => seen,
            (Self::Others, _) | (_, ValueRef::Text(_) | ValueRef::Blob(_)) => Self::Others,
            (Self::Nothing | Self::Integers, ValueRef::Integer(_)) => Self::Integers,
            (_, ValueRef::Integer(_) | ValueRef::Real(_)) => Self::Numbers,
        };
    }

    fn kind(self) -> Option<Kind> {
        match self {
            Self::Integers => Some(Kind::Integer),
            Self::Numbers => Some(Kind::Float),
            Self::Nothing | Self::Others => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_numbers_is_one_whatever_is_null() {
        let kind = |values: &[ValueRef<'_>]| {
            let mut seen = Seen::Nothing;
            values.iter().for_each(|value| seen.see(*value));
            seen.kind()
        };
        let (one, half) = (ValueRef::Integer(1), ValueRef::Real(0.5));
        assert_eq!(kind(&[ValueRef::Null, one]), Some(Kind::Integer));
        assert_eq!(kind(&[one, half, one]), Some(Kind::Float));
        assert_eq!(kind(&[one, ValueRef::Text(b"1"), one]), None);
        assert_eq!(kind(&[ValueRef::Null]), None);
    }
}
