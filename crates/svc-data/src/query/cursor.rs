//! The cursor of a list: a place between two rows of an order, as opaque text, and the way back to it.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sea_query::{Expr, ExprTrait, Value};
use sha2::{Digest, Sha256};

use crate::{
    Error, Field, Model, Result,
    query::{Dialect, SELF, all_of},
};

/// A column of the order.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// The field; none for the row id of the engine.
    pub(crate) field: Option<usize>,
    pub(crate) column: String,
    /// Whether the largest comes first.
    pub(crate) descending: bool,
    pub(crate) nullable: bool,
    /// Whether it distinguishes values that the engine treats as equal.
    pub(crate) is_exact: bool,
}

/// The field of a column of the order; none for the row id.
pub(super) fn key_field<'m>(model: &'m Model, key: &Key) -> Result<Option<&'m Field>> {
    key.field.map(|index| model.at(index)).transpose()
}

/// What a row has in a column of the order, so that it can be bound again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum KeyValue {
    Null,
    Integer(i64),
    /// A whole number beyond 63 bits.
    Unsigned(u64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// A text that is not UTF-8.
    BrokenText(Vec<u8>),
}

impl KeyValue {
    /// It as a value that a statement binds; a text that is not UTF-8 as its bytes.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::String(None),
            Self::Integer(number) => (*number).into(),
            Self::Unsigned(number) => (*number).into(),
            Self::Real(number) => (*number).into(),
            Self::Text(text) => text.clone().into(),
            Self::Blob(bytes) | Self::BrokenText(bytes) => Value::Bytes(Some(bytes.clone())),
        }
    }
}

/// The end of an order that a place is found from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Start,
    End,
}

/// A place between two rows of an order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cursor {
    /// What a row beside it has in the columns of the order.
    pub(crate) values: Vec<KeyValue>,
    /// How many of the rows that have just these values are between the place and the side that it is found from: one,
    /// and more where nothing distinguishes rows.
    pub(crate) skip: u64,
    pub(crate) side: Side,
    /// How many rows are before the place, as far as the walk that led to it has counted them.
    pub(crate) offset: Option<u64>,
}

/// What a cursor begins with that is nothing but a number of rows. It stands where a value is too long for a link.
const OFFSET: char = '~';

/// The cursor behind so many rows of a list, whatever its order.
#[must_use]
pub fn cursor_behind(rows: u64) -> String {
    format!("{OFFSET}{rows}")
}

/// The number of rows of a cursor that is nothing else.
pub(crate) fn cursor_offset(cursor: &str) -> Option<u64> {
    cursor.strip_prefix(OFFSET)?.parse().ok()
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
        part(match (key.descending, key.is_exact) {
            (true, false) => "-",
            (false, false) => "+",
            (true, true) => "-=",
            (false, true) => "+=",
        });
    }
    let digest = hash.finalize();
    let mut short = [0; 8];
    short.copy_from_slice(digest.get(..8).unwrap_or(&[0; 8]));
    short
}

/// Rows behind a cursor: they have its values in the first columns of the order, and another in the next one.
pub(crate) struct Beyond {
    /// The position of that next column.
    pub(crate) position: usize,
    /// Whether they have NULL there.
    pub(crate) is_null: bool,
    pub(crate) test: Expr,
}

