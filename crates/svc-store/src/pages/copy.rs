//! The pages of one environment in another one.

use uuid::Uuid;

use crate::database::{Reader, Tx, values};
use crate::error::Result;

/// Whether an environment has pages in any layer.
pub(crate) fn has_any(reader: &mut Reader<'_>, environment_uid: &str) -> Result<bool> {
    let sql = "SELECT uid FROM pages WHERE environment_uid = ?1 LIMIT 1";
    reader.exists(sql, &values![environment_uid])
}

/// Removes all pages of an environment, with their revisions.
pub(crate) fn remove_all(tx: &mut Tx<'_>, environment_uid: &str) -> Result<()> {
    for table in ["pages", "page_revisions"] {
        let sql = format!("DELETE FROM {table} WHERE environment_uid = ?1");
        tx.execute(&sql, &values![environment_uid])?;
    }
    Ok(())
}

/// Copies the pages of an environment with both layers into one that has none, and says how many there are. The copies
/// are pages of their own, whose revisions begin again at 1; they keep their dates, and so their order.
pub(crate) fn copy_all(tx: &mut Tx<'_>, from: &str, to: &str) -> Result<u64> {
    // Both rows of a page have its date.
    let pages = tx.query(
        "SELECT DISTINCT date_add, uid FROM pages WHERE environment_uid = ?1 ORDER BY date_add, uid",
        &values![from],
    )?;
    for page in &pages {
        let (old, new) = (page.get::<String>("uid")?, Uuid::now_v7());
        tx.execute(
            "INSERT INTO pages (uid, layer, environment_uid, unique_name, deleted, revision, date_add, content) \
             SELECT ?2, layer, ?3, unique_name, deleted, CASE layer WHEN 'published' THEN 1 ELSE 2 END, date_add, \
             content FROM pages WHERE uid = ?1",
            &values![old, new, to],
        )?;
        tx.execute(
            "INSERT INTO page_revisions (page_uid, number, environment_uid, layer, deleted, author, date_add, content) \
             SELECT uid, revision, environment_uid, layer, deleted, NULL, ?2, content FROM pages WHERE uid = ?1",
            &values![new, tx.now()],
        )?;
    }
    Ok(pages.len() as u64)
}
