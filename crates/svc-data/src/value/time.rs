//! Dates, times and time zones as texts write them.

use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::{Offset, TimeZone},
};

/// The days whose end is later than every point in time that has a zone.
pub(crate) const LAST_DAYS: [&str; 2] = ["9999-12-30", "9999-12-31"];

/// The time zone of date texts, in and out.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    pub(crate) zone: TimeZone,
    pub(crate) is_utc: bool,
}

impl Zone {
    pub(crate) const UTC: Self = Self {
        zone: TimeZone::UTC,
        is_utc: true,
    };

    /// Reads the `tz` parameter.
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, String> {
        let Some(text) =
            text.filter(|text| !matches!(*text, "UTC" | "Z" | "z" | "GMT" | "Etc/UTC"))
        else {
            return Ok(Self::UTC);
        };
        let unknown =
            || "must be a UTC offset such as +02:00 or a zone such as Europe/Berlin".to_owned();
        // A plus that was not escaped in a query string arrives as a blank.
        let offset_text = text.strip_prefix(' ').map(|rest| format!("+{rest}"));
        let offset_text = offset_text.as_deref().unwrap_or(text);
        if let Some(seconds) = parse_offset(offset_text.as_bytes()) {
            let offset = Offset::from_seconds(seconds).map_err(|_| unknown())?;
            return Ok(Self {
                zone: offset.to_time_zone(),
                is_utc: seconds == 0,
            });
        }
        TimeZone::get(text)
            .map(|zone| Self {
                zone,
                is_utc: false,
            })
            .map_err(|_| unknown())
    }
}

/// Reads `+HH:MM`, `+HHMM`, `+HH` or `Z` as seconds.
fn parse_offset(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'Z' | b'z'] => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match digits {
        [a, b] => (number(&[*a, *b])?, 0),
        [a, b, c, d] | [a, b, b':', c, d] => (number(&[*a, *b])?, number(&[*c, *d])?),
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then(|| sign * (hours * 3600 + minutes * 60))
}

fn number(digits: &[u8]) -> Option<i32> {
    digits.iter().try_fold(0_i32, |number, digit| {
        digit
            .is_ascii_digit()
            .then(|| number * 10 + i32::from(digit - b'0'))
    })
}

/// A date and time as it is written, before it is known where on earth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written<'a> {
    pub(crate) date: Date,
    pub(crate) hour: i8,
    pub(crate) minute: i8,
    pub(crate) second: i8,
    /// The digits of the fraction of the second.
    pub(crate) fraction: &'a [u8],
    /// The offset from UTC in seconds, where one is written.
    pub(crate) offset: Option<i32>,
    pub(crate) has_time: bool,
    pub(crate) separator: u8,
}

impl<'a> Written<'a> {
    /// Reads `YYYY-MM-DD`, optionally followed by `T` or a blank, `HH:MM[:SS[.fraction]]` and an offset.
    pub(crate) fn parse(text: &'a [u8]) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let date = parse_date(date)?;
        let mut written = Self {
            date,
            separator: b' ',
            ..Self::default()
        };
        if rest.is_empty() {
            return Some(written);
        }
        let (separator, rest) = rest.split_first()?;
        if !matches!(separator, b'T' | b't' | b' ') {
            return None;
        }
        written.separator = if *separator == b' ' { b' ' } else { b'T' };
        written.has_time = true;
        let (hour, minute, second, fraction, rest) = parse_clock(rest)?;
        (written.hour, written.minute, written.second) = (hour, minute, second);
        written.fraction = fraction;
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        if !rest.is_empty() {
            written.offset = Some(parse_offset(rest)?);
        }
        Some(written)
    }

    fn nanoseconds(&self) -> i32 {
        let mut digits = self.fraction.iter().take(9);
        (0..9).fold(0, |number, _| {
            number * 10 + digits.next().map_or(0, |digit| i32::from(digit - b'0'))
        })
    }

    pub(crate) fn civil(&self) -> Option<DateTime> {
        let time = Time::new(self.hour, self.minute, self.second, self.nanoseconds()).ok()?;
        Some(DateTime::from_parts(self.date, time))
    }

    /// The point in time; one without an offset is read in `zone`.
    pub(crate) fn timestamp(&self, zone: &TimeZone) -> Option<Timestamp> {
        let civil = self.civil()?;
        match self.offset {
            Some(seconds) => Offset::from_seconds(seconds).ok()?.to_timestamp(civil).ok(),
            None => zone.to_timestamp(civil).ok(),
        }
    }
}

/// Reads `YYYY-MM-DD`.
pub(crate) fn parse_date(text: &[u8]) -> Option<Date> {
    let [a, b, c, d, b'-', e, f, b'-', g, h] = text else {
        return None;
    };
    let year = i16::try_from(number(&[*a, *b, *c, *d])?).ok()?;
    let month = i8::try_from(number(&[*e, *f])?).ok()?;
    Date::new(year, month, i8::try_from(number(&[*g, *h])?).ok()?).ok()
}

type Clock<'a> = (i8, i8, i8, &'a [u8], &'a [u8]);

/// Reads `HH:MM[:SS[.fraction]]` and returns what follows.
pub(crate) fn parse_clock(text: &[u8]) -> Option<Clock<'_>> {
    let (hour_minute, mut rest) = text.split_at_checked(5)?;
    let [a, b, b':', c, d] = hour_minute else {
        return None;
    };
    let hour = i8::try_from(number(&[*a, *b])?).ok()?;
    let minute = i8::try_from(number(&[*c, *d])?).ok()?;
    let mut second = 0;
    let mut fraction: &[u8] = &[];
    if let [b':', e, f, after @ ..] = rest {
        second = i8::try_from(number(&[*e, *f])?).ok()?;
        rest = after;
        if let [b'.' | b',', after @ ..] = rest {
            let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
            if digits == 0 {
                return None;
            }
            (fraction, rest) = after.split_at_checked(digits)?;
        }
    }
    (hour <= 23 && minute <= 59 && second <= 59).then_some((hour, minute, second, fraction, rest))
}
/// The number that digits are, where they are nothing else.
pub(crate) fn unsigned(digits: &str) -> Option<u32> {
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}
