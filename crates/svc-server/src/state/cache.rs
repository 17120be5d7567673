//! Values that were read from the store, each kept until the store changes.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::atomic::{AtomicU64, Ordering},
};

use parking_lot::RwLock;

/// Values by key, until the store changes.
#[derive(Debug)]
pub(crate) struct StoreCache<K, V> {
    kept: RwLock<HashMap<K, V>>,
    /// How many values are kept at most.
    limit: usize,
    /// Moves when the store changed, so that what was read before is not kept after.
    generation: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// How often a value was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lookups {
    /// How often it was kept.
    pub(crate) hits: u64,
    /// How often it was not.
    pub(crate) misses: u64,
}

impl<K: Eq + Hash, V: Clone> StoreCache<K, V> {
    /// A cache that is emptied when it has this many values.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            kept: RwLock::default(),
            limit,
            generation: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The value of a key, where it is kept.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let value = self.kept.read().get(key).cloned();
        let counter = match value {
            Some(_) => &self.hits,
            None => &self.misses,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        value
    }

    /// How often values were looked for.
    pub(crate) fn lookups(&self) -> Lookups {
        Lookups {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }

    /// The value of a key, which is read where it is not kept.
    pub(crate) async fn get_or_read<E>(
        &self,
        key: K,
        read: impl Future<Output = Result<V, E>>,
    ) -> Result<V, E> {
        if let Some(value) = self.get(&key) {
            return Ok(value);
        }
        let generation = self.generation();
        let value = read.await?;
        self.keep(key, value.clone(), generation);
        Ok(value)
    }

    /// How often the store has changed: to be asked before a value is read that is to be kept.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Keeps a value, unless the store has changed since this generation.
    pub(crate) fn keep(&self, key: K, value: V, generation: u64) {
        let mut kept = self.kept.write();
        if self.generation() != generation {
            return;
        }
        let is_full = kept.len() >= self.limit;
        let freed = is_full.then(|| std::mem::take(&mut *kept));
        kept.insert(key, value);
        // Freeing many takes a while, in which others read.
        drop(kept);
        drop(freed);
    }

    /// Forgets everything: the store changed.
    pub(crate) fn forget(&self) {
        let mut kept = self.kept.write();
        self.generation.fetch_add(1, Ordering::SeqCst);
        let freed = std::mem::take(&mut *kept);
        drop(kept);
        drop(freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_was_read_before_a_change_is_not_kept_after_it() {
        let cache = StoreCache::new(2);
        let before = cache.generation();
        cache.forget();
        cache.keep(1, "old", before);
        assert_eq!(cache.get(&1), None);
        cache.keep(1, "new", cache.generation());
        assert_eq!(cache.get(&1), Some("new"));
        cache.forget();
        assert_eq!(cache.get(&1), None);
        let (hits, misses) = (1, 2);
        assert_eq!(cache.lookups(), Lookups { hits, misses });
    }

    #[test]
    fn a_cache_stays_within_its_limit() {
        let cache = StoreCache::new(2);
        for key in 0..5 {
            cache.keep(key, (), cache.generation());
        }
        assert_eq!(cache.kept.read().len(), 1);
    }
}
