//! `svc service-token`: the tokens of services, which act with the rights of a team.

use clap::Subcommand;
use serde::Serialize;
use svc_store::{NewServiceToken, ServiceToken as Kept};

use crate::{
    admin::{
        expiry::Expiry,
        scope::{ENVIRONMENTS, InEnvironment},
    },
    context::Context,
    failure::Failure,
    output::time,
};

/// How to see which tokens there are.
const REMEDY: &str = "svc service-token list --project P shows the tokens";

/// Add, list and revoke service tokens
#[derive(Subcommand)]
pub(crate) enum ServiceToken {
    /// Make a token with which a service acts as a member of a team does; it is printed once
    #[command(
        after_help = "Example:\n  svc service-token add --team Editor --project crm --expires 90d"
    )]
    Add {
        #[command(flatten)]
        place: InEnvironment,
        /// Team whose rights it has
        #[arg(long, value_name = "TEAM")]
        team: String,
        /// When it ends: 90d, 12h, 1y from now, or a date such as 2027-01-31; never when not given
        #[arg(long, value_name = "D", allow_hyphen_values = true)]
        expires: Option<Expiry>,
        /// A name to know it by
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
    },
    /// List the service tokens of an environment, revoked ones too
    #[command(after_help = "Example:\n  svc service-token list --project crm")]
    List {
        #[command(flatten)]
        place: InEnvironment,
    },
    /// End a service token for good
    #[command(after_help = "Example:\n  svc service-token revoke svcs_Ab3dE9")]
    Revoke {
        /// The prefix that svc service-token list shows, or the uid that it gives with --json
        token: String,
    },
}

/// A token as lists show it.
#[derive(Serialize)]
struct Listed {
    prefix: String,
    team: String,
    name: Option<String>,
    date_add: String,
    last_use: Option<String>,
    expires: Option<String>,
    revoked: Option<String>,
    uid: String,
}

impl From<Kept> for Listed {
    fn from(token: Kept) -> Self {
        Self {
            prefix: token.prefix,
            team: token.team.name,
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

impl ServiceToken {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Add {
                place,
                team,
                expires,
                name,
            } => {
                let mut new = NewServiceToken::new(place.project, place.env, team);
                new.expires = expires.map(|expiry| expiry.0);
                new.name = name;
                let made = store
                    .service_tokens()
                    .create(new)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                let secret = made.secret.expose();
                output.note(&format!(
                    "a service token with the rights of team {}; it is not shown again:",
                    made.token.team.name
                ));
                output.result(&Made { token: secret }, &format!("{secret}\n"))
            }
            Self::List { place } => {
                let tokens = store
                    .service_tokens()
                    .list(&place.project, &place.env)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                output.list(
                    tokens.into_iter().map(Listed::from),
                    "no service tokens yet; svc service-token add makes one",
                )
            }
            Self::Revoke { token } => {
                let revoked = store
                    .service_tokens()
                    .revoke(&token)
                    .await
                    .map_err(|error| Failure::missing(error, REMEDY))?;
                let prefix = &revoked.prefix;
                let text = format!("service token {prefix} revoked\n");
                output.result(&Revoked { prefix }, &text)
            }
        }
    }
}
