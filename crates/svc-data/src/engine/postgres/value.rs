//! Rows as PostgreSQL sends them: as JSON, as keys to order by, and their entity tag.

use jiff::Timestamp;
use tokio_postgres::{
    Row,
    types::{FromSql, Type},
};

mod array;

use super::fault;
use crate::{
    Error, Field, Result,
    engine::answers::Cells,
    query::cursor::KeyValue,
    record::{Tag, raw::RawCell},
    value::{
        json::{
            instant::{
                fraction_digits, local_time, write_civil, write_day, write_instant, write_local,
            },
            write_display, write_float, write_hex, write_integer, write_stored_text, write_uuid,
        },
        time::Zone,
    },
};

/// Days from 1970 to 2000, where PostgreSQL's calendar begins.
const EPOCH_DAYS: i64 = 10_957;
const DAY: i64 = 86_400_000_000;

/// The declared type of the times of the service itself. The store keeps them as text, with six digits of a second.
pub(super) const TIME_OF_STORE: &str = "DATETIME";

/// A value as it was sent, and its type.
pub(super) struct Cell<'a> {
    pub(super) sort: &'a Type,
    pub(super) bytes: &'a [u8],
}

/// The bytes of a value, whatever its type.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The value at a place of a row; none is NULL.
fn cell(row: &Row, position: usize) -> Result<Option<Cell<'_>>> {
    let raw: Option<Raw<'_>> = row.try_get(position).map_err(fault::translate)?;
    let column = row.columns().get(position);
    Ok(raw.zip(column).map(|(Raw(bytes), column)| Cell {
        sort: column.type_(),
        bytes,
    }))
}

impl Cells for Row {
    type Error = Error;

    fn write(&self, out: &mut Vec<u8>, field: &Field, position: usize, zone: &Zone) -> Result<()> {
        if field.db_type == TIME_OF_STORE
            && let Some(micros) = cell(self, position)?.and_then(|cell| cell.integer())
            && write_time_of_store(out, micros, zone)
        {
            return Ok(());
        }
        write_value(out, self, position, zone)
    }

    fn raw(&self, _: &Field, position: usize) -> Result<RawCell<'_>> {
        Ok(match cell(self, position)? {
            None => RawCell::Null,
            Some(cell) if *cell.sort == Type::BYTEA => RawCell::Binary(cell.bytes),
            Some(cell) if is_text(cell.sort) => RawCell::Text(cell.bytes),
            Some(_) => RawCell::Shown,
        })
    }

    fn part(&self, _: &Field, position: usize) -> Result<RawCell<'_>> {
        Ok(match cell(self, position)? {
            None => RawCell::Null,
            Some(cell) if *cell.sort == Type::BYTEA => RawCell::Binary(cell.bytes),
            Some(cell) => RawCell::Text(cell.bytes),
        })
    }

    fn number(&self, position: usize) -> Result<Option<u64>> {
        let number = cell(self, position)?.and_then(|cell| cell.integer());
        Ok(number.map(i64::unsigned_abs))
    }

    fn tag(&self, tag: &mut Tag, field: &Field, position: usize) -> Result<()> {
        match cell(self, position)? {
            None => tag.add(field, 0, &[]),
            Some(cell) => tag.add(field, 1, cell.bytes),
        }
        Ok(())
    }
}

/// Writes a value as JSON.
pub(super) fn write_value(
    out: &mut Vec<u8>,
    row: &Row,
    position: usize,
    zone: &Zone,
) -> Result<()> {
    match cell(row, position)? {
        None => out.extend_from_slice(b"null"),
        Some(cell) => {
            cell.write(out, zone).ok_or_else(|| {
                Error::internal(format!("a value of type {} has an unknown form", cell.sort))
            })?;
        }
    }
    Ok(())
}

/// The bytes of the value at a place of a row, as they were sent.
pub(super) fn sent(row: &Row, position: usize) -> Result<Option<Vec<u8>>> {
    Ok(cell(row, position)?.map(|cell| cell.bytes.to_vec()))
}

/// Whether there is no value at a place of a row.
pub(super) fn is_null(row: &Row, position: usize) -> Result<bool> {
    Ok(cell(row, position)?.is_none())
}

