//! How often callers may call.

use std::{fmt, num::NonZeroU32, str::FromStr, time::Duration};

use crate::Error;

/// The fewest requests of a burst when none is given.
const LEAST_BURST: u32 = 10;
/// The most requests of a rate or a burst.
const MOST: u32 = 1_000_000;

/// How often a caller may call: a rate, and how many requests may come at once before it counts. As text `RATE[:BURST]`,
/// where the rate is per second (`50`), per minute (`600/m`) or per hour (`1000/h`).
///
/// The default of the burst is two seconds of the rate, and at least 10.
///
/// ```
/// use svc_server::RateLimit;
///
/// let limit: RateLimit = "600/m:50".parse()?;
/// assert_eq!(limit.burst().get(), 50);
/// assert_eq!("30".parse::<RateLimit>()?.burst().get(), 60);
/// # Ok::<(), svc_server::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    number: NonZeroU32,
    unit: Unit,
    burst: NonZeroU32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Second,
    Minute,
    Hour,
}

impl Unit {
    fn seconds(self) -> u32 {
        match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3_600,
        }
    }
}

impl RateLimit {
    /// How many requests may come at once.
    pub fn burst(&self) -> NonZeroU32 {
        self.burst
    }

    /// After how long a request is allowed again, once the burst is used up.
    pub fn period(&self) -> Duration {
        Duration::from_secs(self.unit.seconds().into()) / self.number.get()
    }
}

impl FromStr for RateLimit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::config(format!(
                "the rate limit {text:?} must be a number of requests per second such as 50, per minute such as 600/m, or \
                 per hour such as 1000/h; a burst may follow, such as 50:200; each number is 1 to {MOST}"
            ))
        };
        let number = |text: &str| {
            let number: NonZeroU32 = text.parse().ok().filter(|_| !text.starts_with('+'))?;
            (number.get() <= MOST).then_some(number)
        };
        let (rate, burst) = match text.split_once(':') {
            Some((rate, burst)) => (rate, Some(number(burst).ok_or_else(wrong)?)),
            None => (text, None),
        };
        let (rate, unit) = match rate.split_once('/') {
            None | Some((_, "s")) => (rate.trim_end_matches("/s"), Unit::Second),
            Some((rate, "m")) => (rate, Unit::Minute),
            Some((rate, "h")) => (rate, Unit::Hour),
            Some(_) => return Err(wrong()),
        };
        let number = number(rate).ok_or_else(wrong)?;
        let usual = (2 * number.get()).div_ceil(unit.seconds()).max(LEAST_BURST);
        Ok(Self {
            number,
            unit,
            burst: burst.or(NonZeroU32::new(usual)).unwrap_or(NonZeroU32::MIN),
        })
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Second => "",
            Unit::Minute => "/m",
            Unit::Hour => "/h",
        };
        write!(f, "{}{unit}:{}", self.number, self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_per_second_minute_or_hour_and_the_burst_two_seconds_of_it() {
        for (text, shown, period) in [
            ("50", "50:100", Duration::from_millis(20)),
            ("2", "2:10", Duration::from_millis(500)),
            ("2/s:3", "2:3", Duration::from_millis(500)),
            ("600/m", "600/m:20", Duration::from_millis(100)),
            ("600/m:7", "600/m:7", Duration::from_millis(100)),
            ("1000/h", "1000/h:10", Duration::from_millis(3_600)),
            ("1000000", "1000000:2000000", Duration::from_micros(1)),
        ] {
            let limit: RateLimit = text.parse().unwrap();
            assert_eq!(
                (limit.to_string().as_str(), limit.period()),
                (shown, period)
            );
        }
    }

    #[test]
    fn what_is_no_rate_is_refused_with_what_would_be_right() {
        for text in [
            "", "0", "-1", "+1", "1.5", "5/", "5/d", "5/m/m", "5:", "5:0", ":5", "5:5:5", "5 ",
            "1000001", "5/s/s",
        ] {
            let error = text.parse::<RateLimit>().unwrap_err().to_string();
            assert!(error.contains("600/m"), "{text}: {error}");
        }
    }
}
