//! Values as SQLite binds them, and as they come out of its rows.

use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use sea_query::{Expr, Value};

use crate::{query::cursor::KeyValue, value::Scalar};

/// A value that SQLite binds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound(pub(super) Value);

impl rusqlite::ToSql for Bound {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let integer = |number: i64| ToSqlOutput::Owned(SqliteValue::Integer(number));
        Ok(match &self.0 {
            Value::Bool(Some(truth)) => integer(i64::from(*truth)),
            Value::BigInt(Some(number)) => integer(*number),
            Value::Int(Some(number)) => integer(i64::from(*number)),
            // What is larger than any table has rows.
            Value::BigUnsigned(Some(number)) => integer(i64::try_from(*number).unwrap_or(i64::MAX)),
            Value::Double(Some(number)) => ToSqlOutput::Owned(SqliteValue::Real(*number)),
            Value::String(Some(text)) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Bytes(Some(bytes)) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            other if *other == other.as_null() => ToSqlOutput::Owned(SqliteValue::Null),
            _ => {
                return Err(rusqlite::Error::ToSqlConversionFailure(
                    "a value of a type that is not bound".into(),
                ));
            }
        })
    }
}

/// A value of a client, bound as it is.
pub(crate) fn bind_scalar(value: &Scalar) -> Bound {
    Bound(match value {
        Scalar::Null => Value::String(None),
        Scalar::Boolean(truth) => i64::from(*truth).into(),
        Scalar::Integer(number) => (*number).into(),
        Scalar::Unsigned(number) => number.to_string().into(),
        Scalar::Float(number) => (*number).into(),
        Scalar::Bytes(bytes) => Value::Bytes(Some(bytes.clone())),
        Scalar::Decimal(text)
        | Scalar::Json(text)
        | Scalar::Text(text)
        | Scalar::Uuid(text, _)
        | Scalar::Special(text) => text.clone().into(),
        Scalar::Date(date) => date.to_string().into(),
        Scalar::Time(time, digits) => time_text(*time, *digits).into(),
        Scalar::DateTime(timestamp, _) => timestamp.to_string().into(),
    })
}

/// A stored value, to be bound again.
pub(crate) fn bind(value: &KeyValue) -> Expr {
    let plain = Expr::val(value.to_value());
    match value {
        KeyValue::BrokenText(_) => Expr::cust_with_exprs("CAST(? AS TEXT)", [plain]),
        _ => plain,
    }
}

/// A stored value, copied out of its row.
pub(crate) fn keep(value: ValueRef<'_>) -> KeyValue {
    match value {
        ValueRef::Null => KeyValue::Null,
        ValueRef::Integer(number) => KeyValue::Integer(number),
        ValueRef::Real(number) => KeyValue::Real(number),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => KeyValue::Text(text.to_owned()),
            Err(_) => KeyValue::BrokenText(bytes.to_vec()),
        },
        ValueRef::Blob(bytes) => KeyValue::Blob(bytes.to_vec()),
    }
}

pub(crate) fn time_text(time: jiff::civil::Time, digits: u8) -> String {
    let mut text = format!(
        "{:02}:{:02}:{:02}",
        time.hour(),
        time.minute(),
        time.second()
    );
    if digits > 0 {
        let nine = format!("{:09}", time.subsec_nanosecond());
        text.push('.');
        text.push_str(nine.get(..usize::from(digits)).unwrap_or(&nine));
    }
    text
}
