//! The indexes of a table.

use tokio_postgres::Row;

use super::get;
use crate::Result;

/// The unique indexes, of which one may be the primary key, and those that lead to rows of the whole table; and whether each
/// is unique, holds for all rows at any time, leads to all of them, how it orders each column, and whether it orders them at all.
pub(super) const INDEXES: &str = "
SELECT i.indrelid, c.relname::text, i.indisprimary, i.indkey::int2[], i.indnkeyatts,
    i.indpred IS NULL AND i.indimmediate AND i.indisvalid, i.indisunique, i.indpred IS NULL AND i.indisvalid,
    i.indoption::int2[], coalesce(m.amname IN ('btree', 'lsm', 'prefix'), false)
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid LEFT JOIN pg_catalog.pg_am m ON m.oid = c.relam
WHERE (i.indisunique OR i.indpred IS NULL AND i.indisvalid) AND i.indrelid = ANY($1) ORDER BY i.indrelid, c.relname";

/// What the indexes of a table say. Columns are their numbers in the table.
#[derive(Default)]
pub(super) struct Indexes {
    pub(super) unique: Vec<UniqueIndex>,
    /// The first columns of the indexes of all rows.
    pub(super) leading: Vec<i16>,
    /// The columns that such an index has in an order in which NULL is the largest, which is the usual one, each with the
    /// columns before it.
    pub(super) null_is_last: Vec<(i16, Vec<i16>)>,
}

pub(super) struct UniqueIndex {
    pub(super) name: String,
    pub(super) is_primary: bool,
    pub(super) columns: Vec<i16>,
    /// Whether it is about all rows, and at any time.
    pub(super) is_whole: bool,
}

impl Indexes {
    /// Takes in an index, as [`INDEXES`] returns it.
    pub(super) fn add(&mut self, row: &Row) -> Result<()> {
        let mut columns: Vec<i16> = get(row, 3)?;
        columns.truncate(usize::try_from(get::<i16>(row, 4)?).unwrap_or(0));
        if get(row, 7)? {
            self.leading.extend(columns.first());
            if get(row, 9)? {
                self.add_order(&columns, &get::<Vec<i16>>(row, 8)?);
            }
        }
        if get(row, 6)? {
            self.unique.push(UniqueIndex {
                name: get(row, 1)?,
                is_primary: get(row, 2)?,
                columns,
                is_whole: get(row, 5)?,
            });
        }
        Ok(())
    }

    /// `orders` are those of PostgreSQL: descending (1), NULL first (2); 4 is that of a hash, which other servers have.
    fn add_order(&mut self, columns: &[i16], orders: &[i16]) {
        for (position, (column, order)) in columns.iter().zip(orders).enumerate() {
            if matches!(order & 7, 0 | 3) {
                let before = columns.iter().take(position).copied().collect();
                self.null_is_last.push((*column, before));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_whose_index_has_null_last_is_kept_with_those_before_it() {
        let mut indexes = Indexes::default();
        // ASC, DESC, ASC NULLS FIRST, DESC NULLS LAST, HASH
        indexes.add_order(&[1, 2, 3, 4, 5], &[0, 3, 2, 1, 4]);
        assert_eq!(indexes.null_is_last, [(1, vec![]), (2, vec![1])]);
    }
}
