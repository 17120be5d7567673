//! A change of all records that a test selects, ready for an engine.

use std::{collections::HashMap, mem::take};

use svc_model::RecordId;

use super::{CommitGate, Keeping, Kept, RecordJson};
use crate::{Error, ErrorKind, Model, Result, plan::Test, value::Values};

/// The most records that are changed at once.
pub(crate) const MOST_CHANGED: u64 = 1_000_000;

/// The most records of one change whose values are kept.
const MOST_KEPT: u64 = 1_000;
/// How many of them are read again at once after the change.
const READ_AT_ONCE: usize = 100;
/// The most bytes of these records that are in memory at once, before the change and after it.
const MOST_BYTES: usize = 16 << 20;

/// A change of all records that pass a test.
#[derive(Clone, Debug)]
pub(crate) struct ChangeAll {
    pub(crate) test: Option<Test>,
    /// What is set; `None` where the records are deleted.
    pub(crate) values: Option<Values>,
    /// How many they have to be.
    pub(crate) expected: Option<u64>,
    /// What of the records is kept for their history.
    pub(crate) keeping: Option<Keeping>,
    /// Until when it may be given up.
    pub(crate) gate: CommitGate,
}

impl ChangeAll {
    /// What is kept of each of so many records. What changed of those without a key cannot be found again.
    pub(crate) fn keeping(&self, model: &Model, found: u64) -> Option<Keeping> {
        let may_keep = found <= MOST_KEPT && !model.primary_key_auto && !model.is_view;
        self.keeping.clone().filter(|_| may_keep)
    }

    /// Refuses the change where the number of records is not the expected one, or too large.
    pub(crate) fn check(&self, found: u64) -> Result<()> {
        if let Some(expected) = self.expected.filter(|expected| *expected != found) {
            return Err(Error::new(
                ErrorKind::PreconditionFailed,
                match found {
                    1 => format!("1 record matches, not {expected} (_expect); nothing was changed"),
                    _ => format!(
                        "{found} records match, not {expected} (_expect); nothing was changed"
                    ),
                },
            ));
        }
        match found > MOST_CHANGED {
            true => Err(Error::invalid(format!(
                "more than {MOST_CHANGED} records match, which is the most that are changed at once; add filters"
            ))),
            false => Ok(()),
        }
    }
}

/// The records that were changed or deleted.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ChangedRecords {
    /// Their primary keys, as they appear in paths.
    pub keys: Vec<RecordId>,
    /// What the change did to each of the first of them, as [`Written::changes`](crate::Written::changes) gives it. `None` where
    /// that is not known, and empty where nothing is [kept](crate::Resource::keeping) or the records are more than 1,000.
    pub changes: Vec<Option<String>>,
}

/// The records that are being changed, with what is kept of them.
#[derive(Debug, Default)]
pub(crate) struct ChangedRows {
    pub(crate) keys: Vec<RecordId>,
    /// What was kept of the first of them before the change, and once it is done what it did to them.
    kept: Vec<Kept>,
    bytes: usize,
}

impl ChangedRows {
    /// Adds a record as it is before the change.
    pub(crate) fn add(&mut self, model: &Model, record: RecordJson) -> Result<()> {
        self.keys.push(record.id(model)?);
        if self.kept.len() + 1 == self.keys.len() && self.may_keep(&record.kept) {
            self.kept.push(record.kept);
        }
        Ok(())
    }

    fn may_keep(&mut self, kept: &Kept) -> bool {
        self.bytes += kept.len();
        !matches!(kept, Kept::Nothing) && self.bytes <= MOST_BYTES
    }

    /// Goes on with the records that were changed in fact: the others of those that were looked at are left out, and of those that
    /// others have added since it is not known what they were.
    pub(crate) fn take_changed(&mut self, changed: Self) {
        let mut known: HashMap<RecordId, Kept> = take(&mut self.keys)
            .into_iter()
            .zip(take(&mut self.kept))
            .collect();
        let (kept, others): (Vec<_>, Vec<_>) = changed
            .keys
            .into_iter()
            .map(|key| {
                let kept = known.remove(&key);
                (key, kept)
            })
            .partition(|(_, kept)| kept.is_some());
        for (key, kept) in kept.into_iter().chain(others) {
            self.keys.push(key);
            self.kept.extend(kept);
        }
    }

    /// The keys of records that were changed and are to be read again, so many at once.
    pub(crate) fn kept_keys(&self) -> impl Iterator<Item = &[RecordId]> {
        let kept = self.keys.get(..self.kept.len()).unwrap_or_default();
        kept.chunks(READ_AT_ONCE)
    }

    /// Compares the records with what they are after the change. One that is not among them is not known any more.
    pub(crate) fn compare(&mut self, model: &Model, after: Vec<RecordJson>) -> Result<()> {
        let mut changed = HashMap::with_capacity(after.len());
        for record in after {
            changed.insert(record.id(model)?, record.kept);
        }
        for (key, kept) in self.keys.iter().zip(&mut self.kept) {
            if let Some(after) = changed.remove(key) {
                *kept = Kept::between(kept, &after)?;
            }
        }
        Ok(())
    }

    /// The records, of which those that were not compared were deleted, or are not known any more.
    pub(crate) fn finish(self, is_deleted: bool) -> Result<ChangedRecords> {
        let changes = self.kept.iter().map(|kept| match kept {
            Kept::Whole { .. } if !is_deleted => Ok(None),
            kept => kept.as_deleted(),
        });
        Ok(ChangedRecords {
            changes: changes.collect::<Result<_>>()?,
            keys: self.keys,
        })
    }
}
