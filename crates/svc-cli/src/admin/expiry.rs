//! When a credential ends, as people write it.

use std::str::FromStr;

use jiff::{Span, Timestamp, Zoned, civil::Date, tz::TimeZone};

/// `90d`, `12h`, `6mo`, `1y`: from now on; `2027-01-31`: that day, 00:00 UTC; or an RFC 3339 time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expiry(pub(crate) Timestamp);

impl FromStr for Expiry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text, Timestamp::now())
    }
}

impl Expiry {
    fn parse(text: &str, now: Timestamp) -> Result<Self, String> {
        let end = if let Ok(time) = text.parse::<Timestamp>() {
            time
        } else if let Ok(date) = text.parse::<Date>() {
            date.to_zoned(TimeZone::UTC)
                .map(|day| day.timestamp())
                .map_err(|error| error.to_string())?
        } else {
            let span: Span = text.parse().map_err(
                |_| "must be a time from now such as 90d, 12h or 1y, or a date such as 2027-01-31",
            )?;
            Zoned::new(now, TimeZone::UTC)
                .checked_add(span)
                .map(|end| end.timestamp())
                .map_err(|_| "lies too far in the future")?
        };
        if end <= now {
            return Err("lies in the past; it must be in the future".to_owned());
        }
        Ok(Self(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        let now = "2026-11-21T10:00:00Z".parse().unwrap();
        Expiry::parse(text, now).map(|end| end.0.to_string())
    }

    #[test]
    fn spans_dates_and_times_are_read() {
        assert_eq!(parse("90d").unwrap(), "2027-02-19T10:00:00Z");
        assert_eq!(parse("12h").unwrap(), "2026-11-21T22:00:00Z");
        assert_eq!(parse("1y").unwrap(), "2027-11-21T10:00:00Z");
        assert_eq!(parse("2027-01-31").unwrap(), "2027-01-31T00:00:00Z");
        assert_eq!(
            parse("2027-01-31T01:00:00+01:00").unwrap(),
            "2027-01-31T00:00:00Z"
        );
    }

    #[test]
    fn what_has_passed_or_is_no_time_is_refused() {
        for text in ["-1d", "0s", "2020-01-01", "2026-11-21T10:00:00Z"] {
            assert!(parse(text).unwrap_err().contains("in the past"), "{text}");
        }
        for text in ["", "soon", "90", "2027-13-01"] {
            assert!(parse(text).unwrap_err().contains("90d"), "{text}");
        }
        assert!(parse("9999y").unwrap_err().contains("too far"));
    }
}
