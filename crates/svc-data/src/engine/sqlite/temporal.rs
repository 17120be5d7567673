//! Dates in SQLite, which has no type for them: texts of several forms and numbers. Out they come as the
//! contract says, in they go in the form that the column already has.

use jiff::{
    Timestamp, Unit,
    civil::{DateTime, Time},
    tz::TimeZone,
};
use rusqlite::types::ValueRef;

use crate::value::{
    json::instant::{day_text, local_time, write_civil, write_instant, write_local},
    time::{Written, Zone, is_date_time, parse_clock},
};

mod form;

pub(crate) use form::{Forms, Stored, holds_exactly, last_moment, spellings, store};

/// A larger number of seconds is milliseconds: as seconds it would be in the year 5138.
const MILLIS_FROM: i64 = 100_000_000_000;
/// Julian days that SQLite itself reads as such.
const JULIAN_DAYS: std::ops::RangeInclusive<f64> = 0.0..=5_373_484.499_999;
const SECONDS_OF_YEAR_0: i64 = -62_167_219_200;
const SECONDS_AFTER_YEAR_9999: i64 = 253_402_300_800;

/// Writes a stored date and time as JSON, in RFC 3339; false when it is not one.
pub(crate) fn write_date_time(out: &mut Vec<u8>, value: ValueRef<'_>, zone: &Zone) -> bool {
    match value {
        ValueRef::Text(text) if zone.is_utc && is_date_time(text) => {
            write_as_stored(out, text);
            true
        }
        ValueRef::Text(text) => {
            Written::parse(text).is_some_and(|written| write_written(out, &written, zone))
        }
        ValueRef::Integer(number) => unix(number)
            .is_some_and(|(timestamp, digits)| write_instant(out, timestamp, digits, zone)),
        ValueRef::Real(number) => {
            real(number).is_some_and(|timestamp| write_instant(out, timestamp, 3, zone))
        }
        _ => false,
    }
}

/// Writes a [date and time](is_date_time) in UTC, which is shown as it is stored, but for the letters.
fn write_as_stored(out: &mut Vec<u8>, text: &[u8]) {
    let mut shown = *b"\"YYYY-MM-DDThh:mm:ssZ\"";
    for (shown, stored) in shown.iter_mut().skip(1).zip(text) {
        *shown = *stored;
    }
    shown[11] = b'T';
    out.extend_from_slice(&shown);
}

fn write_written(out: &mut Vec<u8>, written: &Written<'_>, zone: &Zone) -> bool {
    if zone.is_utc && matches!(written.offset, None | Some(0)) {
        let Ok(time) = Time::new(written.hour, written.minute, written.second, 0) else {
            return false;
        };
        let civil = DateTime::from_parts(written.date, time);
        return write_local(out, civil, written.fraction, 0);
    }
    let Some(timestamp) = written.timestamp(&TimeZone::UTC) else {
        return false;
    };
    let (shifted, offset) = local_time(timestamp, zone);
    write_local(out, shifted, written.fraction, offset)
}

/// Writes a stored date as JSON; false when it is not a date or has a time of day.
pub(crate) fn write_date(out: &mut Vec<u8>, value: ValueRef<'_>) -> bool {
    let Some(date) = date_text(value) else {
        return false;
    };
    out.push(b'"');
    out.extend_from_slice(&date);
    out.push(b'"');
    true
}

/// The date of a stored value as `YYYY-MM-DD`, when it is a date and nothing more.
pub(crate) fn date_text(value: ValueRef<'_>) -> Option<[u8; 10]> {
    let civil = match value {
        ValueRef::Text(text) => {
            let written = Written::parse(text)?;
            let midnight = (written.hour, written.minute, written.second) == (0, 0, 0)
                && written.fraction.iter().all(|digit| *digit == b'0')
                && matches!(written.offset, None | Some(0));
            if !midnight {
                return None;
            }
            DateTime::from_parts(written.date, Time::midnight())
        }
        ValueRef::Integer(number) => {
            let (timestamp, _) = unix(number)?;
            let civil = TimeZone::UTC.to_datetime(timestamp);
            if civil.time() != Time::midnight() {
                return None;
            }
            civil
        }
        _ => return None,
    };
    if !(0..=9999).contains(&civil.year()) {
        return None;
    }
    let (month, day) = (civil.month().into(), civil.day().into());
    Some(day_text(civil.year().into(), month, day))
}

/// The date part of a stored value as `YYYY-MM-DD`, whatever its time of day.
pub(crate) fn date_of(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(text) => Some(Written::parse(text)?.date.to_string()),
        ValueRef::Integer(number) => {
            let civil = TimeZone::UTC.to_datetime(unix(number)?.0);
            Some(civil.date().to_string())
        }
        _ => None,
    }
}

