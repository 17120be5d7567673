//! Expiry times of tokens: RFC 3339 as the time since 1970.

use std::time::Duration;

const SECONDS_A_DAY: i64 = 86_400;

/// Reads an RFC 3339 text; a time before 1970 becomes 1970, which makes no difference for expiry.
/// `None` for any other text: the expiry of the token is then unknown.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let mut reader = Reader(text.trim().as_bytes());
    let year = reader.digits(4)?;
    reader.one_of(b"-")?;
    let month = reader.digits(2)?;
    reader.one_of(b"-")?;
    let day = reader.digits(2)?;
    reader.one_of(b"Tt ")?;
    let hour = reader.digits(2)?;
    reader.one_of(b":")?;
    let minute = reader.digits(2)?;
    reader.one_of(b":")?;
    let second = reader.digits(2)?;
    let nanos = reader.fraction()?;
    let offset = reader.offset()?;
    let is_real = reader.0.is_empty()
        && (1..=12).contains(&month)
        && (1..=days_of_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        // A leap second is the first moment of the next minute.
        && second <= 60;
    if !is_real {
        return None;
    }
    let seconds =
        days_since_1970(year, month, day) * SECONDS_A_DAY + hour * 3600 + minute * 60 + second
            - offset;
    match u64::try_from(seconds) {
        Ok(seconds) => Some(Duration::new(seconds, nanos)),
        Err(_) => Some(Duration::ZERO),
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        self.next().filter(|byte| allowed.contains(byte))
    }

    fn digit(&mut self) -> Option<i64> {
        let digit = self.next().filter(u8::is_ascii_digit)?;
        Some(i64::from(digit - b'0'))
    }

    /// A number with exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        (0..count).try_fold(0, |number, _| Some(number * 10 + self.digit()?))
    }

    /// The nanoseconds of a fraction; further digits are dropped, and 0 is returned when there is no fraction.
    fn fraction(&mut self) -> Option<u32> {
        if self.0.first() != Some(&b'.') {
            return Some(0);
        }
        self.next();
        let count = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let nine = digits.iter().chain([b'0'; 9].iter()).take(9);
        let nanos = nine.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'));
        (count > 0).then_some(nanos)
    }

    /// The offset of the local time from UTC in seconds.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.digits(2)?;
        self.one_of(b":")?;
        let minutes = self.digits(2)?;
        (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1970-01-01 to a date. The calculation lets years begin in March, so that the leap day
/// is the last day of the year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(text: &str) -> Option<u64> {
        parse(text).map(|time| time.as_secs())
    }

    #[test]
    fn valid_times_are_read() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-09-15T12:00:00Z", 1_789_473_600),
            ("2026-09-15t14:30:00+02:30", 1_789_473_600),
            ("2026-09-15 11:00:00-01:00", 1_789_473_600),
            ("2026-09-15T12:00:00-00:00", 1_789_473_600),
            ("2000-02-29T23:59:60z", 951_868_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            // Times before 1970.
            ("0000-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", 0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        assert_eq!(
            parse("1970-01-01T00:00:01.0250000009Z"),
            Some(Duration::from_millis(1025))
        );
    }

    #[test]
    fn any_other_text_has_no_time() {
        for text in [
            "",
            "soon",
            "1789473600",
            "2026-09-15",
            "2026-09-15T12:00:00",
            "2026-09-15T12:00Z",
            "2026-9-15T12:00:00Z",
            "2026-02-29T12:00:00Z",
            "2100-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-00-01T12:00:00Z",
            "2026-04-31T12:00:00Z",
            "2026-09-15T24:00:00Z",
            "2026-09-15T12:60:00Z",
            "2026-09-15T12:00:61Z",
            "2026-09-15T12:00:00.Z",
            "2026-09-15T12:00:00+0200",
            "2026-09-15T12:00:00+24:00",
            "2026-09-15T12:00:00Zulu",
            "+026-09-15T12:00:00Z",
            "２026-09-15T12:00:00Z",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn each_day_follows_the_previous_one() {
        let mut expected = 0;
        for year in 1970..2500 {
            for month in 1..=12 {
                for day in 1..=days_of_month(year, month) {
                    assert_eq!(days_since_1970(year, month, day), expected);
                    expected += 1;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_time_is_the_same_in_every_offset(
            day in 1_i64..20_000,
            hour in 0_i64..24,
            minute in 0_i64..60,
            second in 0_i64..60,
            nanos in 0_u32..1_000_000_000,
            offset in -1439_i64..=1439,
        ) {
            // The date of the local time, found by counting.
            let local = day * SECONDS_A_DAY + hour * 3600 + minute * 60 + second;
            let (mut year, mut month, mut days) = (1970, 1, day);
            while days >= days_of_month(year, month) {
                days -= days_of_month(year, month);
                month += 1;
                if month > 12 {
                    (year, month) = (year + 1, 1);
                }
            }
            let sign = if offset < 0 { '-' } else { '+' };
            let (ahead, behind) = (offset.abs() / 60, offset.abs() % 60);
            let text = format!(
                "{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}{sign}{ahead:02}:{behind:02}",
                days + 1,
            );
            let expected = u64::try_from(local - offset * 60).unwrap();
            prop_assert_eq!(parse(&text), Some(Duration::new(expected, nanos)));
        }

        #[test]
        fn no_text_causes_a_panic(text in "\\PC*") {
            let _ = parse(&text);
        }

        #[test]
        fn no_text_that_resembles_a_time_causes_a_panic(text in "[0-9]{3,5}-[0-9]{1,2}-[0-9]{1,2}[Tt ][0-9:.]{0,20}[Zz+-]?[0-9:]{0,6}") {
            let _ = parse(&text);
        }
    }
}
