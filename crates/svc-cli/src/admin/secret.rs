//! `svc secret`: the secret tokens that the HTTP proxy puts into requests.

use clap::Subcommand;
use svc_api::model::administration::{resources::NewResource, secrets::NewSecret};
use svc_model::{ResourceName, Scope};
use svc_store::HostName;

use super::{
    scope::{ENVIRONMENTS, InEnvironment},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
};
use crate::{
    context::Context,
    error::Error,
    input::password,
    output::{answered_time, row},
};

/// How the fields of a secret are called here.
const NAMES: &[(&str, &str)] = &[
    ("name", "NAME"),
    ("value", "--value"),
    ("host", "--host"),
    ("hosts", "--host"),
    ("url", "--host"),
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

impl Command for Secret {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let output = &context.output;
        match self {
            Self::Set {
                name,
                resource,
                host,
                scope,
                value,
            } => {
                let value = match value {
                    Some(value) => value,
                    None => password::read_unseen("Value: ", "value")?
                        .expose()
                        .to_owned(),
                };
                let mut new = NewSecret::new(&resource, &name, "", value);
                new.hosts = host;
                let (hosts, new_resource) = set(&service, &scope.names(), new).await?;
                if let Some(url) = new_resource {
                    output.note(&format!("resource {resource} is new: an HTTP API at {url}"));
                }
                let for_hosts = hosts.join(", ");
                output.result(
                    &row! { secret: &name, resource: &resource, hosts: hosts },
                    &format!("secret {name} of resource {resource} set, for {for_hosts}\n"),
                )
            }
            Self::List(scope) => {
                let list = service.environment(&scope.names())?.secrets().list();
                let secrets = all(list.order_by("resource").order_by("name")).await;
                let listed = secrets.or_missing(ENVIRONMENTS)?.into_iter().map(|secret| {
                    row! {
                        secret: secret.name,
                        resource: secret.resource,
                        hosts: secret.hosts,
                        date_add: answered_time(&secret.date_add),
                        date_update: answered_time(&secret.date_update),
                    }
                });
                output.list(listed, "no secrets yet; svc secret set sets one")
            }
            Self::Remove {
                name,
                resource,
                scope,
            } => {
                let secrets = service.environment(&scope.names())?.secrets();
                let removed = secrets.delete(&resource, &name).await;
                removed.or_missing(REMEDY)?;
                output.result(
                    &row! { secret: &name, resource: &resource },
                    &format!("secret {name} of resource {resource} removed\n"),
                )
            }
        }
    }
}

/// Sets a secret; gives its hosts. Where its resource does not exist it is made, as an HTTP API at the first host, whose
/// address is returned too.
async fn set(
    service: &Service,
    scope: &Scope,
    new: NewSecret,
) -> Result<(Vec<String>, Option<String>), Error> {
    let administration = service.environment(scope)?;
    let secrets = administration.secrets();
    match secrets.set(new.clone()).await {
        Err(error) if error.is_not_found() => {}
        set => {
            let set = set.or_refused(ENVIRONMENTS, NAMES)?;
            return Ok((set.hosts, None));
        }
    }
    let first = new.hosts.first().map_or("", String::as_str);
    let first = HostName::parse(first).map_err(|error| Error::fields(error, NAMES))?;
    let url = format!("https://{}", first.in_url());
    let resource = NewResource::new(&new.resource, url.clone());
    let made = administration.resources().create(resource).await;
    made.or_refused(ENVIRONMENTS, NAMES)?;
    let set = secrets.set(new).await.or_refused(ENVIRONMENTS, NAMES)?;
    Ok((set.hosts, Some(url)))
}
