//! Views that are kept: naming, sharing, changing and deleting them, and the columns that somebody wants to see at first.

use http::StatusCode;
use maud::{Markup, html};
use serde_json::json;
use svc_model::{
    administration::items::{Item, ItemPatch, NewItem},
    wire::AnyJson,
};

use super::{
    kept,
    layout::{Layout, PARAMETERS},
    saved::{Saved, about, link, may_change, query_of},
};
use crate::{
    answer::Answer,
    href::Href,
    places::{Scope, model::Model},
    problem::{Problem, Result},
    session::TOKEN,
    ui::{
        form::{Confirmation, Outcome, account_field},
        notice,
    },
    visit::{Form, Visit},
};

/// The places about views.
pub(crate) async fn route(
    visit: &Visit,
    scope: &Scope,
    of: (&str, &str),
    rest: &[&str],
) -> Result<Answer> {
    let model = Model::open(visit, scope, of).await?;
    match *rest {
        ["columns"] => remember(visit, scope, &model, of).await,
        ["new"] => create(visit, &model, of).await,
        [uid] => change(visit, &model, of, uid).await,
        [uid, "delete"] => delete(visit, &model, of, uid).await,
        _ => Err(Problem::NotFound),
    }
}

/// Keeps the columns for the next time, or forgets them.
async fn remember(
    visit: &Visit,
    scope: &Scope,
    model: &Model<'_>,
    of: (&str, &str),
) -> Result<Answer> {
    if !visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    let form = visit.form();
    let columns: Vec<&str> = form.all("_column").collect();
    let layout = Layout::of_form(form, model).unwrap_or_default();
    let layout = layout.of_columns(&columns);
    let saved = Saved::load(visit, scope, of).await;
    let administration = model.context.client.administration();
    let items = administration.items();
    match (columns.is_empty(), saved.preference) {
        (true, Some(known)) => items.delete(known.uid).send().await?,
        (true, None) => {}
        (false, known) => {
            let value = AnyJson::from(layout.to_kept(&columns));
            match known {
                Some(known) => {
                    let mut patch = ItemPatch::new();
                    patch.value = Some(value);
                    items.update(known.uid, patch).send().await?;
                }
                None => {
                    let mut item = NewItem::new("preference", "columns", value);
                    item.model = Some(about(of));
                    items.create(item).send().await?;
                }
            }
        }
    }
    let back = rest_of(model, form);
    Ok(Answer::go(&back.with("_saved", "1")))
}

/// The list with the parameters that a form has besides its own.
fn rest_of(model: &Model<'_>, form: &Form) -> Href {
    let own = ["account", TOKEN, "_column"];
    let is_own = |name: &&str| own.contains(name) || PARAMETERS.contains(name);
    let rest = form.iter().filter(|(name, _)| !is_own(name));
    rest.fold(model.list(), |place, (name, value)| place.with(name, value))
}

