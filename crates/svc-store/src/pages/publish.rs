//! From the draft layer to the published one, and back.

use std::collections::HashSet;

use svc_model::pages::{Discard, Publish};
use svc_model::wire::Operation as _;
use svc_model::{Draft, PageUid};

use super::change::{Change, Layers};
use super::if_match::States;
use super::revisions;
use super::rows::{self, DRAFT, PUBLISHED};
use crate::database::{columns, values};
use crate::error::{Error, Result};

/// A row of the draft layer.
struct DraftRow {
    uid: PageUid,
    unique_name: String,
    deleted: bool,
}

/// Makes drafts what is published, and gives their pages.
pub(super) fn publish(
    change: &mut Change<'_, '_>,
    uids: Option<&[PageUid]>,
    if_match: Option<&str>,
) -> Result<Vec<PageUid>> {
    let drafts = drafts(change, uids)?;
    check(change, &drafts, if_match)?;
    let before = etags(change, &drafts, Draft::Off)?;
    // All of them first, so that pages can take each other's names.
    for draft in &drafts {
        let sql = "DELETE FROM pages WHERE uid = ?1 AND layer = 'published'";
        change.tx.execute(sql, &values![draft.uid])?;
    }
    for draft in &drafts {
        if draft.deleted {
            change.remove(draft.uid.as_str())?;
            continue;
        }
        check_name(change, &draft.uid, &draft.unique_name, Layers::Published)?;
        let number = revisions::next(change.tx, draft.uid.as_str())?;
        change.tx.execute(
            "UPDATE pages SET layer = 'published', revision = ?2 WHERE uid = ?1 AND layer = 'draft'",
            &values![draft.uid, number],
        )?;
        revisions::add(change.tx, draft.uid.as_str(), PUBLISHED, number)?;
    }
    audit_each(change, Publish::INFO.name, drafts, before, Draft::Off)
}

/// Drops drafts, and gives their pages.
pub(super) fn discard(
    change: &mut Change<'_, '_>,
    uids: Option<&[PageUid]>,
    if_match: Option<&str>,
) -> Result<Vec<PageUid>> {
    let drafts = drafts(change, uids)?;
    check(change, &drafts, if_match)?;
    let before = etags(change, &drafts, Draft::On)?;
    for draft in &drafts {
        if change.is_published(draft.uid.as_str())? {
            let sql = "DELETE FROM pages WHERE uid = ?1 AND layer = 'draft'";
            change.tx.execute(sql, &values![draft.uid])?;
            revisions::add_discarded(change.tx, draft.uid.as_str())?;
        } else {
            change.remove(draft.uid.as_str())?;
        }
    }
    // The pages are shown by the draft layer under their published names again.
    for draft in &drafts {
        let sql = "SELECT unique_name FROM pages WHERE uid = ?1 AND layer = 'published'";
        let name: Option<String> = change
            .tx
            .find(sql, &values![draft.uid], |row| Ok(row.get("unique_name")?))?;
        if let Some(name) = name {
            check_name(change, &draft.uid, &name, Layers::Draft)?;
        }
    }
    audit_each(change, Discard::INFO.name, drafts, before, Draft::On)
}

/// The drafts of these pages or of all of them, the oldest page first.
fn drafts(change: &mut Change<'_, '_>, uids: Option<&[PageUid]>) -> Result<Vec<DraftRow>> {
    let environment_uid = &change.scope.environment_uid;
    for uid in uids.unwrap_or_default() {
        rows::ensure_exists(change.tx, environment_uid, uid)?;
    }
    let sql = "SELECT uid, unique_name, deleted FROM pages WHERE environment_uid = ?1 AND layer = ?2 \
         ORDER BY date_add, uid";
    let mut drafts = change
        .tx
        .list(sql, &values![environment_uid, DRAFT], |row| {
            let uid = row.get::<String>("uid")?.into();
            columns!(row => DraftRow { uid: uid, unique_name, deleted })
        })?;
    if let Some(uids) = uids {
        let chosen: HashSet<&PageUid> = uids.iter().collect();
        drafts.retain(|draft| chosen.contains(&draft.uid));
    }
    Ok(drafts)
}

/// Refuses drafts that are not what the caller has read.
fn check(change: &mut Change<'_, '_>, drafts: &[DraftRow], if_match: Option<&str>) -> Result<()> {
    let Some(header) = if_match else {
        return Ok(());
    };
    let known = States::of(header);
    for draft in drafts {
        // What is deleted in the draft layer has no entity tag there.
        let layer = match draft.deleted {
            true => Draft::Off,
            false => Draft::On,
        };
        if !known.has(&change.row(layer, &draft.uid)?.state()) {
            return Err(Error::precondition_failed());
        }
    }
    Ok(())
}

/// Refuses a name that another page of the layer has.
fn check_name(
    change: &mut Change<'_, '_>,
    uid: &PageUid,
    name: &str,
    layers: Layers,
) -> Result<()> {
    let Some(other) = change.owner_of_name(uid.as_str(), name, layers)? else {
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
        format!("page {uid} is named {name:?} as {whose} {other} is; {remedy}"),
    ))
}

/// The entity tags of these pages as a layer shows them.
fn etags(
    change: &mut Change<'_, '_>,
    drafts: &[DraftRow],
    layer: Draft,
) -> Result<Vec<Option<String>>> {
    drafts
        .iter()
        .map(|draft| change.etag(layer, &draft.uid))
        .collect()
}

/// Leaves a line about each of these pages, with what they were in a layer and what they are there now. Gives the
/// pages.
fn audit_each(
    change: &mut Change<'_, '_>,
    action: &'static str,
    drafts: Vec<DraftRow>,
    before: Vec<Option<String>>,
    layer: Draft,
) -> Result<Vec<PageUid>> {
    let moved = drafts.into_iter().zip(before).map(|(draft, before)| {
        let after = change.etag(layer, &draft.uid)?;
        change.audit(action, &draft.uid, before, after);
        Ok(draft.uid)
    });
    moved.collect()
}
