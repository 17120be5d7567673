//! Deleting a page from the drafts.

use maud::html;
use svc_model::PageUid;

use super::{
    place::{Layers, Pages, State, both_layers, pages_of},
    tree::{below, tree},
};
use crate::{
    answer::Answer,
    places::Scope,
    problem::Result,
    ui::{form::Confirmation, notice},
    visit::Visit,
};

/// The question, and deleting.
pub(super) async fn answer(visit: &Visit, scope: &Scope, uid: &str) -> Result<Answer> {
    let calls = pages_of(visit, scope)?;
    let uid = PageUid::from(uid);
    let (pages, layers, all) = tokio::try_join!(
        Pages::open(visit, scope),
        Layers::load(&calls, &uid),
        async { Ok(both_layers(&calls).await?) },
    )?;
    let texts = visit.texts;
    if !pages.may_write {
        return Ok(pages.refused(texts.get("delete")));
    }
    let name = layers.shown().unique_name().unwrap_or_default();
    let place = pages.of(&uid);
    if layers.state() == State::Deleted {
        return Ok(Answer::go(&place));
    }
    let is_new = layers.state() == State::New;
    let entries = tree(&all.0, &all.1);
    let below = below(&entries, &name).len().saturating_sub(1);
    let title = layers.title();
    let question = Confirmation {
        what: html! {
            p {
                @if is_new { (texts.with("pages-delete-new", [("name", title.as_str().into())])) }
                @else { (texts.with("pages-delete-published", [("name", title.as_str().into())])) }
            }
            @if below > 0 { p { (texts.with("pages-delete-below", [("count", below.into())])) } }
        },
        action: place.below(["delete"]),
        cancel: place.clone(),
        button: texts.get("delete"),
        // Only what was never published is gone for good.
        name: (is_new && scope.is_production()).then_some(name.as_str()),
        is_forbidden: false,
    };
    let mut message = None;
    if visit.is_post() && !question.is_given(visit) {
        message = Some(question.not_given(visit));
    } else if visit.is_post() {
        let call = calls.delete(uid.clone()).draft(true);
        match call.if_match(visit.form().text("etag")).send().await {
            Ok(()) => return Ok(Answer::go(&pages.index().with("deleted", "1"))),
            Err(error) if error.is_precondition_failed() => {
                message = Some(notice::error(visit, &texts.get("pages-delete-changed")));
            }
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let tag = html! { input type="hidden" name="etag" value=(layers.tag()); };
    let main = html! {
        @if let Some(message) = message { (message) }
        (question.form(visit, &tag))
    };
    Ok(pages.answer(texts.get("delete"), vec![(title, place)], &main))
}
