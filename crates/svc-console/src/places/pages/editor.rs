//! One page: its draft as a form, and making a new one.

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::{PageUid, pages::Revision};

use super::{
    about::About,
    content::{Content, FIELDS},
    form,
    place::{Layers, Pages, State, both_layers, pages_of},
    renamed::{self, Child},
    sent::{PARAMS, Sent},
    tree::{Entry, below, tree},
};
use crate::{
    answer::Answer,
    places::Scope,
    problem::{Problem, Result},
    ui::{
        credentials,
        form::{account_field, typed_before},
        notice,
    },
    visit::Visit,
};

/// A page that is looked at or changed.
struct Opened<'v> {
    pages: Pages<'v>,
    calls: svc_api::Pages,
    uid: PageUid,
    layers: Layers,
    revisions: Vec<Revision>,
    /// The pages that this one may be below.
    parents: Vec<(String, String)>,
    /// The unique names of the page and of all below it.
    below: Vec<String>,
    /// The pages right below it.
    children: Vec<Child>,
}

impl<'v> Opened<'v> {
    async fn load(visit: &'v Visit, scope: &Scope, uid: &str) -> Result<Self> {
        let calls = pages_of(visit, scope)?;
        let uid = PageUid::from(uid);
        let revisions = Box::pin(async {
            let revisions = calls.revisions(uid.clone()).send().await;
            revisions.map_err(|error| match error.is_not_found() {
                true => Problem::NotFound,
                false => error.into(),
            })
        });
        let (pages, layers, revisions, all) = tokio::try_join!(
            Pages::open(visit, scope),
            Layers::load(&calls, &uid),
            revisions,
            async { Ok(both_layers(&calls).await?) },
        )?;
        let own = layers.shown().unique_name().unwrap_or_default();
        let entries = tree(&all.0, &all.1);
        let below = below(&entries, &own).into_iter().map(str::to_owned);
        let below: Vec<String> = below.collect();
        let parents = parents(&entries, &below);
        let children = renamed::children(&all.0, &uid, &own);
        Ok(Self {
            pages,
            calls,
            uid,
            layers,
            revisions,
            parents,
            below,
            children,
        })
    }

    /// The number of the revision that the form is opened with.
    fn base(&self) -> u64 {
        let is_draft = self.layers.state() != State::Published;
        let mut revisions = self.revisions.iter();
        let newest = revisions.find(|revision| revision.draft == is_draft);
        newest.map_or(0, |revision| revision.number)
    }

    fn texts(&self) -> &'static crate::texts::Texts {
        self.pages.texts()
    }

    /// The page with its form. `tag` and `base` are what the form was opened with.
    fn answer(
        &self,
        (tag, base): (&str, &str),
        sent: &Sent,
        theirs: Option<&Content>,
        message: Option<Markup>,
    ) -> Answer {
        let (pages, texts) = (&self.pages, self.texts());
        let about = About {
            pages,
            parents: &self.parents,
            sent,
            theirs,
        };
        let state = self.layers.state();
        let main = html! {
            @if let Some(message) = message { (message) }
            (head(pages, &self.uid, state))
            @if pages.may_write && state != State::Deleted {
                (typed_before(pages.visit()))
                form.page-form method="post" action=(pages.of(&self.uid)) data-guard {
                    (account_field(pages.context.visit))
                    input type="hidden" name="etag" value=(tag);
                    input type="hidden" name="base" value=(base);
                    (form::fields(&about))
                    div.actions {
                        button.primary { (texts.get("pages-save")) }
                        button name="action" value="format" { (texts.get("pages-format")) }
                        a.button href=(pages.index()) { (texts.get("cancel")) }
                        div.grow {}
                        a.button.danger href=(pages.of(&self.uid).below(["delete"])) { (texts.get("delete")) }
                    }
                }
            } @else {
                (form::read_only(pages, &self.layers.shown()))
            }
        };
        pages.answer(self.layers.title(), Vec::new(), &main)
    }
}

