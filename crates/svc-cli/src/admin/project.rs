//! `svc project`: the projects of a service.

mod settings;

use clap::Subcommand;
use serde::Serialize;
use svc_api::model::administration::{projects::NewProject, sign_in::SignIn};
use svc_model::ProjectName;

use self::settings::Settings;
use super::{
    scope::{InProject, PROJECTS},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
};
use crate::{
    context::Context,
    error::Error,
    output::{Output, answered_time, row, to_row},
};

/// How to see which hosts the HTTP proxy may reach.
const HOSTS: &str =
    "svc project list shows the projects, svc project allow-host --project P the hosts of one";
/// How the fields of a project are called here.
const NAMES: &[(&str, &str)] = &[("unique_name", "NAME"), ("owner", "--owner")];

/// Add, list, set and remove projects
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
        /// E-mail address of its owner, who is made when new; on a running service whose key is used when not given
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

impl Command for Project {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::Add { name, title, owner } => {
                let service = at.connect_or_make(context).await?;
                let mut new = NewProject::new(&name);
                new.name = title;
                new.owner = owner;
                let made = service.administration()?.projects().create(new).await;
                made.or_refused(PROJECTS, NAMES)?;
                let text = format!("project {name} added, with environment prod\n");
                output.result(&row! { project: &name }, &text)
            }
            Self::List => list(output, &at.connect(context).await?).await,
            Self::Remove { name } => {
                let service = at.connect(context).await?;
                let projects = service.project(&name)?.projects();
                let removed = projects.delete().confirm(name.as_str()).await;
                removed.or_missing(PROJECTS)?;
                let text = format!("project {name} removed\n");
                output.result(&row! { project: &name }, &text)
            }
            Self::Set { name, settings } => {
                let service = at.connect(context).await?;
                let (project, sign_in) = settings.change(&service, &name).await?;
                let text = settings::to_text(&project, &sign_in);
                let mut changed = to_row(&listed(&project, &sign_in))?;
                settings::add_authentication(&mut changed, &sign_in)?;
                output.result(&changed, &text)
            }
            Self::AllowHost {
                host,
                scope,
                remove,
            } => {
                let service = at.connect(context).await?;
                allow_host(output, &service, scope.project, host, remove).await
            }
        }
    }
}

async fn list(output: &Output, service: &Service) -> Result<(), Error> {
    let client = service.everything()?;
    let mut projects = Vec::new();
    for project in all(client.projects().list().order_by("date_add")).await? {
        let sign_in = service.project(&project.unique_name)?.sign_in().get();
        let sign_in = sign_in.await.or_missing(PROJECTS)?;
        projects.push(to_row(&listed(&project, &sign_in))?);
    }
    output.list(projects, "no projects yet; svc project add makes one")
}

/// Allows a host, allows it no more, or lists those that are allowed.
async fn allow_host(
    output: &Output,
    service: &Service,
    project: ProjectName,
    host: Option<String>,
    remove: bool,
) -> Result<(), Error> {
    let hosts = service.project(&project)?.allowed_hosts();
    let Some(host) = host else {
        let hosts = all(hosts.list().order_by("date_add")).await;
        let listed = hosts.or_missing(PROJECTS)?.into_iter().map(|allowed| {
            row! { host: allowed.host, date_add: answered_time(&allowed.date_add) }
        });
        let none = "none but public hosts; svc project allow-host HOST adds one";
        return output.list(listed, none);
    };
    let (host, text) = if remove {
        hosts.delete(&host).await.or_missing(HOSTS)?;
        let text = format!("{host} is reached only while its addresses are public\n");
        (host, text)
    } else {
        let allowed = hosts.create(&host).await;
        let host = allowed.or_refused(PROJECTS, &[("host", "HOST")])?.host;
        let text = format!("the HTTP proxy may reach {host} for project {project}\n");
        (host, text)
    };
    output.result(&row! { host: host, allowed: !remove }, &text)
}

/// A project as lists show it.
fn listed<'p>(project: &'p svc_model::Project, sign_in: &SignIn) -> impl Serialize + use<'p> {
    // It was made with its first environment.
    let mut dates = project
        .environments
        .iter()
        .filter_map(|environment| environment.date_add.as_deref());
    row! {
        project: &project.unique_name,
        name: &project.name,
        sign_up: sign_in.sign_up,
        date_add: dates.next().map(answered_time),
    }
}
