//! What columns of SQLite are ordered and compared by, the same in orders, cursors, lookups, extremes and groups, and
//! what a value of a client may be stored as.
//!
//! A cell may hold any type of value, whatever its column declares. Cells compare as SQLite compares them: NULL,
//! numbers, texts in the collation of the column, blobs. Dates that are stored in several forms compare by what they
//! mean, and behind a function, which no index helps with.

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Query};
use serde::{Serialize, Serializer};

use super::{
    bound::{bind, time_text},
    functions::canonical_json,
    temporal::{self, Stored},
};
use crate::{
    Error, Field, Result,
    plan::Comparison,
    query::{any_of, call, column, cursor::KeyValue, name},
    structure::{Kind, Storage, Suffix, TemporalForm},
    value::{Scalar, hex_object, time::Written},
};

/// From how many values on a list travels as one JSON array.
const LIST_AS_JSON: usize = 16;
/// The words for true and false that a cell may hold instead of a number.
const TRUE_WORDS: [&str; 4] = ["true", "t", "yes", "on"];
const FALSE_WORDS: [&str; 4] = ["false", "f", "no", "off"];

/// The function that brings the cells of a field into an order of their own; none where SQLite's order serves.
pub(super) fn ordering(field: &Field) -> Option<&'static str> {
    match (field.kind, field.storage) {
        (_, Storage::Temporal { uniform: true, .. }) => None,
        (Kind::DateTime, _) => Some("svc_instant"),
        (Kind::Date, _) => Some("svc_date"),
        _ => None,
    }
}

/// A field as its cells are ordered and compared.
pub(super) fn comparable(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match ordering(field) {
        Some(function) => call(function).arg(plain).into(),
        None => plain,
    }
}

/// A field as it is compared with a value, and the cells that are equal to the value.
struct Side {
    column: Expr,
    /// The first is the one that the type of the column means.
    cells: Vec<KeyValue>,
    /// Whether the cells are spellings of one value, so that all of them are greater than what is less than it.
    are_spellings: bool,
}

impl Side {
    fn new(field: &Field, table: &str, scalar: &Scalar) -> Result<Self> {
        let mut side = Self {
            column: comparable(table, field),
            cells: Vec::new(),
            are_spellings: false,
        };
        let text = |text: &str| KeyValue::Text(text.to_owned());
        side.cells = match scalar {
            Scalar::Null => vec![KeyValue::Null],
            Scalar::Integer(number) => vec![KeyValue::Integer(*number)],
            Scalar::Unsigned(number) => vec![KeyValue::Text(number.to_string())],
            Scalar::Float(number) => vec![KeyValue::Real(*number)],
            Scalar::Decimal(digits) => {
                vec![number(digits).ok_or_else(|| Error::internal("a decimal is not a number"))?]
            }
            Scalar::Boolean(truth) => truths(field, *truth),
            Scalar::Date(date) => vec![KeyValue::Text(date.to_string())],
            Scalar::Time(time, digits) => {
                side.are_spellings = true;
                let full = time_text(*time, *digits);
                let short = full.strip_suffix(":00").map(text);
                std::iter::once(text(&full)).chain(short).collect()
            }
            Scalar::DateTime(timestamp, _) => match field.storage {
                Storage::Temporal {
                    form,
                    uniform: true,
                } if temporal::holds_exactly(*timestamp, form) => forms(*timestamp, form),
                _ => {
                    let plain = column(table, &field.name);
                    side.column = call("svc_instant").arg(plain).into();
                    vec![KeyValue::Integer(timestamp.as_microsecond())]
                }
            },
            Scalar::Json(json) => {
                let plain = column(table, &field.name);
                side.column = call("svc_json").arg(plain).into();
                // What is not JSON is shown as a string.
                let shown = serde_json::from_str::<String>(json).ok();
                std::iter::once(KeyValue::Text(canonical_json(json)))
                    .chain(shown.map(KeyValue::Text))
                    .collect()
            }
            Scalar::Bytes(bytes) => bytes_or_words(bytes),
            Scalar::Uuid(written, bytes) => uuids(field, written, bytes),
            Scalar::Text(written) | Scalar::Special(written) => cells_shown_as(field, written),
        };
        Ok(side)
    }