/// A page, and a change to its draft.
pub(super) async fn answer(visit: &Visit, scope: &Scope, uid: &str) -> Result<Answer> {
    let opened = Opened::load(visit, scope, uid).await?;
    let texts = visit.texts;
    if !visit.is_post() {
        let sent = Sent::of_content(&Content::of(&opened.layers.shown()));
        let (tag, base) = (opened.layers.tag(), opened.base().to_string());
        let message = message_of(&opened)?;
        return Ok(opened.answer((&tag, &base), &sent, None, message));
    }
    if !opened.pages.may_write {
        return Ok(opened.pages.refused(opened.layers.title()));
    }
    let Some(draft) = &opened.layers.draft else {
        return Ok(deleted_meanwhile(&opened));
    };
    let form = visit.form();
    let now = Content::of(&draft.value);
    let mut tag = form.text("etag").to_owned();
    let is_newest = tag == opened.layers.tag();
    let base = match is_newest {
        true => now.clone(),
        false => base_of(&opened, form.text("base")).await?,
    };
    let mut sent = Sent::of_form(texts, form, &base);
    sent.check_parent(texts, &opened.below);
    let with = (form.text("etag"), form.text("base"));
    if form.text("action") == "format" {
        sent.format();
        return Ok(opened.answer(with, &sent, None, None));
    }
    if !sent.is_right() {
        let message = notice::error(visit, &texts.get("fields-wrong"));
        let answer = opened.answer(with, &sent, None, Some(message));
        return Ok(answer.status(StatusCode::BAD_REQUEST));
    }
    let place = opened.pages.of(&opened.uid);
    if sent.changes.is_empty() {
        return Ok(Answer::go(&place.with("saved", "0")));
    }
    // Publishing gives a page another tag, and leaves what it holds.
    if base == now {
        tag = opened.layers.tag();
    }
    let call = opened.calls.update(opened.uid.clone(), sent.update());
    match call.draft(true).if_match(tag).send().await {
        Ok(saved) => {
            let was = draft.value.unique_name().unwrap_or_default();
            let names = (was.as_str(), saved.unique_name());
            let place = place.with("saved", "1");
            let place = renamed::keep_below(&opened.calls, &opened.children, names, place);
            Ok(Answer::go(&place.await))
        }
        Err(error) if error.is_precondition_failed() => {
            conflict(visit, scope, uid, &base, sent).await
        }
        Err(error) if error.is_not_found() => {
            let opened = Opened::load(visit, scope, uid).await?;
            Ok(deleted_meanwhile(&opened))
        }
        Err(error) => {
            let (sent, message) = refused(visit, sent, error)?;
            let answer = opened.answer(with, &sent, None, Some(message));
            Ok(answer.status(StatusCode::BAD_REQUEST))
        }
    }
}

/// A new page, which is a draft at first.
pub(super) async fn create(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let calls = pages_of(visit, scope)?;
    let (pages, all) = tokio::try_join!(Pages::open(visit, scope), async {
        Ok(both_layers(&calls).await?)
    })?;
    let texts = visit.texts;
    if !pages.may_write {
        return Ok(pages.refused(texts.get("pages-new")));
    }
    let parents = parents(&tree(&all.0, &all.1), &[]);
    let empty = Content::empty();
    if !visit.is_post() {
        let mut sent = Sent::of_content(&empty);
        let query = visit.query()?;
        sent.fields
            .insert("parent", query.text("parent").to_owned());
        return Ok(new_page(&pages, &parents, &sent, None));
    }
    let form = visit.form();
    let mut sent = Sent::of_form(texts, form, &empty);
    if form.text("action") == "format" {
        sent.format();
        return Ok(new_page(&pages, &parents, &sent, None));
    }
    if form.text("name").trim().is_empty() && form.text("unique_name").trim().is_empty() {
        let missing = vec![texts.get("pages-name-missing")];
        sent.errors.insert("name".to_owned(), missing);
    }
    sent.check_parent(texts, &[]);
    if !sent.is_right() {
        let message = notice::error(visit, &texts.get("fields-wrong"));
        let answer = new_page(&pages, &parents, &sent, Some(message));
        return Ok(answer.status(StatusCode::BAD_REQUEST));
    }
    let call = calls.create(&sent.changes).draft(true);
    match call.idempotency_key(credentials::once(form)).send().await {
        Ok(made) => Ok(Answer::go(&match made.uid() {
            Some(uid) => pages.of(&uid).with("saved", "1"),
            None => pages.index(),
        })),
        Err(error) => {
            let (sent, message) = refused(visit, sent, error)?;
            let answer = new_page(&pages, &parents, &sent, Some(message));
            Ok(answer.status(StatusCode::BAD_REQUEST))
        }
    }
}

fn new_page(
    pages: &Pages<'_>,
    parents: &[(String, String)],
    sent: &Sent,
    message: Option<Markup>,
) -> Answer {
    let texts = pages.texts();
    let about = About {
        pages,
        parents,
        sent,
        theirs: None,
    };
    let main = html! {
        @if let Some(message) = message { (message) }
        (typed_before(pages.visit()))
        form.page-form method="post" action=(pages.index().below(["new"])) data-guard {
            (account_field(pages.context.visit))
            (credentials::once_field())
            (form::fields(&about))
            div.actions {
                button.primary { (texts.get("create")) }
                button name="action" value="format" { (texts.get("pages-format")) }
                a.button href=(pages.index()) { (texts.get("cancel")) }
            }
        }
    };
    pages.answer(texts.get("pages-new"), Vec::new(), &main)
}

