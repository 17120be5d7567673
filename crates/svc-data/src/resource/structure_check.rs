//! When the known structure is compared with the database: upon use, and at most once in an interval.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// Remembers when the structure was last compared with the database.
#[derive(Debug)]
pub(super) struct StructureCheck {
    /// How old what is known may be when a request uses it; zero where it is never compared.
    interval: Duration,
    begun: Instant,
    /// When the last comparison began, in milliseconds after `begun`.
    last: AtomicU64,
}

/// Whether the structure is to be compared. The caller that gets this answer does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// What is known is fresh, or another caller compares it.
    Not,
    /// It is to be compared while the request continues.
    Soon,
    /// It is to be compared before the request continues.
    Now,
}

impl StructureCheck {
    /// That of a structure that was just read.
    pub(super) fn new(interval: Duration, now: Instant) -> Self {
        Self {
            interval,
            begun: now,
            last: AtomicU64::new(0),
        }
    }

    /// Whether a request that uses the structure at this moment has to compare it.
    pub(super) fn due(&self, now: Instant) -> Due {
        if self.interval.is_zero() {
            return Due::Not;
        }
        let since_begun = milliseconds(now.saturating_duration_since(self.begun));
        let last = self.last.load(Ordering::Relaxed);
        let age = since_begun.saturating_sub(last);
        let interval = milliseconds(self.interval).max(1);
        if age < interval.div_ceil(2) {
            return Due::Not;
        }
        let taken =
            self.last
                .compare_exchange(last, since_begun, Ordering::Relaxed, Ordering::Relaxed);
        match taken {
            Err(_) => Due::Not,
            Ok(_) if age < interval => Due::Soon,
            Ok(_) => Due::Now,
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_resource_is_compared_beside_requests_and_an_idle_one_before_the_next() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let check = StructureCheck::new(Duration::from_secs(10), begun);
        assert_eq!(check.due(at(4)), Due::Not);
        assert_eq!(check.due(at(5)), Due::Soon);
        assert_eq!(check.due(at(6)), Due::Not);
        assert_eq!(check.due(at(11)), Due::Soon);
        assert_eq!(check.due(at(300)), Due::Now);
        assert_eq!(check.due(at(300)), Due::Not);
    }

    #[test]
    fn an_interval_of_zero_compares_nothing() {
        let begun = Instant::now();
        let check = StructureCheck::new(Duration::ZERO, begun);
        assert_eq!(check.due(begun + Duration::from_secs(3600)), Due::Not);
    }
}
