//! `svc key`: the API keys of the platform's users.

use clap::Subcommand;
use svc_model::ProjectName;
use svc_store::{AccountGrant, NewApiKey};

use super::{
    credential::{Described, NewCredential, check_listed, write_list, write_new, write_revoked},
    scope::{self, InProject, PROJECTS},
};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
};

impl Described for AccountGrant {
    const COMMAND: &'static str = "svc key";
    const NOUN: (&'static str, &'static str) = ("an", "API key");
    const OF: &'static str = "of";
    const COLUMN: &'static str = "email";
    const SECRET: &'static str = "api_key";

    fn owner(&self) -> &str {
        &self.email
    }
}

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
        /// E-mail address of the user; the project's owner when not given
        #[arg(long, value_name = "E")]
        email: Option<String>,
        #[command(flatten)]
        new: NewCredential,
    },
    /// List the keys that open a project, revoked ones too
    #[command(after_help = "Example:\n  svc key list --project crm")]
    List(InProject),
    /// End a key for good
    #[command(after_help = "Example:\n  svc key revoke svck_Ab3dE9")]
    Revoke {
        /// The prefix that svc key list shows, or the uid that it gives with --json
        key: String,
        /// Only when the key opens this project
        #[arg(long, value_name = "P")]
        project: Option<ProjectName>,
    },
}

impl Key {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let (keys, output) = (store.api_keys(), &context.output);
        match self {
            Self::Add { scope, email, new } => {
                let email = match email {
                    Some(email) => email,
                    None => scope::owner(&store, &scope.project).await?,
                };
                let mut key = NewApiKey::new(scope.project, email);
                key.expires = new.expires;
                key.name = new.name;
                write_new(output, &keys.create(key).await.or_missing(PROJECTS)?)
            }
            Self::List(scope) => write_list(
                output,
                &keys.list(&scope.project).await.or_missing(PROJECTS)?,
            ),
            Self::Revoke { key, project } => {
                if let Some(project) = project {
                    let known = keys.list(&project).await.or_missing(PROJECTS)?;
                    check_listed(&known, &key, &format!("project {project}"))?;
                }
                write_revoked(output, keys.revoke(&key).await)
            }
        }
    }
}
