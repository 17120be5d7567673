//! What a node tells the others of what it allowed, so that together they allow the rate.
//!
//! A node that allows a caller no more than an even part of the rate tells nothing. Once one allows more, it tells what it
//! allows, and so do the others that hear of it, as long as that goes on.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;

use crate::config::RateLimit;

/// For how long a node goes on telling.
const TELLS_FOR: Duration = Duration::from_secs(3);
/// Of how many buckets it is known how much they are used; of more each node allows an even part.
const MOST_METERS: usize = 20_000;

/// How much buckets are used at this node.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    meters: Mutex<HashMap<u64, Meter>>,
}

/// How much a bucket is used. Times are since this process has the limit.
#[derive(Debug, Default)]
struct Meter {
    /// When as much has come as would be allowed by then at an even part of the rate.
    even_at: Duration,
    /// Until when it is told what is used.
    tells_until: Duration,
    /// How many requests were allowed that the others do not know of.
    untold: u32,
}

impl Sharing {
    /// Whether the others can be told of a bucket.
    pub(super) fn knows(&self, bucket: u64) -> bool {
        let mut meters = self.meters.lock();
        let knows = meters.len() < MOST_METERS || meters.contains_key(&bucket);
        if knows {
            meters.entry(bucket).or_default();
        }
        knows
    }

    /// A request of a bucket was allowed: whether the others are to be told.
    pub(super) fn allowed(&self, bucket: u64, rate: &RateLimit, nodes: u32, now: Duration) -> bool {
        let mut meters = self.meters.lock();
        let Some(meter) = meters.get_mut(&bucket) else {
            return false;
        };
        let each = rate.period() * nodes;
        let tells = meter.tells(now);
        meter.even_at = meter.even_at.max(now) + each;
        if tells {
            meter.untold = meter.untold.saturating_add(1);
        }
        if meter.even_at - now > rate.period() * rate.burst().get() / 2 {
            meter.begin(each, now);
        }
        meter.untold > 0
    }

    /// Another node has told of a bucket: whether it is to be told, too.
    pub(super) fn heard(&self, bucket: u64, rate: &RateLimit, nodes: u32, now: Duration) -> bool {
        if !self.knows(bucket) {
            return false;
        }
        let mut meters = self.meters.lock();
        let Some(meter) = meters.get_mut(&bucket) else {
            return false;
        };
        meter.begin(rate.period() * nodes, now);
        meter.untold > 0
    }

    /// What the others are to be told, of so many buckets: first of those that are used most.
    pub(super) fn take(&self, most: usize) -> Vec<(u64, u32)> {
        let mut meters = self.meters.lock();
        let untold = meters.iter().filter(|(_, meter)| meter.untold > 0);
        let mut untold: Vec<(u64, u32)> = untold.map(|(key, meter)| (*key, meter.untold)).collect();
        untold.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(*count));
        untold.truncate(most);
        for (bucket, _) in &untold {
            if let Some(meter) = meters.get_mut(bucket) {
                meter.untold = 0;
            }
        }
        untold
    }

    /// Forgets the buckets of which there is nothing to tell.
    pub(super) fn tidy(&self, now: Duration) {
        let mut meters = self.meters.lock();
        meters.retain(|_, meter| meter.untold > 0 || meter.tells(now) || meter.even_at > now);
        if meters.is_empty() && meters.capacity() > 1_024 {
            meters.shrink_to_fit();
        }
    }
}

impl Meter {
    fn tells(&self, now: Duration) -> bool {
        self.tells_until > now
    }

    /// Goes on telling; at the beginning also of what was used lately.
    fn begin(&mut self, each: Duration, now: Duration) {
        if !self.tells(now) {
            let lately = self
                .even_at
                .saturating_sub(now)
                .div_duration_f64(each)
                .ceil();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the requests of a burst, and casts of floats saturate"
            )]
            let lately = lately as u32;
            self.untold = lately;
        }
        self.tells_until = now + TELLS_FOR;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate() -> RateLimit {
        "10:20".parse().unwrap()
    }

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn nothing_is_told_of_who_uses_no_more_than_an_even_part() {
        let (sharing, rate) = (Sharing::default(), rate());
        assert!(sharing.knows(7));
        for request in 0..100 {
            // Of two nodes each has five in a second.
            assert!(!sharing.allowed(7, &rate, 2, at(200 * request)));
        }
        sharing.tidy(at(21_000));
        assert!(sharing.meters.lock().is_empty());
    }

    #[test]
    fn who_uses_more_is_told_of_by_all_nodes_as_long_as_that_goes_on() {
        let [one, other] = [Sharing::default(), Sharing::default()];
        let rate = rate();
        assert!(one.knows(7) && other.knows(7));
        let told = (0..6).filter(|_| one.allowed(7, &rate, 2, at(0)));
        assert_eq!(told.count(), 1, "the sixth is beyond half of the burst");
        assert_eq!(one.take(9), [(7, 6)]);
        assert!(one.take(9).is_empty());
        assert!(one.allowed(7, &rate, 2, at(100)));
        assert_eq!(one.take(9), [(7, 1)]);

        assert!(!other.allowed(7, &rate, 2, at(0)));
        assert!(
            other.heard(7, &rate, 2, at(10)),
            "of what it has allowed lately"
        );
        assert_eq!(other.take(9), [(7, 1)]);
        assert!(!other.heard(7, &rate, 2, at(20)));
        assert!(other.allowed(7, &rate, 2, at(30)));
        assert_eq!(other.take(9), [(7, 1)]);
        assert!(
            !other.allowed(7, &rate, 2, at(9_000)),
            "nobody tells any more"
        );
    }

    #[test]
    fn of_many_buckets_those_are_told_that_are_used_most_and_memory_has_an_end() {
        let (sharing, rate) = (Sharing::default(), rate());
        for bucket in 0..3 {
            assert!(sharing.knows(bucket) && !sharing.heard(bucket, &rate, 2, at(0)));
            for _ in 0..=bucket {
                assert!(sharing.allowed(bucket, &rate, 2, at(1)));
            }
        }
        assert_eq!(sharing.take(2), [(2, 3), (1, 2)]);
        assert_eq!(sharing.take(2), [(0, 1)]);
        let known = (0..30_000).filter(|bucket| sharing.knows(*bucket));
        assert_eq!(known.count(), MOST_METERS);
    }
}