/// The state of a page, and the ways from it.
fn head(pages: &Pages<'_>, uid: &PageUid, state: State) -> Markup {
    let texts = pages.texts();
    let (place, index) = (pages.of(uid), pages.index());
    html! {
        @if state == State::Deleted { p { (texts.get("pages-is-deleted")) } }
        div.toolbar {
            (state.mark(texts))
            div.grow {}
            @if state == State::Changed { a.button href=(place.below(["changes"])) { (texts.get("pages-changes")) } }
            a.button href=(place.below(["revisions"])) { (texts.get("pages-revisions")) }
            @if pages.may_write && state.is_draft() {
                a.button href=(index.below(["discard"]).with("page", uid.as_str())) {
                    @if state == State::Deleted { (texts.get("pages-keep")) } @else { (texts.get("pages-discard")) }
                }
                a.button href=(index.below(["publish"]).with("page", uid.as_str())) { (texts.get("pages-publish")) }
            }
        }
    }
}

/// What was done before the page is shown again.
fn message_of(opened: &Opened<'_>) -> Result<Option<Markup>> {
    let (visit, texts) = (opened.pages.visit(), opened.texts());
    let query = visit.query()?;
    let text = match (query.get("saved"), query.get("restored")) {
        (Some("0"), _) => texts.get("unchanged"),
        (Some(_), _) => texts.get("pages-saved"),
        (None, Some(number)) => texts.with("pages-restored", [("number", number.into())]),
        (None, None) if query.get("published").is_some() => texts.get("pages-published-this"),
        (None, None) => return Ok(None),
    };
    Ok(Some(html! {
        (notice::done(&text))
        (renamed::message(visit, &query, &opened.parents))
    }))
}

/// What the page held when the form was opened, or what it holds now if that is not kept any more.
async fn base_of(opened: &Opened<'_>, number: &str) -> Result<Content> {
    let number = number.parse().unwrap_or(0);
    match opened
        .calls
        .revision(opened.uid.clone(), number)
        .send()
        .await
    {
        Ok(page) => Ok(Content::of(&page)),
        Err(error) if error.is_not_found() => Ok(Content::of(&opened.layers.shown())),
        Err(error) => Err(error.into()),
    }
}

/// The form again, over what somebody else has made of the page meanwhile.
async fn conflict(
    visit: &Visit,
    scope: &Scope,
    uid: &str,
    base: &Content,
    sent: Sent,
) -> Result<Answer> {
    let opened = Opened::load(visit, scope, uid).await?;
    let Some(draft) = &opened.layers.draft else {
        return Ok(deleted_meanwhile(&opened));
    };
    let theirs = Content::of(&draft.value);
    let sent = sent.merged(base, &theirs);
    let texts = visit.texts;
    let message = match sent.conflicts.is_empty() {
        true => texts.get("conflict-apart"),
        false => texts.get("pages-conflict-same"),
    };
    let message = notice::error(visit, &message);
    let (tag, base) = (opened.layers.tag(), opened.base().to_string());
    let answer = opened.answer((&tag, &base), &sent, Some(&theirs), Some(message));
    Ok(answer.status(StatusCode::PRECONDITION_FAILED))
}

/// What was typed about a page that somebody else has deleted becomes a new page, if one likes.
fn deleted_meanwhile(opened: &Opened<'_>) -> Answer {
    let (pages, visit) = (&opened.pages, opened.pages.visit());
    let sent = Sent::of_form(visit.texts, visit.form(), &Content::empty());
    let message = notice::error(visit, &visit.texts.get("pages-deleted-meanwhile"));
    new_page(pages, &opened.parents, &sent, Some(message)).status(StatusCode::CONFLICT)
}

/// The form again, with what the service says beside the fields.
fn refused(visit: &Visit, mut sent: Sent, error: Error) -> Result<(Sent, Markup)> {
    if error.is_unauthenticated() {
        return Err(error.into());
    }
    let is_of_form = |field: &str| FIELDS.contains(&field) || field == PARAMS;
    let errors = error.field_errors();
    let message = match errors.iter().all(|(field, _)| is_of_form(field)) && !errors.is_empty() {
        true => notice::error(visit, &visit.texts.get("fields-wrong")),
        false => notice::of_error(visit, &error),
    };
    for (field, messages) in errors {
        let known = sent.errors.entry(field.clone()).or_default();
        known.extend(messages.iter().cloned());
    }
    Ok((sent, message))
}

/// The pages that a page may be below: unique name and title, with a dash for each level. `own` are the unique names of the
/// page and of all below it.
fn parents(entries: &[Entry], own: &[String]) -> Vec<(String, String)> {
    let free = entries
        .iter()
        .filter(|entry| entry.state != State::Deleted && !own.contains(&entry.unique_name));
    let named = |entry: &Entry| {
        let dashes = "– ".repeat(entry.depth.min(8));
        (
            entry.unique_name.clone(),
            format!("{dashes}{}", entry.title),
        )
    };
    free.map(named).collect()
}
