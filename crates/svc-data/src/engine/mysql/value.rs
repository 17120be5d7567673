//! Rows as MySQL and MariaDB send them: as JSON, as keys to order by, and their entity tag.

use jiff::civil::DateTime;
use mysql_async::{Row, Value};

use crate::{
    Error, Field, Result,
    engine::answers::Cells,
    query::cursor::KeyValue,
    record::{
        Tag,
        raw::{RawCell, is_json},
    },
    structure::Kind,
    value::{
        json::{
            instant::{fraction_digits, write_day, write_instant},
            write_float, write_hex, write_integer, write_json, write_stored_text, write_text,
        },
        time::Zone,
    },
};

use super::types::{Type, text_of, type_of};

/// The value at a place of a row.
pub(super) fn cell(row: &Row, position: usize) -> Result<&Value> {
    row.as_ref(position)
        .ok_or_else(|| Error::internal("a row has fewer columns than were asked for"))
}

impl Cells for Row {
    type Error = Error;

    fn write(&self, out: &mut Vec<u8>, field: &Field, position: usize, zone: &Zone) -> Result<()> {
        write_value(out, field.kind, cell(self, position)?, zone);
        Ok(())
    }

    fn raw(&self, field: &Field, position: usize) -> Result<RawCell<'_>> {
        Ok(match (cell(self, position)?, field.kind) {
            (Value::NULL, _) => RawCell::Null,
            (Value::Bytes(bytes), Kind::Binary) => RawCell::Binary(bytes),
            (Value::Bytes(text), Kind::Text | Kind::Any) => RawCell::Text(text),
            (Value::Bytes(text), Kind::Json) if !is_json(text) => RawCell::Text(text),
            _ => RawCell::Shown,
        })
    }

    fn part(&self, field: &Field, position: usize) -> Result<RawCell<'_>> {
        Ok(match (cell(self, position)?, field.kind) {
            (Value::NULL, _) => RawCell::Null,
            (Value::Bytes(bytes), Kind::Binary) => RawCell::Binary(bytes),
            (Value::Bytes(text), _) => RawCell::Text(text),
            _ => RawCell::Shown,
        })
    }

    fn number(&self, position: usize) -> Result<Option<u64>> {
        Ok(match cell(self, position)? {
            Value::Int(number) => Some(number.unsigned_abs()),
            Value::UInt(number) => Some(*number),
            _ => None,
        })
    }

    fn tag(&self, tag: &mut Tag, field: &Field, position: usize) -> Result<()> {
        match cell(self, position)? {
            Value::NULL => tag.add(field, 0, &[]),
            Value::Int(number) => tag.add(field, 1, &number.to_le_bytes()),
            Value::UInt(number) => tag.add(field, 2, &number.to_le_bytes()),
            Value::Float(number) => tag.add(field, 3, &number.to_bits().to_le_bytes()),
            Value::Double(number) => tag.add(field, 4, &number.to_bits().to_le_bytes()),
            Value::Bytes(bytes) => tag.add(field, 5, bytes),
            value @ (Value::Date(..) | Value::Time(..)) => {
                tag.add(field, 6, moment(value).as_bytes());
            }
        }
        Ok(())
    }
}

/// Writes a value as JSON, as the kind of its column says.
pub(super) fn write_value(out: &mut Vec<u8>, kind: Kind, value: &Value, zone: &Zone) {
    match (kind, value) {
        (_, Value::NULL) => out.extend_from_slice(b"null"),
        (Kind::Boolean, Value::Int(0)) => out.extend_from_slice(b"false"),
        (Kind::Boolean, Value::Int(1)) => out.extend_from_slice(b"true"),
        (_, Value::Int(number)) => write_integer(out, *number),
        (_, Value::UInt(number)) => write_integer(out, *number),
        (_, Value::Float(number)) => write_float(out, *number),
        (_, Value::Double(number)) => write_float(out, *number),
        (Kind::Binary, Value::Bytes(bytes)) => write_hex(out, bytes),
        (Kind::Json, Value::Bytes(text)) if write_json(out, text) => {}
        (_, Value::Bytes(text)) => write_stored_text(out, text),
        (Kind::DateTime, value @ Value::Date(.., micros)) => {
            let instant = civil(value)
                .and_then(|civil| civil.to_zoned(jiff::tz::TimeZone::UTC).ok())
                .map(|zoned| zoned.timestamp());
            let written = instant
                .is_some_and(|instant| write_instant(out, instant, fraction_digits(*micros), zone));
            if !written {
                let text = moment(value);
                // The last hours of the calendar are later than every point in time that has a zone.
                write_text(
                    out,
                    &match civil(value) {
                        Some(_) => format!("{}Z", text.replace(' ', "T")),
                        None => text,
                    },
                );
            }
        }
        (Kind::Date, Value::Date(year, month, day, ..)) => {
            out.push(b'"');
            write_day(out, i32::from(*year), i32::from(*month), i32::from(*day));
            out.push(b'"');
        }
        (_, value @ (Value::Date(..) | Value::Time(..))) => write_text(out, &moment(value)),
    }
}

