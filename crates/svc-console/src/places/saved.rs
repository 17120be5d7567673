//! What people have saved in an environment: queries, charts and dashboards, for themselves or shared.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;
use svc_api::Error;
use svc_model::{
    ListQuery, Lookup, Paginated,
    administration::items::{Item, ItemPatch, NewItem},
};

use super::Context;
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{
        form::{Confirmation, Outcome},
        frame::Area,
        notice,
    },
    visit::{Form, Visit},
};

/// How many are listed at once.
const PER_PAGE: u32 = 100;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Query,
    Chart,
    Dashboard,
    /// What somebody has written last.
    Draft,
}

impl Kind {
    /// The word of the service.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Chart => "chart",
            Self::Dashboard => "dashboard",
            Self::Draft => "preference",
        }
    }
}

/// An item of this kind.
pub(crate) async fn find(context: &Context<'_>, kind: Kind, uid: &str) -> Result<Item> {
    match find_any(context, kind, uid).await {
        Ok(Some(item)) => Ok(item),
        Ok(None) => Err(Problem::NotFound),
        Err(error) => Err(error.into()),
    }
}

/// The same; `None` where the signed-in account sees none.
pub(crate) async fn find_any(
    context: &Context<'_>,
    kind: Kind,
    uid: &str,
) -> Result<Option<Item>, Error> {
    let administration = context.client.administration();
    match administration.items().get(uid).send().await {
        Ok(item) => Ok((item.kind == kind.word()).then_some(item)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The items of a kind that the signed-in account sees, newest first; of one resource or model where it is named.
pub(crate) async fn list(
    context: &Context<'_>,
    kind: Kind,
    model: Option<&str>,
) -> Result<Paginated<Item>, Error> {
    let mut query = ListQuery::new()
        .filter("kind", Lookup::Exact, kind.word())
        .per_page(PER_PAGE);
    if let Some(model) = model {
        query = query.filter("model", Lookup::Exact, model);
    }
    let administration = context.client.administration();
    administration.items().list().query(query).send().await
}

/// Those of a kind with these identifiers, as far as the signed-in account sees them.
pub(crate) async fn named(
    context: &Context<'_>,
    kind: Kind,
    uids: &[&str],
) -> Result<Paginated<Item>, Error> {
    let query = ListQuery::new()
        .filter("kind", Lookup::Exact, kind.word())
        .filter("uid", Lookup::In, uids)
        .per_page(PER_PAGE);
    let administration = context.client.administration();
    administration.items().list().query(query).send().await
}

/// Whether the signed-in account may change an item.
pub(crate) fn may_change(context: &Context<'_>, item: &Item) -> bool {
    item.owner == context.account.uid || context.is_administrator()
}

/// Saves what a form names: as a new item, or over the one that was opened.
pub(crate) async fn save(
    context: &Context<'_>,
    kind: Kind,
    opened: Option<&Item>,
    model: &str,
    value: Value,
) -> Result<Item, Error> {
    let form = context.visit.form();
    let name = form.text("item_name").trim();
    let is_shared = form.get("item_shared").is_some();
    let administration = context.client.administration();
    let items = administration.items();
    match opened {
        Some(item) => {
            let mut patch = ItemPatch::new();
            patch.name = Some(name.to_owned());
            patch.shared = Some(is_shared);
            patch.value = Some(value.into());
            items.update(&item.uid, patch).send().await
        }
        None => {
            let mut new = NewItem::new(kind.word(), name, value);
            new.model = Some(model.to_owned());
            new.shared = Some(is_shared);
            items.create(new).send().await
        }
    }
}

/// The part of a form that saves: `sent` is the form that is shown again.
pub(crate) fn fields(context: &Context<'_>, item: Option<&Item>, sent: Option<&Form>) -> Markup {
    let texts = context.texts();
    let known = item.map(|item| item.name.as_str()).unwrap_or_default();
    let name = sent.map_or(known, |form| form.text("item_name"));
    let is_shared = match sent {
        Some(form) => form.get("item_shared").is_some(),
        None => item.is_some_and(|item| item.shared),
    };
    let changeable = item.filter(|item| may_change(context, item));
    html! {
        div.save {
            label { (texts.get("saved-name"))
                input name="item_name" value=(name) maxlength="255" autocomplete="off";
            }
            label.check {
                input type="checkbox" name="item_shared" checked[is_shared];
                (texts.get("saved-shared"))
            }
            div.actions {
                @if changeable.is_some() {
                    button name="action" value="save" { (texts.get("save")) }
                    button name="action" value="save-new" { (texts.get("saved-new")) }
                } @else {
                    button name="action" value="save-new" { (texts.get("save")) }
                }
            }
        }
    }
}

/// A list of items, each a link to `at`.
pub(crate) fn links(
    context: &Context<'_>,
    page: &Paginated<Item>,
    at: impl Fn(&Item) -> Href,
) -> Markup {
    let texts = context.texts();
    html! {
        ul.models {
            @for item in &page.results {
                li {
                    a href=(at(item)) { bdi { (item.name) } }
                    span.muted {
                        @if let Some(model) = &item.model { bdi { (model) } }
                        @if item.shared { " · " (texts.get("saved-is-shared")) }
                    }
                }
            }
        }
        @if page.has_more == Some(true) {
            p.small.muted { (texts.with("saved-first", [("count", page.results.len().into())])) }
        }
    }
}

/// The question before an item is deleted, and deleting it.
pub(crate) async fn delete(
    context: &Context<'_>,
    (area, item): (Area, &Item),
    (here, place, after): (Href, Href, Href),
) -> Result<Answer> {
    let visit: &Visit = context.visit;
    let texts = visit.texts;
    if !may_change(context, item) {
        let message = notice::error(visit, &texts.get("saved-others"));
        let page = context.page(area, texts.get("delete"), Vec::new(), &message);
        return Ok(Answer::page(page).status(StatusCode::FORBIDDEN));
    }
    let name = || item.name.as_str().into();
    let question = Confirmation {
        what: html! {
            p {
                @if item.shared { (texts.with("saved-delete-shared", [("name", name())])) }
                @else { (texts.with("saved-delete", [("name", name())])) }
            }
        },
        action: here,
        cancel: place.clone(),
        button: texts.get("delete"),
        name: None,
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        let administration = context.client.administration();
        administration.items().delete(&item.uid).send().await?;
        Ok(after.clone())
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    let above = vec![(item.name.clone(), place)];
    Ok(Answer::page(context.page(
        area,
        texts.get("delete"),
        above,
        &main,
    )))
}
