//! `svc team`: the teams of a project.

use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use svc_api::{administration::Teams, model::administration::teams};
use svc_model::ProjectName;

use super::{
    scope::{InProject, PROJECTS},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
};
use crate::{
    context::Context,
    error::Error,
    output::{answered_time, row},
};

/// How the fields of a team are called here.
const NAMES: &[(&str, &str)] = &[("name", "NAME"), ("permissions_group", "--like")];
/// How to see which teams there are.
const REMEDY: &str = "svc team list --project P shows the teams";

/// The rights that a team begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Like {
    /// Those of the team Editor: read, write and delete records, edit pages
    Editor,
    /// Those of the team Read Only
    ReadOnly,
}

/// Add, list, rename and remove the teams of a project
#[derive(Subcommand)]
pub(crate) enum Team {
    /// Add a team
    #[command(after_help = "Examples:\n  \
        svc team add Support --project crm\n  \
        svc team add Sales --like editor --project crm\n\n\
        svc rights set changes what it may do with records, svc member set and svc user add put people into it.")]
    Add {
        /// Its name
        name: String,
        #[command(flatten)]
        scope: InProject,
        /// The rights that it begins with
        #[arg(long, value_enum, default_value = "read-only")]
        like: Like,
    },
    /// List the teams of a project
    #[command(after_help = "Example:\n  svc team list --project crm")]
    List(InProject),
    /// Give a team another name
    #[command(after_help = "Example:\n  svc team rename Support Helpdesk --project crm")]
    Rename {
        /// The team, by its name or uid
        team: String,
        /// The name from now on
        name: String,
        #[command(flatten)]
        scope: InProject,
    },
    /// Remove a team that has neither members nor users
    #[command(after_help = "Example:\n  svc team remove Support --project crm")]
    Remove {
        /// The team, by its name or uid
        team: String,
        #[command(flatten)]
        scope: InProject,
    },
}

impl Command for Team {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let output = &context.output;
        match self {
            Self::Add { name, scope, like } => {
                let teams = service.project(&scope.project)?.teams();
                let like = match like {
                    Like::Editor => "editor",
                    Like::ReadOnly => "read_only",
                };
                let made = teams.create(name).permissions_group(like).await;
                let made = made.or_refused(PROJECTS, NAMES)?;
                let text = format!("team {} added to project {}\n", made.name, scope.project);
                output.result(&row! { uid: made.uid.as_str() }, &text)
            }
            Self::List(scope) => {
                let teams = of_project(&service, &scope.project).await?;
                output.list(teams.into_iter().map(listed), "no teams")
            }
            Self::Rename { team, name, scope } => {
                let (teams, old) = find(&service, &scope.project, &team).await?;
                let mut patch = teams::TeamPatch::new();
                patch.name = Some(name);
                let new = teams.update(old.uid, patch).await;
                let new = new.or_refused(REMEDY, NAMES)?;
                let text = format!("team {} is called {} now\n", old.name, new.name);
                output.result(&listed(new), &text)
            }
            Self::Remove { team, scope } => {
                let (teams, old) = find(&service, &scope.project, &team).await?;
                teams.delete(&old.uid).await.or_refused(REMEDY, NAMES)?;
                let text = format!("team {} removed from project {}\n", old.name, scope.project);
                output.result(&row! { uid: old.uid.as_str() }, &text)
            }
        }
    }
}

/// The teams of a project, the oldest first.
pub(super) async fn of_project(
    service: &Service,
    project: &ProjectName,
) -> Result<Vec<teams::Team>, Error> {
    let list = service.project(project)?.teams().list();
    all(list.order_by("date_add")).await.or_missing(PROJECTS)
}

/// Whether a team is the one that is meant by its uid, or by its name without regard to case.
pub(super) fn is_meant(team: &teams::Team, meant: &str) -> bool {
    team.uid.as_str() == meant || team.name.to_lowercase() == meant.to_lowercase()
}

/// That a project has no such team, with those that it has.
pub(super) fn missing(option: &str, project: &ProjectName, teams: &[teams::Team]) -> Error {
    let names: Vec<&str> = teams.iter().map(|team| team.name.as_str()).collect();
    let names = names.join(", ");
    Error::new(format!(
        "{option}: no such team in project {project}; choose one of: {names}"
    ))
}

async fn find(
    service: &Service,
    project: &ProjectName,
    meant: &str,
) -> Result<(Teams, teams::Team), Error> {
    let teams = of_project(service, project).await?;
    let Some(at) = teams.iter().position(|team| is_meant(team, meant)) else {
        return Err(missing("TEAM", project, &teams));
    };
    let team = teams.into_iter().nth(at);
    let team = team.ok_or_else(|| Error::new("the list of teams has changed"))?;
    Ok((service.project(project)?.teams(), team))
}

/// A team as lists show it.
fn listed(team: teams::Team) -> impl Serialize {
    row! {
        uid: team.uid.as_str().to_owned(),
        team: team.name,
        like: team.permissions_group,
        date_add: answered_time(&team.date_add),
    }
}
