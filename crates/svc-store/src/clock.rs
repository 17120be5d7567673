//! The store's idea of now, and the text form of times in its tables.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use crate::error::{Error, Result};

/// Tells the time. The system's clock unless a test gives another one.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self::from_fn(Timestamp::now)
    }

    /// A clock that asks a function.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// RFC 3339 in UTC with six digits of a second, so that texts sort as the times do.
pub(crate) fn to_text(time: Timestamp) -> String {
    format!("{time:.6}")
}

/// The time that [`to_text`] wrote.
pub(crate) fn from_text(text: &str) -> Result<Timestamp> {
    text.parse::<Timestamp>()
        .map_err(Error::caused("the store holds a time that cannot be read"))
}

/// Refuses an expiry that has passed already.
pub(crate) fn check_expiry(expires: Option<Timestamp>, now: Timestamp) -> Result<()> {
    match expires {
        Some(expires) if expires <= now => Err(Error::invalid_field(
            "expires",
            "must be a time in the future; leave it out for a key without end",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_sort_as_the_times_do(a in 0_i64..4_102_444_800_000_000, b in 0_i64..4_102_444_800_000_000) {
            let (a, b) = (Timestamp::from_microsecond(a).unwrap(), Timestamp::from_microsecond(b).unwrap());
            prop_assert_eq!(a.cmp(&b), to_text(a).cmp(&to_text(b)));
            prop_assert_eq!(from_text(&to_text(a)).unwrap(), a);
        }
    }

    #[test]
    fn an_expiry_must_lie_ahead() {
        let now = Timestamp::from_second(1_000).unwrap();
        assert!(check_expiry(None, now).is_ok());
        assert!(check_expiry(Some(Timestamp::from_second(1_001).unwrap()), now).is_ok());
        assert!(check_expiry(Some(now), now).is_err());
    }
}
