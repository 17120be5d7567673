//! The rows of pages as each layer shows them, and the way from a row to the JSON of the wire.

use bytes::{BufMut as _, BytesMut};
use svc_data::{Connection, Row};
use svc_model::{Draft, EnvironmentName, PageUid};

use super::{Page, if_match};
use crate::error::Error;

/// The column `layer` of the published layer.
pub(super) const PUBLISHED: &str = "published";
/// The column `layer` of the draft layer.
pub(super) const DRAFT: &str = "draft";

/// A page as a layer shows it, without its content.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) uid: String,
    /// Whether the row is the draft layer's.
    pub(super) is_draft: bool,
    pub(super) revision: i64,
    pub(super) date_add: String,
    /// Whether the draft differs from the published page.
    pub(super) differs: bool,
}

impl Shown {
    /// What tells this state of the layer from every other one.
    pub(super) fn state(&self) -> String {
        format!("{}-{}", self.uid, self.revision)
    }

    /// The strong entity tag: no two answers about a page share one. It tells too whether there is a draft, which the
    /// published page says of itself.
    pub(super) fn etag(&self) -> String {
        let draft = if self.differs { if_match::DRAFT } else { "" };
        format!("\"{}{draft}\"", self.state())
    }

    pub(super) fn layer(&self) -> &'static str {
        if self.is_draft { DRAFT } else { PUBLISHED }
    }
}

/// The layer that a request writes.
pub(super) fn layer(draft: Draft) -> &'static str {
    match draft {
        Draft::Off => PUBLISHED,
        Draft::On => DRAFT,
    }
}

/// The pages that a layer of an environment shows, the oldest first.
pub(super) fn list(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
) -> Result<Vec<Shown>, Error> {
    let sql = format!("{} ORDER BY p.date_add, p.uid", select(draft));
    conn.query(&sql, &[environment_uid.into()])?
        .iter()
        .map(from_row)
        .collect()
}

/// A page that a layer of an environment shows.
pub(super) fn get(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
    uid: &PageUid,
) -> Result<Shown, Error> {
    let sql = format!("{} AND p.uid = ?2", select(draft));
    match conn.query_one(&sql, &[environment_uid.into(), uid.as_str().into()])? {
        Some(row) => from_row(&row),
        None => Err(Error::not_found(match draft {
            Draft::Off => "there is no such published page in this environment",
            Draft::On => "there is no such page in the drafts of this environment",
        })),
    }
}

/// Refuses a page that the environment has in no layer.
pub(super) fn known(
    conn: &mut dyn Connection,
    environment_uid: &str,
    uid: &PageUid,
) -> Result<(), Error> {
    let found = conn.query(
        "SELECT uid FROM pages WHERE environment_uid = ?1 AND uid = ?2",
        &[environment_uid.into(), uid.as_str().into()],
    )?;
    match found.is_empty() {
        false => Ok(()),
        true => Err(Error::not_found(format!(
            "there is no page {uid} in this environment"
        ))),
    }
}

/// A page with its content, as one answer.
pub(super) fn page(
    conn: &mut dyn Connection,
    row: &Shown,
    environment: &EnvironmentName,
) -> Result<Page, Error> {
    let mut json = BytesMut::new();
    if !write(conn, row, environment, &mut json)? {
        return Err(Error::internal(
            "a page is gone in the middle of a transaction",
        ));
    }
    Ok(Page {
        json: json.freeze(),
        etag: row.etag(),
    })
}

/// Writes a page as JSON, in the state that it was read in, which may be in its revisions by now. Says whether that
/// state is still there; nothing is written otherwise.
pub(super) fn write(
    conn: &mut dyn Connection,
    row: &Shown,
    environment: &EnvironmentName,
    out: &mut BytesMut,
) -> Result<bool, Error> {
    let mut take = |content: &[u8]| push(row, environment, content, out);
    let state = [row.uid.as_str().into(), row.revision.into()];
    Ok(conn.read_text(
        "SELECT content FROM pages WHERE uid = ?1 AND revision = ?2",
        &state,
        &mut take,
    )? || conn.read_text(
        "SELECT content FROM page_revisions WHERE page_uid = ?1 AND number = ?2",
        &state,
        &mut take,
    )?)
}

/// Writes what is stored between what is the service's own.
fn push(row: &Shown, environment: &EnvironmentName, content: &[u8], out: &mut BytesMut) {
    // Identifiers, names of environments and times have no character that JSON escapes.
    let head = format!(r#"{{"uid":"{}","environment":"{environment}","#, row.uid);
    let tail = format!(
        r#","draft":{},"deleted":false,"date_add":"{}"}}"#,
        row.differs, row.date_add
    );
    let content = content.strip_prefix(b"{").unwrap_or(content);
    let content = content.strip_suffix(b"}").unwrap_or(content);
    out.reserve(head.len() + content.len() + tail.len());
    out.put_slice(head.as_bytes());
    out.put_slice(content);
    out.put_slice(tail.as_bytes());
}

/// The content of a row, a JSON object as text.
pub(super) fn content(conn: &mut dyn Connection, row: &Shown) -> Result<String, Error> {
    let found = conn.query_one(
        "SELECT content FROM pages WHERE uid = ?1 AND layer = ?2",
        &[row.uid.as_str().into(), row.layer().into()],
    )?;
    match found {
        Some(found) => Ok(found.get("content")?),
        None => Err(Error::internal(
            "a page is gone in the middle of a transaction",
        )),
    }
}

/// The beginning of a query for the pages that a layer of the environment `?1` shows.
fn select(draft: Draft) -> &'static str {
    match draft {
        Draft::Off => {
            "SELECT p.uid, p.layer, p.revision, p.date_add, \
             EXISTS (SELECT 1 FROM pages d WHERE d.uid = p.uid AND d.layer = 'draft') AS differs \
             FROM pages p WHERE p.environment_uid = ?1 AND p.layer = 'published'"
        }
        Draft::On => {
            "SELECT p.uid, p.layer, p.revision, p.date_add, p.layer = 'draft' AS differs \
             FROM pages p WHERE p.environment_uid = ?1 AND NOT p.deleted AND (p.layer = 'draft' \
             OR NOT EXISTS (SELECT 1 FROM pages d WHERE d.uid = p.uid AND d.layer = 'draft'))"
        }
    }
}

fn from_row(row: &Row) -> Result<Shown, Error> {
    Ok(Shown {
        uid: row.get("uid")?,
        is_draft: row.get::<String>("layer")? == DRAFT,
        revision: row.get("revision")?,
        date_add: row.get("date_add")?,
        differs: row.get("differs")?,
    })
}
