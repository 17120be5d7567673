//! `svc service-token`: the tokens of services, which act with the rights of a team.

use clap::Subcommand;
use svc_api::{administration::Administration, model::administration::service_tokens};
use svc_model::{EnvironmentName, ProjectName, Scope};

use super::{
    credential::{Credential, Kind, NewCredential, credential, issued},
    scope::{ENVIRONMENTS, InEnvironment},
    service::{Command, ServiceAddress, ServiceResult as _, all},
};
use crate::{context::Context, error::Error};

const KIND: Kind = Kind {
    command: "svc service-token",
    noun: ("a", "service token"),
    of: "with the rights of team",
    column: "team",
    secret: "token",
};
/// How the fields of a token are called here.
const NAMES: &[(&str, &str)] = &[
    ("team", "--team"),
    ("name", "--name"),
    ("expires", "--expires"),
];

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
        /// Only when it is a token of this project
        #[arg(long, value_name = "P")]
        project: Option<ProjectName>,
        /// Environment of the project
        #[arg(long, value_name = "E", default_value = EnvironmentName::PROD, requires = "project")]
        env: EnvironmentName,
    },
}

impl Command for ServiceToken {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let output = &context.output;
        match self {
            Self::Add { scope, team, new } => {
                let mut token = service_tokens::NewServiceToken::new(team);
                token.expires = new.expires();
                token.name = new.name;
                let tokens = service.environment(&scope.names())?.service_tokens();
                let made = tokens.create(token).await.or_refused(ENVIRONMENTS, NAMES)?;
                KIND.write_new(output, &made.credential.team.name, &issued(made.token)?)
            }
            Self::List(scope) => {
                let tokens = list(service.environment(&scope.names())?).await;
                KIND.write_list(output, &tokens.or_missing(ENVIRONMENTS)?)
            }
            Self::Revoke {
                token,
                project,
                env,
            } => {
                let scopes = match &project {
                    Some(project) => vec![Scope::new(project, &env)],
                    None => service.scopes(None).await?,
                };
                let known = service.in_each(scopes, list).await?;
                let place =
                    project.map(|project| format!("environment {env} of project {project}"));
                let found = KIND.meant(known, &token)?;
                let (scope, token) = found.ok_or_else(|| KIND.missing(place.as_deref()))?;
                let tokens = service.environment(&scope)?.service_tokens();
                tokens.delete(&token.uid).await.or_missing(ENVIRONMENTS)?;
                KIND.write_revoked(output, &token)
            }
        }
    }
}

/// The service tokens of an environment, revoked ones too, the oldest first.
async fn list(environment: Administration) -> Result<Vec<Credential>, svc_api::Error> {
    let list = environment.service_tokens().list();
    let tokens = all(list.revoked(true).order_by("date_add")).await?;
    Ok(tokens
        .into_iter()
        .map(|token| credential!(token of token.team.name, Vec::new()))
        .collect())
}
