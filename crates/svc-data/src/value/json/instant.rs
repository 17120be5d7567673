//! Dates and points in time as JSON.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use crate::value::time::Zone;

/// Writes `YYYY-MM-DD?HH:MM:SS`, for years from 0 to 9999.
pub(crate) fn write_civil(out: &mut Vec<u8>, civil: DateTime, separator: u8) {
    write_day(
        out,
        civil.year().into(),
        civil.month().into(),
        civil.day().into(),
    );
    let [h, hh] = two_digits(civil.hour().into());
    let [m, mm] = two_digits(civil.minute().into());
    let [s, ss] = two_digits(civil.second().into());
    out.extend_from_slice(&[separator, h, hh, b':', m, mm, b':', s, ss]);
}

/// Writes `YYYY-MM-DD`, for years from 0 to 9999.
pub(crate) fn write_day(out: &mut Vec<u8>, year: i32, month: i32, day: i32) {
    out.extend_from_slice(&day_text(year, month, day));
}

/// `YYYY-MM-DD`, for years from 0 to 9999.
pub(crate) fn day_text(year: i32, month: i32, day: i32) -> [u8; 10] {
    let [c, cc] = two_digits(year / 100);
    let [y, yy] = two_digits(year);
    let [m, mm] = two_digits(month);
    let [d, dd] = two_digits(day);
    [c, cc, y, yy, b'-', m, mm, b'-', d, dd]
}

/// The last two digits of a number.
fn two_digits(number: i32) -> [u8; 2] {
    let number = u8::try_from(number.rem_euclid(100)).unwrap_or(0);
    [b'0' + number / 10, b'0' + number % 10]
}

/// The digits that a fraction of a second in microseconds needs.
pub(crate) fn fraction_digits(micros: u32) -> usize {
    let mut digits = 6;
    let mut rest = micros;
    while digits > 0 && rest.is_multiple_of(10) {
        rest /= 10;
        digits -= 1;
    }
    digits
}

/// Writes a point in time as JSON, in RFC 3339, with so many digits after the seconds unless they are all zero;
/// false when it is in no year of four digits.
pub(crate) fn write_instant(
    out: &mut Vec<u8>,
    timestamp: Timestamp,
    digits: usize,
    zone: &Zone,
) -> bool {
    let nine = format!(
        "{:09}",
        timestamp.subsec_nanosecond().rem_euclid(1_000_000_000)
    );
    let (civil, offset) = local_time(timestamp, zone);
    let fraction = if civil.subsec_nanosecond() == 0 {
        ""
    } else {
        nine.get(..digits).unwrap_or("")
    };
    write_local(out, civil, fraction.as_bytes(), offset)
}

/// The local time in a zone and its offset from UTC in seconds; UTC where that is no number of minutes, since RFC 3339
/// has no seconds in an offset.
pub(crate) fn local_time(timestamp: Timestamp, zone: &Zone) -> (DateTime, i32) {
    let zoned = zone.zone.to_offset(timestamp);
    match zoned.seconds() % 60 {
        0 => (zoned.to_datetime(timestamp), zoned.seconds()),
        _ => (TimeZone::UTC.to_datetime(timestamp), 0),
    }
}

/// Writes a local time and its offset from UTC in seconds as JSON; false when its year has not four digits.
pub(crate) fn write_local(
    out: &mut Vec<u8>,
    civil: DateTime,
    fraction: &[u8],
    offset: i32,
) -> bool {
    if !(0..=9999).contains(&civil.year()) {
        return false;
    }
    out.push(b'"');
    write_civil(out, civil, b'T');
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
    if offset == 0 {
        out.push(b'Z');
    } else {
        let minutes = offset.abs() / 60;
        out.push(if offset < 0 { b'-' } else { b'+' });
        out.extend_from_slice(&two_digits(minutes / 60));
        out.push(b':');
        out.extend_from_slice(&two_digits(minutes % 60));
    }
    out.push(b'"');
    true
}
