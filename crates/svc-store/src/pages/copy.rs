//! The pages of one environment in another one.

use svc_data::Connection;
use uuid::Uuid;

use crate::error::Error;

/// Whether an environment has pages in any layer.
pub(crate) fn is_any(conn: &mut dyn Connection, environment_uid: &str) -> Result<bool, Error> {
    let found = conn.query(
        "SELECT uid FROM pages WHERE environment_uid = ?1 LIMIT 1",
        &[environment_uid.into()],
    )?;
    Ok(!found.is_empty())
}

/// Removes all pages of an environment, with their revisions.
pub(crate) fn remove_all(conn: &mut dyn Connection, environment_uid: &str) -> Result<(), Error> {
    let environment = [environment_uid.into()];
    conn.execute("DELETE FROM pages WHERE environment_uid = ?1", &environment)?;
    conn.execute(
        "DELETE FROM page_revisions WHERE environment_uid = ?1",
        &environment,
    )?;
    Ok(())
}

/// Copies the pages of an environment with both layers into one that has none, and says how many there are. The copies
/// are pages of their own, whose revisions begin anew; they keep their dates, and so their order.
pub(crate) fn copy_all(
    conn: &mut dyn Connection,
    from: &str,
    to: &str,
    now: &str,
) -> Result<u64, Error> {
    // Both rows of a page have its date.
    let pages = conn.query(
        "SELECT DISTINCT date_add, uid FROM pages WHERE environment_uid = ?1 ORDER BY date_add, uid",
        &[from.into()],
    )?;
    for page in &pages {
        let (old, new) = (page.get::<String>("uid")?, Uuid::now_v7().to_string());
        conn.execute(
            "INSERT INTO pages (uid, layer, environment_uid, unique_name, deleted, revision, date_add, content) \
             SELECT ?2, layer, ?3, unique_name, deleted, CASE layer WHEN 'published' THEN 1 ELSE 2 END, date_add, \
             content FROM pages WHERE uid = ?1",
            &[old.into(), new.as_str().into(), to.into()],
        )?;
        conn.execute(
            "INSERT INTO page_revisions (page_uid, number, environment_uid, layer, deleted, author, date_add, content) \
             SELECT uid, revision, environment_uid, layer, deleted, NULL, ?2, content FROM pages WHERE uid = ?1",
            &[new.into(), now.into()],
        )?;
    }
    Ok(pages.len() as u64)
}
