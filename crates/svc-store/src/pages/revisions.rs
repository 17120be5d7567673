//! What was changed about pages: one revision for each change of a layer.

use jiff::Timestamp;
use svc_data::{Connection, Row};
use svc_model::PageUid;

use super::rows::DRAFT;
use crate::error::Error;
use crate::row;

/// How many revisions of a page are kept.
pub(super) const KEPT: i64 = 100;

/// A change of a page in one layer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageRevision {
    /// Its number: 1, 2, 3, ... for each page.
    pub number: u64,
    /// When it was made.
    pub date_add: Timestamp,
    /// The e-mail address of who made it, where that is known.
    pub author: Option<String>,
    /// Whether it is a change of the draft layer.
    pub draft: bool,
    /// Whether the page was deleted by it; its content is what was deleted.
    pub deleted: bool,
}

/// The number of a page's next revision.
pub(super) fn next(conn: &mut dyn Connection, uid: &str) -> Result<i64, Error> {
    let row = conn.query_one(
        "SELECT COALESCE(max(number), 0) + 1 AS number FROM page_revisions WHERE page_uid = ?1",
        &[uid.into()],
    )?;
    let row = row.ok_or_else(|| Error::internal("an aggregate gave no row"))?;
    Ok(row.get("number")?)
}

/// Notes the row that a page has in a layer as a revision of its number.
pub(super) fn note(
    conn: &mut dyn Connection,
    uid: &str,
    layer: &str,
    author: Option<&str>,
    now: &str,
) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO page_revisions (page_uid, number, environment_uid, layer, deleted, author, date_add, content) \
         SELECT uid, revision, environment_uid, layer, deleted, ?3, ?4, content FROM pages \
         WHERE uid = ?1 AND layer = ?2",
        &[uid.into(), layer.into(), author.into(), now.into()],
    )?;
    prune(conn, uid)
}

/// Notes that the draft of a published page was discarded: its draft layer has what is published.
pub(super) fn note_discarded(
    conn: &mut dyn Connection,
    uid: &str,
    author: Option<&str>,
    now: &str,
) -> Result<(), Error> {
    let number = next(conn, uid)?;
    conn.execute(
        "INSERT INTO page_revisions (page_uid, number, environment_uid, layer, deleted, author, date_add, content) \
         SELECT uid, ?2, environment_uid, 'draft', FALSE, ?3, ?4, content FROM pages \
         WHERE uid = ?1 AND layer = 'published'",
        &[uid.into(), number.into(), author.into(), now.into()],
    )?;
    prune(conn, uid)
}

fn prune(conn: &mut dyn Connection, uid: &str) -> Result<(), Error> {
    conn.execute(
        "DELETE FROM page_revisions WHERE page_uid = ?1 AND number <= \
         (SELECT max(number) FROM page_revisions WHERE page_uid = ?1) - ?2",
        &[uid.into(), KEPT.into()],
    )?;
    Ok(())
}

/// The revisions of a page, the newest first.
pub(super) fn list(conn: &mut dyn Connection, uid: &PageUid) -> Result<Vec<PageRevision>, Error> {
    conn.query(
        "SELECT number, date_add, author, layer, deleted FROM page_revisions WHERE page_uid = ?1 \
         ORDER BY number DESC",
        &[uid.as_str().into()],
    )?
    .iter()
    .map(from_row)
    .collect()
}

/// What a page held in a revision.
pub(super) fn content(
    conn: &mut dyn Connection,
    uid: &PageUid,
    number: u64,
) -> Result<String, Error> {
    // A number that no column can hold is the number of no revision.
    let number = i64::try_from(number).unwrap_or(0);
    let found = conn.query_one(
        "SELECT content FROM page_revisions WHERE page_uid = ?1 AND number = ?2",
        &[uid.as_str().into(), number.into()],
    )?;
    match found {
        Some(row) => Ok(row.get("content")?),
        None => Err(Error::not_found(
            "there is no such revision of this page, or it is not kept any more",
        )),
    }
}

fn from_row(row: &Row) -> Result<PageRevision, Error> {
    Ok(PageRevision {
        number: row.get::<i64>("number")?.unsigned_abs(),
        date_add: row::time(row, "date_add")?,
        author: row.get("author")?,
        draft: row.get::<String>("layer")? == DRAFT,
        deleted: row.get("deleted")?,
    })
}
