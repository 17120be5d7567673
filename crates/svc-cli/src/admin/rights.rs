//! `svc rights`: what teams may do with records.

pub(super) mod known;

use clap::{Args, Subcommand};
use svc_api::model::administration::{
    rights::{NewRule, Rule},
    teams,
};
use svc_model::{EnvironmentName, JsonObject, ModelName, ProjectName, ResourceName};

use super::{
    scope::{InProject, PROJECTS},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
    team,
};
use crate::{
    context::Context,
    error::{Error, OrJson as _},
    output::{Output, row, to_row},
};

/// How the fields of a rule are called here.
const NAMES: &[(&str, &str)] = &[
    ("team", "TEAM"),
    ("environment", "--env"),
    ("resource", "--resource"),
    ("model", "--model"),
];
/// How to see which rules there are.
const REMEDY: &str = "svc rights list TEAM --project P shows the rules of a team";

/// Set, list and remove what teams may do with records
#[derive(Subcommand)]
pub(crate) enum Rights {
    /// Set what a team may do with all records, those of a resource, or those of a model
    #[command(after_help = "Examples:\n  \
        svc rights set \"Read Only\" --rights none --project crm\n  \
        svc rights set \"Read Only\" --rights read,write --project crm --resource shop --model orders\n  \
        svc rights set Editor --rights none --project crm --resource shop --model salaries --later\n\n\
        A resource or model that does not exist is refused, since the rule would leave the one that was meant open; \
        --later sets it for one that is yet to come.\n\n\
        The closest rule decides: that of the model, else of the resource, else of the team. Where there is none, \
        Editor reads, writes and deletes, and Read Only reads. Administrators may do everything.")]
    Set {
        /// The team, by its name
        team: String,
        /// What it may do: read, write, delete with commas between, or none
        #[arg(long, value_name = "RIGHTS", value_parser = parse_rights)]
        rights: svc_store::Rights,
        #[command(flatten)]
        scope: InProject,
        #[command(flatten)]
        on: RightsTarget,
        /// Set the rule although the environment, the resource or the model does not exist yet, or cannot be asked
        #[arg(long)]
        later: bool,
    },
    /// List the rules of a team, or of all teams
    #[command(after_help = "Examples:\n  \
        svc rights list --project crm\n  \
        svc rights list Editor --project crm")]
    List {
        /// The team, by its name; all teams when not given
        team: Option<String>,
        #[command(flatten)]
        scope: InProject,
    },
    /// Remove a rule, so that the next closest one decides
    #[command(
        after_help = "Example:\n  svc rights remove Editor --project crm --resource shop --model orders"
    )]
    Remove {
        /// The team, by its name
        team: String,
        #[command(flatten)]
        scope: InProject,
        #[command(flatten)]
        on: RightsTarget,
    },
}

/// What a rule is about.
#[derive(Args)]
pub(crate) struct RightsTarget {
    /// Resource; every one when not given
    #[arg(long, value_name = "R")]
    resource: Option<ResourceName>,
    /// Environment; every one when not given
    #[arg(long, value_name = "E")]
    env: Option<EnvironmentName>,
    /// Model of the resource; every one when not given
    #[arg(long, value_name = "M", requires = "resource")]
    model: Option<ModelName>,
}

/// Reads rights as they are written on the command line.
pub(super) fn parse_rights(text: &str) -> Result<svc_store::Rights, &'static str> {
    let words = text.split(',').filter(|_| text != "none").map(str::trim);
    svc_store::Rights::of_words(words)
        .ok_or("must be read, write, delete with commas between, or none")
}

