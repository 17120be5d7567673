//! Publishing and discarding drafts: what differs is shown before, and what somebody else has saved since stops it.

use std::collections::HashMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use http::StatusCode;
use maud::{Markup, html};
use svc_model::PageUid;

use super::{
    place::{Layers, Pages, State, both_layers, pages_of},
    revisions::difference,
    tree::tree,
};
use crate::{
    answer::Answer,
    href::Href,
    places::Scope,
    problem::{Problem, Result},
    ui::{
        form::{Confirmation, account_field},
        notice,
    },
    visit::Visit,
};

/// How many drafts are published or discarded at once.
const MOST: usize = 100;
/// Of how many the differences are shown.
const MOST_SHOWN: usize = 20;
/// How many pages are read at the same time.
const AT_ONCE: usize = 8;

/// A draft that was chosen.
struct Chosen {
    uid: PageUid,
    layers: Layers,
    /// Whether somebody has saved it since it was shown.
    is_newer: bool,
}

/// The drafts that were chosen; all of them where none was.
struct Choice<'v> {
    pages: Pages<'v>,
    calls: svc_api::Pages,
    drafts: Vec<Chosen>,
    /// How many there are besides.
    others: usize,
}

impl<'v> Choice<'v> {
    async fn load(visit: &'v Visit, scope: &Scope) -> Result<Self> {
        let calls = pages_of(visit, scope)?;
        let (pages, all) = tokio::try_join!(Pages::open(visit, scope), async {
            Ok(both_layers(&calls).await?)
        })?;
        let query = visit.query()?;
        let asked = match visit.is_post() {
            true => visit.form(),
            false => &query,
        };
        let named = asked.iter().filter(|(name, _)| *name == "page");
        let named: Vec<PageUid> = named.map(|(_, uid)| PageUid::from(uid)).collect();
        let entries = tree(&all.0, &all.1);
        let drafts = entries.iter().filter(|entry| entry.state.is_draft());
        let (chosen, others): (Vec<_>, Vec<_>) =
            drafts.partition(|entry| named.is_empty() || named.contains(&entry.uid));
        let chosen: Vec<PageUid> = chosen.into_iter().map(|entry| entry.uid.clone()).collect();
        let left = chosen.len().saturating_sub(MOST) + others.len();
        let read = async |uid: PageUid| match Layers::load(&calls, &uid).await {
            Ok(layers) => Ok(Some((uid, layers))),
            // Deleted for good in this moment.
            Err(Problem::NotFound) => Ok(None),
            Err(problem) => Err(problem),
        };
        let loaded: Vec<Option<(PageUid, Layers)>> = stream::iter(chosen.into_iter().take(MOST))
            .map(read)
            .buffered(AT_ONCE)
            .try_collect()
            .await?;
        let known = tags(visit);
        let drafts = loaded.into_iter().flatten().map(|(uid, layers)| Chosen {
            is_newer: visit.is_post() && known.get(uid.as_str()) != Some(&layers.tag().as_str()),
            uid,
            layers,
        });
        Ok(Self {
            drafts: drafts.collect(),
            pages,
            calls,
            others: left,
        })
    }

    fn uids(&self) -> Vec<PageUid> {
        self.drafts.iter().map(|draft| draft.uid.clone()).collect()
    }

    /// The hidden fields that say which drafts were shown.
    fn fields(&self) -> Markup {
        html! {
            @for draft in &self.drafts {
                input type="hidden" name="page" value=(draft.uid);
                input type="hidden" name=(format!("tag:{}", draft.uid)) value=(draft.layers.tag());
            }
        }
    }

    /// The place with only the drafts that nobody has saved since.
    fn without_newer(&self, place: Href) -> Option<Href> {
        let mut kept = self
            .drafts
            .iter()
            .filter(|draft| !draft.is_newer)
            .peekable();
        kept.peek()?;
        Some(kept.fold(place, |place, draft| place.with("page", draft.uid.as_str())))
    }

