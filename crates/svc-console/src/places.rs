//! The places of the console, by their paths.

#[cfg(debug_assertions)]
mod components;
mod context;
mod enter;
mod environment;
mod find;
pub(crate) mod model;
mod problem;
mod projects;
mod record;
mod records;
mod resources;
pub(crate) mod sign_in;

use http::{Method, Response};
use svc_model::wire::Body;

pub(crate) use self::context::{Context, Scope};

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
    if visit.is_post() {
        visit.read_form().await?;
    }
    visit.open_session().await?;
    match parts[..] {
        ["sign-in"] => return sign_in::answer(visit).await,
        ["enter"] => return enter::answer(visit).await,
        ["first-run"] => return enter::first_run(visit).await,
        ["sign-out"] => return sign_in::sign_out(visit).await,
        _ if !visit.is_signed_in() => return Err(Problem::SignedOut),
        _ => {}
    }
    match parts[..] {
        #[cfg(debug_assertions)]
        ["components"] => components::answer(visit).await,
        [] | ["projects"] => projects::answer(visit).await,
        ["find"] => find::anywhere(visit).await,
        ["projects", project, environment, ref place @ ..] => {
            let scope = Scope {
                project: project.into(),
                environment: environment.into(),
            };
            match *place {
                [] => environment::answer(visit, &scope).await,
                ["find"] => find::answer(visit, &scope).await,
                ["connect"] => resources::create(visit, &scope).await,
                ["resources", name] => resources::answer(visit, &scope, name).await,
                ["resources", name, "delete"] => resources::delete(visit, &scope, name).await,
                ["records", resource] => environment::models(visit, &scope, resource).await,
                ["records", resource, model] => {
                    records::answer(visit, &scope, (resource, model)).await
                }
                ["records", resource, model, "new"] => {
                    record::create(visit, &scope, (resource, model)).await
                }
                ["records", resource, model, "record", id] => {
                    record::answer(visit, &scope, (resource, model), id).await
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