impl Command for Rights {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let output = &context.output;
        match self {
            Self::Set {
                team,
                rights,
                scope,
                on,
                later,
            } => {
                let project = scope.project;
                find_team(&service, &project, &team).await?;
                if !later {
                    known::check(&service, &project, &on).await?;
                }
                let mut rule = NewRule::new(&team, rights.words());
                rule.environment.clone_from(&on.env);
                rule.resource.clone_from(&on.resource);
                rule.model.clone_from(&on.model);
                let set = service.project(&project)?.rights().set(rule).await;
                let set = set.or_refused(PROJECTS, NAMES)?;
                let about = on.to_text();
                let text = format!("team {team} on {about}: {}\n", or_none(&set.rights));
                output.result(&listed(&team, &set)?, &text)
            }
            Self::List { team, scope } => list(&service, output, &scope.project, team).await,
            Self::Remove { team, scope, on } => {
                let project = scope.project;
                let teams = find_team(&service, &project, &team).await?;
                let rules = service.project(&project)?.rights();
                let all = all(rules.list()).await.or_missing(PROJECTS)?;
                let mut of_team = all
                    .into_iter()
                    .filter(|rule| rule.team.uid == teams.uid.as_str());
                let missing = || {
                    let about = on.to_text();
                    Error::new(format!("team {team} has no rule on {about}; {REMEDY}"))
                };
                let rule = of_team.find(|rule| on.is_of(rule)).ok_or_else(missing)?;
                rules.delete(rule.uid).await.or_missing(REMEDY)?;
                output.result(
                    &row! { team: &team, resource: &on.resource, model: &on.model },
                    &format!("the rule of team {team} on {} removed\n", on.to_text()),
                )
            }
        }
    }
}

impl RightsTarget {
    fn to_text(&self) -> String {
        let about = match (&self.resource, &self.model) {
            (None, _) => "all records".to_owned(),
            (Some(resource), None) => format!("resource {resource}"),
            (Some(resource), Some(model)) => format!("model {model} of resource {resource}"),
        };
        match &self.env {
            None => about,
            Some(environment) => format!("{about} in environment {environment}"),
        }
    }

    /// Whether a rule is about this.
    fn is_of(&self, rule: &Rule) -> bool {
        (&rule.environment, &rule.resource, &rule.model) == (&self.env, &self.resource, &self.model)
    }
}

/// The team that is meant by its name or uid.
async fn find_team(
    service: &Service,
    project: &ProjectName,
    meant: &str,
) -> Result<teams::Team, Error> {
    let teams = team::of_project(service, project).await?;
    let found = teams.iter().find(|team| team::is_meant(team, meant));
    let missing = || team::missing("TEAM", project, &teams);
    found.cloned().ok_or_else(missing)
}

/// A rule of a team as programs read it; its environment only where it has one.
fn listed(team: &str, rule: &Rule) -> Result<JsonObject, Error> {
    let shown =
        row! { team: team, resource: &rule.resource, model: &rule.model, rights: &rule.rights };
    let mut shown = to_row(&shown)?;
    if let Some(environment) = &rule.environment {
        shown
            .set("environment", environment)
            .or_json("the result")?;
    }
    Ok(shown)
}

fn or_none(words: &[String]) -> String {
    match words {
        [] => "none".to_owned(),
        words => words.join(", "),
    }
}

/// Lists the rules of a team, or of all teams.
async fn list(
    service: &Service,
    output: &Output,
    project: &ProjectName,
    meant: Option<String>,
) -> Result<(), Error> {
    let teams = team::of_project(service, project).await?;
    if let Some(meant) = &meant
        && !teams.iter().any(|team| team::is_meant(team, meant))
    {
        return Err(team::missing("TEAM", project, &teams));
    }
    let rules = service.project(project)?.rights().list();
    let mut rules = all(rules).await.or_missing(PROJECTS)?;
    let about = |rule: &Rule| {
        (
            rule.environment.clone(),
            rule.resource.clone(),
            rule.model.clone(),
        )
    };
    rules.sort_by_cached_key(about);
    let mut rows = Vec::new();
    for team in &teams {
        // The name as it was typed, where it was.
        let name = match &meant {
            Some(meant) if !team::is_meant(team, meant) => continue,
            Some(meant) => meant,
            None => &team.name,
        };
        for rule in rules
            .iter()
            .filter(|rule| rule.team.uid == team.uid.as_str())
        {
            let mut row = listed(name, rule)?;
            if !output.is_json() {
                row.set("rights", &or_none(&rule.rights))
                    .or_json("the result")?;
            }
            rows.push(row);
        }
    }
    let none = "no rules: teams have the rights that their kind comes with";
    output.list(rows, none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_words_or_none() {
        let read = |text: &str| parse_rights(text).map(svc_store::Rights::words);
        assert_eq!(read("read"), Ok(vec!["read"]));
        assert_eq!(read("delete, read"), Ok(vec!["read", "delete"]));
        assert_eq!(read("none"), Ok(vec![]));
        for text in ["", "all", "read,none", "read,", "Read"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
