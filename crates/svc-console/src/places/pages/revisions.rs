//! The draft of a page beside what is published, and its revisions.

use http::StatusCode;
use maud::{Markup, html};
use svc_model::{PageUid, pages::Revision};

use super::{
    content::document,
    place::{Layers, Pages, State, listed, pages_of},
    renamed,
};
use crate::{
    answer::Answer,
    href::Href,
    places::Scope,
    problem::{Problem, Result},
    texts::Texts,
    ui::{diff::lines::side_by_side, form::account_field, notice, table::table, time},
    visit::Visit,
};

/// The draft beside what is published.
pub(super) async fn changes(visit: &Visit, scope: &Scope, uid: &str) -> Result<Answer> {
    let (pages, _, uid, layers) = open(visit, scope, uid).await?;
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let texts = visit.texts;
    let index = pages.index();
    let main = html! {
        div.toolbar { (layers.state().mark(texts)) }
        (difference(texts, &layers))
        @if pages.may_write && layers.state().is_draft() {
            div.actions {
                a.button.primary href=(index.below(["publish"]).with("page", uid.as_str())) { (texts.get("pages-publish")) }
                a.button href=(index.below(["discard"]).with("page", uid.as_str())) { (texts.get("pages-discard")) }
                a.button href=(pages.of(&uid)) { (texts.get("pages-edit")) }
            }
        }
    };
    let above = vec![(layers.title(), pages.of(&uid))];
    Ok(pages.answer(texts.get("pages-changes"), above, &main))
}

/// What publishing would change of a page.
pub(super) fn difference(texts: &Texts, layers: &Layers) -> Markup {
    let (published, draft) = (
        texts.get("pages-published-name"),
        texts.get("pages-draft-name"),
    );
    let of = |layer: &Option<svc_model::Tagged<svc_model::PageSettings>>| {
        layer
            .as_ref()
            .map(|tagged| document(&tagged.value))
            .unwrap_or_default()
    };
    let (old, new) = (of(&layers.published), of(&layers.draft));
    match side_by_side(texts, (&published, &old), (&draft, &new)) {
        Some(diff) => diff,
        None => html! { p.muted { (texts.get("pages-no-difference")) } },
    }
}

/// The changes of a page, the newest first.
pub(super) async fn list(visit: &Visit, scope: &Scope, uid: &str) -> Result<Answer> {
    let (pages, calls, uid, layers) = open(visit, scope, uid).await?;
    if visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let revisions = calls.revisions(uid.clone()).send().await?;
    let texts = visit.texts;
    let head = html! {
        tr {
            th.number scope="col" { (texts.get("pages-number")) }
            th scope="col" { (texts.get("pages-when")) }
            th scope="col" { (texts.get("pages-who")) }
            th scope="col" { (texts.get("pages-what")) }
        }
    };
    let place = pages.of(&uid).below(["revisions"]);
    let body = html! {
        @for revision in &revisions { (row(&pages, revision, &place)) }
    };
    let main = html! {
        p.muted { (texts.get("pages-revisions-what")) }
        (table(&texts.get("pages-revisions"), &head, &body))
    };
    let above = vec![(layers.title(), pages.of(&uid))];
    Ok(pages.answer(texts.get("pages-revisions"), above, &main))
}

fn row(pages: &Pages<'_>, revision: &Revision, place: &Href) -> Markup {
    let texts = pages.texts();
    let number = revision.number.to_string();
    html! {
        tr {
            td.number {
                a href=(place.below([&number])) {
                    span.visually-hidden { (texts.get("pages-revision")) " " }
                    (number)
                }
            }
            td { (time::minute(&pages.context.account, &revision.date_add)) }
            td {
                @match &revision.author {
                    Some(author) => bdi { (author) },
                    None => span.muted { (texts.get("pages-no-author")) },
                }
            }
            td { (kind(texts, revision)) }
        }
    }
}

