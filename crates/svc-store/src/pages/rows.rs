//! The rows of pages as each layer shows them, and the way from a row to the JSON of the wire.

use bytes::{BufMut as _, BytesMut};
use svc_data::Row;
use svc_model::{Draft, EnvironmentName, PageUid};

use super::{Page, if_match};
use crate::database::{Reader, columns, values};
use crate::error::{Error, Result};

/// The column `layer` of the published layer.
pub(super) const PUBLISHED: &str = "published";
/// The column `layer` of the draft layer.
pub(super) const DRAFT: &str = "draft";

/// The number of a page's first revision.
pub(super) const FIRST_REVISION: i64 = 1;

/// A page as a layer shows it, without its content.
#[derive(Debug, Clone)]
pub(super) struct PageRow {
    pub(super) uid: String,
    /// Whether the row is the draft layer's.
    pub(super) is_draft: bool,
    pub(super) revision: i64,
    pub(super) date_add: String,
    /// Whether the draft differs from the published page.
    pub(super) differs: bool,
}

impl PageRow {
    /// A page that a layer has from now on, and that the other one does not have.
    pub(super) fn of_new(uid: &PageUid, draft: Draft, date_add: String) -> Self {
        let is_draft = draft == Draft::On;
        Self {
            uid: uid.as_str().to_owned(),
            is_draft,
            revision: FIRST_REVISION,
            date_add,
            differs: is_draft,
        }
    }

    /// The text that differs for each state of the layer.
    pub(super) fn state(&self) -> String {
        format!("{}-{}", self.uid, self.revision)
    }

    /// The strong entity tag: no two answers about a page share one. It also shows whether there is a draft, which the
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
    reader: &mut Reader<'_>,
    environment_uid: &str,
    draft: Draft,
) -> Result<Vec<PageRow>> {
    let sql = format!("{} ORDER BY p.date_add, p.uid", select(draft));
    reader.list(&sql, &values![environment_uid], from_row)
}

/// A page that a layer of an environment shows.
pub(super) fn get(
    reader: &mut Reader<'_>,
    environment_uid: &str,
    draft: Draft,
    uid: &PageUid,
) -> Result<PageRow> {
    let sql = format!("{} AND p.uid = ?2", select(draft));
    let found = reader.find(&sql, &values![environment_uid, uid], from_row)?;
    found.ok_or_else(|| {
        Error::not_found(match draft {
            Draft::Off => "there is no such published page in this environment",
            Draft::On => "there is no such page in the drafts of this environment",
        })
    })
}

/// Refuses a page that the environment has in no layer.
pub(super) fn ensure_exists(
    reader: &mut Reader<'_>,
    environment_uid: &str,
    uid: &PageUid,
) -> Result<()> {
    let sql = "SELECT uid FROM pages WHERE environment_uid = ?1 AND uid = ?2";
    match reader.exists(sql, &values![environment_uid, uid])? {
        true => Ok(()),
        false => Err(Error::not_found(format!(
            "there is no page {uid} in this environment"
        ))),
    }
}

/// A page with its content, as one answer.
pub(super) fn page(
    reader: &mut Reader<'_>,
    row: &PageRow,
    environment: &EnvironmentName,
) -> Result<Page> {
    let mut json = BytesMut::new();
    if !write(reader, row, environment, &mut json)? {
        return Err(gone());
    }
    Ok(Page {
        json: json.freeze(),
        etag: row.etag(),
    })
}

/// A page with this content, as one answer.
pub(super) fn shown(row: &PageRow, content: &str, environment: &EnvironmentName) -> Page {
    let mut json = BytesMut::new();
    Own::of(row, environment).push(content.as_bytes(), &mut json);
    Page {
        json: json.freeze(),
        etag: row.etag(),
    }
}

/// Writes a page as JSON, in the state that it was read in, which may be in its revisions by now. Says whether that
/// state is still there; nothing is written otherwise.
pub(super) fn write(
    reader: &mut Reader<'_>,
    row: &PageRow,
    environment: &EnvironmentName,
    out: &mut BytesMut,
) -> Result<bool> {
    let own = Own::of(row, environment);
    let mut take = |content: &[u8]| own.push(content, out);
    let state = values![row.uid, row.revision];
    Ok(reader.read_text(
        "SELECT content FROM pages WHERE uid = ?1 AND revision = ?2",
        &state,
        &mut take,
    )? || reader.read_text(
        "SELECT content FROM page_revisions WHERE page_uid = ?1 AND number = ?2",
        &state,
        &mut take,
    )?)
}

/// The properties of a page that are the service's own.
pub(super) struct Own<'a> {
    pub(super) uid: &'a str,
    pub(super) environment: &'a EnvironmentName,
    pub(super) draft: bool,
    pub(super) deleted: bool,
    pub(super) date_add: &'a str,
}

impl<'a> Own<'a> {
    /// Those of a page as a layer shows it.
    fn of(row: &'a PageRow, environment: &'a EnvironmentName) -> Self {
        Self {
            uid: &row.uid,
            environment,
            draft: row.differs,
            deleted: false,
            date_add: &row.date_add,
        }
    }

    /// Writes what is stored between what is the service's own.
    pub(super) fn push(&self, content: &[u8], out: &mut BytesMut) {
        let Self {
            uid,
            environment,
            draft,
            deleted,
            date_add,
        } = self;
        // Identifiers, names of environments and times have no character that JSON escapes.
        let head = format!(r#"{{"uid":"{uid}","environment":"{environment}","#);
        let tail = format!(r#","draft":{draft},"deleted":{deleted},"date_add":"{date_add}"}}"#);
        let content = content.strip_prefix(b"{").unwrap_or(content);
        let content = content.strip_suffix(b"}").unwrap_or(content);
        out.reserve(head.len() + content.len() + tail.len());
        out.put_slice(head.as_bytes());
        out.put_slice(content);
        out.put_slice(tail.as_bytes());
    }
}

/// The content of a row, a JSON object as text.
pub(super) fn content(reader: &mut Reader<'_>, row: &PageRow) -> Result<String> {
    let sql = "SELECT content FROM pages WHERE uid = ?1 AND layer = ?2";
    reader
        .find(sql, &values![row.uid, row.layer()], |row| {
            Ok(row.get("content")?)
        })?
        .ok_or_else(gone)
}

/// The error about a page that existed a moment ago.
pub(super) fn gone() -> Error {
    Error::internal("a page is gone in the middle of a transaction")
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

fn from_row(row: &Row) -> Result<PageRow> {
    let is_draft = row.get::<String>("layer")? == DRAFT;
    columns!(row => PageRow { is_draft: is_draft, uid, revision, date_add, differs })
}
