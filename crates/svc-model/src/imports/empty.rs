//! What empty cells of CSV become.

use std::{collections::BTreeMap, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{query::QueryString, wire::QueryValue};

/// What an empty cell of CSV becomes, where a column has a choice of its own. In other columns it is NULL where the field allows
/// it, else the empty text, and else it is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EmptyCell {
    /// NULL. A row with one is refused where the field does not allow NULL.
    Null,
    /// The empty text, also where the field allows NULL.
    Text,
    /// What the database fills in where no value is given. A record that is changed keeps its value.
    Default,
}

impl EmptyCell {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text => "text",
            Self::Default => "default",
        }
    }
}

impl FromStr for EmptyCell {
    type Err = UnknownEmptyCell;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Null, Self::Text, Self::Default]
            .into_iter()
            .find(|known| known.as_str() == text)
            .ok_or(UnknownEmptyCell(()))
    }
}

/// A text that is no [`EmptyCell`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an empty cell becomes null, text or default")]
pub struct UnknownEmptyCell(());

/// What the empty cells of columns become, by the names of the columns in the file.
///
/// ```
/// use svc_model::imports::{EmptyCell, EmptyCells};
///
/// let empty = EmptyCells::from([("Remarks", EmptyCell::Text)]);
/// assert_eq!(empty.of("Remarks"), Some(EmptyCell::Text));
/// assert_eq!(empty.of("Name"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EmptyCells(BTreeMap<String, EmptyCell>);

impl EmptyCells {
    /// What the empty cells of a column become; `None` where it has no choice of its own.
    pub fn of(&self, column: &str) -> Option<EmptyCell> {
        self.0.get(column).copied()
    }

    /// The columns that it names, and what their empty cells become.
    pub fn iter(&self) -> impl Iterator<Item = (&str, EmptyCell)> {
        let entries = self.0.iter();
        entries.map(|(column, becomes)| (column.as_str(), *becomes))
    }

    /// Whether it names no column.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<C: Into<String>, const N: usize> From<[(C, EmptyCell); N]> for EmptyCells {
    fn from(columns: [(C, EmptyCell); N]) -> Self {
        columns.into_iter().collect()
    }
}

impl<C: Into<String>> FromIterator<(C, EmptyCell)> for EmptyCells {
    fn from_iter<I: IntoIterator<Item = (C, EmptyCell)>>(columns: I) -> Self {
        let columns = columns.into_iter();
        Self(
            columns
                .map(|(column, becomes)| (column.into(), becomes))
                .collect(),
        )
    }
}

/// A JSON object; nothing where it is empty.
impl QueryValue for EmptyCells {
    fn write(&self, name: &str, query: &mut QueryString) {
        // An object of texts can always be written.
        if let (false, Ok(json)) = (self.is_empty(), serde_json::to_string(self)) {
            query.push(name, &json);
        }
    }
}