/// Whether values of a type can be written as they are sent.
pub(super) fn is_known(sort: &Type) -> bool {
    matches!(
        *sort,
        Type::INT2
            | Type::INT4
            | Type::INT8
            | Type::FLOAT4
            | Type::FLOAT8
            | Type::NUMERIC
            | Type::BOOL
            | Type::DATE
            | Type::TIME
            | Type::TIMESTAMP
            | Type::TIMESTAMPTZ
            | Type::JSON
            | Type::JSONB
            | Type::UUID
            | Type::BYTEA
            | Type::TEXT
            | Type::VARCHAR
            | Type::BPCHAR
            | Type::NAME
            | Type::UNKNOWN
    )
}

/// Whether values of a type are sent as their text.
fn is_text(sort: &Type) -> bool {
    !is_known(sort) && array::element_type(sort).is_none()
        || matches!(
            *sort,
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN
        )
}

impl Cell<'_> {
    /// Writes the value; none when it is not of the form that its type has.
    pub(super) fn write(&self, out: &mut Vec<u8>, zone: &Zone) -> Option<()> {
        if let Some(element) = array::element_type(self.sort) {
            return array::write(out, element, self.bytes, zone);
        }
        match *self.sort {
            Type::INT2 | Type::INT4 | Type::INT8 => {
                write_integer(out, self.integer()?);
            }
            Type::FLOAT4 => write_float(out, f32::from_be_bytes(self.bytes.try_into().ok()?)),
            Type::FLOAT8 => write_float(out, f64::from_be_bytes(self.bytes.try_into().ok()?)),
            Type::NUMERIC => write_numeric(out, self.bytes)?,
            Type::BOOL => out.extend_from_slice(match self.bytes {
                [0] => b"false",
                _ => b"true",
            }),
            Type::DATE => {
                write_date(out, i32::from_be_bytes(self.bytes.try_into().ok()?));
            }
            Type::TIME => write_time(out, i64::from_be_bytes(self.bytes.try_into().ok()?)),
            Type::TIMESTAMP | Type::TIMESTAMPTZ => {
                write_date_time(out, i64::from_be_bytes(self.bytes.try_into().ok()?), zone);
            }
            Type::JSON => out.extend_from_slice(self.bytes),
            // The first byte is the version of the form.
            Type::JSONB => out.extend_from_slice(self.bytes.get(1..)?),
            Type::UUID => return write_uuid(out, self.bytes).then_some(()),
            Type::BYTEA => write_hex(out, self.bytes),
            _ => write_stored_text(out, self.bytes),
        }
        Some(())
    }

    fn integer(&self) -> Option<i64> {
        Some(match self.bytes.len() {
            2 => i16::from_be_bytes(self.bytes.try_into().ok()?).into(),
            4 => i32::from_be_bytes(self.bytes.try_into().ok()?).into(),
            _ => i64::from_be_bytes(self.bytes.try_into().ok()?),
        })
    }
}

/// Writes an exact decimal with the digits that it has.
fn write_numeric(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    let word = |at: usize| -> Option<u16> {
        let word = bytes.get(at * 2..at * 2 + 2)?;
        Some(u16::from_be_bytes(word.try_into().ok()?))
    };
    let (groups, weight, sign, scale) = (word(0)?, word(1)?.cast_signed(), word(2)?, word(3)?);
    match sign {
        0x0000 => out.extend_from_slice(b"\""),
        0x4000 => out.extend_from_slice(b"\"-"),
        special => {
            out.extend_from_slice(match special {
                0xd000 => b"\"Infinity\"",
                0xf000 => b"\"-Infinity\"",
                _ => b"\"NaN\"",
            });
            return Some(());
        }
    }
    // A group has four digits; the first is worth 10000 to the power of the weight.
    let group = |position: i32| -> u16 {
        let Ok(position) = u16::try_from(position) else {
            return 0;
        };
        match position < groups {
            true => word(4 + usize::from(position)).unwrap_or(0),
            false => 0,
        }
    };
    let weight = i32::from(weight);
    match weight < 0 {
        true => out.push(b'0'),
        false => {
            for position in 0..=weight {
                match position {
                    0 => write_integer(out, group(0)),
                    _ => out.extend_from_slice(&four_digits(group(position))),
                }
            }
        }
    }
    if scale > 0 {
        out.push(b'.');
        let mut left = usize::from(scale);
        let mut position = weight + 1;
        while left > 0 {
            let shown = left.min(4);
            let digits = four_digits(group(position));
            out.extend_from_slice(digits.get(..shown).unwrap_or_default());
            left -= shown;
            position += 1;
        }
    }
    out.push(b'"');
    Some(())
}

