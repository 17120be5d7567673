//! The state of buckets, in memory with an end.

use std::{array, collections::HashMap, convert::Infallible, sync::Arc, time::Duration};

use governor::{
    nanos::Nanos,
    state::{StateStore, keyed::ShrinkableKeyedStateStore},
};
use parking_lot::Mutex;

/// How many parts there are, so that callers rarely wait for each other.
const SHARDS: usize = 16;
/// How many buckets a part has at most: 100 000 in all take about five megabytes.
const MOST_IN_SHARD: usize = 100_000 / SHARDS;

/// When the next request of each bucket would come at the allowed rate. The keys are hashes.
///
/// If there are too many, those are forgotten that would be whole again first.
#[derive(Clone, Debug)]
pub(super) struct Buckets(Arc<[Mutex<HashMap<u64, Nanos>>; SHARDS]>);

impl Default for Buckets {
    fn default() -> Self {
        Self(Arc::new(array::from_fn(|_| Mutex::default())))
    }
}

impl Buckets {
    /// Takes from a bucket what is used elsewhere, although it may not hold so much: as much time at the allowed rate, up to
    /// `most` of it.
    pub(super) fn charge(&self, key: u64, used: Duration, most: Duration, now: Duration) {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (now, used, most) = (nanos(now), nanos(used), nanos(most));
        let Ok(()) = self.measure_and_replace(&key, |before| -> Result<_, Infallible> {
            let before = before.map_or(now, Nanos::as_u64).max(now);
            let after = before.saturating_add(used).min(now.saturating_add(most));
            Ok(((), Nanos::new(after.max(before))))
        });
    }

    fn shard(&self, key: u64) -> Option<&Mutex<HashMap<u64, Nanos>>> {
        self.0
            .get(usize::try_from(key % SHARDS as u64).unwrap_or_default())
    }
}

impl StateStore for Buckets {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let Some(shard) = self.shard(*key) else {
            return decide(None).map(|(decision, _)| decision);
        };
        let mut shard = shard.lock();
        let (decision, next) = decide(shard.get(key).copied())?;
        if shard.len() >= MOST_IN_SHARD && !shard.contains_key(key) {
            forget_half(&mut shard);
        }
        shard.insert(*key, next);
        Ok(decision)
    }
}

/// Forgets the half that is closest to being whole again.
fn forget_half(shard: &mut HashMap<u64, Nanos>) {
    let mut times: Vec<Nanos> = shard.values().copied().collect();
    let half = times.len() / 2;
    if half < times.len() {
        let (_, middle, _) = times.select_nth_unstable(half);
        let middle = *middle;
        shard.retain(|_, time| *time > middle);
    }
}

impl ShrinkableKeyedStateStore<u64> for Buckets {
    fn retain_recent(&self, drop_below: Nanos) {
        for shard in self.0.iter() {
            let mut shard = shard.lock();
            shard.retain(|_, time| *time > drop_below);
            if shard.is_empty() && shard.capacity() > 1_024 {
                shard.shrink_to_fit();
            }
        }
    }

    fn len(&self) -> usize {
        self.0.iter().map(|shard| shard.lock().len()).sum()
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|shard| shard.lock().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(buckets: &Buckets, key: u64, time: u64) -> Option<u64> {
        let decided = buckets.measure_and_replace(&key, |before| {
            Ok::<_, ()>((before.map(Nanos::as_u64), Nanos::new(time)))
        });
        decided.unwrap()
    }

    #[test]
    fn many_callers_take_no_more_memory_and_those_who_call_most_are_remembered() {
        let buckets = Buckets::default();
        for key in 0..400_000 {
            // The first ones have used up the most.
            set(&buckets, key, 1_000_000 - key);
        }
        assert!(buckets.len() <= 100_000, "{}", buckets.len());
        assert_eq!(set(&buckets, 0, 1), Some(1_000_000));
        buckets.retain_recent(Nanos::new(2_000_000));
        assert!(buckets.is_empty());
    }

    #[test]
    fn a_refusal_changes_nothing() {
        let buckets = Buckets::default();
        set(&buckets, 3, 5);
        let refused = buckets.measure_and_replace(&3, |_| Err::<((), Nanos), _>("refused"));
        assert_eq!(refused, Err("refused"));
        assert_eq!(set(&buckets, 3, 6), Some(5));
    }
}
