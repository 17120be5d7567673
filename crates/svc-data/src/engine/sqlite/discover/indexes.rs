//! The indexes of a table.

use rusqlite::{Connection, Row};

use super::Table;

/// What the indexes of a table say. None of them is partial.
#[derive(Default)]
pub(super) struct Indexes {
    /// The columns of the unique ones that compare as their columns do, in the order of each index.
    pub(super) unique_keys: Vec<Vec<usize>>,
    /// The first column of each, unless the index compares in another way.
    pub(super) leading: Vec<usize>,
}

impl Indexes {
    pub(super) fn read(connection: &Connection, table: &Table) -> rusqlite::Result<Self> {
        let mut indexes = Self::default();
        if table.key_is_row_id {
            indexes.unique_keys.push(table.key.clone());
            indexes.leading.extend(table.key.first());
        }
        let mut list = connection.prepare_cached(
            "SELECT name, \"unique\" FROM pragma_index_list(?1, 'main') WHERE NOT partial ORDER BY seq DESC",
        )?;
        let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?));
        let list = list.query_map([&table.name], row)?;
        for (index, is_unique) in list.collect::<rusqlite::Result<Vec<(String, bool)>>>()? {
            let columns = columns(connection, table, &index, is_unique)?;
            indexes.leading.extend(columns.first().copied().flatten());
            if is_unique {
                let columns: Option<Vec<usize>> = columns.into_iter().collect();
                let columns = columns.filter(|columns| !columns.is_empty());
                indexes.unique_keys.extend(columns);
            }
        }
        Ok(indexes)
    }
}

/// The columns of an index, or the first one; `None` in place of an expression, and of a column that compares in another way
/// than in the index.
fn columns(
    connection: &Connection,
    table: &Table,
    index: &str,
    is_whole: bool,
) -> rusqlite::Result<Vec<Option<usize>>> {
    let mut parts = connection.prepare_cached(
        "SELECT name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key AND (seqno = 0 OR ?2) ORDER BY seqno",
    )?;
    let part = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let mut columns = Vec::new();
    for part in parts.query_map((index, is_whole), part)? {
        let (name, collation): (Option<String>, String) = part?;
        let Some(name) = name else {
            columns.push(None);
            continue;
        };
        let column = connection.column_metadata(Some("main"), table.name.as_str(), &name);
        let of_column = column?
            .1
            .map(|collation| collation.to_string_lossy().into_owned());
        let is_same = of_column.is_some_and(|of_column| of_column.eq_ignore_ascii_case(&collation));
        columns.push(table.column(&name).filter(|_| is_same));
    }
    Ok(columns)
}