/// Writes a stored time of day as JSON; false when it is not one.
pub(crate) fn write_time(out: &mut Vec<u8>, text: &[u8]) -> bool {
    let Some((_, _, _, fraction, rest)) = parse_clock(text) else {
        return false;
    };
    if !rest.is_empty() {
        return false;
    }
    out.push(b'"');
    out.extend_from_slice(text.get(..text.len().min(8)).unwrap_or(text));
    if text.len() == 5 {
        out.extend_from_slice(b":00");
    }
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
    out.push(b'"');
    true
}

/// The point in time of a stored value in microseconds, so that values of several forms compare.
pub(crate) fn micros(value: ValueRef<'_>) -> Option<i64> {
    let timestamp = match value {
        ValueRef::Text(text) => Written::parse(text)?.timestamp(&TimeZone::UTC)?,
        ValueRef::Integer(number) => unix(number)?.0,
        ValueRef::Real(number) => real(number)?,
        _ => return None,
    };
    Some(timestamp.as_microsecond())
}

fn unix(number: i64) -> Option<(Timestamp, usize)> {
    if number.abs() >= MILLIS_FROM {
        return (SECONDS_OF_YEAR_0..SECONDS_AFTER_YEAR_9999)
            .contains(&number.div_euclid(1000))
            .then(|| Timestamp::from_millisecond(number).ok())?
            .map(|timestamp| (timestamp, 3));
    }
    Timestamp::from_second(number)
        .ok()
        .map(|timestamp| (timestamp, 0))
}

fn real(number: f64) -> Option<Timestamp> {
    let seconds = if JULIAN_DAYS.contains(&number) {
        (number - 2_440_587.5) * 86_400.0
    } else {
        number
    };
    if !(SECONDS_OF_YEAR_0 as f64..SECONDS_AFTER_YEAR_9999 as f64).contains(&seconds) {
        return None;
    }
    let timestamp = Timestamp::from_millisecond((seconds * 1000.0).round() as i64).ok()?;
    timestamp.round(Unit::Millisecond).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn out(value: ValueRef<'_>, zone: Option<&str>) -> Option<String> {
        let mut out = Vec::new();
        write_date_time(&mut out, value, &Zone::parse(zone).unwrap())
            .then(|| String::from_utf8(out.clone()).unwrap())
    }

    fn text(text: &str, zone: Option<&str>) -> Option<String> {
        out(ValueRef::Text(text.as_bytes()), zone)
    }

    #[test]
    fn every_stored_form_comes_out_as_rfc_3339() {
        for (stored, written) in [
            ("2026-01-31 13:30:00", "2026-01-31T13:30:00Z"),
            ("2026-01-31T13:30", "2026-01-31T13:30:00Z"),
            ("2026-01-31 13:30+00:00", "2026-01-31T13:30:00Z"),
            ("2026-01-31t13:30:59Z", "2026-01-31T13:30:59Z"),
            ("2026-01-31", "2026-01-31T00:00:00Z"),
            (
                "2026-01-31 13:30:00.123456789012",
                "2026-01-31T13:30:00.123456789012Z",
            ),
            ("2026-01-31T13:30:00+02:00", "2026-01-31T11:30:00Z"),
            ("2026-01-31 13:30:00.500 +00:00", "2026-01-31T13:30:00.500Z"),
        ] {
            assert_eq!(text(stored, None), Some(format!("\"{written}\"")));
        }
        for (stored, written) in [
            (ValueRef::Integer(1_769_866_200), "2026-01-31T13:30:00Z"),
            (
                ValueRef::Integer(1_769_866_200_250),
                "2026-01-31T13:30:00.250Z",
            ),
            (ValueRef::Real(2_440_588.0), "1970-01-01T12:00:00Z"),
        ] {
            assert_eq!(out(stored, None), Some(format!("\"{written}\"")));
        }
    }

    #[test]
    fn the_time_zone_moves_what_comes_out() {
        assert_eq!(
            text("2026-01-31 13:30:00.5", Some("Europe/Berlin")).unwrap(),
            "\"2026-01-31T14:30:00.5+01:00\""
        );
        assert_eq!(
            text("2026-01-31T00:00:00Z", Some("-03:30")).unwrap(),
            "\"2026-01-30T20:30:00-03:30\""
        );
    }

    #[test]
    fn what_is_no_date_is_left_to_its_text() {
        for value in [
            "",
            "soon",
            "2026-13-01",
            "12026-01-01 00:00:00",
            "2026-01-31 99:00:00",
        ] {
            assert_eq!(text(value, None), None, "{value}");
        }
        assert_eq!(out(ValueRef::Integer(i64::MAX), None), None);
        assert_eq!(out(ValueRef::Real(f64::INFINITY), None), None);
    }
}
