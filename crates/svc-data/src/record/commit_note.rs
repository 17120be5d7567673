//! Notes of writes that are made before the write is committed.

use std::{fmt, sync::Arc};

use super::{Before, RecordJson};
use crate::Result;

/// A note of one write, for a caller that keeps an account of all writes: made when the outcome of the write is known, and
/// on the disk before the write is committed.
///
/// Only some databases make such notes: [`Resource::notes_commits`](crate::Resource::notes_commits) says which.
pub trait CommitNote: fmt::Debug + Send + Sync {
    /// Notes what is about to be committed. It may be called again with another outcome, and what was noted may not be
    /// committed after all: the write fails then.
    fn prepare(&self, written: Written<'_>);

    /// Brings what was noted to the disk, right before the commit. It is called for one of the notes of writes that are
    /// committed together, and is for all of them.
    fn sync(&self);
}

/// A [`CommitNote`], as it is given along with a write.
pub(crate) type Note = Option<Arc<dyn CommitNote>>;

/// What a write does to a record.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Written<'r> {
    /// What the record was; `None` where it is created.
    pub before: Option<&'r Before>,
    /// What it is; `None` where it is deleted.
    pub after: Option<&'r RecordJson>,
}

impl Written<'_> {
    /// What it does to the values of the fields, where they are [kept](crate::Resource::keeping), as the JSON
    /// `{"old": {...}, "new": {...}}`: both of an update and with what differs alone, one of a create or a delete. A value that is
    /// too long is its beginning as text, and `cut` has the bytes of the whole: `{"cut": {"old": {"note": 90000}}}`.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) when what is kept cannot be read.
    pub fn changes(&self) -> Result<Option<String>> {
        match (self.before, self.after) {
            (_, Some(record)) => record.kept.as_created(),
            (Some(before), None) => before.kept.as_deleted(),
            (None, None) => Ok(None),
        }
    }
}

impl<'r> From<&'r RecordJson> for Written<'r> {
    /// What the answer to a create or an update says.
    fn from(record: &'r RecordJson) -> Self {
        Self {
            before: record.before.as_ref(),
            after: Some(record),
        }
    }
}

impl<'r> From<&'r Before> for Written<'r> {
    /// What the answer to a delete says.
    fn from(before: &'r Before) -> Self {
        Self {
            before: Some(before),
            after: None,
        }
    }
}
