//! The `_relation` parameter: a path from a model to related records.

use std::{fmt, str::FromStr};

use crate::comma_list::{read_list, write_list};

/// Keeps records that have related records with one of these values (an `EXISTS`).
///
/// On the wire `column_here.model.column_there|...|column.v1,v2`: each step leads from a column to a
/// column of another model, the last part names a column of the model that was reached.
///
/// ```
/// use svc_model::Relation;
///
/// let relation: Relation = "customer_id.customers.id|country.DE,US".parse()?;
/// assert_eq!(relation.steps[0].model, "customers");
/// assert_eq!(relation.column, "country");
/// assert_eq!(relation.values, ["DE", "US"]);
/// assert_eq!(relation.to_string(), "customer_id.customers.id|country.DE,US");
/// # Ok::<(), svc_model::RelationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The steps, at least one and at most [`MAX_RELATION_STEPS`].
    pub steps: Vec<RelationStep>,
    /// A column of the model that the last step reached.
    pub column: String,
    /// The values; the column must have one of them.
    pub values: Vec<String>,
}

/// One step from a model to a related one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationStep {
    /// The column of the model.
    pub column: String,
    /// The related model (`schema.table` outside the default schema).
    pub model: String,
    /// The column of the related model that equals it.
    pub related_column: String,
}

/// The maximum number of steps in a [`Relation`].
pub const MAX_RELATION_STEPS: usize = 8;

impl Relation {
    /// A relation of one step; [`through`](Self::through) adds further steps.
    pub fn new(
        column: impl Into<String>,
        model: impl Into<String>,
        related_column: impl Into<String>,
    ) -> Self {
        let (column, model, related_column) = (column.into(), model.into(), related_column.into());
        Self {
            column: related_column.clone(),
            steps: vec![RelationStep {
                column,
                model,
                related_column,
            }],
            values: Vec::new(),
        }
    }

    /// Adds a step from the model that was reached to another model.
    #[must_use]
    pub fn through(
        mut self,
        column: impl Into<String>,
        model: impl Into<String>,
        related_column: impl Into<String>,
    ) -> Self {
        let (column, model, related_column) = (column.into(), model.into(), related_column.into());
        self.steps.push(RelationStep {
            column,
            model,
            related_column,
        });
        self
    }

    /// Sets the column of the model that was reached, and the values of which it must have one.
    #[must_use]
    pub fn having<T: Into<String>>(
        mut self,
        column: impl Into<String>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        self.column = column.into();
        self.values = values.into_iter().map(Into::into).collect();
        self
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            write!(f, "{}.{}.{}|", step.column, step.model, step.related_column)?;
        }
        write!(
            f,
            "{}.{}",
            self.column,
            write_list(self.values.iter().cloned())
        )
    }
}

impl FromStr for Relation {
    type Err = RelationError;

    fn from_str(text: &str) -> Result<Self, RelationError> {
        // A bar inside double quotes is part of a value.
        let mut quoted = false;
        let mut parts: Vec<_> = text
            .split(|character| {
                quoted ^= character == '"';
                character == '|' && !quoted
            })
            .collect();
        let last = parts.pop().unwrap_or_default();
        if parts.is_empty() || parts.len() > MAX_RELATION_STEPS {
            return Err(RelationError(()));
        }
        let steps = parts
            .into_iter()
            .map(parse_step)
            .collect::<Option<_>>()
            .ok_or(RelationError(()))?;
        let (column, values) = last.split_once('.').ok_or(RelationError(()))?;
        let values = read_list(values).map_err(|_| RelationError(()))?;
        let named = !column.is_empty() && !column.contains('"');
        let empty = values.len() == 1 && values[0].is_empty() && !last.ends_with('"');
        if !named || empty {
            return Err(RelationError(()));
        }
        Ok(Self {
            steps,
            column: column.to_owned(),
            values,
        })
    }
}

fn parse_step(text: &str) -> Option<RelationStep> {
    let (column, rest) = text.split_once('.')?;
    let (model, related_column) = rest.rsplit_once('.')?;
    let whole = ![column, model, related_column]
        .iter()
        .any(|part| part.is_empty() || part.contains('"'));
    whole.then(|| RelationStep {
        column: column.to_owned(),
        model: model.to_owned(),
        related_column: related_column.to_owned(),
    })
}

/// The error for a text that is not a valid [`Relation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected column_here.model.column_there|...|column.v1,v2 with 1 to {MAX_RELATION_STEPS} steps"
)]
pub struct RelationError(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_in_the_name_of_a_column_is_refused() {
        // The quote would hide the bar after it: once written, the text would be read as another relation.
        for text in ["a.b.c|d\"e.f", "a.b.c|d\"e|f.g", "a.b\".c|d.e"] {
            assert!(text.parse::<Relation>().is_err(), "{text}");
        }
        assert!("a.b.c|d.\"e|f\"".parse::<Relation>().is_ok());
    }
}