    /// What was shown when the form was opened: the tags of these drafts, and of no others.
    fn shown_tags(&self, visit: &Visit) -> String {
        let known = tags(visit);
        let tags = self.drafts.iter();
        let tags = tags.filter_map(|draft| known.get(draft.uid.as_str()).copied());
        let tags: Vec<&str> = tags.collect();
        match tags.is_empty() {
            // The tag of no page, since no tag at all would allow everything.
            true => "\"\"".to_owned(),
            false => tags.join(", "),
        }
    }

    /// Nothing is left to do.
    fn nothing(&self, title: String) -> Answer {
        let texts = self.pages.texts();
        let main = html! {
            p.empty-state { (texts.get("pages-no-drafts")) " " a href=(self.pages.index()) { (texts.get("area-pages")) } }
        };
        self.pages.answer(title, Vec::new(), &main)
    }
}

/// The entity tags of the drafts as they were shown, by their pages.
fn tags(visit: &Visit) -> HashMap<&str, &str> {
    let fields = visit.form().iter();
    fields
        .filter_map(|(name, tag)| Some((name.strip_prefix("tag:")?, tag)))
        .collect()
}

/// What would be published, and publishing it.
pub(super) async fn answer(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let choice = Choice::load(visit, scope).await?;
    let texts = visit.texts;
    let title = texts.get("pages-publish-title");
    if !choice.pages.may_write {
        return Ok(choice.pages.refused(title));
    }
    if choice.drafts.is_empty() {
        return Ok(choice.nothing(title));
    }
    if !visit.is_post() {
        return Ok(shown(&choice, title, None));
    }
    let call = choice.calls.publish(choice.uids());
    match call.if_match(choice.shown_tags(visit)).send().await {
        Ok(published) => {
            let pages = &choice.pages;
            let only = match (&choice.drafts[..], published.len()) {
                ([only], 1) => Some(only).filter(|only| only.layers.state() != State::Deleted),
                _ => None,
            };
            Ok(Answer::go(&match only {
                Some(only) => pages.of(&only.uid).with("published", "1"),
                None => pages
                    .index()
                    .with("published", &published.len().to_string()),
            }))
        }
        Err(error) if error.is_precondition_failed() => {
            // What was saved between reading and publishing is read now.
            let choice = Choice::load(visit, scope).await?;
            if choice.drafts.is_empty() {
                return Ok(choice.nothing(title));
            }
            let message = notice::error(visit, &texts.get("pages-publish-newer"));
            Ok(shown(&choice, title, Some(message)).status(StatusCode::PRECONDITION_FAILED))
        }
        Err(error) => {
            let message = notice::refused(visit, error)?;
            Ok(shown(&choice, title, Some(message)).status(StatusCode::BAD_REQUEST))
        }
    }
}

fn shown(choice: &Choice<'_>, title: String, message: Option<Markup>) -> Answer {
    let (pages, texts) = (&choice.pages, choice.pages.texts());
    let place = pages.index().below(["publish"]);
    let has_newer = choice.drafts.iter().any(|draft| draft.is_newer);
    let without_newer = choice.without_newer(place.clone()).filter(|_| has_newer);
    let main = html! {
        @if let Some(message) = message { (message) }
        p { (texts.with("pages-publish-what", [("count", choice.drafts.len().into())])) }
        @if choice.others > 0 { p.muted { (texts.with("pages-publish-others", [("count", choice.others.into())])) } }
        @for (at, draft) in choice.drafts.iter().enumerate() { (section(choice, at, draft)) }
        form.actions method="post" action=(place) {
            (account_field(pages.context.visit))
            (choice.fields())
            button.primary {
                @if has_newer { (texts.get("pages-publish-newer-too")) }
                @else { (texts.with("pages-publish-count", [("count", choice.drafts.len().into())])) }
            }
            @if let Some(without) = without_newer { a.button href=(without) { (texts.get("pages-publish-without")) } }
            a.button href=(pages.index()) { (texts.get("cancel")) }
        }
    };
    pages.answer(title, Vec::new(), &main)
}

