//! `svc key`: the API keys of the platform's users.

use clap::Subcommand;
use svc_model::ProjectName;
use svc_store::NewApiKey;

use super::{
    credential::{NewCredential, is_among, listed},
    scope::{self, InProject, PROJECTS},
};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
    output::row,
};

/// How to see which keys there are.
const REMEDY: &str = "svc key list --project P shows the keys";

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
    List {
        #[command(flatten)]
        scope: InProject,
    },
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
                let made = keys.create(key).await.or_missing(PROJECTS)?;
                let secret = made.secret.expose();
                let what = format!("an API key of {}", made.credential.email);
                output.secret(&what, &row! { api_key: secret }, secret)
            }
            Self::List { scope } => {
                let keys = keys.list(&scope.project).await.or_missing(PROJECTS)?;
                output.list(
                    keys.iter().map(|key| listed!(key, email: &key.email)),
                    "no API keys yet; svc key add makes one",
                )
            }
            Self::Revoke { key, project } => {
                if let Some(project) = project
                    && !is_among!(key, keys.list(&project).await.or_missing(PROJECTS)?)
                {
                    return Err(Error::new(format!(
                        "no such key opens project {project}; {REMEDY}"
                    )));
                }
                let revoked = keys.revoke(&key).await.or_missing(REMEDY)?;
                let prefix = &revoked.prefix;
                let text = format!("API key {prefix} of {} revoked\n", revoked.email);
                output.result(&row! { prefix: prefix }, &text)
            }
        }
    }
}
