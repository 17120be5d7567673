//! From the draft layer to the published one, and back.

use svc_model::{Draft, PageUid};

use super::change::{Change, Layers};
use super::revisions;
use super::rows::{self, DRAFT, PUBLISHED};
use crate::error::Error;

/// A row of the draft layer.
struct Drafted {
    uid: String,
    unique_name: String,
    deleted: bool,
}

/// A page whose draft was published or discarded.
pub(super) struct Moved {
    pub(super) uid: PageUid,
    /// The entity tag of what the layer showed, which is another one now.
    pub(super) before: Option<String>,
    /// The entity tag of what it shows.
    pub(super) after: Option<String>,
}

/// Makes drafts what is published, and gives their pages.
pub(super) fn publish(
    change: &mut Change<'_>,
    uids: Option<&[PageUid]>,
) -> Result<Vec<Moved>, Error> {
    let drafts = drafts(change, uids)?;
    let before = etags(change, &drafts, Draft::Off)?;
    // All of them first, so that pages can take each other's names.
    for draft in &drafts {
        change.conn.execute(
            "DELETE FROM pages WHERE uid = ?1 AND layer = 'published'",
            &[draft.uid.as_str().into()],
        )?;
    }
    for draft in &drafts {
        if draft.deleted {
            change.remove(&draft.uid)?;
            continue;
        }
        check_name(change, draft, Layers::Published)?;
        let number = revisions::next(change.conn, &draft.uid)?;
        change.conn.execute(
            "UPDATE pages SET layer = 'published', revision = ?2 WHERE uid = ?1 AND layer = 'draft'",
            &[draft.uid.as_str().into(), number.into()],
        )?;
        change.note(&draft.uid, PUBLISHED)?;
    }
    moved(change, &drafts, before, Draft::Off)
}

/// Drops drafts, and gives their pages.
pub(super) fn discard(
    change: &mut Change<'_>,
    uids: Option<&[PageUid]>,
) -> Result<Vec<Moved>, Error> {
    let drafts = drafts(change, uids)?;
    let before = etags(change, &drafts, Draft::On)?;
    for draft in &drafts {
        if change.is_published(&draft.uid)? {
            change.conn.execute(
                "DELETE FROM pages WHERE uid = ?1 AND layer = 'draft'",
                &[draft.uid.as_str().into()],
            )?;
            change.note_discarded(&draft.uid)?;
        } else {
            change.remove(&draft.uid)?;
        }
    }
    // The pages are shown by the draft layer under their published names again.
    for draft in &drafts {
        let uid = PageUid::from(draft.uid.as_str());
        if let Some(unique_name) = published_name(change, &uid)? {
            let shown = Drafted {
                uid: draft.uid.clone(),
                unique_name,
                deleted: false,
            };
            check_name(change, &shown, Layers::Draft)?;
        }
    }
    moved(change, &drafts, before, Draft::On)
}

/// The drafts of these pages or of all of them, the oldest page first.
fn drafts(change: &mut Change<'_>, uids: Option<&[PageUid]>) -> Result<Vec<Drafted>, Error> {
    for uid in uids.unwrap_or_default() {
        rows::known(change.conn, &change.environment_uid, uid)?;
    }
    let chosen: Option<std::collections::HashSet<&str>> =
        uids.map(|uids| uids.iter().map(PageUid::as_str).collect());
    let rows = change.conn.query(
        "SELECT uid, unique_name, deleted FROM pages WHERE environment_uid = ?1 AND layer = ?2 \
         ORDER BY date_add, uid",
        &[change.environment_uid.as_str().into(), DRAFT.into()],
    )?;
    let mut drafts = Vec::new();
    for row in &rows {
        let uid: String = row.get("uid")?;
        if chosen.as_ref().is_none_or(|chosen| chosen.contains(&*uid)) {
            drafts.push(Drafted {
                uid,
                unique_name: row.get("unique_name")?,
                deleted: row.get("deleted")?,
            });
        }
    }
    Ok(drafts)
}

/// The name of a page in the published layer, where it is there.
fn published_name(change: &mut Change<'_>, uid: &PageUid) -> Result<Option<String>, Error> {
    let row = change.conn.query_one(
        "SELECT unique_name FROM pages WHERE uid = ?1 AND layer = 'published'",
        &[uid.as_str().into()],
    )?;
    Ok(row.map(|row| row.get("unique_name")).transpose()?)
}

/// Refuses a name that another page of the layer has.
fn check_name(change: &mut Change<'_>, page: &Drafted, layers: Layers) -> Result<(), Error> {
    let Drafted {
        uid, unique_name, ..
    } = page;
    let Some(other) = change.owner_of_name(uid, unique_name, layers)? else {
        return Ok(());
    };
    let (whose, remedy) = match layers {
        Layers::Draft => ("draft", "discard that one too, or rename it first"),
        _ => (
            "published page",
            "publish that one too, or rename one of them first",
        ),
    };
    Err(Error::invalid_field(
        "unique_name",
        format!("page {uid} is named {unique_name:?} as {whose} {other} is; {remedy}"),
    ))
}

/// The entity tags of these pages as a layer shows them.
fn etags(
    change: &mut Change<'_>,
    drafts: &[Drafted],
    layer: Draft,
) -> Result<Vec<Option<String>>, Error> {
    let uids = drafts.iter().map(|draft| PageUid::from(draft.uid.as_str()));
    uids.map(|uid| change.etag(layer, &uid)).collect()
}

/// These pages, with what they were in a layer and what they are there now.
fn moved(
    change: &mut Change<'_>,
    drafts: &[Drafted],
    before: Vec<Option<String>>,
    layer: Draft,
) -> Result<Vec<Moved>, Error> {
    let after = etags(change, drafts, layer)?;
    let tags = before.into_iter().zip(after);
    let moved = drafts.iter().zip(tags).map(|(draft, (before, after))| {
        let uid = PageUid::from(draft.uid.as_str());
        Moved { uid, before, after }
    });
    Ok(moved.collect())
}