    /// The cells that a comparison for order is with: the least and the greatest.
    fn ends(self) -> Result<(Expr, KeyValue, KeyValue)> {
        let mut cells = self.cells;
        if !self.are_spellings {
            cells.truncate(1);
        }
        // Spellings are texts.
        cells.sort_by(|one, other| match (one, other) {
            (KeyValue::Text(one), KeyValue::Text(other)) => one.cmp(other),
            _ => std::cmp::Ordering::Equal,
        });
        match (cells.first(), cells.last()) {
            (Some(least), Some(greatest)) => Ok((self.column, least.clone(), greatest.clone())),
            _ => Err(Error::internal("a comparison has no value")),
        }
    }
}

/// What a field that declares truth values may hold for one.
fn truths(field: &Field, truth: bool) -> Vec<KeyValue> {
    let mut cells = vec![KeyValue::Integer(truth.into())];
    if field.storage == Storage::Words {
        for word in if truth { TRUE_WORDS } else { FALSE_WORDS } {
            cells.extend(spellings(word).map(KeyValue::Text));
        }
    }
    cells
}

/// A word in the cases that words are written in.
fn spellings(word: &str) -> impl Iterator<Item = String> {
    let mut title = word.to_owned();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    [word.to_owned(), title, word.to_ascii_uppercase()].into_iter()
}

/// The bytes, and the text or number that is shown like their hexadecimal digits.
fn bytes_or_words(bytes: &[u8]) -> Vec<KeyValue> {
    let mut cells = vec![KeyValue::Blob(bytes.to_vec())];
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    cells.extend(number(&digits));
    cells.extend(spellings(&digits).map(KeyValue::Text));
    cells
}

/// The forms that a UUID may be stored in.
fn uuids(field: &Field, written: &str, bytes: &[u8; 16]) -> Vec<KeyValue> {
    let bare = written.replace('-', "");
    let mut hyphens = bare.clone();
    for at in [20, 16, 12, 8] {
        hyphens.insert(at, '-');
    }
    let mut cells = vec![KeyValue::Text(written.to_owned())];
    for form in [&hyphens, &bare] {
        for other in [form.to_ascii_lowercase(), form.to_ascii_uppercase()] {
            let other = KeyValue::Text(other);
            if !cells.contains(&other) {
                cells.push(other);
            }
        }
    }
    if field.storage == Storage::UuidBytes {
        cells.insert(0, KeyValue::Blob(bytes.to_vec()));
    }
    cells
}

/// The cells that are shown as a text: the text, the number, the blob.
fn cells_shown_as(field: &Field, written: &str) -> Vec<KeyValue> {
    let mut cells = vec![KeyValue::Text(written.to_owned())];
    let holds_numbers = field.kind != Kind::Text;
    if holds_numbers && let Some(number) = number(written) {
        // A number orders as a number.
        cells.insert(0, number);
    }
    let infinity = match (field.kind, written) {
        (Kind::Decimal, "Infinity") => Some(f64::INFINITY),
        (Kind::Decimal, "-Infinity") => Some(f64::NEG_INFINITY),
        _ => None,
    };
    if let Some(infinity) = infinity {
        cells.insert(0, KeyValue::Real(infinity));
    }
    if field.kind == Kind::DateTime && Written::parse(written.as_bytes()).is_some() {
        cells.extend(temporal::spellings(written).map(KeyValue::Text));
    }
    if let Some(bytes) = hex_object(written) {
        if std::str::from_utf8(&bytes).is_err() {
            cells.insert(0, KeyValue::BrokenText(bytes.clone()));
        }
        let place = usize::from(field.kind == Kind::Text && cells.len() > 1);
        cells.insert(place, KeyValue::Blob(bytes));
    }
    cells
}

/// A number as SQLite holds it.
fn number(digits: &str) -> Option<KeyValue> {
    let is_number = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !is_number {
        return None;
    }
    // A decimal is shown with its scale: `7.00` is the integer 7, which has more digits than a floating number keeps.
    let whole = match digits.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte == b'0') => whole,
        _ => digits,
    };
    match whole.parse() {
        Ok(number) => Some(KeyValue::Integer(number)),
        Err(_) => digits.parse().ok().map(KeyValue::Real),
    }
}

