//! What was changed about pages: one revision for each change of a layer.

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use svc_data::Row;
use svc_model::{EnvironmentName, PageUid};

use super::rows::{self, DRAFT, FIRST_REVISION, Own};
use crate::database::{Reader, Tx, columns, values};
use crate::error::{Error, Result};

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
pub(super) fn next(reader: &mut Reader<'_>, uid: &str) -> Result<i64> {
    let sql =
        "SELECT COALESCE(max(number), 0) + 1 AS number FROM page_revisions WHERE page_uid = ?1";
    reader
        .find(sql, &values![uid], |row| Ok(row.get("number")?))?
        .ok_or_else(|| Error::internal("an aggregate gave no row"))
}

/// Notes the row that a page has in a layer as its newest revision, which has this number.
pub(super) fn add(tx: &mut Tx<'_>, uid: &str, layer: &str, number: i64) -> Result<()> {
    let author = tx.store().actor().author();
    tx.execute_at_end(
        "INSERT INTO page_revisions (page_uid, number, environment_uid, layer, deleted, author, date_add, content) \
         SELECT uid, revision, environment_uid, layer, deleted, ?3, ?4, content FROM pages \
         WHERE uid = ?1 AND layer = ?2",
        &values![uid, layer, author, tx.now()],
    )?;
    prune(tx, uid, number)
}

/// Notes that the draft of a published page was discarded: its draft layer has what is published.
pub(super) fn add_discarded(tx: &mut Tx<'_>, uid: &str) -> Result<()> {
    let (number, author) = (next(tx, uid)?, tx.store().actor().author());
    tx.execute_at_end(
        "INSERT INTO page_revisions (page_uid, number, environment_uid, layer, deleted, author, date_add, content) \
         SELECT uid, ?2, environment_uid, 'draft', FALSE, ?3, ?4, content FROM pages \
         WHERE uid = ?1 AND layer = 'published'",
        &values![uid, number, author, tx.now()],
    )?;
    prune(tx, uid, number)
}

/// Removes the revisions that are too old beside the newest one, which has this number.
fn prune(tx: &mut Tx<'_>, uid: &str, newest: i64) -> Result<()> {
    let last_removed = newest - KEPT;
    if last_removed < FIRST_REVISION {
        return Ok(());
    }
    let sql = "DELETE FROM page_revisions WHERE page_uid = ?1 AND number <= ?2";
    tx.execute_at_end(sql, &values![uid, last_removed])
}

/// The revisions of a page, the newest first.
pub(super) fn list(reader: &mut Reader<'_>, uid: &PageUid) -> Result<Vec<PageRevision>> {
    let sql = "SELECT number, date_add, author, layer, deleted FROM page_revisions WHERE page_uid = ?1 \
         ORDER BY number DESC";
    reader.list(sql, &values![uid], from_row)
}

/// The page as it was in a revision, a JSON object.
pub(super) fn get(
    reader: &mut Reader<'_>,
    uid: &PageUid,
    number: u64,
    environment: &EnvironmentName,
) -> Result<Bytes> {
    let content = content(reader, uid, number)?;
    let sql = "SELECT r.layer, r.deleted, p.date_add FROM page_revisions r JOIN pages p ON p.uid = r.page_uid \
         WHERE r.page_uid = ?1 AND r.number = ?2 LIMIT 1";
    // The content was found under this number, so that it fits.
    let number = i64::try_from(number).unwrap_or(0);
    let found = reader.find(sql, &values![uid, number], |row| {
        let is_draft = row.get::<String>("layer")? == DRAFT;
        Ok((
            is_draft,
            row.get("deleted")?,
            row.get::<String>("date_add")?,
        ))
    })?;
    let (is_draft, is_deleted, date_add) = found.ok_or_else(rows::gone)?;
    let own = Own {
        uid: uid.as_str(),
        environment,
        draft: is_draft,
        deleted: is_deleted,
        date_add: &date_add,
    };
    let mut json = BytesMut::new();
    own.push(content.as_bytes(), &mut json);
    Ok(json.freeze())
}

/// What a page held in a revision.
pub(super) fn content(reader: &mut Reader<'_>, uid: &PageUid, number: u64) -> Result<String> {
    // A number that no column can hold is the number of no revision.
    let number = i64::try_from(number).unwrap_or(0);
    let sql = "SELECT content FROM page_revisions WHERE page_uid = ?1 AND number = ?2";
    let found = reader.find(sql, &values![uid, number], |row| Ok(row.get("content")?))?;
    found.ok_or_else(|| {
        Error::not_found("there is no such revision of this page, or it is not kept any more")
    })
}

fn from_row(row: &Row) -> Result<PageRevision> {
    columns!(row => PageRevision {
        number: row.get::<i64>("number")?.unsigned_abs(),
        draft: row.get::<String>("layer")? == DRAFT,
        date_add, author, deleted
    })
}
