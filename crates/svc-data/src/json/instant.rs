//! Dates and points in time as JSON.

use bytes::{BufMut, BytesMut};
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use crate::time::Zone;

/// Writes `YYYY-MM-DD?HH:MM:SS`, for years from 0 to 9999.
pub(crate) fn write_civil(out: &mut impl BufMut, civil: DateTime, separator: u8) {
    let mut text = [0_u8; 19];
    let year = i32::from(civil.year());
    let parts = [
        (0, year / 100),
        (2, year % 100),
        (5, i32::from(civil.month())),
        (8, i32::from(civil.day())),
        (11, i32::from(civil.hour())),
        (14, i32::from(civil.minute())),
        (17, i32::from(civil.second())),
    ];
    for (at, value) in parts {
        if let Some([tens, ones]) = text.get_mut(at..at + 2) {
            let value = u8::try_from(value.rem_euclid(100)).unwrap_or(0);
            *tens = b'0' + value / 10;
            *ones = b'0' + value % 10;
        }
    }
    for (at, mark) in [
        (4, b'-'),
        (7, b'-'),
        (10, separator),
        (13, b':'),
        (16, b':'),
    ] {
        if let Some(place) = text.get_mut(at) {
            *place = mark;
        }
    }
    out.put_slice(&text);
}

/// Writes a point in time as JSON, in RFC 3339, with so many digits behind the seconds unless they are all zero;
/// false when it is in no year of four digits.
pub(crate) fn write_instant(
    out: &mut BytesMut,
    timestamp: Timestamp,
    digits: usize,
    zone: &Zone,
) -> bool {
    let nine = format!(
        "{:09}",
        timestamp.subsec_nanosecond().rem_euclid(1_000_000_000)
    );
    let zoned = zone.zone.to_offset(timestamp);
    let (civil, offset) = if zoned.seconds() % 60 == 0 {
        (zoned.to_datetime(timestamp), zoned.seconds())
    } else {
        (TimeZone::UTC.to_datetime(timestamp), 0)
    };
    let fraction = if civil.subsec_nanosecond() == 0 {
        ""
    } else {
        nine.get(..digits).unwrap_or("")
    };
    write_local(out, civil, fraction.as_bytes(), offset)
}

/// Writes a local time and its offset from UTC in seconds as JSON; false when its year has not four digits.
pub(crate) fn write_local(
    out: &mut BytesMut,
    civil: DateTime,
    fraction: &[u8],
    offset: i32,
) -> bool {
    if !(0..=9999).contains(&civil.year()) {
        return false;
    }
    out.put_u8(b'"');
    write_civil(out, civil, b'T');
    if !fraction.is_empty() {
        out.put_u8(b'.');
        out.put_slice(fraction);
    }
    if offset == 0 {
        out.put_u8(b'Z');
    } else {
        let minutes = offset.abs() / 60;
        let two = |value: i32| {
            let value = u8::try_from(value.rem_euclid(100)).unwrap_or(0);
            [b'0' + value / 10, b'0' + value % 10]
        };
        out.put_u8(if offset < 0 { b'-' } else { b'+' });
        out.put_slice(&two(minutes / 60));
        out.put_u8(b':');
        out.put_slice(&two(minutes % 60));
    }
    out.put_u8(b'"');
    true
}
