//! What must still be as it was when something is written.

use svc_data::Value;

use super::Reader;
use crate::error::{Error, Result};

/// A row as it was.
#[derive(Debug)]
pub(crate) struct Unchanged {
    row: &'static str,
    key: Vec<Value>,
    tag: Option<String>,
}

impl Unchanged {
    /// The row that a statement gives now.
    pub(crate) fn now(reader: &mut Reader<'_>, row: &'static str, key: Vec<Value>) -> Result<Self> {
        let tag = reader.tag_of(row, &key)?;
        Ok(Self { row, key, tag })
    }

    /// Refuses a write when the row is another one now.
    pub(super) fn check(&self, reader: &mut Reader<'_>) -> Result<()> {
        match reader.tag_of(self.row, &self.key)? == self.tag {
            true => Ok(()),
            false => Err(Error::precondition_failed()),
        }
    }
}
