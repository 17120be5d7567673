//! `svc token`: the static tokens of resources.

use clap::Subcommand;
use serde::Serialize;
use svc_model::{EnvironmentName, ProjectName, ResourceName};
use svc_store::{NewStaticToken, StaticToken};

use crate::{
    admin::{
        expiry::Expiry,
        scope::{ENVIRONMENTS, InEnvironment, RESOURCES},
    },
    context::Context,
    failure::Failure,
    output::time,
};

/// How to see which tokens there are.
const REMEDY: &str = "svc token list --project P shows the tokens";

/// Add, list and revoke static tokens
#[derive(Subcommand)]
pub(crate) enum Token {
    /// Make a token that opens one resource; it is printed once
    #[command(after_help = "Examples:\n  \
        svc token add shop --project crm --expires 90d\n  \
        svc token add __svc_app__ --project crm")]
    Add {
        /// The resource; __svc_app__ for users and teams
        resource: ResourceName,
        #[command(flatten)]
        place: InEnvironment,
        /// When it ends: 90d, 12h, 1y from now, or a date such as 2027-01-31; never when not given
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        expires: Option<Expiry>,
        /// A name to know it by
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
    },
    /// List the tokens of an environment, revoked ones too
    #[command(after_help = "Example:\n  svc token list --project crm")]
    List {
        #[command(flatten)]
        place: InEnvironment,
    },
    /// End a token for good
    #[command(after_help = "Example:\n  svc token revoke svct_Ab3dE9")]
    Revoke {
        /// The prefix that svc token list shows, or the uid that it gives with --json
        token: String,
        /// Only when it is a token of this project
        #[arg(long, value_name = "P")]
        project: Option<ProjectName>,
        /// Environment of the project
        #[arg(long, value_name = "E", default_value = EnvironmentName::PROD, requires = "project")]
        env: EnvironmentName,
    },
}

/// A token as lists show it.
#[derive(Serialize)]
struct Listed {
    prefix: String,
    resource: ResourceName,
    name: Option<String>,
    date_add: String,
    last_use: Option<String>,
    expires: Option<String>,
    revoked: Option<String>,
    uid: String,
}

impl From<StaticToken> for Listed {
    fn from(token: StaticToken) -> Self {
        Self {
            prefix: token.prefix,
            resource: token.resource,
            name: token.name,
            date_add: time(token.date_add),
            last_use: token.last_use.map(time),
            expires: token.expires.map(time),
            revoked: token.revoked.map(time),
            uid: token.uid.to_string(),
        }
    }
}

#[derive(Serialize)]
struct Made<'a> {
    token: &'a str,
}

#[derive(Serialize)]
struct Revoked<'a> {
    prefix: &'a str,
}

impl Token {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Add {
                resource,
                place,
                expires,
                name,
            } => {
                let mut new = NewStaticToken::new(place.project, place.env, resource.clone());
                new.expires = expires.map(|expiry| expiry.0);
                new.name = name;
                let made = store
                    .tokens()
                    .create(new)
                    .await
                    .map_err(|error| Failure::missing(error, RESOURCES))?;
                let secret = made.secret.expose();
                output.note(&format!(
                    "a token of resource {resource}; it is not shown again:"
                ));
                output.result(&Made { token: secret }, &format!("{secret}\n"))
            }
            Self::List { place } => {
                let tokens = store
                    .tokens()
                    .list(&place.project, &place.env)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                output.list(
                    tokens.into_iter().map(Listed::from),
                    "no tokens yet; svc token add makes one",
                )
            }
            Self::Revoke {
                token,
                project,
                env,
            } => {
                if let Some(project) = project {
                    let tokens = store
                        .tokens()
                        .list(&project, &env)
                        .await
                        .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                    if !tokens.iter().any(|listed| {
                        token == listed.uid.to_string() || token.starts_with(&listed.prefix)
                    }) {
                        return Err(Failure::new(format!(
                            "project {project} has no such token in environment {env}; {REMEDY}"
                        )));
                    }
                }
                let revoked = store
                    .tokens()
                    .revoke(&token)
                    .await
                    .map_err(|error| Failure::missing(error, REMEDY))?;
                let text = format!(
                    "token {} of resource {} revoked\n",
                    revoked.prefix, revoked.resource
                );
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
