//! `svc key`: the API keys of the platform's users.

use clap::Subcommand;
use svc_api::model::administration::{account_keys, keys, project_keys};
use svc_model::ProjectName;

use super::{
    credential::{Credential, Kind, NewCredential, credential, issued},
    scope::{InProject, PROJECTS},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
};
use crate::{context::Context, error::Error, output::row};

const KIND: Kind = Kind {
    command: "svc key",
    noun: ("an", "API key"),
    of: "of",
    column: "email",
    secret: "api_key",
};
/// How the fields of a key are called here.
const NAMES: &[(&str, &str)] = &[
    ("email", "--email"),
    ("name", "--name"),
    ("expires", "--expires"),
];

/// Add, list and revoke API keys
#[derive(Subcommand)]
pub(crate) enum Key {
    /// Make an API key of a user, who is made when new; it is printed once
    #[command(
        after_help = "Example:\n  svc key add --project crm --email ada@example.com --expires 1y"
    )]
    Add {
        #[command(flatten)]
        scope: InProject,
        /// E-mail address of the user; when not given the project's owner, or whose key asks a running service
        #[arg(long, value_name = "E")]
        email: Option<String>,
        #[command(flatten)]
        new: NewCredential,
    },
    /// List the keys that open a project, revoked ones too
    #[command(after_help = "Example:\n  svc key list --project crm")]
    List(InProject),
    /// End a key for good; with --project, end its access to this project alone
    #[command(after_help = "Example:\n  svc key revoke svck_Ab3dE9")]
    Revoke {
        /// The prefix that svc key list shows, or the uid that it gives with --json
        key: String,
        /// End the access of the key to this project; its other projects stay open to it
        #[arg(long, value_name = "P")]
        project: Option<ProjectName>,
    },
}

impl Command for Key {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let output = &context.output;
        match self {
            Self::Add { scope, email, new } => {
                let (owner, secret) = add(&service, scope.project, email, new).await?;
                KIND.write_new(output, &owner, &secret)
            }
            Self::List(scope) => {
                KIND.write_list(output, &of_project(&service, &scope.project).await?)
            }
            Self::Revoke { key, project } => {
                let Some(project) = project else {
                    return KIND.write_revoked(output, &revoke(&service, &key).await?);
                };
                let Credential { prefix, owner, .. } = exclude(&service, &project, &key).await?;
                let text = format!(
                    "API key {prefix} of {owner} does not open project {project} any more\n"
                );
                output.result(&row! { prefix: prefix, project: project }, &text)
            }
        }
    }
}

/// Makes a key; gives whose it is, and its text.
async fn add(
    service: &Service,
    project: ProjectName,
    email: Option<String>,
    new: NewCredential,
) -> Result<(String, String), Error> {
    let administration = service.administration()?;
    if email.is_none() && !service.is_of_store() {
        let mut key = account_keys::NewApiKey::new();
        key.projects = Some(vec![project.to_string()]);
        key.expires = new.expires();
        key.name = new.name;
        let owner = administration.account().get().await.or_missing(PROJECTS)?;
        let made = administration.account_keys().create(key).await;
        let made = made.or_refused(PROJECTS, NAMES)?;
        return Ok((owner.email, issued(made.api_key)?));
    }
    let mut key = keys::NewKey::new(project);
    key.email = email;
    key.expires = new.expires();
    key.name = new.name;
    let made = administration.keys().create(key).await;
    let made = made.or_refused(PROJECTS, NAMES)?;
    Ok((made.key.email, issued(made.api_key)?))
}

/// The keys that open a project, revoked ones too, the oldest first.
async fn of_project(service: &Service, project: &ProjectName) -> Result<Vec<Credential>, Error> {
    let list = service.project(project)?.project_keys().list();
    let keys = all(list.revoked(true).order_by("date_add")).await;
    let keys = keys.or_missing(PROJECTS)?;
    Ok(keys.into_iter().map(shown).collect())
}

/// Ends the access of a key to a project.
async fn exclude(
    service: &Service,
    project: &ProjectName,
    meant: &str,
) -> Result<Credential, Error> {
    let keys = of_project(service, project).await?;
    let found = KIND.meant(keys.into_iter().map(|key| ((), key)), meant)?;
    let missing = || KIND.missing(Some(&format!("project {project}")));
    let ((), key) = found.ok_or_else(missing)?;
    let excluded = service.project(project)?.project_keys().delete(&key.uid);
    excluded.await.or_missing(PROJECTS)?;
    Ok(key)
}

/// Ends a key for good: one of the caller's own, or any by an operator.
async fn revoke(service: &Service, meant: &str) -> Result<Credential, Error> {
    let administration = service.administration()?;
    if !service.is_of_store() {
        let account = administration.account().get().await.or_missing(PROJECTS)?;
        let own = administration.account_keys();
        let keys = all(own.list().revoked(true)).await.or_missing(PROJECTS)?;
        let keys = keys.into_iter();
        let keys = keys.map(|key| ((), of_account(key, account.email.clone())));
        if let Some(((), key)) = KIND.meant(keys, meant)? {
            own.delete(&key.uid).await.or_missing(PROJECTS)?;
            return Ok(key);
        }
    }
    let of_all = administration.keys();
    let keys = all(of_all.list().revoked(true))
        .await
        .or_missing(PROJECTS)?;
    let keys = keys.into_iter();
    let keys = keys.map(|of_all| ((), of_account(of_all.key, of_all.email)));
    let found = KIND.meant(keys, meant)?;
    let ((), key) = found.ok_or_else(|| KIND.missing(None))?;
    of_all.delete(&key.uid).await.or_missing(PROJECTS)?;
    Ok(key)
}

/// A key of an account as lists show it.
fn of_account(key: account_keys::ApiKey, email: String) -> Credential {
    credential!(key of email, Vec::new())
}

/// A key of a project as lists show it.
fn shown(key: project_keys::ProjectKey) -> Credential {
    credential!(key of key.email, Vec::new())
}
