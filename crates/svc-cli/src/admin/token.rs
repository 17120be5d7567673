//! `svc token`: the static tokens of resources.

use clap::Subcommand;
use serde_json::json;
use svc_api::{
    administration::Administration,
    model::administration::tokens::{self, NewToken},
};
use svc_model::{EnvironmentName, ModelName, ProjectName, ResourceName, Scope};
use svc_store::Rights;

use super::{
    credential::{Credential, Kind, NewCredential, credential, issued},
    rights::{known::nearest, parse_rights},
    scope::{ENVIRONMENTS, InEnvironment, RESOURCES},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
};
use crate::{context::Context, error::Error, output::Output};

const KIND: Kind = Kind {
    command: "svc token",
    noun: ("a", "token"),
    of: "of resource",
    column: "resource",
    secret: "token",
};
/// How the fields of a token are called here.
const NAMES: &[(&str, &str)] = &[
    ("rights", "--rights"),
    ("models", "--models"),
    ("name", "--name"),
    ("expires", "--expires"),
];

/// Add, list and revoke static tokens
#[derive(Subcommand)]
pub(crate) enum Token {
    /// Make a token that opens one resource; it is printed once
    #[command(after_help = "Examples:\n  \
        svc token add shop --project crm --expires 90d\n  \
        svc token add shop --project crm --rights read --models orders,customers\n  \
        svc token add __svc_app__ --project crm\n\n\
        A token without --rights and --models may do everything with its resource. Only such a token may run SQL, call \
        functions and reload the structure.")]
    Add {
        /// The resource; __svc_app__ for users and teams
        resource: ResourceName,
        #[command(flatten)]
        scope: InEnvironment,
        /// What it may do: read, write, delete with commas between [default: all]
        #[arg(long, value_name = "RIGHTS", value_parser = parse_rights)]
        rights: Option<Rights>,
        /// The models that it may do it with, with commas between [default: all]
        #[arg(long, value_name = "MODEL,...", value_delimiter = ',', value_parser = parse_model)]
        models: Option<Vec<ModelName>>,
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

impl Command for Token {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let output = &context.output;
        match self {
            Self::Add {
                resource,
                scope,
                rights,
                models,
                new,
            } => {
                let scope = scope.names();
                if let Some(models) = &models {
                    check_models(output, &service, &scope, &resource, models).await?;
                }
                let mut token = NewToken::new(&resource);
                let words =
                    |rights: Rights| rights.words().into_iter().map(str::to_owned).collect();
                token.rights = rights.map(words);
                let names =
                    |models: Vec<ModelName>| models.iter().map(ToString::to_string).collect();
                token.models = models.map(names);
                token.expires = new.expires();
                token.name = new.name;
                let made = service.environment(&scope)?.tokens().create(token).await;
                let made = made.or_refused(RESOURCES, NAMES)?;
                KIND.write_new(
                    output,
                    made.credential.resource.as_str(),
                    &issued(made.token)?,
                )
            }
            Self::List(scope) => {
                let tokens = list(service.environment(&scope.names())?).await;
                let tokens = tokens.or_missing(ENVIRONMENTS)?;
                let shown: Vec<_> = tokens
                    .into_iter()
                    .map(|token| shown(token, output.is_json()))
                    .collect();
                KIND.write_list(output, &shown)
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
                let known = known.into_iter();
                let known = known.map(|(scope, token)| (scope, shown(token, false)));
                let place =
                    project.map(|project| format!("environment {env} of project {project}"));
                let found = KIND.meant(known, &token)?;
                let (scope, token) = found.ok_or_else(|| KIND.missing(place.as_deref()))?;
                let tokens = service.environment(&scope)?.tokens();
                tokens.delete(&token.uid).await.or_missing(ENVIRONMENTS)?;
                KIND.write_revoked(output, &token)
            }
        }
    }
}

/// The tokens of an environment, revoked ones too, the oldest first.
async fn list(environment: Administration) -> Result<Vec<tokens::Token>, svc_api::Error> {
    let list = environment.tokens().list();
    all(list.revoked(true).order_by("date_add")).await
}

/// A token as lists show it, to programs or to people.
fn shown(token: tokens::Token, is_json: bool) -> Credential {
    let (rights, models) = (token.rights, token.models);
    let further = match is_json {
        true => [json!(rights), json!(models)],
        false => {
            let rights =
                rights.map_or_else(|| Rights::ALL.words().join(", "), |words| words.join(", "));
            let models = models.map_or_else(|| "all".to_owned(), |names| names.join(", "));
            [json!(rights), json!(models)]
        }
    };
    let [rights, models] = further;
    let owner = token.resource.to_string();
    credential!(token of owner, vec![("rights", rights), ("models", models)])
}

/// Reads the name of a model as it is written on the command line.
fn parse_model(text: &str) -> Result<ModelName, &'static str> {
    match text {
        "" => Err("must be the names of models with commas between"),
        name => Ok(name.into()),
    }
}

/// Refuses a model that the resource does not have: the token would do less than it was made for. A database that cannot be
/// reached is not asked.
async fn check_models(
    output: &Output,
    service: &Service,
    scope: &Scope,
    resource: &ResourceName,
    models: &[ModelName],
) -> Result<(), Error> {
    if resource.as_str() != ResourceName::TOOLS {
        let found = service.environment(scope)?.resources().get(resource).await;
        if found.or_missing(RESOURCES)?.kind != "database" {
            return Err(Error::usage(format!(
                "--models: resource {resource} is an HTTP API, which has no models"
            )));
        }
    }
    let described = service.client(scope)?.resource(resource);
    let known = match described.model_descriptions().max_tries(1).await {
        Ok(known) => known,
        Err(error) if error.is_retryable() => {
            output.note(&format!(
                "resource {resource} cannot be reached, so that --models is not compared with its models"
            ));
            return Ok(());
        }
        Err(error) => return Err(error).or_missing(RESOURCES),
    };
    let is_missing = |model: &&ModelName| !known.iter().any(|known| known.model == model.as_str());
    match models.iter().find(is_missing) {
        None => Ok(()),
        Some(model) => {
            let known = known.iter().map(|model| model.model.as_str());
            let near = nearest(model.as_str(), known);
            Err(Error::new(format!(
                "resource {resource} has no model {model}{near}"
            )))
        }
    }
}
