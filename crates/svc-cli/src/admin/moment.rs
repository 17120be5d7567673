//! Times as people write them on the command line.

use jiff::{Span, Timestamp, Zoned, civil::Date, tz::TimeZone};

/// Reads when a credential ends. `90d`, `12h`, `6mo`, `1y`: from now on; `2027-01-31`: that day, 00:00 UTC; or an
/// RFC 3339 time.
pub(super) fn expiry(text: &str) -> Result<Timestamp, String> {
    expiry_from(text, Timestamp::now())
}

fn expiry_from(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let wrong = "must be a time from now such as 90d, 12h or 1y, or a date such as 2027-01-31";
    let after = |span| Zoned::new(now, TimeZone::UTC).checked_add(span);
    let end = parse(text, wrong, "is too far in the future", after)?;
    match end > now {
        true => Ok(end),
        false => Err("is in the past; it must be in the future".to_owned()),
    }
}

/// Reads when something was. `7d`, `12h`, `1y`: that long ago; `2027-01-31`: that day, 00:00 UTC; or an RFC 3339 time.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    moment_before(text, Timestamp::now())
}

fn moment_before(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let wrong = "must be how long ago, such as 7d or 12h, or a date or time such as 2027-01-31";
    let before = |span| Zoned::new(now, TimeZone::UTC).checked_sub(span);
    parse(text, wrong, "is too far in the past", before)
}

/// Reads a time, a day, or a span, which `shift` adds to now or subtracts from it.
fn parse(
    text: &str,
    wrong: &str,
    too_far: &str,
    shift: impl Fn(Span) -> Result<Zoned, jiff::Error>,
) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    if let Ok(date) = text.parse::<Date>() {
        let midnight = date.to_zoned(TimeZone::UTC);
        return midnight
            .map(|day| day.timestamp())
            .map_err(|error| error.to_string());
    }
    shift(text.parse().map_err(|_| wrong)?)
        .map(|time| time.timestamp())
        .map_err(|_| too_far.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-21T10:00:00Z";

    fn read(text: &str) -> Result<String, String> {
        expiry_from(text, NOW.parse().unwrap()).map(|end| end.to_string())
    }

    #[test]
    fn spans_dates_and_times_are_read() {
        assert_eq!(read("90d").unwrap(), "2027-02-19T10:00:00Z");
        assert_eq!(read("12h").unwrap(), "2026-11-21T22:00:00Z");
        assert_eq!(read("1y").unwrap(), "2027-11-21T10:00:00Z");
        assert_eq!(read("2027-01-31").unwrap(), "2027-01-31T00:00:00Z");
        assert_eq!(
            read("2027-01-31T01:00:00+01:00").unwrap(),
            "2027-01-31T00:00:00Z"
        );
    }

    #[test]
    fn what_has_passed_or_is_no_time_is_refused() {
        for text in ["-1d", "0s", "2020-01-01", NOW] {
            assert!(read(text).unwrap_err().contains("in the past"), "{text}");
        }
        for text in ["", "soon", "90", "2027-13-01"] {
            assert!(read(text).unwrap_err().contains("90d"), "{text}");
        }
        assert!(read("9999y").unwrap_err().contains("too far"));
    }

    #[test]
    fn a_moment_is_a_time_a_day_or_how_long_ago() {
        let parse = |text| moment_before(text, NOW.parse().unwrap()).map(|then| then.to_string());
        assert_eq!(parse("7d").unwrap(), "2026-11-14T10:00:00Z");
        assert_eq!(parse("12h").unwrap(), "2026-11-20T22:00:00Z");
        assert_eq!(parse("2026-01-31").unwrap(), "2026-01-31T00:00:00Z");
        assert_eq!(
            parse("2026-01-31T01:00:00+01:00").unwrap(),
            "2026-01-31T00:00:00Z"
        );
        assert!(parse("yesterday").unwrap_err().contains("how long ago"));
    }
}