impl Cursor {
    /// The text of the cursor.
    pub(crate) fn encode(&self, model: &Model, keys: &[Key]) -> String {
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(&fingerprint(model, keys));
        bytes.extend_from_slice(&self.skip.to_le_bytes());
        bytes.push(match self.side {
            Side::Start => 0,
            Side::End => 1,
        });
        bytes.extend_from_slice(&self.offset.unwrap_or(u64::MAX).to_le_bytes());
        for value in &self.values {
            let mut long = |sort: u8, content: &[u8]| {
                bytes.push(sort);
                bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
                bytes.extend_from_slice(content);
            };
            match value {
                KeyValue::Null => bytes.push(0),
                KeyValue::Integer(number) => {
                    bytes.push(1);
                    bytes.extend_from_slice(&number.to_le_bytes());
                }
                KeyValue::Real(number) => {
                    bytes.push(2);
                    bytes.extend_from_slice(&number.to_bits().to_le_bytes());
                }
                KeyValue::Text(text) => long(3, text.as_bytes()),
                KeyValue::Blob(content) => long(4, content),
                KeyValue::BrokenText(content) => long(6, content),
                KeyValue::Unsigned(number) => {
                    bytes.push(5);
                    bytes.extend_from_slice(&number.to_le_bytes());
                }
            }
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads the cursor of a parameter.
    pub(crate) fn decode(
        model: &Model,
        keys: &[Key],
        (parameter, text): (&str, &str),
    ) -> Result<Self> {
        Self::read(model, keys, text).ok_or_else(|| {
            Error::invalid_field(
                parameter,
                "must be the cursor of a next or previous link, unchanged and with the same order",
            )
        })
    }

    fn read(model: &Model, keys: &[Key], text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let rest = bytes.strip_prefix(&fingerprint(model, keys))?;
        let (skip, rest) = rest.split_first_chunk()?;
        let skip = u64::from_le_bytes(*skip);
        let (side, rest) = rest.split_first()?;
        let side = match side {
            0 => Side::Start,
            1 => Side::End,
            _ => return None,
        };
        let (offset, mut rest) = rest.split_first_chunk()?;
        let offset = Some(u64::from_le_bytes(*offset)).filter(|offset| *offset != u64::MAX);
        let mut values = Vec::with_capacity(keys.len());
        for _ in keys {
            let (sort, after) = rest.split_first()?;
            let (value, after) = match sort {
                0 => (KeyValue::Null, after),
                1 | 2 | 5 => {
                    let (number, after) = after.split_first_chunk()?;
                    let value = match sort {
                        1 => KeyValue::Integer(i64::from_le_bytes(*number)),
                        2 => KeyValue::Real(f64::from_le_bytes(*number)),
                        _ => KeyValue::Unsigned(u64::from_le_bytes(*number)),
                    };
                    (value, after)
                }
                3 | 4 | 6 => {
                    let (length, after) = after.split_first_chunk()?;
                    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
                    let (content, after) = after.split_at_checked(length)?;
                    let content = content.to_vec();
                    let value = match sort {
                        3 => KeyValue::Text(String::from_utf8(content).ok()?),
                        4 => KeyValue::Blob(content),
                        _ => KeyValue::BrokenText(content),
                    };
                    (value, after)
                }
                _ => return None,
            };
            values.push(value);
            rest = after;
        }
        rest.is_empty().then_some(Self {
            values,
            skip,
            side,
            offset,
        })
    }

    /// The rows behind those that have the values of the cursor, as ranges, each of which an index finds, nearest first.
    ///
    /// NULL is smaller than everything.
    pub(crate) fn ranges(
        &self,
        dialect: &dyn Dialect,
        model: &Model,
        keys: &[Key],
    ) -> Result<Vec<Beyond>> {
        let mut ranges = Vec::new();
        let pairs: Vec<_> = keys.iter().zip(&self.values).collect();
        for (position, (key, value)) in pairs.iter().enumerate().rev() {
            let prefix: Vec<Expr> = pairs
                .iter()
                .take(position)
                .map(|(key, value)| equal(dialect, model, key, value))
                .collect::<Result<_, _>>()?;
            for (test, is_null) in beyond(dialect, model, key, value)? {
                let mut range = prefix.clone();
                range.push(test);
                ranges.push(Beyond {
                    position,
                    is_null,
                    test: all_of(range),
                });
            }
        }
        Ok(ranges)
    }

    /// The rows that have just the same as the one of the cursor.
    pub(crate) fn same(&self, dialect: &dyn Dialect, model: &Model, keys: &[Key]) -> Result<Expr> {
        let tests: Result<_> = keys
            .iter()
            .zip(&self.values)
            .map(|(key, value)| equal(dialect, model, key, value))
            .collect();
        Ok(all_of(tests?))
    }
}

/// What rows have in a column that comes behind a value: the tests of that, the nearest rows first, and whether they
/// have NULL.
pub(super) fn beyond(
    dialect: &dyn Dialect,
    model: &Model,
    key: &Key,
    value: &KeyValue,
) -> Result<Vec<(Expr, bool)>> {
    let field = key_field(model, key)?;
    let here = || dialect.order_value(SELF, key, field);
    let bound = || bound(dialect, model, key, value);
    Ok(match (key.descending, value) {
        (false, KeyValue::Null) => vec![(here().is_not_null(), false)],
        (false, _) => vec![(here().gt(bound()?), false)],
        (true, KeyValue::Null) => Vec::new(),
        (true, _) if key.nullable => vec![(here().lt(bound()?), false), (here().is_null(), true)],
        (true, _) => vec![(here().lt(bound()?), false)],
    })
}

pub(super) fn equal(
    dialect: &dyn Dialect,
    model: &Model,
    key: &Key,
    value: &KeyValue,
) -> Result<Expr> {
    let here = dialect.order_value(SELF, key, key_field(model, key)?);
    Ok(match value {
        KeyValue::Null => here.is_null(),
        _ => here.eq(bound(dialect, model, key, value)?),
    })
}

fn bound(dialect: &dyn Dialect, model: &Model, key: &Key, value: &KeyValue) -> Result<Expr> {
    dialect.bind_key(key_field(model, key)?, value)
}
