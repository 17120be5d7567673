//! Which of two ways to the rows of a page was shorter, as a reader remembers it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How many statements are remembered.
const KEPT: usize = 1024;

/// A way to the rows of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The one that SQLite prefers.
    Preferred,
    /// Through the records in their order.
    Walk,
}

/// What a reader remembers of the ways to pages.
#[derive(Default)]
pub(super) struct Ways(Mutex<Known>);

#[derive(Default)]
pub(super) struct Known {
    /// The version of the structure that the statements are for.
    version: i64,
    /// The way that was shorter, by a hash of the preferred statement; none where there is no walk.
    pub(super) shorter: HashMap<u64, Option<Way>>,
}

impl Ways {
    /// The memory for a version of the structure.
    pub(super) fn known(&self, version: i64) -> MutexGuard<'_, Known> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.version != version || known.shorter.len() >= KEPT {
            known.version = version;
            known.shorter.clear();
        }
        known
    }
}
