//! The pages below one that gets another unique name: a page names the one above by its unique name, so each of them gets a
//! draft that keeps it where it is.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::{JsonObject, PageSettings, PageUid, UpdatePageSettings};

use super::{content::parent_of, sent::set_text};
use crate::{
    href::Href,
    ui::notice,
    visit::{Form, Visit},
};

/// The parameters of the address that say what became of the pages below.
const MOVED: &str = "moved";
const LEFT: &str = "left";

/// How often a page is changed that somebody else changes too.
const TRIES: usize = 2;

/// A page that is right below another one.
#[derive(Clone, Debug)]
pub(super) struct Child {
    uid: PageUid,
    unique_name: String,
}

/// The pages whose drafts are right below the page `uid`, which has the unique name `of`.
pub(super) fn children(drafts: &[PageSettings], uid: &PageUid, of: &str) -> Vec<Child> {
    let below = drafts
        .iter()
        .filter(|page| parent_of(page).as_deref() == Some(of) && page.uid().as_ref() != Some(uid));
    let named = below.filter_map(|page| {
        Some(Child {
            uid: page.uid()?,
            unique_name: page.unique_name().unwrap_or_default(),
        })
    });
    named.collect()
}

/// Keeps the pages below one that is called `new` now; the result is the place with what became of them.
pub(super) async fn keep_below(
    calls: &svc_api::Pages,
    children: &[Child],
    (old, new): (&str, Option<String>),
    mut place: Href,
) -> Href {
    let Some(new) = new.filter(|new| new != old) else {
        return place;
    };
    let mut moved = 0_usize;
    let mut left = Vec::new();
    for child in children {
        match move_below(calls, &child.uid, (old, &new)).await {
            Ok(is_moved) => moved += usize::from(is_moved),
            Err(error) => {
                tracing::warn!(%error, "a page could not be kept below one with another name");
                left.push(&child.unique_name);
            }
        }
    }
    if moved > 0 {
        place = place.with(MOVED, &moved.to_string());
    }
    for name in left {
        place = place.with(LEFT, name);
    }
    place
}

/// Whether the page has moved: one that is somewhere else by now stays there, and one that is gone stays gone.
async fn move_below(
    calls: &svc_api::Pages,
    uid: &PageUid,
    (old, new): (&str, &str),
) -> Result<bool, Error> {
    let mut tries = 1;
    loop {
        match try_move(calls, uid, (old, new)).await {
            Err(error) if error.is_precondition_failed() && tries < TRIES => tries += 1,
            Err(error) if error.is_not_found() => return Ok(false),
            other => return other,
        }
    }
}

async fn try_move(
    calls: &svc_api::Pages,
    uid: &PageUid,
    (old, new): (&str, &str),
) -> Result<bool, Error> {
    let draft = calls.get(uid.clone()).draft(true).send_tagged().await?;
    if parent_of(&draft.value).as_deref() != Some(old) {
        return Ok(false);
    }
    let mut parent = JsonObject::new();
    set_text(&mut parent, "parent", new);
    let change = UpdatePageSettings::new().with_properties(parent);
    let mut call = calls.update(uid.clone(), change).draft(true);
    if let Some(tag) = draft.etag {
        call = call.if_match(tag);
    }
    call.send().await?;
    Ok(true)
}

/// What the address says about the pages that were below. `known` are unique names and titles of pages.
pub(super) fn message(visit: &Visit, query: &Form, known: &[(String, String)]) -> Markup {
    let texts = visit.texts;
    let moved: usize = query.text(MOVED).parse().unwrap_or(0);
    let left: Vec<&str> = query
        .iter()
        .filter(|(name, left)| *name == LEFT && known.iter().any(|(known, _)| known == left))
        .map(|(_, left)| left)
        .collect();
    html! {
        @if moved > 0 { (notice::done(&texts.with("pages-renamed-moved", [("count", moved.into())]))) }
        @for name in left {
            (notice::error(visit, &texts.with("pages-renamed-left", [("name", name.into())])))
        }
    }
}
