//! The databases of an environment: connecting one, its state, and disconnecting it.

mod connect;

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Client;
use svc_model::administration::resources::{NewResource, Resource, Status, TestOutcome};

use self::connect::{Connection, Kind};
use super::{Context, Scope};
use crate::{
    answer::Answer,
    href::Href,
    problem::{Problem, Result},
    ui::{
        form::{Confirmation, account_field},
        frame::Area,
        notice,
    },
    visit::Visit,
};

/// The form that connects a database, which is tested before it is kept.
pub(crate) async fn create(visit: &Visit, scope: &Scope) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    let query = visit.query()?;
    let kind = Kind::of(query.text("engine"));
    let connection = Connection::of(kind, visit.form());
    let home = scope.home(visit);
    let page = |status: StatusCode, told: Option<Markup>, offers_unchecked: bool| {
        let texts = visit.texts;
        let form = connection.form(visit, &home, &context.account, offers_unchecked);
        let main = html! {
            @if let Some(told) = told { (told) }
            (form)
        };
        let page = context.page(Area::Data, texts.get("connect"), Vec::new(), &main);
        Answer::page(page).status(status)
    };
    if !visit.is_post() {
        return Ok(page(StatusCode::OK, None, false));
    }
    let administration = context.client.administration();
    let resources = administration.resources();
    if visit.form().text("action") == "test" {
        return match resources.test(connection.url()).send().await {
            Ok(outcome) => Ok(page(StatusCode::OK, Some(tested(visit, &outcome)), false)),
            Err(error) => {
                let told = notice::refused(visit, error)?;
                Ok(page(StatusCode::BAD_REQUEST, Some(told), false))
            }
        };
    }
    let name = visit.form().text("name").trim();
    let mut new = NewResource::new(name, connection.url());
    if visit.form().get("unchecked").is_some() {
        new.unchecked = Some(true);
    }
    match resources.create(new).send().await {
        Ok(created) => {
            let name = created.resource.unique_name;
            Ok(Answer::go(&home.below(["records", name.as_str()])))
        }
        Err(error) => {
            let is_away = error.field_errors().iter().any(|(field, _)| field == "url");
            let told = notice::refused(visit, error)?;
            Ok(page(StatusCode::BAD_REQUEST, Some(told), is_away))
        }
    }
}

/// The state of a database, and what can be done about it.
pub(crate) async fn answer(visit: &Visit, scope: &Scope, name: &str) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    let (resource, status) = load(&context.client, name).await?;
    let mut told = None;
    if visit.is_post() {
        match context.client.resource(name).reload().send().await {
            Ok(_) => return Ok(Answer::go(&place(visit, scope, name).with("reloaded", "1"))),
            Err(error) => told = Some(notice::refused(visit, error)?),
        }
    } else if visit.query()?.get("reloaded").is_some() {
        told = Some(notice::done(&visit.texts.get("reloaded")));
    }
    let texts = visit.texts;
    let records = scope.home(visit).below(["records", name]);
    let main = html! {
        @if let Some(told) = told { (told) }
        (state(&context, &resource, &status))
        div.actions {
            a.button.primary href=(records) { (texts.get("open-records")) }
            @if context.is_administrator() {
                form method="post" action=(place(visit, scope, name)) {
                    (account_field(&context.account))
                    button { (texts.get("reload")) }
                }
                a.button.danger href=(place(visit, scope, name).below(["delete"])) { (texts.get("disconnect")) }
            }
        }
    };
    let page = context.page(Area::Data, name.to_owned(), Vec::new(), &main);
    Ok(Answer::page(page))
}

/// Disconnects a database, which stays as it is.
pub(crate) async fn delete(visit: &Visit, scope: &Scope, name: &str) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    let (resource, _) = load(&context.client, name).await?;
    let texts = visit.texts;
    let what = texts.with(
        "disconnect-what",
        [("name", resource.unique_name.as_str().into())],
    );
    let place = place(visit, scope, name);
    let question = Confirmation {
        what: html! { p { (what) } },
        action: place.below(["delete"]),
        cancel: place.clone(),
        button: texts.get("disconnect"),
        name: Some(name),
        is_forbidden: false,
    };
    let mut told = None;
    if visit.is_post() && !question.is_given(visit) {
        told = Some(question.not_given(visit));
    } else if visit.is_post() {
        let administration = context.client.administration();
        match administration.resources().delete(name).send().await {
            Ok(()) => return Ok(Answer::go(&scope.home(visit))),
            Err(error) => told = Some(notice::refused(visit, error)?),
        }
    }
    let main = html! {
        @if let Some(told) = told { (told) }
        (question.form(visit, &context.account, &html! {}))
    };
    let above = vec![(name.to_owned(), place)];
    let page = context.page(Area::Data, texts.get("disconnect"), above, &main);
    Ok(Answer::page(page))
}

async fn load(client: &Client, name: &str) -> Result<(Resource, Status)> {
    let administration = client.administration();
    let resources = administration.resources();
    let loaded = tokio::try_join!(async { resources.get(name).send().await }, async {
        resources.status(name).send().await
    },);
    match loaded {
        Ok(loaded) => Ok(loaded),
        Err(error) if error.is_not_found() => Err(Problem::NotFound),
        Err(error) => Err(error.into()),
    }
}

/// The address of a database.
pub(crate) fn place(visit: &Visit, scope: &Scope, name: &str) -> Href {
    scope.home(visit).below(["resources", name])
}

/// What came of a test.
fn tested(visit: &Visit, outcome: &TestOutcome) -> Markup {
    let texts = visit.texts;
    if !outcome.ok {
        let reason = outcome.reason.clone().unwrap_or_default();
        return notice::error(visit, &reason);
    }
    let engine = outcome.engine.clone().unwrap_or_default();
    let version = outcome.version.clone().unwrap_or_default();
    notice::done(&texts.with(
        "test-passed",
        [
            ("engine", engine.into()),
            ("version", version.into()),
            ("models", outcome.models.unwrap_or_default().into()),
            (
                "milliseconds",
                outcome.milliseconds.unwrap_or_default().into(),
            ),
        ],
    ))
}

/// How a database is. Where it is and how it is used is for administrators.
fn state(context: &Context<'_>, resource: &Resource, status: &Status) -> Markup {
    let texts = context.texts();
    let is_administrator = context.is_administrator();
    let word = match status.state.as_str() {
        "up" => texts.get("state-up"),
        "down" => texts.get("state-down"),
        _ => texts.get("state-connecting"),
    };
    html! {
        dl.facts {
            dt { (texts.get("state")) }
            dd { strong.up[status.state == "up"].down[status.state == "down"] { (word) } }
            @if let Some(reason) = &status.reason {
                dt { (texts.get("reason")) }
                dd { (reason) }
            }
            dt { (texts.get("engine")) }
            dd { (resource.type_item) }
            @if let Some(url) = resource.url_hint.as_ref().filter(|_| is_administrator) {
                dt { (texts.get("address")) }
                dd { bdi { code { (url) } } }
            }
            @if let Some(models) = status.models.filter(|_| is_administrator) {
                dt { (texts.get("models")) }
                dd { (models) }
            }
            @if let Some(pool) = status.pool.filter(|_| is_administrator) {
                dt { (texts.get("pool")) }
                dd { (texts.with("pool-use", [("used", pool.used.into()), ("size", pool.size.into()), ("waiting", pool.waiting.into())])) }
            }
        }
    }
}
