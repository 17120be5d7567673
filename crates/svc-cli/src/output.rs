//! Where results go: to people as text and tables, to programs as one line of JSON.

mod format;
mod progress;
mod row;
mod rows;
mod shell;

use std::{
    collections::HashSet,
    fmt,
    io::{self, IsTerminal as _, Write as _},
};

use jiff::{Timestamp, Unit};
use serde::Serialize;
use svc_model::JsonObject;

pub(crate) use self::{
    format::{Format, FormatArg},
    progress::Progress,
    row::row,
    rows::RowWriter,
    shell::shell_word,
};
use crate::error::{Error, OrJson as _};

/// Standard output and standard error, and who reads the first.
#[derive(Default)]
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

    /// The format of the rows of an API command: the requested one, else what fits the reader.
    pub(crate) fn format(&self, requested: FormatArg) -> Format {
        requested.format.unwrap_or(match self.json {
            true => Format::Json,
            false => Format::Table,
        })
    }

    /// The result of a command: one line of JSON for programs, the text for people.
    pub(crate) fn result(&self, json: &impl Serialize, text: &str) -> Result<(), Error> {
        if self.json {
            let line = serde_json::to_string(json).or_json("the result")?;
            write_out(&format!("{line}\n"))
        } else {
            write_out(text)
        }
    }

    /// A secret that was made now, in `json` for programs: it is not shown again.
    pub(crate) fn secret(
        &self,
        what: &str,
        json: &impl Serialize,
        secret: &str,
    ) -> Result<(), Error> {
        self.note(&format!("{what}; it is not shown again:"));
        self.result(json, &format!("{secret}\n"))
    }

    /// A thing that was deleted, by what it was known by.
    pub(crate) fn deleted(&self, thing: &str, id: &str) -> Result<(), Error> {
        self.result(&row! { deleted: id }, &format!("{thing} {id} deleted\n"))
    }

    /// A list of things: an array on one line for programs; for people a table of the properties that
    /// any of them has, without the uid, or `none` when there are no things.
    pub(crate) fn list<T: Serialize>(
        &self,
        things: impl IntoIterator<Item = T>,
        none: &str,
    ) -> Result<(), Error> {
        let rows = things.into_iter().map(|thing| to_row(&thing));
        let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
        if !self.json {
            if rows.is_empty() {
                self.note(none);
            }
            keep_what_people_read(&mut rows);
        }
        self.rows(FormatArg::default(), rows)
    }

    /// One thing: a table of its properties for people, otherwise as one row, which in JSON is one object.
    pub(crate) fn one(&self, requested: FormatArg, thing: &impl Serialize) -> Result<(), Error> {
        rows::write_one(self.format(requested), to_row(thing)?)
    }

    /// Rows that are all there.
    pub(crate) fn rows(&self, requested: FormatArg, rows: Vec<JsonObject>) -> Result<(), Error> {
        RowWriter::to_stdout(self.format(requested)).write_all(rows)
    }

    /// A message beside the result, on standard error.
    pub(crate) fn note(&self, text: &str) {
        // A message that cannot be shown does not stop the work it is about.
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// An entity tag beside a result, for `--if-match`.
    pub(crate) fn etag(&self, etag: Option<&str>) {
        self.note(&format!("ETag: {}", etag.unwrap_or("none")));
    }

    /// Whether progress can be shown on standard error.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.json && io::stderr().is_terminal()
    }
}

/// Writes text to standard output.
pub(crate) fn write_out(text: &str) -> Result<(), Error> {
    write_bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub(crate) fn write_bytes(bytes: &[u8]) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written.map_err(|error| Error::output(&error))
}

/// How many things there are, such as `1 page` or `3 pages`.
pub(crate) fn counted(number: impl fmt::Display, thing: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// A time as lists show it, to the second.
pub(crate) fn time(time: Timestamp) -> String {
    time.round(Unit::Second).unwrap_or(time).to_string()
}

/// A time in an answer, as lists show it.
pub(crate) fn answered_time(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), time)
}

/// A thing as a row: its properties in their order.
pub(crate) fn to_row(thing: &impl Serialize) -> Result<JsonObject, Error> {
    JsonObject::from_serialize(thing).or_json("the result")
}

/// Removes the properties that no row has a value for, and the uids.
fn keep_what_people_read(rows: &mut [JsonObject]) {
    let properties = rows.iter().flat_map(JsonObject::iter);
    let telling = properties.filter(|(name, value)| *name != "uid" && value.get() != "null");
    let names: HashSet<String> = telling.map(|(name, _)| name.to_owned()).collect();
    for row in rows {
        row.retain(|name| names.contains(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_not_shown_what_no_row_has() {
        let row = |text| serde_json::from_str::<JsonObject>(text).unwrap();
        let mut rows = [
            row(r#"{"prefix":"a","expires":null,"revoked":null,"uid":"1"}"#),
            row(r#"{"prefix":"b","expires":"2027","revoked":null,"uid":"2"}"#),
        ];
        keep_what_people_read(&mut rows);
        assert_eq!(rows[0], row(r#"{"prefix":"a","expires":null}"#));
        assert_eq!(rows[1], row(r#"{"prefix":"b","expires":"2027"}"#));
    }
}
