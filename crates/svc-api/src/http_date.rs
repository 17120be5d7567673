//! Dates of HTTP headers (RFC 9110, section 5.6.7), in the one form that is written today.

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// The seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let mut parts = text.split_once(", ")?.1.split(' ');
    let mut part = || parts.next();
    let day: u64 = part()?.parse().ok()?;
    let month = part()?;
    let month = (MONTHS
        .find(month)
        .filter(|at| at % 3 == 0 && month.len() == 3)?
        / 3) as u64
        + 1;
    let year: u64 = part()?.parse().ok()?;
    let mut time = part()?.splitn(3, ':').map(|part| part.parse::<u64>().ok());
    let mut number = || time.next().flatten();
    let (hour, minute, second) = (number()?, number()?, number()?);
    let is_real = part()? == "GMT"
        && (1970..=9999).contains(&year)
        && (1..=31).contains(&day)
        && (hour < 24 && minute < 60 && second <= 60);
    if !is_real {
        return None;
    }
    // Years begin in March here, so that the leap day is the last one of a year.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1;
    let days_before_1970 = 719_468;
    Some(((days - days_before_1970) * 24 + hour) * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_in_seconds_since_1970() {
        for (text, expected) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Thu, 29 Feb 2024 23:59:59 GMT", Some(1_709_251_199)),
            ("Fri, 01 Mar 2024 00:00:00 GMT", Some(1_709_251_200)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799)),
            ("Wed, 31 Dec 1969 23:59:59 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 06 Nov 1994 18446744073709551615:49:37 GMT", None),
            ("Sun, 06 ovD 1994 08:49:37 GMT", None),
            ("Sunday, 06-Nov-94 08:49:37 GMT", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