/// A number below 10000 with zeros in front.
fn four_digits(number: u16) -> [u8; 4] {
    [1000, 100, 10, 1].map(|unit| b'0' + u8::try_from(number / unit % 10).unwrap_or(0))
}

/// Year, month and day of a number of days since 1970, of the calendar that goes on both ways for ever.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Writes a date beyond the years 0 to 9999 as PostgreSQL does.
fn write_far_date(out: &mut Vec<u8>, days: i64, clock: &str) {
    let (year, month, day) = civil(days);
    let (year, era) = match year > 0 {
        true => (year, ""),
        false => (1 - year, " BC"),
    };
    let text = format_args!("\"{year:04}-{month:02}-{day:02}{clock}{era}\"");
    write_display(out, text);
}

fn write_date(out: &mut Vec<u8>, days: i32) {
    match days {
        i32::MAX => return out.extend_from_slice(b"\"infinity\""),
        i32::MIN => return out.extend_from_slice(b"\"-infinity\""),
        _ => {}
    }
    let days = i64::from(days) + EPOCH_DAYS;
    let (year, month, day) = civil(days);
    match (
        i32::try_from(year),
        i32::try_from(month),
        i32::try_from(day),
    ) {
        (Ok(year @ 1..=9999), Ok(month), Ok(day)) => {
            out.push(b'"');
            write_day(out, year, month, day);
            out.push(b'"');
        }
        _ => write_far_date(out, days, ""),
    }
}

fn write_time(out: &mut Vec<u8>, micros: i64) {
    out.push(b'"');
    write_display(out, format_args!("{}", Clock(micros)));
    out.push(b'"');
}

