//! Values that PostgreSQL has and calendars, clocks and digits have not: infinities, NaN, years beyond four digits
//! or before the year 1, and the end of the day.

use super::types::{Type, type_of};
use crate::{
    structure::EngineValues,
    value::time::{LAST_DAYS, unsigned},
};

/// What PostgreSQL knows of values.
pub(super) static VALUES: EngineValues = EngineValues {
    special: |field, text| special(type_of(field), text),
    covers: true,
};

/// Reads a value that no other engine has for a column of this type.
fn special(sort: Type, text: &str) -> Option<String> {
    let bare = text.strip_prefix('+').unwrap_or(text);
    let (sign, unsigned) = match bare.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", bare),
    };
    let is_infinite = ["infinity", "inf"]
        .iter()
        .any(|word| unsigned.eq_ignore_ascii_case(word));
    match sort {
        Type::Decimal if unsigned.eq_ignore_ascii_case("nan") => Some("NaN".to_owned()),
        Type::Decimal if is_infinite => Some(format!("{sign}Infinity")),
        Type::Date | Type::Timestamp | Type::TimestampTz if is_infinite => {
            Some(format!("{sign}infinity"))
        }
        Type::Time => (text == "24:00:00").then(|| text.to_owned()),
        Type::Date => is_far_date(text, text.strip_suffix(" BC")).then(|| text.to_owned()),
        Type::Timestamp | Type::TimestampTz => is_far_instant(text).then(|| text.to_owned()),
        _ => None,
    }
}

/// Whether it is a date such as `12026-01-31`, or one before the year 1, which is given without its era.
fn is_far_date(text: &str, before_christ: Option<&str>) -> bool {
    let parts: Vec<&str> = before_christ.unwrap_or(text).split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let least = if before_christ.is_some() { 4 } else { 5 };
    (least..=7).contains(&year.len())
        && unsigned(year).is_some()
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
        && unsigned(fraction).is_some()
}

fn is_pair(digits: &str, least: u32, most: u32) -> bool {
    digits.len() == 2 && unsigned(digits).is_some_and(|number| (least..=most).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_far_and_endless_values_is_read() {
        let read = |sort, text: &str| special(sort, text).unwrap_or_default();
        assert_eq!(read(Type::Decimal, "nan"), "NaN");
        assert_eq!(read(Type::Decimal, "-Infinity"), "-Infinity");
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