/// Writes the least or the greatest value of a field, which is a number where the field compares by one.
pub(super) fn write_extreme(out: &mut Vec<u8>, field: &Field, value: &Value, zone: &Zone) {
    let number = match value {
        Value::UInt(number) => Some(*number),
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    match (type_of(field), number) {
        (Type::Enum | Type::Set, Some(number)) => match text_of(field, number) {
            Some(text) => write_text(out, &text),
            None => out.extend_from_slice(b"null"),
        },
        (Type::Bits(bits), Some(number)) => {
            let bytes = number.to_be_bytes();
            let unused = bytes.len() - usize::from(bits.div_ceil(8)).min(bytes.len());
            write_hex(out, bytes.get(unused..).unwrap_or_default());
        }
        _ => write_value(out, field.kind, value, zone),
    }
}

/// The local time of a value; none for what is in no calendar, such as the day 0.
fn civil(value: &Value) -> Option<DateTime> {
    let Value::Date(year, month, day, hour, minute, second, micros) = value else {
        return None;
    };
    let small = |number: &u8| i8::try_from(*number).ok();
    DateTime::new(
        i16::try_from(*year).ok()?,
        small(month)?,
        small(day)?,
        small(hour)?,
        small(minute)?,
        small(second)?,
        i32::try_from(*micros).ok()?.checked_mul(1000)?,
    )
    .ok()
}

/// A date with its time, or a time, as MySQL writes it.
fn moment(value: &Value) -> String {
    let (mut text, micros) = match value {
        Value::Date(year, month, day, hour, minute, second, micros) => (
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
            *micros,
        ),
        Value::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if *negative { "-" } else { "" };
            let hours = u64::from(*days) * 24 + u64::from(*hours);
            (
                format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
                *micros,
            )
        }
        _ => return String::new(),
    };
    if micros > 0 {
        let six = format!("{micros:06}");
        text.push('.');
        text.push_str(six.get(..fraction_digits(micros)).unwrap_or(&six));
    }
    text
}

/// What a row has in a column of the order, so that it can be bound again.
pub(super) fn key(field: &Field, value: &Value) -> Option<KeyValue> {
    Some(match value {
        Value::NULL => KeyValue::Null,
        Value::Int(number) => KeyValue::Integer(*number),
        Value::UInt(number) => match i64::try_from(*number) {
            Ok(number) => KeyValue::Integer(number),
            Err(_) => KeyValue::Unsigned(*number),
        },
        Value::Float(number) => KeyValue::Real((*number).into()),
        Value::Double(number) => KeyValue::Real(*number),
        Value::Bytes(bytes) => match type_of(field) {
            Type::Bits(_) => KeyValue::Unsigned(number_of_bits(bytes)?),
            _ if field.kind == Kind::Binary => KeyValue::Blob(bytes.clone()),
            _ => KeyValue::Text(String::from_utf8(bytes.clone()).ok()?),
        },
        Value::Date(..) | Value::Time(..) => KeyValue::Text(moment(value)),
    })
}

/// The number that bits are, the first of them the highest; none where it has more than 64.
pub(super) fn number_of_bits(bytes: &[u8]) -> Option<u64> {
    let first = bytes.iter().take_while(|byte| **byte == 0).count();
    let significant = bytes.get(first..)?;
    (significant.len() <= 8).then(|| {
        let add = |number, byte: &u8| number << 8 | u64::from(*byte);
        significant.iter().fold(0, add)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(kind: Kind, value: &Value, zone: Option<&str>) -> String {
        let mut out = Vec::new();
        write_value(&mut out, kind, value, &Zone::parse(zone).unwrap());
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn dates_and_times_are_written_as_the_contract_says_and_odd_ones_as_they_are() {
        let date = Value::Date(2026, 1, 31, 22, 30, 0, 250_000);
        let zero = Value::Date(0, 0, 0, 0, 0, 0, 0);
        let last = Value::Date(9999, 12, 31, 23, 59, 59, 0);
        let time = Value::Time(true, 34, 22, 59, 59, 1);
        let east = Some("+05:30");
        for (kind, value, zone, expected) in [
            (Kind::DateTime, &date, None, "2026-01-31T22:30:00.25Z"),
            (Kind::DateTime, &date, east, "2026-02-01T04:00:00.25+05:30"),
            (Kind::Date, &date, None, "2026-01-31"),
            (Kind::DateTime, &zero, None, "0000-00-00 00:00:00"),
            (Kind::DateTime, &last, None, "9999-12-31T23:59:59Z"),
            (Kind::Time, &time, None, "-838:59:59.000001"),
        ] {
            assert_eq!(written(kind, value, zone), format!("\"{expected}\""));
        }
    }

    #[test]
    fn a_boolean_that_is_neither_comes_out_as_what_it_is() {
        let text = |text: &str| Value::Bytes(text.into());
        for (kind, value, expected) in [
            (Kind::Boolean, Value::Int(1), "true"),
            (Kind::Boolean, Value::Int(7), "7"),
            (Kind::Integer, Value::UInt(u64::MAX), "18446744073709551615"),
            (Kind::Json, text("{\"a\": 1.10}"), "{\"a\": 1.10}"),
            (Kind::Json, text("{"), "\"{\""),
        ] {
            assert_eq!(written(kind, &value, None), expected);
        }
    }
}