/// The forms that a point in time may have in a column that keeps another one, that of the column first.
fn forms(timestamp: Timestamp, form: TemporalForm) -> Vec<KeyValue> {
    let mut forms = vec![form, TemporalForm::Seconds, TemporalForm::Millis];
    for separator in [b' ', b'T'] {
        for fraction in [0, 3, 6] {
            for suffix in [Suffix::None, Suffix::Z, Suffix::Zero] {
                forms.push(TemporalForm::Text {
                    separator,
                    fraction,
                    suffix,
                });
            }
        }
    }
    let mut cells = Vec::with_capacity(forms.len());
    for form in forms {
        let cell = match temporal::store(timestamp, 0, form) {
            Some(Stored::Text(text)) if temporal::holds_exactly(timestamp, form) => {
                KeyValue::Text(text)
            }
            Some(Stored::Integer(number)) => KeyValue::Integer(number),
            _ => continue,
        };
        if !cells.contains(&cell) {
            cells.push(cell);
        }
    }
    cells
}

/// Whether a field compares so with a value.
pub(super) fn compare(
    field: &Field,
    table: &str,
    comparison: Comparison,
    scalar: &Scalar,
) -> Result<Expr> {
    let side = Side::new(field, table, scalar)?;
    match comparison {
        Comparison::Equal => return Ok(equal(side)),
        Comparison::Unequal => return Ok(equal(side).not()),
        _ => {}
    }
    let (here, least, greatest) = side.ends()?;
    Ok(match comparison {
        Comparison::Greater => here.gt(bind(&greatest)),
        Comparison::GreaterOrEqual => here.gte(bind(&least)),
        Comparison::Less => here.lt(bind(&least)),
        _ => here.lte(bind(&greatest)),
    })
}

fn equal(side: Side) -> Expr {
    match side.cells.as_slice() {
        [KeyValue::Null] | [] => side.column.eq(bind(&KeyValue::Null)),
        [only] => side.column.eq(bind(only)),
        cells => side.column.is_in(cells.iter().map(bind)),
    }
}

/// Whether a field equals one of the values.
pub(super) fn is_in(field: &Field, table: &str, scalars: &[Scalar]) -> Result<Expr> {
    let integers = scalars.iter().map(|scalar| match scalar {
        Scalar::Integer(number) => Some(KeyValue::Integer(*number)),
        _ => None,
    });
    if let Some(cells) = integers.collect::<Option<Vec<_>>>()
        && !cells.is_empty()
    {
        // As for each of them alone, in less time.
        return in_list(comparable(table, field), &cells);
    }
    let mut columns: Vec<(Expr, Vec<KeyValue>)> = Vec::new();
    for scalar in scalars {
        let Side { column, cells, .. } = Side::new(field, table, scalar)?;
        match columns.iter_mut().find(|(known, _)| *known == column) {
            Some((_, list)) => list.extend(cells),
            None => columns.push((column, cells)),
        }
    }
    let lists = columns.into_iter();
    let lists = lists.map(|(column, cells)| in_list(column, &cells));
    Ok(any_of(lists.collect::<Result<_>>()?))
}

fn in_list(column: Expr, cells: &[KeyValue]) -> Result<Expr> {
    if cells.len() <= LIST_AS_JSON {
        return Ok(column.is_in(cells.iter().map(bind)));
    }
    let (listed, bound): (Vec<&KeyValue>, Vec<&KeyValue>) =
        cells.iter().partition(|cell| has_json(cell));
    let mut list = Query::select();
    list.column((name("list"), name("value")))
        .from_function(call("json_each").arg(json_array(&listed)?), name("list"));
    let is_listed = column.clone().in_subquery(list);
    Ok(match bound.is_empty() {
        true => is_listed,
        false => is_listed.or(column.is_in(bound.into_iter().map(bind))),
    })
}

/// Whether a cell can be an element of [`json_array`].
fn has_json(cell: &KeyValue) -> bool {
    match cell {
        KeyValue::Integer(_) => true,
        KeyValue::Real(number) => number.is_finite(),
        // json_each ends a text at NUL.
        KeyValue::Text(text) => !text.contains('\0'),
        _ => false,
    }
}

/// The cells as one JSON array.
fn json_array(cells: &[&KeyValue]) -> Result<String> {
    struct Cell<'c>(&'c KeyValue);

    impl Serialize for Cell<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.0 {
                KeyValue::Integer(number) => serializer.serialize_i64(*number),
                KeyValue::Real(number) => serializer.serialize_f64(*number),
                KeyValue::Text(text) => serializer.serialize_str(text),
                _ => serializer.serialize_unit(),
            }
        }
    }

    let cells: Vec<Cell<'_>> = cells.iter().map(|cell| Cell(cell)).collect();
    serde_json::to_string(&cells).map_err(|error| Error::internal(error.to_string()))
}
