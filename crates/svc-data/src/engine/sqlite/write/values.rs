//! The values of a body in the form in which their columns store them.

use sea_query::{Expr, Value};

use crate::{
    Field, Model, Result,
    engine::sqlite::{
        bound::time_text,
        temporal::{self, Stored},
    },
    query::assignments::Assignment,
    query::cursor::KeyValue,
    structure::{Kind, Storage, TemporalForm},
    value::{Scalar, TOO_FINE, Values, read_decimal},
};

/// A value that was just assigned, as it is looked up again.
pub(super) fn stored_value(value: &Value) -> KeyValue {
    match value {
        Value::BigInt(Some(number)) => KeyValue::Integer(*number),
        Value::Double(Some(number)) => KeyValue::Real(*number),
        Value::String(Some(text)) => KeyValue::Text(text.clone()),
        Value::Bytes(Some(bytes)) => KeyValue::Blob(bytes.clone()),
        _ => KeyValue::Null,
    }
}

/// A field and why its column cannot store a value.
pub(super) type Lossy = (usize, String);

/// Turns the values of a body into what is stored, and says which of them would lose something.
pub(super) fn storable(model: &Model, values: &Values) -> Result<(Vec<Assignment>, Vec<Lossy>)> {
    let mut assignments = Vec::with_capacity(values.len());
    let mut lossy = Vec::new();
    for (index, scalar) in values {
        match stored(model.at(*index)?, scalar) {
            Ok(value) => assignments.push((*index, Expr::val(value))),
            Err(message) => lossy.push((*index, message)),
        }
    }
    Ok((assignments, lossy))
}

/// A value in the form in which its column stores it; refused where something of it would be lost.
pub(super) fn stored(field: &Field, scalar: &Scalar) -> Result<Value, String> {
    Ok(match scalar {
        Scalar::Null => Value::String(None),
        Scalar::Integer(number) => (*number).into(),
        Scalar::Unsigned(number) => number.to_string().into(),
        Scalar::Float(number) => (*number).into(),
        // A number that is written with a point stays one.
        Scalar::Decimal(digits) if field.kind == Kind::Any && digits.contains('.') => {
            match exact_number(digits)? {
                Value::BigInt(Some(_)) => digits.parse::<f64>().map_or_else(
                    |_| Err("a valid number is required".to_owned()),
                    |number| Ok(number.into()),
                )?,
                number => number,
            }
        }
        Scalar::Decimal(digits) => exact_number(digits)?,
        Scalar::Boolean(truth) => i64::from(*truth).into(),
        Scalar::Date(date) => match field.storage {
            Storage::Temporal {
                form: form @ (TemporalForm::Seconds | TemporalForm::Millis),
                ..
            } => date
                .to_zoned(jiff::tz::TimeZone::UTC)
                .ok()
                .and_then(|zoned| temporal::store(zoned.timestamp(), 0, form))
                .map(from_stored)
                .ok_or("must be a date that the column can hold")?,
            _ => date.to_string().into(),
        },
        Scalar::Time(time, digits) => time_text(*time, *digits).into(),
        Scalar::DateTime(timestamp, digits) => {
            let form = match field.storage {
                Storage::Temporal { form, .. } => form,
                _ => return Err("must be a date and time that the column can hold".to_owned()),
            };
            temporal::store(*timestamp, *digits, form)
                .map(from_stored)
                .ok_or(TOO_FINE)?
        }
        Scalar::Json(text) => {
            // SQLite turns a text that is a number into a number here.
            if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
                return exact_number(&read_decimal(text)?);
            }
            text.clone().into()
        }
        Scalar::Bytes(bytes) => Value::Bytes(Some(bytes.clone())),
        Scalar::Uuid(_, bytes) if field.storage == Storage::UuidBytes => {
            Value::Bytes(Some(bytes.to_vec()))
        }
        Scalar::Uuid(text, _) | Scalar::Text(text) | Scalar::Special(text) => text.clone().into(),
    })
}

fn from_stored(stored: Stored) -> Value {
    match stored {
        Stored::Text(text) => text.into(),
        Stored::Integer(number) => number.into(),
    }
}

/// SQLite keeps decimals as binary numbers: those that it would change are refused.
fn exact_number(digits: &str) -> Result<Value, String> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty()
        && let Ok(number) = whole.parse::<i64>()
    {
        return Ok(number.into());
    }
    let plain = if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    };
    match digits.parse::<f64>() {
        Ok(number) if format!("{number}") == plain => Ok(number.into()),
        _ => Err(
            "the database keeps about 15 digits of a number exactly; this one has more".to_owned(),
        ),
    }
}