fn kind(texts: &Texts, revision: &Revision) -> String {
    match (revision.draft, revision.deleted) {
        (true, false) => texts.get("pages-revision-draft"),
        (true, true) => texts.get("pages-revision-deleted"),
        (false, _) => texts.get("pages-revision-published"),
    }
}

/// A revision beside what the page holds now, and restoring it.
pub(super) async fn one(visit: &Visit, scope: &Scope, uid: &str, number: &str) -> Result<Answer> {
    let number: u64 = number.parse().map_err(|_| Problem::NotFound)?;
    let (pages, calls, uid, layers) = open(visit, scope, uid).await?;
    let (revision, all) = tokio::try_join!(
        async { calls.revision(uid.clone(), number).send().await },
        async { calls.revisions(uid.clone()).send().await },
    )
    .map_err(|error| match error.is_not_found() {
        true => Problem::NotFound,
        false => error.into(),
    })?;
    let texts = visit.texts;
    let title = texts.with(
        "pages-revision-title",
        [("number", number.to_string().into())],
    );
    let mut message = None;
    let mut status = StatusCode::OK;
    if visit.is_post() {
        if !pages.may_write {
            return Ok(pages.refused(title));
        }
        let drafts = listed(&calls, true).send().await?;
        let was = layers.shown().unique_name().unwrap_or_default();
        let children = renamed::children(&drafts, &uid, &was);
        let mut call = calls.restore(uid.clone(), number);
        // What is deleted in the drafts has no tag there.
        if layers.draft.is_some() {
            call = call.if_match(visit.form().text("etag"));
        }
        match call.send().await {
            Ok(restored) => {
                let place = pages.of(&uid).with("restored", &number.to_string());
                let names = (was.as_str(), restored.unique_name());
                let place = renamed::keep_below(&calls, &children, names, place);
                return Ok(Answer::go(&place.await));
            }
            Err(error) if error.is_precondition_failed() => {
                status = StatusCode::PRECONDITION_FAILED;
                message = Some(notice::error(visit, &texts.get("pages-restore-changed")));
            }
            Err(error) => {
                status = StatusCode::BAD_REQUEST;
                message = Some(notice::refused(visit, error)?);
            }
        }
    }
    let known = all.iter().find(|known| known.number == number);
    let now = match layers.state() {
        State::Deleted => String::new(),
        _ => document(&layers.shown()),
    };
    let diff = side_by_side(
        texts,
        (&title, &document(&revision)),
        (&texts.get("pages-now"), &now),
    );
    let place = pages.of(&uid).below(["revisions"]);
    let main = html! {
        @if let Some(message) = message { (message) }
        @if let Some(known) = known {
            p {
                (kind(texts, known)) " · " (time::minute(&pages.context.account, &known.date_add))
                @if let Some(author) = &known.author { " · " bdi { (author) } }
            }
        }
        @match &diff {
            Some(diff) => (diff),
            None => p.muted { (texts.get("pages-revision-same")) },
        }
        @if pages.may_write && diff.is_some() {
            p { (texts.get("pages-restore-what")) }
            form.actions method="post" action=(place.below([&number.to_string()])) {
                (account_field(pages.context.visit))
                input type="hidden" name="etag" value=(layers.tag());
                button.primary { (texts.get("pages-restore")) }
                a.button href=(place) { (texts.get("cancel")) }
            }
        }
    };
    let above = vec![
        (layers.title(), pages.of(&uid)),
        (texts.get("pages-revisions"), place),
    ];
    Ok(pages.answer(title, above, &main).status(status))
}

async fn open<'v>(
    visit: &'v Visit,
    scope: &Scope,
    uid: &str,
) -> Result<(Pages<'v>, svc_api::Pages, PageUid, Layers)> {
    let calls = pages_of(visit, scope)?;
    let uid = PageUid::from(uid);
    let (pages, layers) = tokio::try_join!(Pages::open(visit, scope), Layers::load(&calls, &uid))?;
    Ok((pages, calls, uid, layers))
}
