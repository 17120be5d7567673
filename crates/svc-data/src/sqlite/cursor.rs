//! The cursor of a list: where the last page ended, as opaque text, and the way back into the order.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rusqlite::types::{Value as SqliteValue, ValueRef};
use sea_query::{Expr, ExprTrait, Value};
use sha2::{Digest, Sha256};

use super::select::{SELF, all_of, column};
use crate::{Error, Model};

/// The longest cursor that is given out, in bytes before it becomes text.
const MAX_LENGTH: usize = 3_000;

/// A column of the order: its name, whether the largest comes first, whether it may be NULL.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) column: String,
    pub(crate) descending: bool,
    pub(crate) nullable: bool,
}

/// The place behind a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cursor {
    /// What the row has in the columns of the order.
    pub(crate) values: Vec<SqliteValue>,
    /// How many rows that have just the same were shown already, where nothing tells rows apart.
    pub(crate) skip: u64,
}

/// What a cursor belongs to: it is refused for another model or order.
fn fingerprint(model: &Model, keys: &[Key]) -> [u8; 8] {
    let mut hash = Sha256::new();
    let mut part = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    part(&model.name);
    for key in keys {
        part(&key.column);
        part(if key.descending { "-" } else { "+" });
    }
    let digest = hash.finalize();
    let mut short = [0; 8];
    short.copy_from_slice(digest.get(..8).unwrap_or(&[0; 8]));
    short
}

impl Cursor {
    /// The text of the cursor; none when it would be too long for a link.
    pub(crate) fn encode(
        model: &Model,
        keys: &[Key],
        skip: u64,
        values: &[SqliteValue],
    ) -> Option<String> {
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(&fingerprint(model, keys));
        bytes.extend_from_slice(&skip.to_le_bytes());
        for value in values {
            let mut long = |sort: u8, content: &[u8]| {
                bytes.push(sort);
                bytes.extend_from_slice(
                    &(u32::try_from(content.len()).unwrap_or(u32::MAX)).to_le_bytes(),
                );
                bytes.extend_from_slice(content);
            };
            match value {
                SqliteValue::Null => bytes.push(0),
                SqliteValue::Integer(number) => {
                    bytes.push(1);
                    bytes.extend_from_slice(&number.to_le_bytes());
                }
                SqliteValue::Real(number) => {
                    bytes.push(2);
                    bytes.extend_from_slice(&number.to_bits().to_le_bytes());
                }
                SqliteValue::Text(text) => long(3, text.as_bytes()),
                SqliteValue::Blob(content) => long(4, content),
            }
            if bytes.len() > MAX_LENGTH {
                return None;
            }
        }
        Some(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Reads a cursor.
    pub(crate) fn decode(model: &Model, keys: &[Key], text: &str) -> Result<Self, Error> {
        Self::read(model, keys, text).ok_or_else(|| {
            Error::invalid_field(
                "_after",
                "must be the cursor of a next link, unchanged and with the same order",
            )
        })
    }

    fn read(model: &Model, keys: &[Key], text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let rest = bytes.strip_prefix(&fingerprint(model, keys))?;
        let (skip, mut rest) = rest.split_first_chunk()?;
        let skip = u64::from_le_bytes(*skip);
        let mut values = Vec::with_capacity(keys.len());
        for _ in keys {
            let (sort, after) = rest.split_first()?;
            let (value, after) = match sort {
                0 => (SqliteValue::Null, after),
                1 => {
                    let (number, after) = after.split_first_chunk()?;
                    (SqliteValue::Integer(i64::from_le_bytes(*number)), after)
                }
                2 => {
                    let (number, after) = after.split_first_chunk()?;
                    let number = f64::from_bits(u64::from_le_bytes(*number));
                    (SqliteValue::Real(number), after)
                }
                3 | 4 => {
                    let (length, after) = after.split_first_chunk()?;
                    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
                    let (content, after) = after.split_at_checked(length)?;
                    let value = if *sort == 3 {
                        SqliteValue::Text(String::from_utf8(content.to_vec()).ok()?)
                    } else {
                        SqliteValue::Blob(content.to_vec())
                    };
                    (value, after)
                }
                _ => return None,
            };
            values.push(value);
            rest = after;
        }
        rest.is_empty().then_some(Self { values, skip })
    }

    /// The rows behind the cursor as ranges, each of which an index finds, nearest first.
    ///
    /// A range fixes the first columns of the order and goes beyond the value of the next one. NULL is
    /// smaller than everything.
    pub(crate) fn ranges(&self, keys: &[Key]) -> Vec<Expr> {
        let mut ranges = Vec::new();
        let pairs: Vec<_> = keys.iter().zip(&self.values).collect();
        for (position, (key, value)) in pairs.iter().enumerate().rev() {
            let prefix: Vec<Expr> = pairs
                .iter()
                .take(position)
                .map(|(key, value)| equal(&key.column, value))
                .collect();
            let here = || column(SELF, &key.column);
            let beyond: Vec<Expr> = match (key.descending, value) {
                (false, SqliteValue::Null) => vec![here().is_not_null()],
                (false, value) => vec![here().gt(bind(value))],
                (true, SqliteValue::Null) => Vec::new(),
                (true, value) if key.nullable => vec![here().lt(bind(value)), here().is_null()],
                (true, value) => vec![here().lt(bind(value))],
            };
            for test in beyond {
                let mut range = prefix.clone();
                range.push(test);
                ranges.push(all_of(range));
            }
        }
        ranges
    }

    /// The rows that have just the same as the one of the cursor.
    pub(crate) fn same(&self, keys: &[Key]) -> Expr {
        all_of(
            keys.iter()
                .zip(&self.values)
                .map(|(key, value)| equal(&key.column, value))
                .collect(),
        )
    }
}

fn equal(name: &str, value: &SqliteValue) -> Expr {
    match value {
        SqliteValue::Null => column(SELF, name).is_null(),
        value => column(SELF, name).eq(bind(value)),
    }
}

/// A stored value, to be bound again.
pub(crate) fn bind(value: &SqliteValue) -> Expr {
    Expr::val(match value {
        SqliteValue::Null => Value::String(None),
        SqliteValue::Integer(number) => (*number).into(),
        SqliteValue::Real(number) => (*number).into(),
        SqliteValue::Text(text) => text.clone().into(),
        SqliteValue::Blob(bytes) => Value::Bytes(Some(bytes.clone())),
    })
}

/// A stored value, copied out of its row. A text that is no UTF-8 stays what it is only as bytes, which
/// order behind every text; such a row ends a page by its number instead.
pub(crate) fn keep(value: ValueRef<'_>) -> Option<SqliteValue> {
    Some(match value {
        ValueRef::Null => SqliteValue::Null,
        ValueRef::Integer(number) => SqliteValue::Integer(number),
        ValueRef::Real(number) => SqliteValue::Real(number),
        ValueRef::Text(text) => SqliteValue::Text(std::str::from_utf8(text).ok()?.to_owned()),
        ValueRef::Blob(bytes) => SqliteValue::Blob(bytes.to_vec()),
    })
}
