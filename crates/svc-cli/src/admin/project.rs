//! `svc project`: the projects of the store.

mod settings;

use clap::Subcommand;
use serde::Serialize;
use svc_model::ProjectName;
use svc_store::{HostPort, NewProject, ProjectSettings};

use self::settings::Settings;
use super::scope::{InProject, PROJECTS};
use crate::{
    context::Context,
    error::{Error, OrJson as _, StoreResult as _},
    output::{row, time, to_row},
};

/// How to see which hosts the HTTP proxy may reach.
const HOSTS: &str =
    "svc project list shows the projects, svc project allow-host --project P the hosts of one";

/// Add, list, remove and set projects
#[derive(Subcommand)]
pub(crate) enum Project {
    /// Add a project, with the environment prod and the teams Administrator, Editor and Read Only
    #[command(after_help = "Example:\n  svc project add crm --owner ada@example.com")]
    Add {
        /// Its name in paths: a-z, 0-9, - and _
        name: ProjectName,
        /// Its name for people
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
        /// E-mail address of its owner, who is made when new
        #[arg(long, value_name = "E")]
        owner: Option<String>,
    },
    /// List the projects
    #[command(after_help = "Example:\n  svc project list")]
    List,
    /// Remove a project with everything that belongs to it; connected databases stay as they are
    #[command(after_help = "Example:\n  svc project remove crm")]
    Remove {
        /// Its name in paths
        name: ProjectName,
    },
    /// Change the settings of a project
    #[command(after_help = "Examples:\n  \
        svc project set crm --sign-up on --email-domains example.com\n  \
        svc project set crm --params '{\"theme\": \"dark\"}'\n  \
        svc project set crm --mail-link 'https://app.example.com/account/{call}#{code}'")]
    Set {
        /// Its name in paths
        name: ProjectName,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Let the HTTP proxy reach a host although its addresses are not public; without a host, list those it may
    #[command(after_help = "Examples:\n  \
        svc project allow-host intranet.example --project crm\n  \
        svc project allow-host crm.internal:8443 --project crm\n  \
        svc project allow-host 10.0.0.7 --project crm --remove\n  \
        svc project allow-host --project crm")]
    AllowHost {
        /// Host name or IP address, with a port where only that one is allowed: intranet.example:8443
        host: Option<String>,
        #[command(flatten)]
        scope: InProject,
        /// Take it off the list again
        #[arg(long, requires = "host")]
        remove: bool,
    },
}

impl Project {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        if let Self::Add { name, title, owner } = self {
            let mut new = NewProject::new(&name);
            new.name = title;
            new.owner = owner;
            let made = context.store().await?.projects().create(new).await;
            made.or_refused(PROJECTS, &[("unique_name", "NAME")])?;
            let text = format!("project {name} added, with environment prod\n");
            return output.result(&row! { project: &name }, &text);
        }
        let store = context.existing_store().await?;
        match self {
            Self::Add { .. } => Ok(()),
            Self::List => {
                let projects = store.projects().list().await?;
                output.list(
                    projects.iter().map(listed),
                    "no projects yet; svc project add makes one",
                )
            }
            Self::Remove { name } => {
                let removed = store.projects().delete(&name).await;
                removed.or_missing(PROJECTS)?;
                let text = format!("project {name} removed\n");
                output.result(&row! { project: &name }, &text)
            }
            Self::Set { name, settings } => {
                let (project, text) = settings.change(&store, &name).await?;
                let mut changed = to_row(&listed(&project))?;
                let authentication = changed.set("authentication", &project.authentication);
                authentication.or_json("the result")?;
                output.result(&changed, &text)
            }
            Self::AllowHost {
                host: None, scope, ..
            } => {
                let hosts = store.allow_hosts().list(&scope.project).await;
                let listed = hosts.or_missing(PROJECTS)?.into_iter().map(|allowed| {
                    row! { host: allowed.host.to_string(), date_add: time(allowed.date_add) }
                });
                output.list(
                    listed,
                    "none but public hosts; svc project allow-host HOST adds one",
                )
            }
            Self::AllowHost {
                host: Some(host),
                scope,
                remove,
            } => {
                let project = scope.project;
                let host = HostPort::parse(&host)
                    .map_err(|error| Error::fields(error, &[("host", "HOST")]))?;
                let hosts = store.allow_hosts();
                let text = if remove {
                    hosts.remove(&project, &host).await.or_missing(HOSTS)?;
                    format!("{host} is reached only while its addresses are public\n")
                } else {
                    hosts.add(&project, &host).await.or_missing(PROJECTS)?;
                    format!("the HTTP proxy may reach {host} for project {project}\n")
                };
                output.result(&row! { host: host.to_string(), allowed: !remove }, &text)
            }
        }
    }
}

/// A project as lists show it.
fn listed(project: &ProjectSettings) -> impl Serialize {
    row! {
        project: &project.unique_name,
        name: &project.name,
        sign_up: project.sign_up,
        date_add: time(project.date_add),
    }
}
