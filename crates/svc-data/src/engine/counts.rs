//! Counts that are remembered as long as the database provably is what it was when they were made.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How many counts are kept.
const KEPT: usize = 256;
/// The longest statement, with its values, whose count is kept, in bytes.
const MAX_KEY: usize = 4 << 10;

/// The counts of one state of a database. The engine says what distinguishes its states.
pub(crate) struct Counts<V>(Mutex<Known<V>>);

struct Known<V> {
    version: Option<V>,
    counts: HashMap<String, u64>,
}

impl<V: PartialEq> Counts<V> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Known {
            version: None,
            counts: HashMap::new(),
        }))
    }

    fn known(&self) -> MutexGuard<'_, Known<V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The count of a statement, if it was made in this state of the database.
    pub(crate) fn get(&self, version: &V, statement: &str) -> Option<u64> {
        let known = self.known();
        match &known.version {
            Some(known_version) if known_version == version => known.counts.get(statement).copied(),
            _ => None,
        }
    }

    /// Keeps a count that was made in this state of the database.
    pub(crate) fn keep(&self, version: V, statement: &str, count: u64) {
        let mut known = self.known();
        if known.version.as_ref() != Some(&version) || known.counts.len() >= KEPT {
            known.counts.clear();
            known.version = Some(version);
        }
        if statement.len() <= MAX_KEY {
            known.counts.insert(statement.to_owned(), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_known_for_the_state_it_was_made_in_and_no_other() {
        let counts = Counts::new();
        counts.keep(1, "a", 10);
        counts.keep(1, "b", 20);
        assert_eq!(counts.get(&1, "a"), Some(10));
        assert_eq!(counts.get(&1, "c"), None);
        assert_eq!(counts.get(&2, "a"), None);
        counts.keep(2, "a", 11);
        assert_eq!(counts.get(&2, "a"), Some(11));
        assert_eq!(counts.get(&2, "b"), None, "of the state before");
        assert_eq!(counts.get(&1, "a"), None);
    }

    #[test]
    fn only_so_many_counts_and_none_of_long_statements_are_kept() {
        let counts = Counts::new();
        for number in 0..10_000 {
            counts.keep((), &number.to_string(), number);
        }
        assert!(counts.known().counts.len() <= KEPT);
        counts.keep((), &"x".repeat(MAX_KEY + 1), 1);
        assert_eq!(counts.get(&(), &"x".repeat(MAX_KEY + 1)), None);
    }
}
