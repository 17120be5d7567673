//! `svc secret`: the secret tokens that the HTTP proxy puts into requests.

use clap::Subcommand;
use serde::Serialize;
use svc_model::ResourceName;
use svc_store::{
    ErrorKind, HostName, NewResource, NewSecretToken, Secret as Value, SecretToken, Store,
};

use crate::{
    admin::scope::{ENVIRONMENTS, InEnvironment},
    context::Context,
    failure::Failure,
    input::password,
    output::time,
};

/// How the fields of a secret are called here.
const NAMES: &[(&str, &str)] = &[
    ("name", "NAME"),
    ("value", "--value"),
    ("host", "--host"),
    ("unique_name", "--resource"),
];
/// How to see which secrets there are.
const REMEDY: &str = "svc secret list --project P --env E shows the secrets";

/// Set, list and remove secret tokens for the HTTP proxy
#[derive(Subcommand)]
pub(crate) enum Secret {
    /// Set a secret token, which the HTTP proxy puts in the place of {-NAME-}; it is never shown again
    #[command(after_help = "Examples:\n  \
        svc secret set token --resource crm --host api.crm.example --project main\n  \
        svc secret set token --resource crm --host api.crm.example --project main < token.txt\n\n\
        The value is typed unseen, or is the first line of standard input. It is sent to the named hosts and to no \
        other. A resource that does not exist yet is made, as an HTTP API at the first host; another address of the \
        resource later removes its secrets.")]
    Set {
        /// Its name: letters, digits, _, - and .
        name: String,
        /// The resource it belongs to; teams that may read it can use the secret
        #[arg(long, value_name = "R")]
        resource: ResourceName,
        /// Host that it may be sent to, without scheme and port; can be repeated
        #[arg(long, value_name = "HOST", required = true)]
        host: Vec<String>,
        #[command(flatten)]
        place: InEnvironment,
        /// Its value; better on standard input, since lists of processes show flags
        #[arg(long, value_name = "V", allow_hyphen_values = true)]
        value: Option<String>,
    },
    /// List the secret tokens of an environment, without their values
    #[command(after_help = "Example:\n  svc secret list --project main")]
    List {
        #[command(flatten)]
        place: InEnvironment,
    },
    /// Remove a secret token
    #[command(after_help = "Example:\n  svc secret remove token --resource crm --project main")]
    Remove {
        /// Its name
        name: String,
        /// The resource it belongs to
        #[arg(long, value_name = "R")]
        resource: ResourceName,
        #[command(flatten)]
        place: InEnvironment,
    },
}

/// A secret token as lists show it.
#[derive(Serialize)]
struct Listed {
    secret: String,
    resource: ResourceName,
    hosts: Vec<String>,
    date_add: String,
    date_update: String,
}

impl From<SecretToken> for Listed {
    fn from(token: SecretToken) -> Self {
        Self {
            secret: token.name,
            resource: token.resource,
            hosts: token.hosts.iter().map(ToString::to_string).collect(),
            date_add: time(token.date_add),
            date_update: time(token.date_update),
        }
    }
}

#[derive(Serialize)]
struct Set<'a> {
    secret: &'a str,
    resource: &'a ResourceName,
    hosts: Vec<&'a str>,
}

#[derive(Serialize)]
struct Removed<'a> {
    secret: &'a str,
    resource: &'a ResourceName,
}

impl Secret {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Set {
                name,
                resource,
                host,
                place,
                value,
            } => {
                let hosts = host.iter().map(|host| HostName::parse(host));
                let hosts: Vec<HostName> = hosts
                    .collect::<Result<_, _>>()
                    .map_err(|error| Failure::fields(error, NAMES))?;
                let value = match value {
                    Some(value) => Value::new(value),
                    None => password::read_secret()?,
                };
                let new = NewSecretToken::new(&resource, &name, value, hosts.clone());
                let made = set(&store, &place, new).await?;
                if let Some(url) = made {
                    output.note(&format!("resource {resource} is new: an HTTP API at {url}"));
                }
                let hosts: Vec<&str> = hosts.iter().map(HostName::as_str).collect();
                let text = format!(
                    "secret {name} of resource {resource} set, for {}\n",
                    hosts.join(", ")
                );
                let set = Set {
                    secret: &name,
                    resource: &resource,
                    hosts,
                };
                output.result(&set, &text)
            }
            Self::List { place } => {
                let tokens = store
                    .secret_tokens()
                    .list(&place.project, &place.env)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                output.list(
                    tokens.into_iter().map(Listed::from),
                    "no secrets yet; svc secret set sets one",
                )
            }
            Self::Remove {
                name,
                resource,
                place,
            } => {
                store
                    .secret_tokens()
                    .remove(&place.project, &place.env, &resource, &name)
                    .await
                    .map_err(|error| Failure::missing(error, REMEDY))?;
                let removed = Removed {
                    secret: &name,
                    resource: &resource,
                };
                let text = format!("secret {name} of resource {resource} removed\n");
                output.result(&removed, &text)
            }
        }
    }
}

/// Sets a secret. Where its resource does not exist it is made, as an HTTP API at the first host, whose address is
/// given.
async fn set(
    store: &Store,
    place: &InEnvironment,
    new: NewSecretToken,
) -> Result<Option<String>, Failure> {
    let secrets = store.secret_tokens();
    let (project, env) = (&place.project, &place.env);
    match secrets.set(project, env, new.clone()).await {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        set => {
            set.map_err(|error| Failure::fields(error, NAMES))?;
            return Ok(None);
        }
    }
    let host = new.hosts.first().map_or_else(String::new, HostName::in_url);
    let url = format!("https://{host}");
    let resource = NewResource::new(&new.resource, Value::new(url.clone()));
    let made = store.resources().create(project, env, resource).await;
    made.map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::missing(error, ENVIRONMENTS),
        _ => Failure::fields(error, NAMES),
    })?;
    let set = secrets.set(project, env, new).await;
    set.map_err(|error| Failure::fields(error, NAMES))?;
    Ok(Some(url))
}
