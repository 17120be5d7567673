//! `svc key`: the API keys of the platform's users.

use clap::Subcommand;
use serde::Serialize;
use svc_model::ProjectName;
use svc_store::{ApiKey, NewApiKey};

use crate::{
    admin::{
        expiry::Expiry,
        scope::{self, InProject, PROJECTS},
    },
    context::Context,
    failure::Failure,
    output::time,
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
        place: InProject,
        /// E-mail address of the user; the project's owner when not given
        #[arg(long, value_name = "E")]
        email: Option<String>,
        /// When it ends: 90d, 12h, 1y from now, or a date such as 2027-01-31; never when not given
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        expires: Option<Expiry>,
        /// A name to know it by
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
    },
    /// List the keys that open a project, revoked ones too
    #[command(after_help = "Example:\n  svc key list --project crm")]
    List {
        #[command(flatten)]
        place: InProject,
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

/// A key as lists show it.
#[derive(Serialize)]
struct Listed {
    prefix: String,
    email: String,
    name: Option<String>,
    date_add: String,
    last_use: Option<String>,
    expires: Option<String>,
    revoked: Option<String>,
    uid: String,
}

impl From<ApiKey> for Listed {
    fn from(key: ApiKey) -> Self {
        Self {
            prefix: key.prefix,
            email: key.email,
            name: key.name,
            date_add: time(key.date_add),
            last_use: key.last_use.map(time),
            expires: key.expires.map(time),
            revoked: key.revoked.map(time),
            uid: key.uid.to_string(),
        }
    }
}

#[derive(Serialize)]
struct Made<'a> {
    api_key: &'a str,
}

#[derive(Serialize)]
struct Revoked<'a> {
    prefix: &'a str,
}

impl Key {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Add {
                place,
                email,
                expires,
                name,
            } => {
                let email = match email {
                    Some(email) => email,
                    None => scope::owner(&store, &place.project).await?,
                };
                let mut new = NewApiKey::new(place.project.clone(), email);
                new.expires = expires.map(|expiry| expiry.0);
                new.name = name;
                let made = store
                    .api_keys()
                    .create(new)
                    .await
                    .map_err(|error| Failure::missing(error, PROJECTS))?;
                let secret = made.secret.expose();
                output.note(&format!(
                    "an API key of {}; it is not shown again:",
                    made.key.email
                ));
                output.result(&Made { api_key: secret }, &format!("{secret}\n"))
            }
            Self::List { place } => {
                let keys = store
                    .api_keys()
                    .list(&place.project)
                    .await
                    .map_err(|error| Failure::missing(error, PROJECTS))?;
                output.list(
                    keys.into_iter().map(Listed::from),
                    "no API keys yet; svc key add makes one",
                )
            }
            Self::Revoke { key, project } => {
                if let Some(project) = project {
                    let keys = store
                        .api_keys()
                        .list(&project)
                        .await
                        .map_err(|error| Failure::missing(error, PROJECTS))?;
                    if !keys.iter().any(|listed| {
                        key == listed.uid.to_string() || key.starts_with(&listed.prefix)
                    }) {
                        return Err(Failure::new(format!(
                            "no such key opens project {project}; {REMEDY}"
                        )));
                    }
                }
                let revoked = store
                    .api_keys()
                    .revoke(&key)
                    .await
                    .map_err(|error| Failure::missing(error, REMEDY))?;
                let text = format!("API key {} of {} revoked\n", revoked.prefix, revoked.email);
                output.result(
                    &Revoked {
                        prefix: &revoked.prefix,
                    },
                    &text,
                )
            }
        }
    }
}
