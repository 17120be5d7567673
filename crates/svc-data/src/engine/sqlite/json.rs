//! Rows as JSON, written straight into the response, and the entity tag of a row.

use rusqlite::{Row, types::ValueRef};

use super::temporal;
use crate::{
    Field,
    engine::answers::Cells,
    record::{
        Tag,
        raw::{RawCell, is_json},
    },
    structure::{Kind, Storage},
    value::{
        json::{
            write_decimal, write_display, write_float, write_float_as_decimal, write_hex,
            write_integer, write_json, write_stored_text, write_utf8, write_uuid,
        },
        time::Zone,
    },
};

impl Cells for Row<'_> {
    type Error = rusqlite::Error;

    fn write(
        &self,
        out: &mut Vec<u8>,
        field: &Field,
        position: usize,
        zone: &Zone,
    ) -> rusqlite::Result<()> {
        write_value(out, field, self.get_ref(position)?, zone);
        Ok(())
    }

    fn raw(&self, field: &Field, position: usize) -> rusqlite::Result<RawCell<'_>> {
        Ok(match (self.get_ref(position)?, field.kind) {
            (ValueRef::Null, _) => RawCell::Null,
            (ValueRef::Blob(bytes), Kind::Uuid)
                if field.storage == Storage::UuidBytes && bytes.len() == 16 =>
            {
                RawCell::Shown
            }
            (ValueRef::Blob(bytes), _) => RawCell::Binary(bytes),
            (ValueRef::Text(text), _) if str::from_utf8(text).is_err() => RawCell::Binary(text),
            (ValueRef::Text(text), Kind::Text | Kind::Any | Kind::Binary) => RawCell::Text(text),
            (ValueRef::Text(text), Kind::Json) if !is_json(text) => RawCell::Text(text),
            _ => RawCell::Shown,
        })
    }

    fn part(&self, field: &Field, position: usize) -> rusqlite::Result<RawCell<'_>> {
        Ok(match self.get_ref(position)? {
            ValueRef::Blob(bytes) => RawCell::Binary(bytes),
            ValueRef::Text(text) => {
                let shows_bytes = field.detail.holds_anything;
                match shows_bytes && str::from_utf8(text).is_err() {
                    true => RawCell::Binary(text),
                    false => RawCell::Text(text),
                }
            }
            ValueRef::Null => RawCell::Null,
            ValueRef::Integer(_) | ValueRef::Real(_) => RawCell::Shown,
        })
    }

    fn write_part(&self, out: &mut Vec<u8>, field: &Field, part: RawCell<'_>) {
        match part {
            RawCell::Binary(bytes) => write_value(out, field, ValueRef::Blob(bytes), &Zone::UTC),
            RawCell::Text(text) => write_stored_text(out, text),
            RawCell::Null | RawCell::Shown => out.extend_from_slice(b"null"),
        }
    }

    fn number(&self, position: usize) -> rusqlite::Result<Option<u64>> {
        let number: Option<i64> = self.get(position)?;
        Ok(number.map(i64::unsigned_abs))
    }

    fn tag(&self, tag: &mut Tag, field: &Field, position: usize) -> rusqlite::Result<()> {
        match self.get_ref(position)? {
            ValueRef::Null => tag.add(field, 0, &[]),
            ValueRef::Integer(number) => tag.add(field, 1, &number.to_le_bytes()),
            ValueRef::Real(number) => tag.add(field, 2, &number.to_bits().to_le_bytes()),
            ValueRef::Text(bytes) => tag.add(field, 3, bytes),
            ValueRef::Blob(bytes) => tag.add(field, 4, bytes),
        }
        Ok(())
    }
}

/// Writes one value as the type of its column says; a value of another sort as what it is.
pub(crate) fn write_value(out: &mut Vec<u8>, field: &Field, value: ValueRef<'_>, zone: &Zone) {
    let holds_anything = field.detail.holds_anything;
    let written = match (field.kind, value) {
        (_, ValueRef::Null) => return out.extend_from_slice(b"null"),
        (Kind::Boolean, ValueRef::Integer(0)) => return out.extend_from_slice(b"false"),
        (Kind::Boolean, ValueRef::Integer(1)) => return out.extend_from_slice(b"true"),
        (Kind::Decimal, ValueRef::Integer(number)) => {
            return write_decimal(out, format_args!("{number}"), field.scale);
        }
        (Kind::Decimal, ValueRef::Real(number)) if number.is_finite() => {
            return write_float_as_decimal(out, number, field.scale);
        }
        (Kind::Decimal, ValueRef::Real(number)) if holds_anything => {
            let sign = if number < 0.0 { "-" } else { "" };
            return write_display(out, format_args!("\"{sign}Infinity\""));
        }
        (Kind::Binary, ValueRef::Blob(bytes)) => return write_hex(out, bytes),
        (Kind::Uuid, ValueRef::Blob(bytes)) if field.storage == Storage::UuidBytes => {
            write_uuid(out, bytes)
        }
        (_, ValueRef::Blob(bytes)) if holds_anything => return write_hex_object(out, bytes),
        (Kind::Date, value) => temporal::write_date(out, value),
        (Kind::DateTime, value) => temporal::write_date_time(out, value, zone),
        (Kind::Time, ValueRef::Text(text)) => temporal::write_time(out, text),
        (Kind::Json, ValueRef::Text(text)) => write_json(out, text),
        _ => false,
    };
    match value {
        _ if written => {}
        ValueRef::Text(text) if holds_anything => {
            if !write_utf8(out, text) {
                write_hex_object(out, text);
            }
        }
        value => write_plain(out, value),
    }
}

