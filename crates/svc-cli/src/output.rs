//! Where results go: to people as text and tables, to programs as one line of JSON.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;
use svc_model::JsonObject;

use crate::{
    failure::Failure,
    rows::{Format, RowWriter},
};

/// Standard output and standard error, and who reads the first.
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// For programs, or for people.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether a program reads standard output.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// The format of the rows of an API command: what was asked for, else what fits the reader.
    pub(crate) fn format(&self, asked: Option<Format>) -> Format {
        asked.unwrap_or(if self.json {
            Format::Json
        } else {
            Format::Table
        })
    }

    /// The result of a command: one line of JSON for programs, the text for people.
    pub(crate) fn result(&self, json: &impl Serialize, text: &str) -> Result<(), Failure> {
        if self.json {
            let mut line = serde_json::to_string(json).map_err(|error| {
                Failure::new(format!("cannot write the result as JSON: {error}"))
            })?;
            line.push('\n');
            write_out(&line)
        } else {
            write_out(text)
        }
    }

    /// A list of things: an array on one line for programs, a table for people; `none` when it is empty.
    pub(crate) fn list<T: Serialize>(
        &self,
        things: impl IntoIterator<Item = T>,
        none: &str,
    ) -> Result<(), Failure> {
        let rows = things
            .into_iter()
            .map(|thing| to_row(&thing))
            .collect::<Result<Vec<_>, _>>()?;
        if rows.is_empty() && !self.json {
            self.note(none);
        }
        let mut writer = RowWriter::to_stdout(self.format(None));
        for row in rows {
            writer.write(row)?;
        }
        writer.finish()
    }

    /// A message beside the result, on standard error.
    pub(crate) fn note(&self, text: &str) {
        // A message that cannot be shown does not stop the work it is about.
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Whether progress can be shown on standard error.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }
}

/// Writes text to standard output.
pub(crate) fn write_out(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Failure::output(&error))
}

/// A thing as a row: its properties in their order.
fn to_row(thing: &impl Serialize) -> Result<JsonObject, Failure> {
    serde_json::to_string(thing)
        .and_then(|text| serde_json::from_str(&text))
        .map_err(|error| Failure::new(format!("cannot write the list: {error}")))
}
