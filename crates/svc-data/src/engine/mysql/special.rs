//! Values that MySQL and MariaDB have and calendars and clocks have not: the day 0, negative times, times of more
//! than a day, and truth values that are neither.

use super::types::{Type, type_of};
use crate::{
    structure::EngineValues,
    value::time::{LAST_DAYS, unsigned},
};

/// The most hours of a time.
const MAX_HOURS: u32 = 838;
/// The most digits after the seconds.
const MAX_FRACTION: usize = 6;

/// What MySQL and MariaDB know of values.
pub(super) static VALUES: EngineValues = EngineValues {
    special: |field, text| special(type_of(field), text),
    covers: false,
};

/// Reads a value that no other engine has for a column of this type.
fn special(sort: Type, text: &str) -> Option<String> {
    match sort {
        // `tinyint(1)` holds every number of 8 bits.
        Type::Boolean => text.parse::<i64>().ok().map(|_| text.to_owned()),
        Type::Time => is_time(text).then(|| text.to_owned()),
        Type::Date => is_zero_date(text).then(|| text.to_owned()),
        Type::Timestamp => {
            let text = text.strip_suffix('Z').unwrap_or(text);
            let (date, clock) = text.split_once([' ', 'T'])?;
            let is_clock = is_time(clock) && clock.as_bytes().get(2) == Some(&b':');
            let is_special = is_zero_date(date) || LAST_DAYS.contains(&date);
            (is_special && is_clock).then(|| format!("{date} {clock}"))
        }
        _ => None,
    }
}

/// Whether it is a date whose month or day is 0.
fn is_zero_date(text: &str) -> bool {
    let mut parts = text.split('-').map(|part| match unsigned(part) {
        Some(number) if part.len() == 2 || part.len() == 4 => Some((part.len(), number)),
        _ => None,
    });
    let date = (parts.next(), parts.next(), parts.next(), parts.next());
    let (Some(Some((4, _))), Some(Some((2, month))), Some(Some((2, day))), None) = date else {
        return false;
    };
    month <= 12 && day <= 31 && (month == 0 || day == 0)
}

/// Whether it is a time such as `-838:59:59.5`.
fn is_time(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.split(':');
    let (Some(hours), Some(minutes), Some(seconds), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let sixty = |part: &str| part.len() == 2 && unsigned(part).is_some_and(|number| number < 60);
    (2..=3).contains(&hours.len())
        && unsigned(hours).is_some_and(|hours| hours <= MAX_HOURS)
        && sixty(minutes)
        && sixty(seconds)
        && fraction.len() <= MAX_FRACTION
        && unsigned(fraction).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_zero_dates_are_read_as_they_are_shown_and_nothing_else_is() {
        let read = |sort, text: &str| special(sort, text).is_some();
        for text in ["-838:59:59.000001", "24:00:00", "100:00:01", "-00:00:01"] {
            assert!(read(Type::Time, text), "{text}");
        }
        for text in [
            "839:00:00",
            "-1:00:00",
            "10:60:00",
            "10:00",
            "1e:00:00",
            "10:00:00.1234567",
        ] {
            assert!(!read(Type::Time, text), "{text}");
        }
        for text in ["0000-00-00", "2026-00-00", "2026-01-00"] {
            assert!(read(Type::Date, text), "{text}");
            assert!(read(Type::Timestamp, &format!("{text} 00:00:00")), "{text}");
        }
        for text in [
            "2026-02-30",
            "2026-13-00",
            "00-00-0000",
            "2026-00",
            "0000-00-00-00",
        ] {
            assert!(!read(Type::Date, text), "{text}");
        }
        assert!(!read(Type::Timestamp, "0000-00-00 -10:00:00"));
        assert_eq!(
            special(Type::Timestamp, "9999-12-31T23:59:59Z"),
            Some("9999-12-31 23:59:59".to_owned())
        );
        assert_eq!(special(Type::Boolean, "-7").as_deref(), Some("-7"));
    }
}
