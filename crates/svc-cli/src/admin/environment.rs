//! `svc env`: the environments of a project.

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_model::EnvironmentName;
use svc_store::{EnvironmentCopy, EnvironmentPatch, NewEnvironment};

use crate::{
    admin::scope::{ENVIRONMENTS, InProject, PROJECTS},
    context::Context,
    failure::Failure,
    output::time,
};

/// How the fields of an environment are called here.
const NAMES: &[(&str, &str)] = &[("unique_name", "NAME"), ("params", "--params")];

/// Add, list, set, copy and remove environments
#[derive(Subcommand)]
pub(crate) enum Environment {
    /// Add an environment to a project
    #[command(after_help = "Example:\n  svc env add staging --project crm")]
    Add {
        /// Its name in paths: a-z, 0-9, - and _
        name: EnvironmentName,
        #[command(flatten)]
        place: InProject,
        /// Its name for people
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
    },
    /// List the environments of a project
    #[command(after_help = "Example:\n  svc env list --project crm")]
    List {
        #[command(flatten)]
        place: InProject,
    },
    /// Change the settings of an environment
    #[command(
        after_help = "Example:\n  svc env set staging --project crm --color orange --params '{\"banner\": \"test\"}'"
    )]
    Set {
        /// Its name in paths
        name: EnvironmentName,
        #[command(flatten)]
        place: InProject,
        #[command(flatten)]
        settings: Settings,
    },
    /// Copy the pages of an environment, drafts too, and its settings into another one
    #[command(after_help = "Example:\n  svc env copy prod staging --project crm --replace")]
    Copy {
        /// Environment that is copied
        from: EnvironmentName,
        /// Environment that gets the copies; it must exist
        to: EnvironmentName,
        #[command(flatten)]
        place: InProject,
        /// Replace the pages and the settings that it has
        #[arg(long)]
        replace: bool,
    },
    /// Remove an environment with its pages, resources and tokens; databases stay as they are
    #[command(after_help = "Example:\n  svc env remove staging --project crm")]
    Remove {
        /// Its name in paths
        name: EnvironmentName,
        #[command(flatten)]
        place: InProject,
    },
}

/// Settings of an environment; what is not named stays.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Settings {
    /// Its name for people
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Its colour in interfaces; empty takes it away
    #[arg(long, value_name = "COLOR")]
    color: Option<String>,
    /// Further settings, a JSON object in place of the one there is; members and their clients read it
    #[arg(long, value_name = "JSON")]
    params: Option<String>,
}

impl Settings {
    fn into_patch(self) -> EnvironmentPatch {
        let mut patch = EnvironmentPatch::default();
        patch.name = self.title;
        patch.color = self
            .color
            .map(|color| Some(color).filter(|c| !c.is_empty()));
        patch.params = self.params;
        patch
    }
}

#[derive(Serialize)]
struct Listed {
    environment: EnvironmentName,
    name: String,
    date_add: String,
}

impl From<svc_store::Environment> for Listed {
    fn from(environment: svc_store::Environment) -> Self {
        Self {
            environment: environment.unique_name,
            name: environment.name,
            date_add: time(environment.date_add),
        }
    }
}

#[derive(Serialize)]
struct Copied<'a> {
    from: &'a EnvironmentName,
    to: &'a EnvironmentName,
    pages: u64,
}

#[derive(Serialize)]
struct Named<'a> {
    environment: &'a EnvironmentName,
}

impl Environment {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Add { name, place, title } => {
                let mut new = NewEnvironment::new(name.clone());
                new.name = title;
                store
                    .environments()
                    .create(&place.project, new)
                    .await
                    .map_err(|error| Failure::missing(error, PROJECTS))?;
                let text = format!("environment {name} added to project {}\n", place.project);
                output.result(&Named { environment: &name }, &text)
            }
            Self::List { place } => {
                let environments = store
                    .environments()
                    .list(&place.project)
                    .await
                    .map_err(|error| Failure::missing(error, PROJECTS))?;
                output.list(
                    environments.into_iter().map(Listed::from),
                    "no environments",
                )
            }
            Self::Set {
                name,
                place,
                settings,
            } => {
                let changed = store
                    .environments()
                    .update(&place.project, &name, settings.into_patch())
                    .await
                    .map_err(|error| match error.kind() {
                        svc_store::ErrorKind::NotFound => Failure::missing(error, ENVIRONMENTS),
                        _ => Failure::fields(error, NAMES),
                    })?;
                let text = format!("environment {name} of project {} is set\n", place.project);
                output.result(&Listed::from(changed), &text)
            }
            Self::Copy {
                from,
                to,
                place,
                replace,
            } => {
                let mut copy = EnvironmentCopy::new(from.clone(), to.clone());
                copy.replace = replace;
                let pages = store
                    .environments()
                    .copy(&place.project, copy)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                let copied = Copied {
                    from: &from,
                    to: &to,
                    pages,
                };
                let text = format!(
                    "{pages} pages of environment {from} copied to {to} in project {}\n",
                    place.project
                );
                output.result(&copied, &text)
            }
            Self::Remove { name, place } => {
                store
                    .environments()
                    .delete(&place.project, &name)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                let text = format!(
                    "environment {name} removed from project {}\n",
                    place.project
                );
                output.result(&Named { environment: &name }, &text)
            }
        }
    }
}
