//! The places of the console, by their paths.

mod accounts;
mod acting;
mod audit;
mod charts;
#[cfg(debug_assertions)]
mod components;
mod context;
mod controls;
mod dashboard;
mod diagram;
mod enter;
mod entered;
mod environment;
mod find;
mod forgotten;
mod imports;
mod integrations;
pub(crate) mod model;
mod outbox;
mod pages;
mod problem;
mod profile;
mod projects;
mod readable;
mod record;
mod records;
mod resources;
mod rights;
mod saved;
mod service;
mod settings;
pub(crate) mod sign_in;
mod snippets;
mod sql;
mod structure;
mod tabs;
mod teams;
mod users;

use std::future::ready;

use http::{Method, Response};
use svc_model::wire::{Body, BoxFuture};

pub(crate) use self::context::{Context, Scope, check_account};
pub(crate) use crate::problem::{or_hidden, or_not_found};

use crate::{
    answer::Answer,
    assets,
    problem::{Problem, Result},
    timing::SERVER_TIMING,
    visit::Visit,
};

/// Answers a request.
pub(crate) async fn answer(mut visit: Visit) -> Response<Body> {
    let answer = match route(&mut visit).await {
        Ok(answer) => answer,
        Err(problem) => problem::answer(&visit, &problem),
    };
    let answer = match visit.changed_cookie() {
        Some(cookie) => answer.cookie_unless_set(&cookie),
        None => answer,
    };
    // What was typed comes back with it: a password may be among it.
    let answer = match visit.is_post() {
        true => answer.secret(),
        false => answer,
    };
    let mut response = answer.into_response();
    // Not of what signs in: it would tell how long a password was looked at.
    if visit.account().is_ok()
        && let Some(timing) = visit.timing.header()
    {
        response.headers_mut().insert(SERVER_TIMING, timing);
    }
    response
}

async fn route(visit: &mut Visit) -> Result<Answer> {
    match *visit.method() {
        Method::GET | Method::HEAD | Method::POST => {}
        _ => return Err(Problem::OtherMethod),
    }
    let parts = visit.path()?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if let ["assets", name] = parts[..] {
        return assets::find(name);
    }
    if !visit.has_slash() && !visit.is_post() {
        let here = visit.root.below(&parts);
        let query = visit.raw_query();
        return Ok(match query.is_empty() {
            true => Answer::go(&here),
            false => Answer::see_other(&format!("{here}?{query}")),
        });
    }
    let opened = visit.open_session().await;
    if visit.is_post() {
        let takes_files = matches!(
            parts[..],
            ["projects", .., "import"] | ["projects", .., "value", _]
        );
        visit.read_form(takes_files).await?;
    }
    // Only now: what was entered comes back with what went wrong.
    opened?;
    match parts[..] {
        ["sign-in"] => return sign_in::answer(visit).await,
        ["forgotten"] => return forgotten::answer(visit).await,
        ["enter"] => return enter::answer(visit).await,
        ["first-run"] => return enter::first_run(visit).await,
        ["sign-out"] => return sign_in::sign_out(visit).await,
        _ if !visit.is_signed_in() => return Err(Problem::SignedOut),
        _ => visit.open_account().await?,
    }
    match parts[..] {
        ["projects", project, environment, ref place @ ..] => {
            let scope = Scope {
                project: project.into(),
                environment: environment.into(),
            };
            let place = Box::pin(acting::enter(visit, &scope, place)).await?;
            of_environment(visit, &scope, place).await
        }
        ref place => of_service(visit, place).await,
    }
}

/// What answers at a place. Each is in a box of its own: together they would not fit on the stack.
type Answering<'v> = BoxFuture<'v, Result<Answer>>;

/// The places outside of environments.
fn of_service<'v>(visit: &'v Visit, place: &'v [&'v str]) -> Answering<'v> {
    match *place {
        #[cfg(debug_assertions)]
        ["components"] => Box::pin(components::answer(visit)),
        [] | ["projects"] => Box::pin(projects::answer(visit)),
        ["projects", "new"] => Box::pin(projects::create(visit)),
        ["accounts", ref rest @ ..] => Box::pin(accounts::route(visit, rest)),
        ["audit", ref rest @ ..] => Box::pin(audit::of_service(visit, rest)),
        ["profile", ref rest @ ..] => Box::pin(profile::route(visit, rest)),
        ["service", ref rest @ ..] => Box::pin(service::route(visit, rest)),
        ["find"] => Box::pin(find::anywhere(visit)),
        _ => nowhere(),
    }
}