/// A page with what publishing changes of it.
fn section(choice: &Choice<'_>, at: usize, draft: &Chosen) -> Markup {
    let (pages, texts) = (&choice.pages, choice.pages.texts());
    let state = draft.layers.state();
    html! {
        section.draft {
            h2 {
                a href=(pages.of(&draft.uid)) { bdi { (draft.layers.title()) } }
                " " (state.mark(texts))
                @if draft.is_newer { " " span.page-state.newer { (texts.get("pages-newer")) } }
            }
            @if state == State::Deleted {
                p { (texts.get("pages-publish-deletes")) }
            } @else if at < MOST_SHOWN {
                (difference(texts, &draft.layers))
            } @else {
                p { a href=(pages.of(&draft.uid).below(["changes"])) { (texts.get("pages-changes")) } }
            }
        }
    }
}

/// The question before drafts are discarded, and discarding them.
pub(super) async fn discard(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let choice = Choice::load(visit, scope).await?;
    let texts = visit.texts;
    let title = texts.get("pages-discard-title");
    if !choice.pages.may_write {
        return Ok(choice.pages.refused(title));
    }
    if choice.drafts.is_empty() {
        return Ok(choice.nothing(title));
    }
    let question = question(&choice, scope);
    let question = Confirmation {
        name: question.1.as_deref(),
        ..question.0
    };
    let mut message = None;
    let mut status = StatusCode::OK;
    if visit.is_post() && !question.is_given(visit) {
        message = Some(question.not_given(visit));
    } else if visit.is_post() {
        let call = choice.calls.discard(choice.uids());
        match call.if_match(choice.shown_tags(visit)).send().await {
            Ok(discarded) => {
                let count = discarded.len().to_string();
                return Ok(Answer::go(&choice.pages.index().with("discarded", &count)));
            }
            Err(error) if error.is_precondition_failed() => {
                status = StatusCode::PRECONDITION_FAILED;
                message = Some(notice::error(visit, &texts.get("pages-discard-newer")));
            }
            Err(error) => {
                status = StatusCode::BAD_REQUEST;
                message = Some(notice::refused(visit, error)?);
            }
        }
    }
    let main = html! {
        @if let Some(message) = message { (message) }
        (question.form(visit, &choice.fields()))
    };
    Ok(choice.pages.answer(title, Vec::new(), &main).status(status))
}

/// The question, and the name that is typed where people depend on the environment.
fn question(choice: &Choice<'_>, scope: &Scope) -> (Confirmation<'static>, Option<String>) {
    let (pages, texts) = (&choice.pages, choice.pages.texts());
    let name = match &choice.drafts[..] {
        [only] => only.layers.shown().unique_name(),
        _ => Some(scope.environment.to_string()),
    };
    let destroys = choice
        .drafts
        .iter()
        .any(|it| it.layers.state() != State::Deleted);
    let question = Confirmation {
        what: html! {
            p { (texts.with("pages-discard-what", [("count", choice.drafts.len().into())])) }
            ul {
                @for draft in &choice.drafts {
                    li {
                        a href=(pages.of(&draft.uid)) { bdi { (draft.layers.title()) } } ": "
                        @match draft.layers.state() {
                            State::New => (texts.get("pages-discard-new")),
                            State::Deleted => (texts.get("pages-discard-deleted")),
                            _ => (texts.get("pages-discard-changed")),
                        }
                        @if draft.is_newer { " " span.page-state.newer { (texts.get("pages-newer")) } }
                    }
                }
            }
            @if choice.others > 0 { p.muted { (texts.with("pages-discard-others", [("count", choice.others.into())])) } }
        },
        action: pages.index().below(["discard"]),
        cancel: pages.index(),
        button: texts.get("pages-discard"),
        name: None,
        is_forbidden: false,
    };
    (question, name.filter(|_| destroys && scope.is_production()))
}
