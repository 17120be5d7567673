//! `svc secret`: the secret tokens that the HTTP proxy puts into requests.

use clap::Subcommand;
use svc_model::ResourceName;
use svc_store::{ErrorKind, HostName, NewResource, NewSecretToken, Secret as Value, Store};

use super::scope::{ENVIRONMENTS, InEnvironment};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
    input::password,
    output::{row, time},
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
        scope: InEnvironment,
        /// Its value; better on standard input, since lists of processes show flags
        #[arg(long, value_name = "V", allow_hyphen_values = true)]
        value: Option<String>,
    },
    /// List the secret tokens of an environment, without their values
    #[command(after_help = "Example:\n  svc secret list --project main")]
    List(InEnvironment),
    /// Remove a secret token
    #[command(after_help = "Example:\n  svc secret remove token --resource crm --project main")]
    Remove {
        /// Its name
        name: String,
        /// The resource it belongs to
        #[arg(long, value_name = "R")]
        resource: ResourceName,
        #[command(flatten)]
        scope: InEnvironment,
    },
}

impl Secret {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Set {
                name,
                resource,
                host,
                scope,
                value,
            } => {
                let hosts = host.iter().map(|host| HostName::parse(host)).collect();
                let hosts: Result<Vec<HostName>, _> = hosts;
                let hosts = hosts.map_err(|error| Error::fields(error, NAMES))?;
                let value = match value {
                    Some(value) => Value::new(value),
                    None => password::read_unseen("Value: ", "value")?,
                };
                let new = NewSecretToken::new(&resource, &name, value, hosts.clone());
                if let Some(url) = set(&store, &scope, new).await? {
                    output.note(&format!("resource {resource} is new: an HTTP API at {url}"));
                }
                let hosts: Vec<&str> = hosts.iter().map(HostName::as_str).collect();
                let for_hosts = hosts.join(", ");
                output.result(
                    &row! { secret: &name, resource: &resource, hosts: hosts },
                    &format!("secret {name} of resource {resource} set, for {for_hosts}\n"),
                )
            }
            Self::List(scope) => {
                let tokens = store.secret_tokens();
                let tokens = tokens.list(&scope.names()).await;
                let listed = tokens.or_missing(ENVIRONMENTS)?.into_iter().map(|token| {
                    row! {
                        secret: token.name,
                        resource: token.resource,
                        hosts: token.hosts.iter().map(ToString::to_string).collect::<Vec<_>>(),
                        date_add: time(token.date_add),
                        date_update: time(token.date_update),
                    }
                });
                output.list(listed, "no secrets yet; svc secret set sets one")
            }
            Self::Remove {
                name,
                resource,
                scope,
            } => {
                let tokens = store.secret_tokens();
                let removed = tokens.remove(&scope.names(), &resource, &name).await;
                removed.or_missing(REMEDY)?;
                output.result(
                    &row! { secret: &name, resource: &resource },
                    &format!("secret {name} of resource {resource} removed\n"),
                )
            }
        }
    }
}

/// Sets a secret. Where its resource does not exist it is made, as an HTTP API at the first host, whose address is
/// returned.
async fn set(
    store: &Store,
    scope: &InEnvironment,
    new: NewSecretToken,
) -> Result<Option<String>, Error> {
    let secrets = store.secret_tokens();
    let scope = scope.names();
    let refused = |error| Error::fields(error, NAMES);
    match secrets.set(&scope, new.clone()).await {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        set => return set.map(|_| None).map_err(refused),
    }
    let host = new.hosts.first().map_or_else(String::new, HostName::in_url);
    let url = format!("https://{host}");
    let resource = NewResource::new(&new.resource, Value::new(url.clone()));
    let made = store.resources().create(&scope, resource).await;
    made.or_refused(ENVIRONMENTS, NAMES)?;
    secrets.set(&scope, new).await.map_err(refused)?;
    Ok(Some(url))
}