/// A time of day, in microseconds.
struct Clock(i64);

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (seconds, micros) = (self.0.div_euclid(1_000_000), self.0.rem_euclid(1_000_000));
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        write!(f, "{hours:02}:{minutes:02}:{:02}", seconds % 60)?;
        if micros > 0 {
            let digits = format!("{micros:06}");
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

fn write_date_time(out: &mut Vec<u8>, micros: i64, zone: &Zone) {
    match micros {
        i64::MAX => return out.extend_from_slice(b"\"infinity\""),
        i64::MIN => return out.extend_from_slice(b"\"-infinity\""),
        _ => {}
    }
    if let Some(timestamp) = time_at(micros)
        && write_short(out, timestamp, micros, zone)
    {
        return;
    }
    let clock = format!("T{}Z", Clock(micros.rem_euclid(DAY)));
    write_far_date(out, micros.div_euclid(DAY) + EPOCH_DAYS, &clock);
}

/// The point in time that is so many microseconds after the year 2000 begins.
fn time_at(micros: i64) -> Option<Timestamp> {
    let since_1970 = micros.checked_add(EPOCH_DAYS * DAY)?;
    Timestamp::from_microsecond(since_1970).ok()
}

/// Writes a time of the service itself as the store keeps it, with all six digits, so that entries have the same alone and in lists;
/// false when it is in no year of four digits.
fn write_time_of_store(out: &mut Vec<u8>, micros: i64, zone: &Zone) -> bool {
    let Some(time) = time_at(micros) else {
        return false;
    };
    let (civil, offset) = local_time(time, zone);
    let fraction = format!("{:06}", micros.rem_euclid(1_000_000));
    write_local(out, civil, fraction.as_bytes(), offset)
}

/// Writes a point in time in a year of four digits.
fn write_short(out: &mut Vec<u8>, timestamp: Timestamp, micros: i64, zone: &Zone) -> bool {
    let fraction = micros.rem_euclid(1_000_000);
    if fraction == 0 && zone.is_utc {
        let civil = jiff::tz::TimeZone::UTC.to_datetime(timestamp);
        if !(0..=9999).contains(&civil.year()) {
            return false;
        }
        out.push(b'"');
        write_civil(out, civil, b'T');
        out.extend_from_slice(b"Z\"");
        return true;
    }
    let digits = fraction_digits(u32::try_from(fraction).unwrap_or(0));
    write_instant(out, timestamp, digits, zone)
}

/// What a row has in a column of the order, so that it can be bound again.
pub(super) fn key(row: &Row, position: usize) -> Result<Option<KeyValue>> {
    let Some(cell) = cell(row, position)? else {
        return Ok(Some(KeyValue::Null));
    };
    Ok(match *cell.sort {
        Type::INT2 | Type::INT4 | Type::INT8 => cell.integer().map(KeyValue::Integer),
        _ => std::str::from_utf8(cell.bytes)
            .ok()
            .map(|text| KeyValue::Text(text.to_owned())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(sort: &Type, bytes: &[u8], zone: Option<&str>) -> String {
        let mut out = Vec::new();
        let zone = Zone::parse(zone).unwrap();
        Cell { sort, bytes }.write(&mut out, &zone).unwrap();
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn decimals_have_their_digits_and_no_others() {
        let numeric = |words: &[u16]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            written(&Type::NUMERIC, &bytes, None)
        };
        assert_eq!(numeric(&[0, 0, 0, 0]), "\"0\"");
        assert_eq!(numeric(&[0, 0, 0, 2]), "\"0.00\"");
        assert_eq!(numeric(&[2, 0, 0, 2, 10, 5000]), "\"10.50\"");
        assert_eq!(numeric(&[1, 1, 0x4000, 0, 12]), "\"-120000\"");
        assert_eq!(numeric(&[1, 0xffff, 0, 6, 1234]), "\"0.123400\"");
        assert_eq!(numeric(&[1, 0xfffe, 0, 7, 1200]), "\"0.0000120\"");
        assert_eq!(numeric(&[3, 2, 0, 1, 1, 2, 3]), "\"100020003.0\"");
        assert_eq!(numeric(&[0, 0, 0xc000, 0]), "\"NaN\"");
        assert_eq!(numeric(&[0, 0, 0xd000, 0]), "\"Infinity\"");
        assert_eq!(numeric(&[0, 0, 0xf000, 0]), "\"-Infinity\"");
    }

    #[test]
    fn dates_go_on_where_four_digits_end() {
        let date = |days: i32| written(&Type::DATE, &days.to_be_bytes(), None);
        assert_eq!(date(0), "\"2000-01-01\"");
        assert_eq!(date(-10_957), "\"1970-01-01\"");
        assert_eq!(date(9_497), "\"2026-01-01\"");
        assert_eq!(date(2_921_940), "\"10000-01-01\"");
        assert_eq!(date(-730_119), "\"0001-01-01\"");
        assert_eq!(date(-730_120), "\"0001-12-31 BC\"");
        assert_eq!(date(i32::MAX), "\"infinity\"");
        let time = |micros: i64| written(&Type::TIMESTAMPTZ, &micros.to_be_bytes(), None);
        assert_eq!(time(0), "\"2000-01-01T00:00:00Z\"");
        assert_eq!(time(-1), "\"1999-12-31T23:59:59.999999Z\"");
        assert_eq!(time(500_000), "\"2000-01-01T00:00:00.5Z\"");
        assert_eq!(
            time(2_921_940 * DAY + 1_000),
            "\"10000-01-01T00:00:00.001Z\""
        );
        assert_eq!(time(i64::MIN), "\"-infinity\"");
        assert_eq!(
            written(
                &Type::TIMESTAMPTZ,
                &250_000_i64.to_be_bytes(),
                Some("Asia/Kolkata")
            ),
            "\"2000-01-01T05:30:00.25+05:30\""
        );
        let of_store = |micros: i64| {
            let mut out = Vec::new();
            assert!(write_time_of_store(&mut out, micros, &Zone::UTC));
            String::from_utf8(out).unwrap()
        };
        assert_eq!(of_store(0), "\"2000-01-01T00:00:00.000000Z\"");
        assert_eq!(of_store(-500_000), "\"1999-12-31T23:59:59.500000Z\"");
        assert!(!write_time_of_store(&mut Vec::new(), i64::MAX, &Zone::UTC));
        assert_eq!(
            written(&Type::TIME, &(DAY - 1).to_be_bytes(), None),
            "\"23:59:59.999999\""
        );
    }
}
