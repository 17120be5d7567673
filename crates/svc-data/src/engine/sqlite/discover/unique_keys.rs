//! The unique indexes of a table by which a record can be found.

use rusqlite::{Connection, Row};

use super::Table;

/// The columns of the unique indexes that hold for every row and compare as their columns do, in the order of each index.
pub(super) fn read(connection: &Connection, table: &Table) -> rusqlite::Result<Vec<Vec<usize>>> {
    let mut keys = Vec::new();
    if table.key_is_row_id {
        keys.push(table.key.clone());
    }
    let mut indexes = connection.prepare_cached(
        "SELECT name FROM pragma_index_list(?1, 'main') WHERE \"unique\" AND NOT partial ORDER BY seq DESC",
    )?;
    let indexes = indexes.query_map([&table.name], |row| row.get::<_, String>(0))?;
    for index in indexes.collect::<rusqlite::Result<Vec<_>>>()? {
        if let Some(columns) = columns(connection, table, &index)? {
            keys.push(columns);
        }
    }
    Ok(keys)
}

/// The columns of an index; `None` where it is about an expression, or compares in another way than a column of its.
fn columns(
    connection: &Connection,
    table: &Table,
    index: &str,
) -> rusqlite::Result<Option<Vec<usize>>> {
    let mut parts = connection.prepare_cached(
        "SELECT name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key ORDER BY seqno",
    )?;
    let part = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let mut columns = Vec::new();
    for part in parts.query_map([index], part)? {
        let (name, collation): (Option<String>, String) = part?;
        let Some(name) = name else { return Ok(None) };
        let column = connection.column_metadata(Some("main"), table.name.as_str(), &name);
        let of_column = column?
            .1
            .map(|collation| collation.to_string_lossy().into_owned());
        let is_same = of_column.is_some_and(|of_column| of_column.eq_ignore_ascii_case(&collation));
        match table.column(&name).filter(|_| is_same) {
            Some(column) => columns.push(column),
            None => return Ok(None),
        }
    }
    Ok((!columns.is_empty()).then_some(columns))
}
