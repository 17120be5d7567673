//! The rules and the teams that the places about rights show.

use svc_api::{Call, Error};
use svc_model::{
    Count, Lookup, ResourceName,
    administration::{
        rights::{List, Rule},
        teams::Team,
    },
};

use super::super::Context;

/// How many teams are shown at most.
const MOST_TEAMS: u32 = 200;
/// How many rules are asked for at once.
const AT_ONCE: u32 = 1_000;

/// The teams of the project, by name.
pub(in crate::places) async fn teams(context: &Context<'_>) -> Result<Vec<Team>, Error> {
    let teams = context.client.administration().teams();
    let listed = teams
        .list()
        .order_by("name")
        .count(Count::None)
        .per_page(MOST_TEAMS);
    Ok(listed.send().await?.results)
}

/// The rules about everything, about a database, and about these models of it.
pub(in crate::places) async fn about(
    context: &Context<'_>,
    resource: Option<&str>,
    models: &[&str],
) -> Result<Vec<Rule>, Error> {
    let administration = context.client.administration();
    let rights = administration.rights();
    let of_resource = async {
        match resource {
            None => Ok(Vec::new()),
            Some(resource) => {
                let of_it = rights.list().filter("resource", Lookup::Exact, resource);
                all(of_it.filter("model", Lookup::Isnull, "true")).await
            }
        }
    };
    let of_models = async {
        match resource.filter(|_| !models.is_empty()) {
            None => Ok(Vec::new()),
            Some(resource) => {
                let of_it = rights.list().filter("resource", Lookup::Exact, resource);
                all(of_it.filter("model", Lookup::In, models)).await
            }
        }
    };
    let everywhere = all(rights.list().filter("resource", Lookup::Isnull, "true"));
    let (everywhere, of_resource, of_models) =
        tokio::try_join!(everywhere, of_resource, of_models)?;
    Ok([everywhere, of_resource, of_models].concat())
}

/// All rules of a team.
pub(in crate::places) async fn of_team(
    context: &Context<'_>,
    team: &str,
) -> Result<Vec<Rule>, Error> {
    let rights = context.client.administration().rights();
    all(rights.list().filter("team", Lookup::Icontains, team)).await
}

async fn all(list: Call<List>) -> Result<Vec<Rule>, Error> {
    let mut rules = Vec::new();
    let mut listed = list.count(Count::None).per_page(AT_ONCE).by_item();
    while let Some(rule) = listed.try_next().await? {
        rules.push(rule);
    }
    Ok(rules)
}

/// The databases of the environment, by name.
pub(in crate::places) fn databases<'c>(context: &'c Context<'_>) -> Vec<&'c ResourceName> {
    let mut names = context.databases();
    names.sort();
    names
}
