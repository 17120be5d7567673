//! Rows of CSV with a header (RFC 4180).

use std::{
    collections::{HashMap, HashSet},
    io::{self, Chain, Cursor, Read},
    sync::Arc,
};

use csv::{ErrorKind, StringRecord};
use serde_json::value::{RawValue, to_raw_value};
use svc_model::{
    Invalid, JsonObject, MAX_JSON_DEPTH,
    imports::EmptyCell,
    json_depth,
    resources::{FieldDescription, FieldType, ModelDescription},
};
use uuid::Uuid;

use super::{
    csv_quotes::Quotes,
    row::{Columns, Described, RawRow, Unreadable},
};

/// The longest header, in bytes.
const LONGEST_HEADER: usize = 1 << 20;
/// The most columns: more than any table has.
const MAX_COLUMNS: usize = 10_000;
/// About how many values a row may have before it is read as a whole, since each takes memory. Delimiters within values count.
const MAX_VALUES: usize = 4 << 20;

/// Reads rows.
pub(super) struct CsvReader<R: Read> {
    file: csv::Reader<Bounded<Chain<R, Cursor<String>>>>,
    columns: Arc<[String]>,
    /// What each column becomes; none where it is left out.
    targets: Vec<Option<Target>>,
    /// A last row behind those of the file. When a quote is not closed, it becomes part of a value.
    end: String,
    has_ended: bool,
    bytes: u64,
    /// The number of the row that was read last; 0 for the header.
    number: u64,
    /// Its empty cells that stand in quotes.
    quoted: Vec<usize>,
}

impl<R: Read> CsvReader<R> {
    pub(super) fn new(
        file: R,
        delimiter: u8,
        wanted: &Columns,
        model: &ModelDescription,
        longest: usize,
    ) -> Result<Self, Invalid> {
        // Letters and digits, which separate no columns.
        let end = format!("end{}", Uuid::new_v4().simple());
        let file = file.chain(Cursor::new(format!("\n{end}\n")));
        let mut file = csv::ReaderBuilder::new()
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(Bounded {
                file,
                delimiter,
                quotes: Quotes::new(delimiter, MAX_COLUMNS),
                left: longest.min(LONGEST_HEADER),
                values: 0,
                longest,
            });
        let wrong = |why: &dyn std::fmt::Display| {
            Invalid::general(format!("the header of the file cannot be read: {why}"))
        };
        let header = file.headers().map_err(|error| wrong(&error))?;
        let is_empty = header.len() == 1 && header.get(0) == Some(end.as_str());
        if !is_empty && header.iter().any(|name| name.contains(&end)) {
            return Err(wrong(&"a quote is opened in it and not closed"));
        }
        if header.len() > MAX_COLUMNS {
            return Err(wrong(&format_args!(
                "it has more than {MAX_COLUMNS} columns"
            )));
        }
        let mut columns: Vec<String> = header
            .iter()
            .filter(|_| !is_empty)
            .map(str::to_owned)
            .collect();
        if let Some(first) = columns.first_mut()
            && let Some(rest) = first.strip_prefix('\u{feff}')
        {
            *first = rest.to_owned();
        }
        Ok(Self {
            targets: targets(&columns, wanted, model, is_empty)?,
            file,
            columns: columns.into(),
            end,
            has_ended: is_empty,
            bytes: 0,
            number: 0,
            quoted: Vec::new(),
        })
    }

