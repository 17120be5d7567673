//! Reading the store's own column types: identifiers and times, which its tables keep as text.

use jiff::Timestamp;
use svc_data::Row;
use uuid::Uuid;

use crate::clock;
use crate::error::Error;

/// An identifier.
pub(crate) fn uid(row: &Row, column: &str) -> Result<Uuid, Error> {
    let text: String = row.get(column)?;
    parse_uid(&text)
}

/// An identifier, or NULL.
pub(crate) fn optional_uid(row: &Row, column: &str) -> Result<Option<Uuid>, Error> {
    let text: Option<String> = row.get(column)?;
    text.as_deref().map(parse_uid).transpose()
}

/// A time.
pub(crate) fn time(row: &Row, column: &str) -> Result<Timestamp, Error> {
    let text: String = row.get(column)?;
    clock::from_text(&text)
}

/// A time, or NULL.
pub(crate) fn optional_time(row: &Row, column: &str) -> Result<Option<Timestamp>, Error> {
    let text: Option<String> = row.get(column)?;
    text.as_deref().map(clock::from_text).transpose()
}

fn parse_uid(text: &str) -> Result<Uuid, Error> {
    text.parse::<Uuid>().map_err(Error::caused(
        "the store holds an identifier that cannot be read",
    ))
}