/// Keeps what the address has under a name.
async fn create(visit: &Visit, model: &Model<'_>, of: (&str, &str)) -> Result<Answer> {
    let query = kept(visit.raw_query());
    let texts = visit.texts;
    let place = model.list().below(["views", "new"]);
    let mut message = None;
    if visit.is_post() {
        let form = visit.form();
        let value = AnyJson::from(json!({ "query": query }));
        let mut item = NewItem::new("view", form.text("name").trim(), value);
        item.model = Some(about(of));
        item.shared = Some(form.get("shared").is_some());
        let administration = model.context.client.administration();
        match administration.items().create(item).send().await {
            Ok(made) => return Ok(Answer::see_other(&link(model, &made))),
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let status = match message {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let main = html! {
        @if let Some(message) = message { (message) }
        form.stack method="post" action=(at(&place, &query)) data-guard {
            (account_field(model.context.visit))
            (name_field(visit, ""))
            label.check { input type="checkbox" name="shared" checked[visit.form().get("shared").is_some()]; (texts.get("view-share")) }
            div.actions {
                button.primary { (texts.get("save")) }
                a.button href=(at(&model.list(), &query)) { (texts.get("cancel")) }
            }
        }
    };
    Ok(Answer::page(page(model, texts.get("view-save"), &main)).status(status))
}

/// Name, sharing, and what the view shows.
async fn change(visit: &Visit, model: &Model<'_>, of: (&str, &str), uid: &str) -> Result<Answer> {
    let item = find(model, of, uid).await?;
    let texts = visit.texts;
    let query = kept(visit.raw_query());
    let is_other = query != kept(query_of(&item));
    let place = model.list().below(["views", uid]);
    let mut message = None;
    if visit.is_post() {
        let form = visit.form();
        let mut patch = ItemPatch::new();
        patch.name = Some(form.text("name").trim().to_owned());
        patch.shared = Some(form.get("shared").is_some());
        if form.get("replace").is_some() {
            patch.value = Some(AnyJson::from(json!({ "query": query })));
        }
        let administration = model.context.client.administration();
        match administration.items().update(uid, patch).send().await {
            Ok(changed) => return Ok(Answer::see_other(&link(model, &changed))),
            Err(error) => message = Some(notice::refused(visit, error)?),
        }
    }
    let (is_shared, replaces) = match visit.is_post() {
        true => (
            visit.form().get("shared").is_some(),
            visit.form().get("replace").is_some(),
        ),
        false => (item.shared, true),
    };
    let status = match message {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let main = html! {
        @if let Some(message) = message { (message) }
        form.stack method="post" action=(at(&place, &query)) data-guard {
            (account_field(model.context.visit))
            (name_field(visit, &item.name))
            label.check { input type="checkbox" name="shared" checked[is_shared]; (texts.get("view-share")) }
            @if is_other {
                label.check { input type="checkbox" name="replace" checked[replaces]; (texts.get("view-replace")) }
            }
            div.actions {
                button.primary { (texts.get("save")) }
                a.button href=(link(model, &item)) { (texts.get("cancel")) }
                div.grow {}
                a.button.danger href=(place.below(["delete"])) { (texts.get("delete")) }
            }
        }
    };
    Ok(Answer::page(page(model, item.name.clone(), &main)).status(status))
}

async fn delete(visit: &Visit, model: &Model<'_>, of: (&str, &str), uid: &str) -> Result<Answer> {
    let item = find(model, of, uid).await?;
    let texts = visit.texts;
    let place = model.list().below(["views", uid]);
    let what = match item.shared {
        true => texts.with("view-delete-shared", [("name", item.name.as_str().into())]),
        false => texts.with("view-delete-what", [("name", item.name.as_str().into())]),
    };
    let question = Confirmation {
        what: html! { p { (what) } },
        action: place.below(["delete"]),
        cancel: place,
        button: texts.get("delete"),
        name: None,
        is_forbidden: false,
    };
    let outcome = question.ask(visit, async || {
        let administration = model.context.client.administration();
        administration.items().delete(uid).send().await?;
        Ok(model.list())
    });
    let main = match outcome.await? {
        Outcome::Done(to) => return Ok(Answer::go(&to)),
        Outcome::Ask(main) => main,
    };
    Ok(Answer::page(page(model, texts.get("delete"), &main)))
}

/// A view of this model that the signed-in account may change.
async fn find(model: &Model<'_>, of: (&str, &str), uid: &str) -> Result<Item> {
    let administration = model.context.client.administration();
    let item = match administration.items().get(uid).send().await {
        Ok(item) => item,
        Err(error) if error.is_not_found() => return Err(Problem::NotFound),
        Err(error) => return Err(error.into()),
    };
    if item.kind != "view" || item.model.as_deref() != Some(about(of).as_str()) {
        return Err(Problem::NotFound);
    }
    match may_change(model, &item) {
        true => Ok(item),
        false => Err(Problem::Forbidden),
    }
}

fn name_field(visit: &Visit, name: &str) -> Markup {
    let name = match visit.is_post() {
        true => visit.form().text("name"),
        false => name,
    };
    html! {
        label { (visit.texts.get("view-name"))
            input name="name" value=(name) required maxlength="200" autocomplete="off";
        }
    }
}

fn page(model: &Model<'_>, title: String, main: &Markup) -> Markup {
    let above = vec![(model.name.to_string(), model.list())];
    model.frame(title, above).page(main)
}

/// A place with a query string as it is.
fn at(place: &Href, query: &str) -> String {
    match query.is_empty() {
        true => place.to_string(),
        false => format!("{place}?{query}"),
    }
}
