//! Values that PostgreSQL has and calendars, clocks and digits have not: infinities, NaN, years beyond four digits
//! or before the year 1, and the end of the day.

use super::types::Type;
use crate::value::Scalar;

/// The days whose end is later than every point in time that has a zone.
const LAST_DAYS: [&str; 2] = ["9999-12-30", "9999-12-31"];

/// Reads a value that no other engine has for a column of this type.
pub(crate) fn special(sort: Type, text: &str) -> Option<Scalar> {
    let bare = text.strip_prefix('+').unwrap_or(text);
    let (sign, unsigned) = match bare.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", bare),
    };
    let is_infinite = ["infinity", "inf"]
        .iter()
        .any(|word| unsigned.eq_ignore_ascii_case(word));
    let known = match sort {
        Type::Numeric if unsigned.eq_ignore_ascii_case("nan") => Some("NaN".to_owned()),
        Type::Numeric if is_infinite => Some(format!("{sign}Infinity")),
        Type::Date | Type::Timestamp | Type::TimestampTz if is_infinite => {
            Some(format!("{sign}infinity"))
        }
        Type::Time => (text == "24:00:00").then(|| text.to_owned()),
        Type::Date => is_far_date(text, text.strip_suffix(" BC")).then(|| text.to_owned()),
        Type::Timestamp | Type::TimestampTz => is_far_instant(text).then(|| text.to_owned()),
        _ => None,
    };
    known.map(Scalar::Special)
}

/// Whether it is a date such as `12026-01-31`, or one before the year 1, which is given without its era.
fn is_far_date(text: &str, before_christ: Option<&str>) -> bool {
    let parts: Vec<&str> = before_christ.unwrap_or(text).split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let least = if before_christ.is_some() { 4 } else { 5 };
    (least..=7).contains(&year.len())
        && number(year).is_some()
        && is_pair(month, 1, 12)
        && is_pair(day, 1, 31)
}

/// Whether it is a point in time such as `0044-03-15T12:00:00Z BC`.
fn is_far_instant(text: &str) -> bool {
    let before_christ = text.strip_suffix(" BC");
    let Some((date, clock)) = before_christ.unwrap_or(text).split_once('T') else {
        return false;
    };
    let Some(clock) = clock.strip_suffix('Z') else {
        return false;
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else {
        return false;
    };
    (is_far_date(date, before_christ.map(|_| date)) || LAST_DAYS.contains(&date))
        && is_pair(hour, 0, 23)
        && is_pair(minute, 0, 59)
        && is_pair(second, 0, 59)
        && (1..=6).contains(&fraction.len())
        && number(fraction).is_some()
}

fn is_pair(digits: &str, least: u32, most: u32) -> bool {
    digits.len() == 2 && number(digits).is_some_and(|number| (least..=most).contains(&number))
}

fn number(digits: &str) -> Option<u32> {
    let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_far_and_endless_values_is_read() {
        let read = |sort, text: &str| match special(sort, text) {
            Some(Scalar::Special(text)) => text,
            _ => String::new(),
        };
        assert_eq!(read(Type::Numeric, "nan"), "NaN");
        assert_eq!(read(Type::Numeric, "-Infinity"), "-Infinity");
        assert_eq!(read(Type::Date, "-infinity"), "-infinity");
        for text in ["0044-03-15 BC", "10000-01-01", "5874897-12-31"] {
            assert_eq!(read(Type::Date, text), text);
        }
        for text in ["0044-03-15T12:00:00Z BC", "294276-12-31T23:59:59.999999Z"] {
            assert_eq!(read(Type::TimestampTz, text), text);
        }
        for text in [
            "",
            "BC",
            "today",
            "2026-02-31",
            "2026-13-01",
            "2026-01-31'",
            "now",
        ] {
            assert_eq!(read(Type::Date, text), "");
            assert_eq!(read(Type::Timestamp, text), "");
        }
    }
}
