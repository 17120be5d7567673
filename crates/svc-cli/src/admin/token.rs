//! `svc token`: the static tokens of resources.

use clap::Subcommand;
use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope};
use svc_store::{NewStaticToken, ResourceGrant};

use super::{
    credential::{Described, NewCredential, check_listed, write_list, write_new, write_revoked},
    scope::{ENVIRONMENTS, InEnvironment, RESOURCES},
};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
};

impl Described for ResourceGrant {
    const COMMAND: &'static str = "svc token";
    const NOUN: (&'static str, &'static str) = ("a", "token");
    const OF: &'static str = "of resource";
    const COLUMN: &'static str = "resource";

    fn owner(&self) -> &str {
        self.resource.as_str()
    }
}

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
        scope: InEnvironment,
        #[command(flatten)]
        new: NewCredential,
    },
    /// List the tokens of an environment, revoked ones too
    #[command(after_help = "Example:\n  svc token list --project crm")]
    List(InEnvironment),
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

impl Token {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let (tokens, output) = (store.tokens(), &context.output);
        match self {
            Self::Add {
                resource,
                scope,
                new,
            } => {
                let mut token = NewStaticToken::new(scope.names(), &resource);
                token.expires = new.expires;
                token.name = new.name;
                write_new(output, &tokens.create(token).await.or_missing(RESOURCES)?)
            }
            Self::List(scope) => {
                let tokens = tokens.list(&scope.names()).await;
                write_list(output, &tokens.or_missing(ENVIRONMENTS)?)
            }
            Self::Revoke {
                token,
                project,
                env,
            } => {
                if let Some(project) = project {
                    let known = tokens
                        .list(&Scope::new(&project, &env))
                        .await
                        .or_missing(ENVIRONMENTS)?;
                    let place = format!("environment {env} of project {project}");
                    check_listed(&known, &token, &place)?;
                }
                write_revoked(output, tokens.revoke(&token).await)
            }
        }
    }
}
