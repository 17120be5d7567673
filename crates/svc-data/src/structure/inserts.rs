//! The statements that create records of a model, kept as they were written.

use std::sync::{Arc, PoisonError, RwLock};

use crate::Result;

/// How many of them are kept for a model.
const MOST: usize = 16;

/// The statements that create records, by the fields that the records give.
#[derive(Debug, Default)]
pub(crate) struct Inserts(RwLock<Vec<Arc<Insert>>>);

/// The statement that creates a record which gives certain fields.
#[derive(Debug)]
pub(crate) struct Insert {
    /// The fields that are given, in the order in which the statement binds their values.
    pub(crate) given: Vec<usize>,
    pub(crate) sql: String,
    /// The statement that reads the new record by its row id, where the first one does not return it.
    pub(crate) read: Option<String>,
}

impl Inserts {
    /// The statement for a record that gives these fields; `write` writes it when it is not known.
    pub(crate) fn get_or_write(
        &self,
        given: &[usize],
        write: impl FnOnce() -> Result<Insert>,
    ) -> Result<Arc<Insert>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(insert) = known.iter().find(|insert| insert.given == given) {
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

    fn get(inserts: &Inserts, given: &[usize], sql: &str) -> String {
        let write = || {
            Ok(Insert {
                given: given.to_vec(),
                sql: sql.to_owned(),
                read: None,
            })
        };
        inserts.get_or_write(given, write).unwrap().sql.clone()
    }

    #[test]
    fn a_statement_is_written_once_for_the_same_fields_in_the_same_order() {
        let inserts = Inserts::default();
        assert_eq!(get(&inserts, &[0, 1], "first"), "first");
        assert_eq!(get(&inserts, &[0, 1], "again"), "first");
        assert_eq!(get(&inserts, &[1, 0], "other order"), "other order");
    }

    #[test]
    fn no_more_statements_are_kept_than_there_is_room_for() {
        let inserts = Inserts::default();
        for field in 0..10 * MOST {
            get(&inserts, &[field], "");
            assert!(inserts.0.read().unwrap().len() <= MOST);
        }
    }
}