    pub(super) fn columns(&self) -> Arc<[String]> {
        Arc::clone(&self.columns)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn skip(&mut self) -> Result<bool, Unreadable> {
        self.row().transpose().map(|row| row.is_some())
    }

    pub(super) fn next(&mut self) -> Option<Result<Described, Unreadable>> {
        Some(self.row()?.map(|row| match row {
            Ok(cells) => {
                let record = self.record(&cells);
                // So many values that they are not worth their memory.
                let is_kept = cells.len() <= self.targets.len() + MAX_COLUMNS;
                let raw = match is_kept {
                    true => RawRow::Cells(cells),
                    false => RawRow::Unreadable,
                };
                (raw, record)
            }
            Err(why) => (RawRow::Unreadable, Err(why)),
        }))
    }

    /// The next row, or why it is no text; none behind the last.
    fn row(&mut self) -> Option<Result<Result<StringRecord, Invalid>, Unreadable>> {
        if self.has_ended {
            return None;
        }
        self.file.get_mut().renew();
        let mut row = StringRecord::new();
        let read = self.file.read_record(&mut row);
        self.number += 1;
        self.quoted = self.file.get_mut().quotes.of_row(self.number);
        let place = row.position().map_or(0, csv::Position::line);
        match read {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => {
                let line = error.position().map_or(place, csv::Position::line);
                let message = format!("line {line}: {}", because(&error));
                return Some(match error.kind() {
                    ErrorKind::Utf8 { .. } => {
                        self.bytes = self.file.position().byte();
                        Ok(Err(Invalid::general(message)))
                    }
                    _ => Err(self.ended(message)),
                });
            }
        }
        if row.iter().any(|cell| cell.contains(&self.end)) {
            self.has_ended = true;
            return match row.len() == 1 && row.get(0) == Some(self.end.as_str()) {
                true => {
                    // The end of the file, and a line end before the last row.
                    let own = self.end.len() as u64 + 2;
                    self.bytes = self.file.position().byte().saturating_sub(own);
                    None
                }
                false => Some(Err(Unreadable(format!(
                    "line {place}: a quote is opened in this row and not closed before the end of the file"
                )))),
            };
        }
        self.bytes = self.file.position().byte();
        Some(Ok(Ok(row)))
    }

    fn ended(&mut self, message: String) -> Unreadable {
        self.has_ended = true;
        Unreadable(message)
    }

    /// The record that the row that was read last describes.
    fn record(&self, row: &StringRecord) -> Result<JsonObject, Invalid> {
        if row.len() != self.targets.len() {
            let line = row.position().map_or(0, csv::Position::line);
            let values = match row.len() {
                1 => "1 value".to_owned(),
                values => format!("{values} values"),
            };
            return Err(Invalid::general(format!(
                "the row has {values}, and the header names {} columns (line {line})",
                self.targets.len()
            )));
        }
        let mut invalid = Invalid::new();
        let mut record = JsonObject::new();
        let mut quoted = self.quoted.iter().peekable();
        for (at, (cell, target)) in row.iter().zip(&self.targets).enumerate() {
            let is_quoted = quoted.next_if_eq(&&at).is_some();
            let Some(target) = target else { continue };
            let name = &target.field.name;
            match value(cell, is_quoted, target) {
                Ok(None) => {}
                Ok(Some(value)) => record.set_raw(name, value),
                Err(message) => invalid.push_field(name, message),
            }
        }
        invalid.into_result().map(|()| record)
    }
}

/// What a column becomes.
struct Target {
    field: FieldDescription,
    /// What its empty cells become, where that is chosen.
    empty: Option<EmptyCell>,
}

/// What each column becomes.
fn targets(
    columns: &[String],
    wanted: &Columns,
    model: &ModelDescription,
    is_empty: bool,
) -> Result<Vec<Option<Target>>, Invalid> {
    let known = model.fields.iter();
    let known: HashMap<_, _> = known.map(|field| (field.name.as_str(), field)).collect();
    let mut invalid = Invalid::new();
    let mut found: Vec<Option<Target>> = Vec::new();
    let mut taken = HashSet::new();
    for column in columns {
        let field = wanted.mapping.field(column);
        let empty = wanted.empty_cells.of(column);
        match field.map(|name| (name, known.get(name))) {
            None => {
                if empty.is_some() {
                    invalid.push_field("_empty", format!("{column:?} is left out in _mapping"));
                }
                found.push(None);
            }
            Some((name, _)) if !taken.insert(name) => {
                invalid.push_field(name, "two columns of the file become this field");
            }
            Some((name, Some(field))) => {
                if empty == Some(EmptyCell::Text) && !may_be_empty_text(field.field) {
                    let message =
                        format!("{column:?}: the field {name} is not text; choose null or default");
                    invalid.push_field("_empty", message);
                }
                found.push(Some(Target {
                    field: (*field).clone(),
                    empty,
                }));
            }
            Some((name, None)) => {
                let message = format!(
                    "{} has no field {name:?}; name the field of this column in _mapping, or null to leave it out",
                    model.model
                );
                invalid.push_field(column, message);
            }
        }
    }
    let mapped = wanted
        .mapping
        .iter()
        .map(|(column, _)| ("_mapping", column));
    let empty = wanted
        .empty_cells
        .iter()
        .map(|(column, _)| ("_empty", column));
    for (parameter, column) in mapped.chain(empty).filter(|_| !is_empty) {
        if !columns.iter().any(|known| known == column) {
            invalid.push_field(parameter, format!("the file has no column {column:?}"));
        }
    }
    invalid.into_result().map(|()| found)
}

fn is_text(field: FieldType) -> bool {
    matches!(
        field,
        FieldType::CharField | FieldType::FixedCharField | FieldType::TextField
    )
}

/// Whether the empty text may be a value: it is one of some enumerations, of all sets, and of binary.
fn may_be_empty_text(field: FieldType) -> bool {
    is_text(field) || matches!(field, FieldType::SelectField | FieldType::BinaryField)
}

/// Whether an empty cell in quotes is a value of its own, as it is in files that were written here.
fn has_empty_text(field: &FieldDescription) -> bool {
    match field.field {
        // An enumeration has the empty text as a value only if it says so, but each set has.
        FieldType::SelectField => field.db_field.to_ascii_lowercase().starts_with("set"),
        field => may_be_empty_text(field),
    }
}

/// A cell as JSON; `None` where the database is to fill it in. An empty one may stand in quotes.
fn value(cell: &str, is_quoted: bool, target: &Target) -> Result<Option<Box<RawValue>>, String> {
    let field = &target.field;
    let json = match cell {
        // What it computes is the database's to fill in.
        "" if !field.editable => return Ok(None),
        "" => match target.empty {
            Some(EmptyCell::Null) => "null".to_owned(),
            Some(EmptyCell::Text) => "\"\"".to_owned(),
            Some(_) => return Ok(None),
            None if is_quoted && has_empty_text(field) => "\"\"".to_owned(),
            None if field.null => "null".to_owned(),
            None if is_text(field.field) => "\"\"".to_owned(),
            None => return Ok(None),
        },
        _ if matches!(field.field, FieldType::JsonField | FieldType::ArrayField) => cell.to_owned(),
        // The service reads the text as the type of the column.
        text => {
            return to_raw_value(text)
                .map(Some)
                .map_err(|error| error.to_string());
        }
    };
    if json_depth(&json) > MAX_JSON_DEPTH {
        return Err(format!(
            "may be nested {MAX_JSON_DEPTH} levels deep, and is deeper"
        ));
    }
    let value = RawValue::from_string(json).map(Some);
    value.map_err(|error| format!("not JSON: {error}"))
}

/// What an error says, without the place, which is told anyway.
fn because(error: &csv::Error) -> String {
    match error.kind() {
        ErrorKind::Utf8 { err, .. } => {
            format!("the value of column {} is not UTF-8", err.field() + 1)
        }
        ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// A file that ends with an error where a row is too long, so that it does not fill the memory.
struct Bounded<R> {
    file: R,
    delimiter: u8,
    quotes: Quotes,
    /// How many bytes of this row may still be read.
    left: usize,
    /// How many values it has at most, by what was read of it.
    values: usize,
    longest: usize,
}

impl<R> Bounded<R> {
    /// The next row begins.
    fn renew(&mut self) {
        self.left = self.longest;
        self.values = 0;
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(format!(
                "the row is longer than {} bytes",
                self.longest
            )));
        }
        if self.values > MAX_VALUES {
            return Err(io::Error::other("the row has too many values"));
        }
        let read = self.file.read(out)?;
        self.quotes.look_at(out.get(..read).unwrap_or_default());
        let delimiters = out
            .iter()
            .take(read)
            .filter(|byte| **byte == self.delimiter);
        self.values += delimiters.count();
        // What was read together with the row before belongs to it as well: a row is bounded about.
        self.left = self.left.saturating_sub(read);
        Ok(read)
    }
}
