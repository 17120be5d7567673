//! `svc service-token`: the tokens of services, which act with the rights of a team.

use clap::Subcommand;
use svc_store::{NewServiceToken, TeamGrant};

use super::{
    credential::{Described, NewCredential, write_list, write_new, write_revoked},
    scope::{ENVIRONMENTS, InEnvironment},
};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
};

impl Described for TeamGrant {
    const COMMAND: &'static str = "svc service-token";
    const NOUN: (&'static str, &'static str) = ("a", "service token");
    const OF: &'static str = "with the rights of team";
    const COLUMN: &'static str = "team";

    fn owner(&self) -> &str {
        &self.team.name
    }
}

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
    List(InEnvironment),
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
                let mut token = NewServiceToken::new(scope.names(), team);
                token.expires = new.expires;
                token.name = new.name;
                write_new(
                    output,
                    &tokens.create(token).await.or_missing(ENVIRONMENTS)?,
                )
            }
            Self::List(scope) => {
                let tokens = tokens.list(&scope.names()).await;
                write_list(output, &tokens.or_missing(ENVIRONMENTS)?)
            }
            Self::Revoke { token } => write_revoked(output, tokens.revoke(&token).await),
        }
    }
}
