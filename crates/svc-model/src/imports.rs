//! Imports: files whose rows become records, in the background (wire contract, section 11).
//!
//! A file has one request of its own, which [begins](Begin) the import. The service reads its rows, creates records of the good
//! ones and keeps the others, and goes on after a restart where it stopped.

mod empty;
mod query;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::{
    empty::{EmptyCell, EmptyCells, UnknownEmptyCell},
    query::{ImportQuery, Mapping},
};
use crate::{
    records::Collection,
    wire::{Operation, Upload},
};

/// The number of rows that are written together, unless another is chosen; fewer where they may change records.
pub const DEFAULT_BATCH: u32 = 5_000;

/// Begin: `POST B/imports` with a file, 202 with the [`Import`]. With the `Idempotency-Key` of an import that was begun before,
/// 200 with that one.
///
/// ```
/// use svc_model::{imports, records::Collection, wire::{Operation, Upload}};
///
/// let customers = Collection::new(("demo", "prod"), "shop", "customers");
/// let file = Upload::bytes("text/csv", "Name;city\nAda;London\n");
/// let begin = imports::Begin::new(customers, file)
///     .mapping([("Name", "name")])
///     .delimiter(';')
///     .dry_run(true);
/// let request = begin.to_request("https://data.example.com")?;
/// assert_eq!(request.headers()["content-type"], "text/csv");
/// assert_eq!(
///     request.uri().query(),
///     Some("_mapping=%7B%22Name%22%3A%22name%22%7D&_dry_run=1&_delimiter=%3B"),
/// );
/// # Ok::<(), svc_model::wire::RequestError>(())
/// ```
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/models/{model}/imports")]
#[operation(name = "imports.begin", status = ACCEPTED, credential = StaticToken, answer = Import)]
#[operation(new = "Begins an import of a file, which is CSV or NDJSON by its media type.")]
#[non_exhaustive]
pub struct Begin {
    /// The collection that gets the records.
    #[wire(path)]
    pub collection: Collection,
    /// The file: `text/csv` with a header, or `application/x-ndjson`.
    #[wire(upload)]
    pub file: Upload,
    /// `_mapping`: the fields that columns of the file become. Other columns become the field of their name.
    #[wire(query = "_mapping", default)]
    pub mapping: Mapping,
    /// `_empty`: what the empty cells of columns of CSV become, by the names of the columns in the file.
    #[wire(query = "_empty", default)]
    pub empty_cells: EmptyCells,
    /// `_dry_run`: tries every row and keeps nothing.
    #[wire(query = "_dry_run")]
    pub dry_run: bool,
    /// `_delimiter`: what separates the columns of CSV; a comma when `None`.
    #[wire(query = "_delimiter")]
    pub delimiter: Option<char>,
    /// `_on_conflict`: unique fields. A record that has the same values in them is changed instead of creating another. Empty
    /// where records are created in any case.
    #[wire(query = "_on_conflict", default)]
    pub on_conflict: Vec<String>,
    /// `_batch`: how many rows are written in one transaction, at most; [`DEFAULT_BATCH`] when `None`.
    #[wire(query = "_batch")]
    pub batch: Option<u32>,
    /// `_skip`: how many rows at the beginning of the file are left out. They count in the numbers of rows.
    #[wire(query = "_skip")]
    pub skip: Option<u64>,
    /// UTC offset or IANA time zone of times without an offset; UTC when `None`.
    #[wire(query = "tz")]
    pub time_zone: Option<String>,
    /// `Idempotency-Key`: the same file with the same key is imported once, however often it is sent.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get: `GET B/imports/{import}`, 200 with the [`Import`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}/imports/{import}")]
#[operation(name = "imports.get", credential = StaticToken, answer = Import)]
#[operation(new = "Gets how far an import is.")]
#[non_exhaustive]
pub struct Get {
    /// The collection that gets the records.
    #[wire(path)]
    pub collection: Collection,
    /// The identifier of the import.
    #[wire(path)]
    pub import: String,
}

/// List refused rows: `GET B/imports/{import}/refused`, 200 with a [`RefusedRow`] for each, in the order of the file.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}/imports/{import}/refused")]
#[operation(name = "imports.list_refused", credential = StaticToken, answer = Vec<RefusedRow>)]
#[operation(new = "Lists the rows of an import that were refused.")]
#[non_exhaustive]
pub struct ListRefused {
    /// The collection that gets the records.
    #[wire(path)]
    pub collection: Collection,
    /// The identifier of the import.
    #[wire(path)]
    pub import: String,
    /// `_after`: rows behind this number alone.
    #[wire(query = "_after")]
    pub after: Option<u64>,
    /// `_per_page`: so many rows at most; all when `None`.
    #[wire(query = "_per_page")]
    pub per_page: Option<u32>,
}

/// Cancel: `POST B/imports/{import}/cancel`, 200 with the [`Import`]. The rows of a batch that is being written are still
/// written; an import that has ended stays as it is.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/models/{model}/imports/{import}/cancel")]
#[operation(name = "imports.cancel", credential = StaticToken, answer = Import, idempotent = true)]
#[operation(new = "Ends an import; what was imported stays.")]
#[non_exhaustive]
pub struct Cancel {
    /// The collection that gets the records.
    #[wire(path)]
    pub collection: Collection,
    /// The identifier of the import.
    #[wire(path)]
    pub import: String,
}

/// Resume: `POST B/imports/{import}/resume`, 200 with the [`Import`]. One that was cancelled or has failed goes on behind
/// the rows that were read; others stay as they are.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/models/{model}/imports/{import}/resume")]
#[operation(name = "imports.resume", credential = StaticToken, answer = Import, idempotent = true)]
#[operation(new = "Lets an import go on.")]
#[non_exhaustive]
pub struct Resume {
    /// The collection that gets the records.
    #[wire(path)]
    pub collection: Collection,
    /// The identifier of the import.
    #[wire(path)]
    pub import: String,
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Import {
    /// Its identifier.
    pub uid: String,
    /// How far it is.
    pub state: ImportState,
    /// Whether every row is tried and nothing is kept.
    pub dry_run: bool,
    /// How many rows were read: those that were made, updated and refused.
    pub read: u64,
    /// How many records were made, or would be.
    pub made: u64,
    /// How many records were there and were changed, or would be.
    pub updated: u64,
    /// How many rows were refused.
    pub refused: u64,
    /// The size of the file, in bytes.
    #[serde(default)]
    pub bytes: u64,
    /// How many bytes of the file were read.
    #[serde(default)]
    pub bytes_read: u64,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it was begun: a date text in UTC.
    pub date_add: String,
    /// When it ended; `None` while it runs.
    pub date_end: Option<String>,
}

impl Import {
    /// An import of which nothing was read.
    pub fn new(uid: impl Into<String>, state: ImportState, date_add: impl Into<String>) -> Self {
        Self {
            uid: uid.into(),
            state,
            dry_run: false,
            read: 0,
            made: 0,
            updated: 0,
            refused: 0,
            bytes: 0,
            bytes_read: 0,
            message: None,
            date_add: date_add.into(),
            date_end: None,
        }
    }
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImportState {
    /// Its rows are being read, or wait for their turn.
    Running,
    /// All rows were read.
    Done,
    /// Something prevents it from going on, and [`Import::message`] says what.
    Failed,
    /// It was [cancelled](Cancel).
    Cancelled,
}

/// A row that was refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedRow {
    /// Its number in the file, from 1 on; the header of CSV is not counted.
    pub number: u64,
    /// The row as the file has it: an object of its columns, or a text or an array where it is no such object.
    pub row: Value,
    /// Why it was refused: messages by field.
    pub errors: Value,
}

impl RefusedRow {
    /// A row, and the messages about it.
    pub fn new(number: u64, row: Value, errors: Value) -> Self {
        Self {
            number,
            row,
            errors,
        }
    }
}
