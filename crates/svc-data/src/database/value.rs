//! Values that go into statements and rows that come out, the same for every engine.

use std::sync::Arc;

use crate::{Error, Result};

/// A value of a database, in or out.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// A truth value; engines without one store 0 and 1.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

macro_rules! value_from {
    ($($type:ty => $variant:ident($convert:expr)),+ $(,)?) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(($convert)(value))
            }
        }
    )+};
}

value_from! {
    bool => Bool(std::convert::identity),
    i64 => Int(std::convert::identity),
    i32 => Int(i64::from),
    u32 => Int(i64::from),
    u16 => Int(i64::from),
    f64 => Float(std::convert::identity),
    String => Text(std::convert::identity),
    &String => Text(String::clone),
    &str => Text(str::to_owned),
    Vec<u8> => Blob(std::convert::identity),
    &[u8] => Blob(<[u8]>::to_vec),
}

impl<const N: usize> From<[u8; N]> for Value {
    fn from(value: [u8; N]) -> Self {
        Self::Blob(value.to_vec())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// One row of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    columns: Arc<[String]>,
    values: Vec<Value>,
}

impl Row {
    pub(crate) fn new(columns: Arc<[String]>, values: Vec<Value>) -> Self {
        Self { columns, values }
    }

    /// The value of a column, named or counted from 0.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) when there is no such column or its value is
    /// not what `T` can hold.
    pub fn get<T: FromValue>(&self, column: impl ColumnIndex) -> Result<T> {
        let index = column.find(&self.columns).ok_or_else(|| {
            Error::internal(format!("the result has no column {}", column.name()))
        })?;
        let value = self
            .values
            .get(index)
            .ok_or_else(|| Error::internal(format!("the row has no column {}", column.name())))?;
        T::from_value(value).ok_or_else(|| {
            Error::internal(format!(
                "column {} is {} where {} was expected",
                column.name(),
                sort_of(value),
                T::EXPECTED
            ))
        })
    }

    /// The values in the order of the columns.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "NULL",
        Value::Bool(_) => "a truth value",
        Value::Int(_) => "an integer",
        Value::Float(_) => "a float",
        Value::Text(_) => "text",
        Value::Blob(_) => "bytes",
    }
}

/// A column of a result: its position or its name.
pub trait ColumnIndex: Copy {
    /// The position among the columns.
    fn find(&self, columns: &[String]) -> Option<usize>;
    /// How an error calls it.
    fn name(&self) -> String;
}

impl ColumnIndex for usize {
    fn find(&self, columns: &[String]) -> Option<usize> {
        (*self < columns.len()).then_some(*self)
    }

    fn name(&self) -> String {
        self.to_string()
    }
}

impl ColumnIndex for &str {
    fn find(&self, columns: &[String]) -> Option<usize> {
        columns.iter().position(|column| column == self)
    }

    fn name(&self) -> String {
        (*self).to_owned()
    }
}

/// What a value of a row can be read as.
pub trait FromValue: Sized {
    /// What an error says was expected.
    const EXPECTED: &'static str;
    /// Reads the value; `None` when it is of another sort.
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! from_value {
    ($($type:ty, $expected:literal: $($pattern:pat => $value:expr),+;)+) => {$(
        impl FromValue for $type {
            const EXPECTED: &'static str = $expected;
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    $($pattern => Some($value),)+
                    #[allow(unreachable_patterns, reason = "a value is every one")]
                    _ => None,
                }
            }
        }
    )+};
}

from_value! {
    i64, "an integer": Value::Int(number) => *number;
    u64, "an integer that is not negative": Value::Int(number) => (*number).try_into().ok()?;
    f64, "a number": Value::Float(number) => *number, Value::Int(number) => *number as Self;
    bool, "a truth value":
        Value::Bool(truth) => *truth, Value::Int(0) => false, Value::Int(1) => true;
    String, "text": Value::Text(text) => text.clone();
    Vec<u8>, "bytes": Value::Blob(bytes) => bytes.clone();
    Value, "a value": value => value.clone();
}

impl<T: FromValue> FromValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row::new(
            Arc::from(["a".to_owned(), "b".to_owned()]),
            vec![Value::Int(1), Value::Null],
        )
    }

    #[test]
    fn a_column_is_read_by_name_or_position() {
        assert_eq!(row().get::<i64>("a").unwrap(), 1);
        assert!(row().get::<bool>(0).unwrap());
        assert_eq!(row().get::<Option<String>>("b").unwrap(), None);
    }

    #[test]
    fn a_missing_column_and_a_wrong_type_are_errors() {
        assert!(row().get::<i64>("c").unwrap_err().to_string().contains('c'));
        assert!(row().get::<i64>(2).is_err());
        let error = row().get::<String>("a").unwrap_err();
        assert!(error.to_string().contains("an integer where text"));
    }
}
