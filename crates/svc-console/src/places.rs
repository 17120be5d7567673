//! The places of the console, by their paths.

mod accounts;
mod acting;
mod audit;
mod charts;
#[cfg(debug_assertions)]
mod components;
mod context;
mod dashboard;
mod enter;
mod entered;
mod environment;
mod find;
mod forgotten;
mod imports;
mod integrations;
pub(crate) mod model;
mod pages;
mod problem;
mod profile;
mod projects;
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
mod tabs;
mod teams;
mod users;

use http::{Method, Response};
use svc_model::wire::Body;

pub(crate) use self::context::{Context, Scope, check_account, or_not_found};

use crate::{
    answer::Answer,
    assets,
    problem::{Problem, Result},
    visit::Visit,
};

/// Answers a request.
pub(crate) async fn answer(mut visit: Visit) -> Response<Body> {
    let answer = match route(&mut visit).await {
        Ok(answer) => answer,
        Err(problem) => problem::answer(&visit, &problem),
    };
    // What was typed comes back with it: a password may be among it.
    let answer = match visit.is_post() {
        true => answer.secret(),
        false => answer,
    };
    answer.into_response()
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
    visit.open_session().await?;
    if visit.is_post() {
        let takes_files = matches!(
            parts[..],
            ["projects", .., "import"] | ["projects", .., "value", _]
        );
        visit.read_form(takes_files).await?;
    }
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
        #[cfg(debug_assertions)]
        ["components"] => components::answer(visit).await,
        [] | ["projects"] => projects::answer(visit).await,
        ["projects", "new"] => projects::create(visit).await,
        ["accounts", ref rest @ ..] => accounts::route(visit, rest).await,
        ["audit", ref rest @ ..] => audit::of_service(visit, rest).await,
        ["profile", ref rest @ ..] => profile::route(visit, rest).await,
        ["service", ref rest @ ..] => service::route(visit, rest).await,
        ["find"] => find::anywhere(visit).await,
        ["projects", project, environment, ref place @ ..] => {
            let scope = Scope {
                project: project.into(),
                environment: environment.into(),
            };
            let place = acting::enter(visit, place)?;
            match *place {
                [] => environment::answer(visit, &scope).await,
                ["cancel", resource] => sql::cancel(visit, &scope, resource).await,
                ["charts", ref rest @ ..] => charts::route(visit, &scope, rest).await,
                ["dashboard"] => dashboard::answer(visit, &scope).await,
                ["sql", ref rest @ ..] => sql::route(visit, &scope, rest).await,
                ["audit", ref rest @ ..] => audit::of_project(visit, &scope, rest).await,
                ["integrations", ref rest @ ..] => integrations::route(visit, &scope, rest).await,
                ["find"] => find::answer(visit, &scope).await,
                ["connect"] => resources::create(visit, &scope).await,
                ["resources", name] => resources::answer(visit, &scope, name).await,
                ["resources", name, "delete"] => resources::delete(visit, &scope, name).await,
                ["pages", ref rest @ ..] => Box::pin(pages::route(visit, &scope, rest)).await,
                ["records", resource] => environment::models(visit, &scope, resource).await,
                ["records", resource, model] => {
                    Box::pin(records::answer(visit, &scope, (resource, model))).await
                }
                ["records", resource, model, "new"] => {
                    record::create(visit, &scope, (resource, model)).await
                }
                ["records", resource, model, "change"] => {
                    Box::pin(records::bulk::change(visit, &scope, (resource, model))).await
                }
                ["records", resource, model, "delete"] => {
                    Box::pin(records::bulk::delete(visit, &scope, (resource, model))).await
                }
                ["records", resource, model, "export"] => {
                    records::export::answer(visit, &scope, (resource, model)).await
                }
                ["records", resource, model, "import"] => {
                    Box::pin(imports::answer(visit, &scope, (resource, model))).await
                }
                ["records", resource, model, "imports", ref rest @ ..] => {
                    Box::pin(imports::progress(visit, &scope, (resource, model), rest)).await
                }
                ["records", resource, model, "views", ref rest @ ..] => {
                    Box::pin(records::views::route(
                        visit,
                        &scope,
                        (resource, model),
                        rest,
                    ))
                    .await
                }
                ["records", resource, model, "suggest"] => {
                    record::picker::suggest(visit, &scope, (resource, model)).await
                }
                ["records", resource, model, "record", id, "value", field] => {
                    let value =
                        record::value::answer(visit, &scope, (resource, model), (id, field));
                    Box::pin(value).await
                }
                [
                    "records",
                    resource,
                    model,
                    "record",
                    id,
                    "value",
                    field,
                    "file",
                ] => record::value::file(visit, &scope, (resource, model), (id, field)).await,
                ["records", resource, model, "record", id] => {
                    record::answer(visit, &scope, (resource, model), id).await
                }
                ["users", ref rest @ ..] => users::route(visit, &scope, rest).await,
                ["teams", ref rest @ ..] => teams::route(visit, &scope, rest).await,
                ["rights", ref rest @ ..] => rights::route(visit, &scope, rest).await,
                ["settings", ref rest @ ..] => settings::route(visit, &scope, rest).await,
                ["records", resource, model, "record", id, "history"] => {
                    record::history::answer(visit, &scope, (resource, model), id).await
                }
                ["snippets", resource, model] => {
                    snippets::answer(visit, &scope, (resource, model), None).await
                }
                ["snippets", resource, model, "record", id] => {
                    snippets::answer(visit, &scope, (resource, model), Some(id)).await
                }
                ["records", resource, model, "record", id, "delete"] => {
                    record::delete(visit, &scope, (resource, model), id).await
                }
                _ => Err(Problem::NotFound),
            }
        }
        _ => Err(Problem::NotFound),
    }
}
