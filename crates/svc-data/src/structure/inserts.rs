//! The statements that create records of a model, kept as they were written.

use std::sync::{Arc, PoisonError, RwLock};

use crate::Result;

/// How many of them are kept for a model.
const MOST: usize = 16;

/// The statements that create records, by the fields that the records give and by how many are created at once.
#[derive(Debug, Default)]
pub(crate) struct Inserts(RwLock<Vec<Arc<Insert>>>);

/// The statement that creates records which give certain fields.
#[derive(Debug)]
pub(crate) struct Insert {
    /// The fields that are given, in the order in which the statement binds the values of a record.
    pub(crate) given: Vec<usize>,
    /// How many records it creates.
    pub(crate) records: usize,
    /// Whether it returns the primary keys alone.
    pub(crate) returns_keys_alone: bool,
    pub(crate) sql: String,
    /// The statement that reads the new record by its row id, where the first one does not return it.
    pub(crate) read: Option<String>,
}

impl Inserts {
    /// The statement for so many records that give these fields, and of which all is returned or the primary keys alone;
    /// `write` writes it when it is not known.
    pub(crate) fn get_or_write(
        &self,
        given: &[usize],
        records: usize,
        keys_alone: bool,
        write: impl FnOnce() -> Result<Insert>,
    ) -> Result<Arc<Insert>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let is_alike = |it: &&Arc<Insert>| {
            it.records == records && it.returns_keys_alone == keys_alone && it.given == given
        };
        if let Some(insert) = known.iter().find(is_alike) {
            return Ok(Arc::clone(insert));
        }
        drop(known);
        let insert = Arc::new(write()?);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.push(Arc::clone(&insert));
        Ok(insert)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(inserts: &Inserts, given: &[usize], records: usize, sql: &str) -> String {
        let write = || {
            Ok(Insert {
                given: given.to_vec(),
                records,
                returns_keys_alone: false,
                sql: sql.to_owned(),
                read: None,
            })
        };
        let insert = inserts.get_or_write(given, records, false, write);
        insert.unwrap().sql.clone()
    }

    #[test]
    fn a_statement_is_written_once_for_as_many_records_with_the_same_fields_in_the_same_order() {
        let inserts = Inserts::default();
        assert_eq!(get(&inserts, &[0, 1], 1, "first"), "first");
        assert_eq!(get(&inserts, &[0, 1], 1, "again"), "first");
        assert_eq!(get(&inserts, &[1, 0], 1, "other order"), "other order");
        assert_eq!(get(&inserts, &[0, 1], 2, "two"), "two");
    }

    #[test]
    fn no_more_statements_are_kept_than_there_is_room_for() {
        let inserts = Inserts::default();
        for field in 0..10 * MOST {
            get(&inserts, &[field], 1, "");
            assert!(inserts.0.read().unwrap().len() <= MOST);
        }
    }
}