/// Writes bytes that no text stands for.
fn write_hex_object(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(b"{\"$hex\":");
    write_hex(out, bytes);
    out.push(b'}');
}

/// Writes a value as what it is.
pub(crate) fn write_plain(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::Integer(number) => write_integer(out, number),
        ValueRef::Real(number) => write_float(out, number),
        ValueRef::Text(text) => write_stored_text(out, text),
        ValueRef::Blob(bytes) => write_hex(out, bytes),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::engine::sqlite::column_type::Declared;

    fn field(declared: &str) -> Field {
        Declared::parse(declared).field("f".into(), declared)
    }

    fn written(declared: &str, value: ValueRef<'_>) -> String {
        let mut out = Vec::new();
        write_value(&mut out, &field(declared), value, &Zone::UTC);
        let text = String::from_utf8(out.to_vec()).unwrap();
        serde_json::from_str::<&RawValue>(&text).expect("JSON");
        text
    }

    #[test]
    fn numbers_lose_no_digit() {
        use ValueRef::{Integer, Real, Text};
        assert_eq!(written("INTEGER", Integer(i64::MAX)), "9223372036854775807");
        assert_eq!(written("INTEGER", Real(1.5)), "1.5");
        assert_eq!(written("INTEGER", Text(b"n/a")), "\"n/a\"");
        assert_eq!(written("REAL", Real(0.1)), "0.1");
        assert_eq!(written("REAL", Real(1e300)), "1e300");
        assert_eq!(written("REAL", Real(f64::INFINITY)), "null");
        assert_eq!(written("DECIMAL(10,2)", Real(1.1)), "\"1.10\"");
        assert_eq!(written("DECIMAL(10,2)", Real(1.125)), "\"1.125\"");
        assert_eq!(written("DECIMAL(10,2)", Integer(-5)), "\"-5.00\"");
        assert_eq!(written("NUMERIC", Real(1e21)), "\"1000000000000000000000\"");
        assert_eq!(written("DECIMAL(10,2)", Real(f64::INFINITY)), "null");
        assert_eq!(
            written("DECIMAL(40,2)", Text(b"12345678901234567890.10")),
            "\"12345678901234567890.10\""
        );
    }

    #[test]
    fn what_does_not_fit_its_type_comes_out_as_what_it_is() {
        use ValueRef::{Blob, Integer, Text};
        assert_eq!(written("BOOLEAN", Integer(1)), "true");
        assert_eq!(written("BOOLEAN", Integer(7)), "7");
        assert_eq!(written("BOOLEAN", Text(b"maybe")), "\"maybe\"");
        assert_eq!(written("JSON", Text(b" {\"a\": 1.10} ")), "{\"a\": 1.10}");
        assert_eq!(written("JSON", Text(b"{broken")), "\"{broken\"");
        assert_eq!(written("DATE", Text(b"someday")), "\"someday\"");
        assert_eq!(
            written("DATE", Text(b"2026-01-31 00:00:00")),
            "\"2026-01-31\""
        );
        assert_eq!(
            written("DATE", Text(b"2026-01-31 10:00:00")),
            "\"2026-01-31 10:00:00\""
        );
        assert_eq!(written("TIME", Text(b"09:05")), "\"09:05:00\"");
        assert_eq!(
            written("TEXT", Text(b"a\"\\\n\x00")),
            "\"a\\\"\\\\\\n\\u0000\""
        );
        assert_eq!(written("TEXT", Text(b"\xff!")), "\"\u{fffd}!\"");
        assert_eq!(written("TEXT", Blob(b"\x00\xff")), "\"00ff\"");
        assert_eq!(written("", Integer(3)), "3");
    }
}
