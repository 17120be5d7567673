//! The databases of all projects and environments. Their states are a part of their own, since a state may take a while.

use std::time::Duration;

use futures_util::future::join_all;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::{
    EnvironmentName, ListQuery, Paginated, ProjectName, ResourceName,
    administration::resources::Status,
    projects::{Project, Resource},
};

use super::{Operated, Part};
use crate::{
    answer::Answer,
    problem::Result,
    texts::Texts,
    ui::{notice, paging, table, time},
};

/// How many projects a page has.
const PER_PAGE: u32 = 20;
/// How long a state may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The databases, without their states or with them.
pub(super) async fn answer(operated: &Operated<'_>) -> Result<Answer> {
    let visit = operated.visit;
    // An account that is no operator sees its own projects elsewhere.
    let administration = operated.client.administration();
    let query = visit.query()?;
    let first = ListQuery::new().per_page(PER_PAGE).order_by("date_add");
    let place = paging::read(first, &query);
    let projects = operated.client.projects();
    let (_, found) = tokio::try_join!(
        async { administration.service().get().send().await },
        async { projects.list().query(place.clone()).send().await },
    )?;
    let databases = Database::of(&found.results);
    let is_wanted = query.get("states").is_some() || visit.fragment() == Some("states");
    let states = match is_wanted {
        true => Some(states(operated, &databases).await?),
        false => None,
    };
    let shown = shown(operated, &databases, states.as_deref());
    if visit.fragment() == Some("states") {
        return Ok(Answer::page(shown));
    }
    let page = page(operated, &found, &place, is_wanted, &shown);
    Ok(Answer::page(operated.page(Part::Databases, &page)))
}

/// A database, and where it is.
struct Database<'p> {
    project: &'p ProjectName,
    environment: &'p EnvironmentName,
    name: &'p ResourceName,
    engine: &'p str,
}

impl<'p> Database<'p> {
    fn of(projects: &'p [Project]) -> Vec<Self> {
        let is_database = |resource: &&Resource| resource.kind == "database" && !resource.deleted;
        let each = projects.iter().flat_map(|project| {
            let resources = project.resources.iter().filter(is_database);
            resources.map(|resource| Self {
                project: &project.unique_name,
                environment: &resource.environment,
                name: &resource.unique_name,
                engine: &resource.type_item,
            })
        });
        each.collect()
    }
}

async fn states(
    operated: &Operated<'_>,
    databases: &[Database<'_>],
) -> Result<Vec<Result<Status, Error>>> {
    let asked = databases.iter().map(async |database| {
        let client = operated
            .visit
            .client_in(database.project, database.environment)?;
        let administration = client.administration();
        let resources = administration.resources();
        let status = resources.status(database.name).deadline(PATIENCE);
        Ok(status.send().await)
    });
    join_all(asked).await.into_iter().collect()
}

fn page(
    operated: &Operated<'_>,
    found: &Paginated<Project>,
    query: &ListQuery,
    is_wanted: bool,
    shown: &Markup,
) -> Markup {
    let texts = operated.visit.texts;
    let place = operated.place(Part::Databases);
    let at = |query: &ListQuery| paging::at(place.clone(), query);
    html! {
        @if !is_wanted {
            noscript {
                p { a.button href=(at(query).with("states", "1")) { (texts.get("service-states")) } }
            }
        }
        (shown)
        (paging::links(texts, found, query, at, &html! {}))
    }
}

fn shown(
    operated: &Operated<'_>,
    databases: &[Database<'_>],
    states: Option<&[Result<Status, Error>]>,
) -> Markup {
    let (visit, texts) = (operated.visit, operated.visit.texts);
    let head = html! { tr {
        th scope="col" { (texts.get("audit-project")) }
        th scope="col" { (texts.get("environment")) }
        th scope="col" { (texts.get("service-database")) }
        th scope="col" { (texts.get("engine")) }
        th scope="col" { (texts.get("state")) }
        th scope="col" { (texts.get("pool")) }
    } };
    let rows = html! {
        @for (number, database) in databases.iter().enumerate() {
            tr {
                td { bdi { (database.project) } }
                td { bdi { (database.environment) } }
                td {
                    a href=(visit.root.below(["projects", database.project.as_str(), database.environment.as_str(),
                        "resources", database.name.as_str()])) { bdi { (database.name) } }
                }
                td { (database.engine) }
                (state(operated, states.and_then(|states| states.get(number)), texts))
            }
        }
    };
    html! {
        div #states data-fragment=[states.is_none().then_some("states")] {
            @if databases.is_empty() {
                p.empty-state { (texts.get("service-databases-empty")) }
            } @else {
                (table::table(&texts.get("service-databases"), &head, &rows))
            }
        }
    }
}

/// The two last cells of a row.
fn state(operated: &Operated<'_>, state: Option<&Result<Status, Error>>, texts: &Texts) -> Markup {
    html! {
        @match state {
            None => { td.muted { "…" } td {} },
            Some(Err(error)) => { td.long.down { (notice::within_line(texts, error)) } td {} },
            Some(Ok(status)) => {
                td.long {
                    @match status.state.as_str() {
                        "up" => strong.up { (texts.get("state-up")) },
                        "down" => strong.down { (texts.get("state-down")) },
                        _ => (texts.get("state-connecting")),
                    }
                    " " (time::minute(operated.account, &status.since))
                    @if let Some(reason) = &status.reason { " " bdi { (reason) } }
                }
                td {
                    @if let Some(pool) = status.pool {
                        (texts.with("pool-use", [("used", pool.used.into()), ("size", pool.size.into()), ("waiting", pool.waiting.into())]))
                    }
                }
            },
        }
    }
}
