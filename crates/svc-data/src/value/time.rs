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

/// Whether a text is `YYYY-MM-DD hh:mm:ss[Z]`, with a blank or `T` in between, and a date and time that there is: what
/// [`Written::parse`] finds out too, of the forms that most are stored in.
pub(crate) fn is_date_time(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"Z").unwrap_or(text);
    let Some((date, [b' ' | b'T', clock @ ..])) = text.split_at_checked(10) else {
        return false;
    };
    let [hour @ .., b':', a, b, b':', c, d] = clock else {
        return false;
    };
    let is_below = |digits: &[u8], end| number(digits).is_some_and(|number| number < end);
    hour.len() == 2
        && is_below(hour, 24)
        && is_below(&[*a, *b], 60)
        && is_below(&[*c, *d], 60)
        && is_date(date)
}

fn is_date(text: &[u8]) -> bool {
    let [year @ .., b'-', a, b, b'-', c, d] = text else {
        return false;
    };
    let is_in_each_month = matches!(
        (number(&[*a, *b]), number(&[*c, *d])),
        (Some(1..=12), Some(1..=28))
    );
    match is_in_each_month {
        true => year.len() == 4 && number(year).is_some(),
        false => parse_date(text).is_some(),
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_date_and_time_of_the_usual_form_is_one_that_can_be_read(
            year in 0..=9999_u16, month in 0..=13_u8, day in 0..=32_u8,
            hour in 0..=24_u8, minute in 0..=60_u8, second in 0..=60_u8,
            separator in "[ Tt_]", zone in "Z?", wrong in proptest::option::of((0..19_usize, any::<u8>())),
        ) {
            let text = format!("{year:04}-{month:02}-{day:02}{separator}{hour:02}:{minute:02}:{second:02}{zone}");
            let mut text = text.into_bytes();
            if let Some((place, byte)) = wrong {
                text[place] = byte;
            }
            let usual = Written::parse(&text).is_some_and(|written| {
                written.offset.is_none_or(|offset| offset == 0) && written.fraction.is_empty() && text[16] == b':' && text[10] != b't'
            });
            prop_assert_eq!(is_date_time(&text), usual, "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn what_is_longer_or_shorter_is_not_of_the_usual_form() {
        assert!(is_date_time(b"2024-02-29 23:59:59"));
        assert!(is_date_time(b"2024-02-29T23:59:59Z"));
        for text in [
            "2023-02-29 23:59:59",
            "2024-02-29",
            "2024-02-29 23:59",
            "2024-02-29 23:59:59ZZ",
            "",
        ] {
            assert!(!is_date_time(text.as_bytes()), "{text}");
        }
    }
}
