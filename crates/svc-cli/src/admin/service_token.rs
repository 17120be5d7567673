//! `svc service-token`: the tokens of services, which act with the rights of a team.

use clap::Subcommand;
use svc_store::NewServiceToken;

use super::{
    credential::{NewCredential, listed},
    scope::{ENVIRONMENTS, InEnvironment},
};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
    output::row,
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
        scope: InEnvironment,
        /// Team whose rights it has
        #[arg(long, value_name = "TEAM")]
        team: String,
        #[command(flatten)]
        new: NewCredential,
    },
    /// List the service tokens of an environment, revoked ones too
    #[command(after_help = "Example:\n  svc service-token list --project crm")]
    List {
        #[command(flatten)]
        scope: InEnvironment,
    },
    /// End a service token for good
    #[command(after_help = "Example:\n  svc service-token revoke svcs_Ab3dE9")]
    Revoke {
        /// The prefix that svc service-token list shows, or the uid that it gives with --json
        token: String,
    },
}

impl ServiceToken {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let (tokens, output) = (store.service_tokens(), &context.output);
        match self {
            Self::Add { scope, team, new } => {
                let mut token = NewServiceToken::new(scope.project, scope.env, team);
                token.expires = new.expires;
                token.name = new.name;
                let made = tokens.create(token).await.or_missing(ENVIRONMENTS)?;
                let secret = made.secret.expose();
                let team = made.credential.team.name;
                let what = format!("a service token with the rights of team {team}");
                output.secret(&what, &row! { token: secret }, secret)
            }
            Self::List { scope } => {
                let tokens = tokens.list(&scope.project, &scope.env).await;
                let tokens = tokens.or_missing(ENVIRONMENTS)?;
                output.list(
                    tokens
                        .iter()
                        .map(|token| listed!(token, team: &token.team.name)),
                    "no service tokens yet; svc service-token add makes one",
                )
            }
            Self::Revoke { token } => {
                let revoked = tokens.revoke(&token).await.or_missing(REMEDY)?;
                let prefix = &revoked.prefix;
                let text = format!("service token {prefix} revoked\n");
                output.result(&row! { prefix: prefix }, &text)
            }
        }
    }
}
