//! How long things took, counted without a lock: for those who watch a service.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The upper bounds of the buckets of [`Durations`], in seconds, ascending. What took longer is in the count alone.
pub const DURATION_BOUNDS: [f64; 15] = [
    0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// A histogram of times that only grows. An observation takes two atomic additions.
///
/// ```
/// use std::time::Duration;
/// use svc_data::Durations;
///
/// let durations = Durations::default();
/// durations.observe(Duration::from_millis(3));
/// let counts = durations.counts();
/// assert_eq!((counts.count, counts.seconds), (1, 0.003));
/// ```
#[derive(Debug, Default)]
pub struct Durations {
    /// How many were within each bound and beyond the one before, and how many beyond the last.
    buckets: [AtomicU64; DURATION_BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

/// What was counted until a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DurationCounts {
    /// How many took at most as long as the bound of the same index in [`DURATION_BOUNDS`].
    pub within: [u64; DURATION_BOUNDS.len()],
    /// How many there were.
    pub count: u64,
    /// How long they took together, in seconds.
    pub seconds: f64,
}

/// Something that takes time until it is dropped.
#[derive(Debug)]
pub struct Timed<'d> {
    durations: &'d Durations,
    begun: Instant,
}

impl Durations {
    /// Counts something that took this long.
    pub fn observe(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        let index = DURATION_BOUNDS.partition_point(|bound| *bound < seconds);
        if let Some(bucket) = self.buckets.get(index) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Counts the time until the guard is dropped.
    #[must_use]
    pub fn begin(&self) -> Timed<'_> {
        Timed {
            durations: self,
            begun: Instant::now(),
        }
    }

    /// What was counted until now.
    #[must_use]
    pub fn counts(&self) -> DurationCounts {
        // The sum first: it is never ahead of the count.
        let nanoseconds = self.nanoseconds.load(Ordering::Relaxed);
        let mut counts = DurationCounts {
            seconds: Duration::from_nanos(nanoseconds).as_secs_f64(),
            ..DurationCounts::default()
        };
        for (index, bucket) in self.buckets.iter().enumerate() {
            counts.count += bucket.load(Ordering::Relaxed);
            if let Some(within) = counts.within.get_mut(index) {
                *within = counts.count;
            }
        }
        counts
    }
}

impl std::ops::AddAssign for DurationCounts {
    fn add_assign(&mut self, other: Self) {
        for (sum, more) in self.within.iter_mut().zip(other.within) {
            *sum += more;
        }
        self.count += other.count;
        self.seconds += other.seconds;
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        self.durations.observe(self.begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_counts_within_its_own_bound_and_all_that_are_longer() {
        let durations = Durations::default();
        for micros in [100, 101, 3_000_000, 60_000_000] {
            durations.observe(Duration::from_micros(micros));
        }
        drop(durations.begin());
        let mut counts = durations.counts();
        assert_eq!(counts.count, 5);
        assert_eq!(
            counts.within[0], 2,
            "what takes just the bound is within it"
        );
        assert_eq!(counts.within[1], 3);
        assert_eq!(counts.within[12], 3);
        assert_eq!(counts.within[13], 4);
        assert_eq!(counts.within[14], 4, "a minute is beyond the last bound");
        assert!((63.0..64.0).contains(&counts.seconds), "{}", counts.seconds);
        counts += durations.counts();
        assert_eq!((counts.count, counts.within[13]), (10, 8));
    }
}
