//! Clocks: the current time.

use std::time::Duration;

/// A source of the current time, by which a session decides when its tokens are about to expire.
///
/// A function can be a clock, for tests and for targets on which the standard library has no clock:
///
/// ```
/// use std::time::Duration;
/// use svc_auth::Clock;
///
/// let clock = || Duration::from_secs(1_789_000_000);
/// assert_eq!(Clock::now(&clock).as_secs(), 1_789_000_000);
/// ```
pub trait Clock: Send + Sync + 'static {
    /// The time since 1970-01-01T00:00:00Z.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration + Send + Sync + 'static> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// The clock of the operating system, which is the default where the target has one.
#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(not(target_family = "wasm"))]
impl Clock for SystemClock {
    fn now(&self) -> Duration {
        // With a clock that is set to before 1970, no token is about to expire.
        std::time::SystemTime::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default()
    }
}