/// The places of an environment.
fn of_environment<'v>(
    visit: &'v mut Visit,
    scope: &'v Scope,
    place: &'v [&'v str],
) -> Answering<'v> {
    match *place {
        [] => Box::pin(environment::answer(visit, scope)),
        ["audit", ref rest @ ..] => Box::pin(audit::of_project(visit, scope, rest)),
        ["cancel", resource] => Box::pin(sql::cancel(visit, scope, resource)),
        ["charts", ref rest @ ..] => Box::pin(charts::route(visit, scope, rest)),
        ["connect"] => Box::pin(resources::create(visit, scope)),
        ["dashboard"] => Box::pin(dashboard::answer(visit, scope)),
        ["find"] => Box::pin(find::answer(visit, scope)),
        ["integrations", ref rest @ ..] => Box::pin(integrations::route(visit, scope, rest)),
        ["pages", ref rest @ ..] => Box::pin(pages::route(visit, scope, rest)),
        ["records", resource] => Box::pin(environment::models(visit, scope, resource)),
        ["records", resource, model, ref rest @ ..] => {
            of_model(visit, scope, (resource, model), rest)
        }
        ["resources", name] => Box::pin(resources::answer(visit, scope, name)),
        ["resources", name, "diagram"] => Box::pin(diagram::answer(visit, scope, name)),
        ["resources", name, "connection"] => {
            Box::pin(resources::change::answer(visit, scope, name))
        }
        ["resources", name, "delete"] => Box::pin(resources::delete(visit, scope, name)),
        ["rights", ref rest @ ..] => Box::pin(rights::route(visit, scope, rest)),
        ["settings", ref rest @ ..] => Box::pin(settings::route(visit, scope, rest)),
        ["snippets", resource, model] => {
            Box::pin(snippets::answer(visit, scope, (resource, model), None))
        }
        ["snippets", resource, model, "record", id] => {
            Box::pin(snippets::answer(visit, scope, (resource, model), Some(id)))
        }
        ["sql", ref rest @ ..] => Box::pin(sql::route(visit, scope, rest)),
        ["teams", ref rest @ ..] => Box::pin(teams::route(visit, scope, rest)),
        ["users", ref rest @ ..] => Box::pin(users::route(visit, scope, rest)),
        _ => nowhere(),
    }
}

/// The places of a model: its records, and each of them.
fn of_model<'v>(
    visit: &'v mut Visit,
    scope: &'v Scope,
    model: (&'v str, &'v str),
    place: &'v [&'v str],
) -> Answering<'v> {
    match *place {
        [] => Box::pin(records::answer(visit, scope, model)),
        ["change"] => Box::pin(records::bulk::change(visit, scope, model)),
        ["delete"] => Box::pin(records::bulk::delete(visit, scope, model)),
        ["export"] => Box::pin(records::export::answer(visit, scope, model)),
        ["import"] => Box::pin(imports::answer(visit, scope, model)),
        ["imports", ref rest @ ..] => Box::pin(imports::progress(visit, scope, model, rest)),
        ["new"] => Box::pin(record::create(visit, scope, model)),
        ["structure"] => Box::pin(structure::answer(visit, scope, model)),
        ["undo"] => Box::pin(records::bulk::undo(visit, scope, model)),
        ["suggest"] => Box::pin(record::picker::suggest(visit, scope, model)),
        ["views", ref rest @ ..] => Box::pin(records::views::route(visit, scope, model, rest)),
        ["record", id] => Box::pin(record::answer(visit, scope, model, id)),
        ["record", id, "delete"] => Box::pin(record::delete::answer(visit, scope, model, id)),
        ["record", id, "history"] => Box::pin(record::history::answer(visit, scope, model, id)),
        ["record", id, "value", field] => {
            Box::pin(record::value::answer(visit, scope, model, (id, field)))
        }
        ["record", id, "value", field, "file"] => {
            Box::pin(record::value::file(visit, scope, model, (id, field)))
        }
        _ => nowhere(),
    }
}

fn nowhere<'v>() -> Answering<'v> {
    Box::pin(ready(Err(Problem::NotFound)))
}
