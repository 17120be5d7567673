//! `svc project`: the projects of the store.

mod settings;

use clap::Subcommand;
use serde::Serialize;
use svc_model::ProjectName;
use svc_store::{Authentication, HostPort, NewProject, ProjectSettings, Store};

use self::settings::Settings;
use crate::{
    admin::scope::{InProject, PROJECTS},
    context::Context,
    failure::Failure,
    output::{Output, time},
};

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
        place: InProject,
        /// Take it off the list again
        #[arg(long, requires = "host")]
        remove: bool,
    },
}

/// A project as lists show it.
#[derive(Serialize)]
struct Listed {
    project: ProjectName,
    name: String,
    sign_up: bool,
    date_add: String,
}

impl From<ProjectSettings> for Listed {
    fn from(project: ProjectSettings) -> Self {
        Self {
            project: project.unique_name,
            name: project.name,
            sign_up: project.sign_up,
            date_add: time(project.date_add),
        }
    }
}

/// A project whose settings changed, with all of them.
#[derive(Serialize)]
struct Changed {
    #[serde(flatten)]
    project: Listed,
    authentication: Authentication,
}

/// A host that the HTTP proxy may reach, as lists show it.
#[derive(Serialize)]
struct ListedHost {
    host: String,
    date_add: String,
}

/// A host, and whether the HTTP proxy may reach it now.
#[derive(Serialize)]
struct Allowed {
    host: String,
    allowed: bool,
}

#[derive(Serialize)]
struct Named<'a> {
    project: &'a ProjectName,
}

impl Project {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let output = &context.output;
        match self {
            Self::Add { name, title, owner } => {
                let store = context.store().await?;
                let mut new = NewProject::new(name.clone());
                new.name = title;
                new.owner = owner;
                store.projects().create(new).await?;
                output.result(
                    &Named { project: &name },
                    &format!("project {name} added, with environment prod\n"),
                )
            }
            Self::List => {
                let projects = context.existing_store().await?.projects().list().await?;
                output.list(
                    projects.into_iter().map(Listed::from),
                    "no projects yet; svc project add makes one",
                )
            }
            Self::Remove { name } => {
                let store = context.existing_store().await?;
                store
                    .projects()
                    .delete(&name)
                    .await
                    .map_err(|error| Failure::missing(error, PROJECTS))?;
                output.result(
                    &Named { project: &name },
                    &format!("project {name} removed\n"),
                )
            }
            Self::Set { name, settings } => {
                let store = context.existing_store().await?;
                let (changed, text) = settings.change(&store, &name).await?;
                let authentication = changed.authentication.clone();
                let changed = Changed {
                    project: changed.into(),
                    authentication,
                };
                output.result(&changed, &text)
            }
            Self::AllowHost {
                host,
                place,
                remove,
            } => {
                let store = context.existing_store().await?;
                match host {
                    None => list_hosts(&store, &place.project, output).await,
                    Some(host) => allow_host(&store, &place.project, &host, remove, output).await,
                }
            }
        }
    }
}

async fn list_hosts(store: &Store, project: &ProjectName, output: &Output) -> Result<(), Failure> {
    let hosts = store.allow_hosts().list(project).await;
    let hosts = hosts.map_err(|error| Failure::missing(error, PROJECTS))?;
    let listed = hosts.into_iter().map(|allowed| ListedHost {
        host: allowed.host.to_string(),
        date_add: time(allowed.date_add),
    });
    output.list(
        listed,
        "none but public hosts; svc project allow-host HOST adds one",
    )
}

async fn allow_host(
    store: &Store,
    project: &ProjectName,
    host: &str,
    remove: bool,
    output: &Output,
) -> Result<(), Failure> {
    let host =
        HostPort::parse(host).map_err(|error| Failure::fields(error, &[("host", "HOST")]))?;
    let hosts = store.allow_hosts();
    let (done, text) = match remove {
        true => (
            hosts.remove(project, &host).await,
            format!("{host} is reached only while its addresses are public\n"),
        ),
        false => (
            hosts.add(project, &host).await,
            format!("the HTTP proxy may reach {host} for project {project}\n"),
        ),
    };
    let remedy = match remove {
        true => {
            "svc project list shows the projects, svc project allow-host --project P the hosts of one"
        }
        false => PROJECTS,
    };
    done.map_err(|error| Failure::missing(error, remedy))?;
    let allowed = Allowed {
        host: host.to_string(),
        allowed: !remove,
    };
    output.result(&allowed, &text)
}
