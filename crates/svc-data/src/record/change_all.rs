//! A change of all records that a test selects, ready for an engine.

use svc_model::RecordId;

use crate::{Error, ErrorKind, Result, plan::Test, value::Values};

/// The most records that are changed at once.
pub(crate) const MOST_CHANGED: u64 = 1_000_000;

/// A change of all records that pass a test.
#[derive(Clone, Debug)]
pub(crate) struct ChangeAll {
    pub(crate) test: Option<Test>,
    /// What is set; `None` where the records are deleted.
    pub(crate) values: Option<Values>,
    /// How many they have to be.
    pub(crate) expected: Option<u64>,
}

impl ChangeAll {
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

/// The primary keys of the records that were changed, as they appear in paths.
pub(crate) type ChangedKeys = Vec<RecordId>;
