//! `svc token`: the static tokens of resources.

use clap::Subcommand;
use serde_json::{Value, json};
use svc_data::ErrorKind;
use svc_model::{EnvironmentName, ModelName, ProjectName, ResourceName, Scope};
use svc_store::{NewStaticToken, ResourceGrant, Rights, Store, TokenLimits};

use super::{
    credential::{Described, NewCredential, check_listed, write_list, write_new, write_revoked},
    rights::{known::nearest, parse_rights},
    scope::{ENVIRONMENTS, InEnvironment, RESOURCES},
};
use crate::{
    connect,
    context::Context,
    error::{Error, StoreResult as _},
    output::Output,
};

/// How the fields of a token are called here.
const NAMES: &[(&str, &str)] = &[
    ("rights", "--rights"),
    ("models", "--models"),
    ("expires", "--expires"),
];

impl Described for ResourceGrant {
    const COMMAND: &'static str = "svc token";
    const NOUN: (&'static str, &'static str) = ("a", "token");
    const OF: &'static str = "of resource";
    const COLUMN: &'static str = "resource";

    fn owner(&self) -> &str {
        self.resource.as_str()
    }

    fn further(&self, is_json: bool) -> Vec<(&'static str, Value)> {
        let limits = self.limits.as_ref();
        let models = limits.and_then(|limits| limits.models.as_ref());
        let [rights, models] = match is_json {
            true => {
                let rights = limits.map(|limits| limits.rights.words());
                [json!(rights), json!(models)]
            }
            false => {
                let rights = limits.map_or(Rights::ALL, |limits| limits.rights);
                let models = models.map(|models| {
                    let names: Vec<_> = models.iter().map(ModelName::as_str).collect();
                    names.join(", ")
                });
                let models = models.unwrap_or_else(|| "all".to_owned());
                [json!(rights.words().join(", ")), json!(models)]
            }
        };
        vec![("rights", rights), ("models", models)]
    }
}

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
        #[arg(long, value_name = "MODEL,...", value_delimiter = ',')]
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

impl Token {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let (tokens, output) = (store.tokens(), &context.output);
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
                    check_models(output, &store, &scope, &resource, models).await?;
                }
                let limits = TokenLimits::new(rights.unwrap_or(Rights::ALL), models);
                let mut token = NewStaticToken::new(scope, &resource).limited(limits);
                token.expires = new.expires;
                token.name = new.name;
                let made = tokens.create(token).await;
                write_new(output, &made.or_refused(RESOURCES, NAMES)?)
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

/// Refuses a model that the resource does not have: the token would do less than it was made for. A database that cannot be
/// reached is not asked.
async fn check_models(
    output: &Output,
    store: &Store,
    scope: &Scope,
    resource: &ResourceName,
    models: &[ModelName],
) -> Result<(), Error> {
    let database = if resource.as_str() == ResourceName::TOOLS {
        store.tools(scope).await.or_missing(ENVIRONMENTS)?
    } else {
        let found = store.resources().get(scope, resource).await;
        let found = found.or_missing(RESOURCES)?;
        if !found.resource.engine.is_database() {
            return Err(Error::usage(format!(
                "--models: resource {resource} is an HTTP API, which has no models"
            )));
        }
        match connect::open(resource.as_str(), &found.url).await {
            Ok(database) => database,
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                output.note(&format!(
                    "resource {resource} cannot be reached, so that --models is not compared with its models"
                ));
                return Ok(());
            }
            Err(error) => return Err(Error::new(format!("resource {resource}: {error}"))),
        }
    };
    let structure = database.structure();
    let is_missing = |model: &&ModelName| structure.model(model.as_str()).is_none();
    match models.iter().find(is_missing) {
        None => Ok(()),
        Some(model) => {
            let known = structure.models().map(|model| model.name.as_str());
            let near = nearest(model.as_str(), known);
            Err(Error::new(format!(
                "resource {resource} has no model {model}{near}"
            )))
        }
    }
}
