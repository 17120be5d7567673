//! `svc env`: the environments of a project.

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_api::model::{
    administration::environments::{EnvironmentPatch, NewEnvironment},
    projects,
};
use svc_model::EnvironmentName;

use super::{
    scope::{ENVIRONMENTS, InProject, PROJECTS, none_when_empty, read_params},
    service::{Command, ServiceAddress, ServiceResult as _, all},
};
use crate::{
    context::Context,
    error::Error,
    output::{answered_time, counted, row},
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
        scope: InProject,
        /// Its name for people
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
    },
    /// List the environments of a project
    #[command(after_help = "Example:\n  svc env list --project crm")]
    List(InProject),
    /// Change the settings of an environment
    #[command(
        after_help = "Example:\n  svc env set staging --project crm --color orange --params '{\"banner\": \"test\"}'"
    )]
    Set {
        /// Its name in paths
        name: EnvironmentName,
        #[command(flatten)]
        scope: InProject,
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
        scope: InProject,
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
        scope: InProject,
    },
}

/// Settings of an environment; what is not named stays.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Settings {
    /// Its name for people
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Its colour in interfaces; empty removes it
    #[arg(long, value_name = "COLOR")]
    color: Option<String>,
    /// Further settings, a JSON object in place of the one there is; members and their clients read it
    #[arg(long, value_name = "JSON")]
    params: Option<String>,
}

impl Settings {
    fn into_patch(self) -> Result<EnvironmentPatch, Error> {
        let mut patch = EnvironmentPatch::new();
        patch.name = self.title;
        patch.color = self.color.map(none_when_empty);
        patch.params = self.params.as_deref().map(read_params).transpose()?;
        Ok(patch)
    }
}

impl Command for Environment {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let output = &context.output;
        match self {
            Self::Add { name, scope, title } => {
                let project = scope.project;
                let mut new = NewEnvironment::new(&name);
                new.name = title;
                let made = service.project(&project)?.environments().create(new).await;
                made.or_refused(PROJECTS, NAMES)?;
                let text = format!("environment {name} added to project {project}\n");
                output.result(&row! { environment: &name }, &text)
            }
            Self::List(scope) => {
                let list = service.project(&scope.project)?.environments().list();
                let environments = all(list.order_by("date_add")).await.or_missing(PROJECTS)?;
                output.list(environments.into_iter().map(listed), "no environments")
            }
            Self::Set {
                name,
                scope,
                settings,
            } => {
                let project = scope.project;
                let patch = settings.into_patch()?;
                let environments = service.project(&project)?.environments();
                let changed = environments.update(&name, patch).await;
                let changed = changed.or_refused(ENVIRONMENTS, NAMES)?;
                let text = format!("environment {name} of project {project} is set\n");
                output.result(&listed(changed), &text)
            }
            Self::Copy {
                from,
                to,
                scope,
                replace,
            } => {
                let project = scope.project;
                let environments = service.project(&project)?.environments();
                let copied = environments.copy(&from, &to).replace(replace).await;
                let pages = copied.or_missing(ENVIRONMENTS)?.copied_pages;
                output.result(
                    &row! { from: &from, to: &to, pages: pages },
                    &format!(
                        "{} of environment {from} copied to {to} in project {project}\n",
                        counted(pages, "page")
                    ),
                )
            }
            Self::Remove { name, scope } => {
                let project = scope.project;
                let environments = service.project(&project)?.environments();
                environments.delete(&name).await.or_missing(ENVIRONMENTS)?;
                let text = format!("environment {name} removed from project {project}\n");
                output.result(&row! { environment: &name }, &text)
            }
        }
    }
}

/// An environment as lists show it.
fn listed(environment: projects::Environment) -> impl Serialize {
    row! {
        environment: environment.unique_name,
        name: environment.name,
        date_add: environment.date_add.as_deref().map(answered_time),
    }
}
