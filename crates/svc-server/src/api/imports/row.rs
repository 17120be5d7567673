//! A row of a file.

use csv::StringRecord;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};
use svc_model::{
    Invalid, JsonObject, MAX_JSON_DEPTH,
    imports::{EmptyCells, Mapping},
    json_depth,
};

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
    Csv { delimiter: u8 },
    Ndjson,
}

/// What the columns of a file become.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Columns {
    /// The fields that they become.
    pub(super) mapping: Mapping,
    /// What their empty cells become.
    #[serde(default, skip_serializing_if = "EmptyCells::is_empty")]
    pub(super) empty_cells: EmptyCells,
}

/// A row of a file.
#[derive(Debug)]
pub(super) struct Row {
    /// Its number, from 1 on.
    pub(super) number: u64,
    /// The row as the file has it.
    pub(super) raw: RawRow,
    /// The record that it describes, or why it describes none.
    pub(super) record: Result<JsonObject, Invalid>,
}

/// A row as a file has it, and the record that it describes, or why it describes none.
pub(super) type Described = (RawRow, Result<JsonObject, Invalid>);

/// A row as a file has it.
#[derive(Debug)]
pub(super) enum RawRow {
    /// The cells of CSV.
    Cells(StringRecord),
    /// A line of NDJSON.
    Line(String),
    /// What is no text.
    Unreadable,
}

impl RawRow {
    /// How many bytes it takes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Cells(cells) => cells.as_slice().len() + cells.len() * size_of::<usize>(),
            Self::Line(line) => line.len(),
            Self::Unreadable => 0,
        }
    }

    /// The row as JSON: an object of the columns of the file, or what there is where it is no such object.
    pub(super) fn to_json(&self, columns: &[String]) -> String {
        let value = match self {
            Self::Line(line) => {
                // What readers of JSON may not be able to read is a text.
                let is_readable = json_depth(line) <= MAX_JSON_DEPTH
                    && serde_json::from_str::<Value>(line).is_ok();
                return match serde_json::from_str::<&RawValue>(line) {
                    Ok(json) if is_readable => json.get().to_owned(),
                    _ => Value::from(line.as_str()).to_string(),
                };
            }
            Self::Unreadable => Value::Null,
            Self::Cells(cells) if cells.len() == columns.len() => {
                let cells = columns.iter().cloned().zip(cells.iter().map(Value::from));
                Value::Object(cells.collect::<Map<_, _>>())
            }
            Self::Cells(cells) => cells.iter().map(Value::from).collect(),
        };
        value.to_string()
    }
}

/// Why no further row of a file can be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unreadable(pub(super) String);

impl From<Invalid> for Unreadable {
    /// The structure of the database has changed since the file arrived.
    fn from(invalid: Invalid) -> Self {
        Self(invalid.to_string())
    }
}
