//! `svc rights`: what teams may do with records.

pub(super) mod known;

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_model::{ModelName, ProjectName, ResourceName};
use svc_store::{RightsRule, Store};

use super::scope::{InProject, PROJECTS};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
    output::{Output, row},
};

/// How the fields of a rule are called here.
const NAMES: &[(&str, &str)] = &[("team", "TEAM"), ("resource", "--resource")];
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
        /// Set the rule although the resource or the model does not exist yet, or cannot be asked
        #[arg(long, requires = "resource")]
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

impl Rights {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let (rules, output) = (store.rights(), &context.output);
        match self {
            Self::Set {
                team,
                rights,
                scope,
                on,
                later,
            } => {
                let about = on.to_text();
                if !later {
                    known::check(&store, &scope.project, &team, &on).await?;
                }
                let rule = RightsRule::new(on.resource, on.model, rights);
                let set = rules.set(&scope.project, &team, rule.clone()).await;
                set.or_refused(PROJECTS, NAMES)?;
                let words = or_none(&rule.rights.words());
                let text = format!("team {team} on {about}: {words}\n");
                output.result(&listed(&team, &rule), &text)
            }
            Self::List { team, scope } => list(&store, output, &scope.project, team).await,
            Self::Remove { team, scope, on } => {
                // Asked first, so that what is missing below is the rule.
                let project = store.projects().get(&scope.project).await;
                let project = project.or_refused(PROJECTS, NAMES)?.unique_name;
                let (resource, model) = (on.resource.clone(), on.model.clone());
                let removed = rules.remove(&project, &team, resource, model).await;
                removed.or_refused(REMEDY, NAMES)?;
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
        match (&self.resource, &self.model) {
            (None, _) => "all records".to_owned(),
            (Some(resource), None) => format!("resource {resource}"),
            (Some(resource), Some(model)) => format!("model {model} of resource {resource}"),
        }
    }
}

/// A rule of a team as programs read it.
fn listed(team: &str, rule: &RightsRule) -> impl Serialize {
    row! { team: team, resource: &rule.resource, model: &rule.model, rights: rule.rights.words() }
}

fn or_none(words: &[&str]) -> String {
    match words {
        [] => "none".to_owned(),
        words => words.join(", "),
    }
}

/// Lists the rules of a team, or of all teams.
async fn list(
    store: &Store,
    output: &Output,
    project: &ProjectName,
    team: Option<String>,
) -> Result<(), Error> {
    let teams = match team {
        Some(team) => vec![team],
        None => {
            let teams = store.teams().list(project).await;
            let teams = teams.or_refused(PROJECTS, NAMES)?;
            teams.into_iter().map(|team| team.name).collect()
        }
    };
    let mut rules = Vec::new();
    for team in &teams {
        let of_team = store.rights().list(project, team).await;
        let of_team = of_team.or_refused(PROJECTS, NAMES)?;
        rules.extend(of_team.into_iter().map(|rule| (team, rule)));
    }
    let none = "no rules: teams have the rights that their kind comes with";
    if output.is_json() {
        return output.list(rules.iter().map(|(team, rule)| listed(team, rule)), none);
    }
    let rules = rules.into_iter().map(|(team, rule)| {
        let rights = or_none(&rule.rights.words());
        row! { team: team, resource: rule.resource, model: rule.model, rights: rights }
    });
    output.list(rules, none)
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
