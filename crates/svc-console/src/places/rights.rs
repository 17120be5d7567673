//! What teams may do with records: as a matrix of teams by models, and for one team.

mod effective;
mod matrix;
mod of_team;
mod rule;
pub(super) mod rules;
pub(super) mod summary;

use std::time::Duration;

use svc_api::Error;
use svc_model::administration::{rights::Rule, teams::Team};

use self::effective::{Subject, TeamRights};
use super::{Context, Scope};
use crate::{
    answer::Answer,
    problem::{Problem, Result},
    visit::Visit,
};

/// How long a database may take to say what it has.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn route(visit: &Visit, scope: &Scope, rest: &[&str]) -> Result<Answer> {
    let context = Context::open(visit, scope).await?;
    context.check_administrator()?;
    match *rest {
        [] => matrix::answer(&context).await,
        [team] => of_team::answer(&context, team).await,
        [team, "rule"] => rule::answer(&context, team).await,
        _ => Err(Problem::NotFound),
    }
}

/// What a team may do where no rule about a database says otherwise.
pub(super) fn everywhere(context: &Context<'_>, team: &Team, rules: &[Rule]) -> String {
    let rights = TeamRights::new(team, rules, context.scope.environment.as_str());
    rights.on(Subject::Everything).0.text(context.texts())
}

/// The names of the models of a database that have a text in them.
pub(super) async fn models(
    context: &Context<'_>,
    resource: &str,
    search: &str,
) -> Result<Vec<String>, Error> {
    let resource = context.client.resource(resource);
    let described = resource.model_descriptions().deadline(PATIENCE);
    let wanted = search.to_lowercase();
    let names = described.send().await?.into_iter().map(|model| model.model);
    Ok(names
        .filter(|name| name.to_lowercase().contains(&wanted))
        .collect())
}

/// The database that a place is about: the one that its address names, else the first.
fn chosen<'c>(context: &'c Context<'_>, wanted: &str) -> Result<Option<&'c str>> {
    let all = rules::databases(context);
    if wanted.is_empty() {
        return Ok(all.first().map(|name| name.as_str()));
    }
    let found = all.into_iter().find(|name| name.as_str() == wanted);
    found
        .map(|name| Some(name.as_str()))
        .ok_or(Problem::NotFound)
}
