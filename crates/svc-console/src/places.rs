//! The places of the console, by their paths.

mod enter;
mod environment;
pub(crate) mod model;
mod problem;
mod projects;
mod record;
mod records;
mod resources;
pub(crate) mod sign_in;

use http::{Method, Response};
use svc_model::{
    EnvironmentName, ProjectName, administration::account::Account, projects::Project, wire::Body,
};

use crate::{
    answer::Answer,
    assets,
    href::Href,
    problem::{Problem, Result},
    ui::frame::Frame,
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
        [] | ["projects"] => projects::answer(visit).await,
        ["projects", project, environment, ref place @ ..] => {
            let scope = Scope {
                project: project.into(),
                environment: environment.into(),
            };
            match *place {
                [] => environment::answer(visit, &scope).await,
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

/// Project and environment of a place.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) project: ProjectName,
    pub(crate) environment: EnvironmentName,
}

impl Scope {
    /// The address of the environment's first place.
    pub(crate) fn home(&self, visit: &Visit) -> Href {
        Frame::environment_href(
            &visit.root,
            self.project.as_str(),
            self.environment.as_str(),
        )
    }
}

/// Who looks at a place of an environment, and the project that it is in.
pub(crate) async fn context(visit: &Visit, scope: &Scope) -> Result<(Account, Project)> {
    let client = visit.client()?;
    let administration = client.administration();
    let (account, project) = tokio::try_join!(
        async { administration.account().get().send().await },
        async { client.projects().get(&scope.project).send().await },
    )?;
    check_account(visit, &account)?;
    let known = project.environments.iter();
    match known
        .clone()
        .any(|known| known.unique_name == scope.environment)
    {
        true => Ok((account, project)),
        false => Err(Problem::NotFound),
    }
}

/// A form that somebody else has opened is not sent in the name of who is signed in by now.
pub(crate) fn check_account(visit: &Visit, account: &Account) -> Result<()> {
    match visit.form().get("account") {
        Some(opened_by) if opened_by != account.uid => Err(Problem::OtherAccount),
        _ => Ok(()),
    }
}
