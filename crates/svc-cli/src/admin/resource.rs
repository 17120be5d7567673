//! `svc resource`: the connected databases, and the HTTP APIs that the proxy calls.

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value};
use svc_api::model::administration::{
    SecretUrl,
    resources::{NewResource, ResourcePatch, TestOutcome},
};
use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope};
use svc_store::{Secret, url_hint};

use super::{
    scope::{ENVIRONMENTS, InEnvironment, RESOURCES},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
};
use crate::{
    connect,
    context::Context,
    error::Error,
    input,
    output::{Output, answered_time, row},
};

/// How the fields of a resource are called here.
const NAMES: &[(&str, &str)] = &[
    ("unique_name", "NAME"),
    ("url", "URL"),
    ("params", "--params"),
];

/// Connect, change, try, list and remove databases
#[derive(Subcommand)]
pub(crate) enum Resource {
    /// Connect a database, and print a token that opens it; the token is printed once
    #[command(after_help = "Examples:\n  \
        svc resource add shop sqlite:path/to/file.db --project crm\n  \
        svc resource add mail https://api.mail.example --project crm\n\n\
        An https:// address is an HTTP API, which has secrets and no records, and gets no token.")]
    Add {
        /// Its name in paths: a-z, 0-9, - and _
        name: ResourceName,
        /// Its address: sqlite:PATH, or https://HOST; with a password in it, better @FILE, or - for standard input
        url: String,
        #[command(flatten)]
        scope: InEnvironment,
        /// Its name for people
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
        /// Its settings, a JSON object; @FILE reads a file, - standard input
        #[arg(long, value_name = "JSON")]
        params: Option<String>,
        /// Keep the address although the database cannot be reached now
        #[arg(long)]
        unchecked: bool,
    },
    /// Change the address, the title or the settings of a resource; its tokens stay
    #[command(after_help = "Examples:\n  \
        svc resource set shop --url @new-url.txt --project crm\n  \
        svc resource set shop --title 'The shop' --project crm\n  \
        svc resource set shop --params '{\"functions\": [\"public.restock\"], \"labels\": {\"orders\": [\"number\"]}}' --project crm\n\n\
        The settings replace all that were there: functions that svc functions call may call, and the fields that name a \
        record of a model.\n\n\
        A running service uses the new address and settings within a second. An HTTP API that gets another address loses its \
        secrets: they were set for the one before.")]
    Set {
        /// Its name in paths
        name: ResourceName,
        #[command(flatten)]
        scope: InEnvironment,
        #[command(flatten)]
        changes: Changes,
    },
    /// Try a database: connect, read its structure, and keep nothing
    #[command(after_help = "Examples:\n  \
        svc resource test sqlite:path/to/file.db\n  \
        svc resource test @url.txt --json")]
    Test {
        /// Its address: sqlite:PATH, postgres://..., mysql://...; with a password in it, better @FILE, or - for
        /// standard input
        url: String,
        /// Project whose administrator tries it; a running service may ask for that
        #[arg(long, value_name = "P", default_value = "main")]
        project: ProjectName,
        /// Environment of the project
        #[arg(long, value_name = "E", default_value = EnvironmentName::PROD)]
        env: EnvironmentName,
    },
    /// List the connected databases of an environment, with their addresses without passwords
    #[command(after_help = "Example:\n  svc resource list --project crm")]
    List(InEnvironment),
    /// Disconnect a database; its tokens end, its data stays where it is
    #[command(after_help = "Example:\n  svc resource remove shop --project crm")]
    Remove {
        /// Its name in paths
        name: ResourceName,
        #[command(flatten)]
        scope: InEnvironment,
    },
}

/// What of a resource is changed.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Changes {
    /// Its new address; with a password in it, better @FILE, or - for standard input
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Its new name for people
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Its new settings, a JSON object; @FILE reads a file, - standard input
    #[arg(long, value_name = "JSON")]
    params: Option<String>,
    /// Keep the address or the settings although the database cannot be reached now
    #[arg(long)]
    unchecked: bool,
}

impl Command for Resource {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::Add {
                name,
                url,
                scope,
                title,
                params,
                unchecked,
            } => {
                let service = at.connect(context).await?;
                let url = Address::read(&url, service.is_of_store())?;
                let mut new = NewResource::new(&name, url.text);
                new.name = title;
                new.params = params.as_deref().map(input::read_object).transpose()?;
                new.unchecked = Some(unchecked);
                add(output, &service, &scope.names(), new, &url.hint).await
            }
            Self::Set {
                name,
                scope,
                changes,
            } => {
                let service = at.connect(context).await?;
                set(&service, &name, &scope.names(), changes).await?;
                let text = format!("resource {name} changed; its tokens stay\n");
                output.result(&row! { resource: &name }, &text)
            }
            Self::Test { url, project, env } => {
                let (url, outcome) = match at.running(context)? {
                    None => {
                        let url = Address::read(&url, true)?;
                        let outcome = svc_server::test_resource(&url.secret()).await;
                        (url, outcome.map_err(|error| Error::fields(error, NAMES))?)
                    }
                    Some(_) => {
                        let service = at.connect(context).await?;
                        let url = Address::read(&url, false)?;
                        let resources = service
                            .environment(&Scope::new(&project, &env))?
                            .resources();
                        let outcome = resources.test(url.text.clone()).await;
                        (url, outcome.or_refused(ENVIRONMENTS, NAMES)?)
                    }
                };
                write_outcome(output, &url.hint, &outcome)
            }
            Self::List(scope) => {
                let service = at.connect(context).await?;
                let list = service.environment(&scope.names())?.resources().list();
                let resources = all(list.order_by("date_add")).await;
                let listed = resources.or_missing(ENVIRONMENTS)?.into_iter();
                let listed = listed.map(|resource| Listed {
                    resource: resource.unique_name,
                    name: resource.name,
                    r#type: resource.type_item,
                    url: resource.url_hint,
                    // For people they would be too wide.
                    params: output.is_json().then_some(resource.params),
                    date_add: answered_time(&resource.date_add),
                });
                output.list(listed, "no resources yet; svc resource add connects one")
            }
            Self::Remove { name, scope } => {
                let service = at.connect(context).await?;
                let resources = service.environment(&scope.names())?.resources();
                resources.delete(&name).await.or_missing(RESOURCES)?;
                let text = format!("resource {name} disconnected\n");
                output.result(&row! { resource: &name }, &text)
            }
        }
    }
}

/// A resource of the list.
#[derive(Serialize)]
struct Listed {
    resource: ResourceName,
    name: String,
    r#type: String,
    /// Without its password; null when it cannot be opened any more.
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Map<String, Value>>,
    date_add: String,
}

/// The address of a database or of an HTTP API.
struct Address {
    text: SecretUrl,
    /// The same without a password, for messages.
    hint: String,
}

impl Address {
    /// Reads an address. Where the store is here, the path of a file becomes absolute; otherwise it is one of the machine on
    /// which the service runs.
    fn read(argument: &str, is_here: bool) -> Result<Self, Error> {
        let text = input::read_text(argument)?;
        let text = match is_here {
            true => connect::resolve(text.trim())?,
            false => Secret::new(text.trim()),
        };
        Ok(Self {
            hint: url_hint(&text),
            text: SecretUrl::from(text.expose()),
        })
    }

    fn secret(&self) -> Secret {
        Secret::new(self.text.expose())
    }
}

async fn add(
    output: &Output,
    service: &Service,
    scope: &Scope,
    new: NewResource,
    hint: &str,
) -> Result<(), Error> {
    let name = new.unique_name.clone();
    let made = service.environment(scope)?.resources().create(new).await;
    let made = made.or_refused(ENVIRONMENTS, &with_url(hint))?;
    let Some(token) = made.token else {
        let text = format!("resource {name} added, for svc secret set and svc proxy\n");
        return output.result(&row! { resource: &name }, &text);
    };
    let token = token.expose();
    output.note(&format!(
        "resource {name} connected; its token, which is not shown again:"
    ));
    let result = row! { resource: &name, token: token };
    output.result(&result, &format!("{token}\n"))
}

/// Gives a resource another address, title or settings.
async fn set(
    service: &Service,
    name: &ResourceName,
    scope: &Scope,
    changes: Changes,
) -> Result<(), Error> {
    if changes.unchecked && changes.url.is_none() && changes.params.is_none() {
        return Err(Error::usage(
            "--unchecked is for --url and --params; name one of them",
        ));
    }
    let resources = service.environment(scope)?.resources();
    let url = changes.url.as_deref();
    let url = url
        .map(|url| Address::read(url, service.is_of_store()))
        .transpose()?;
    let mut patch = ResourcePatch::new();
    patch.name = changes.title;
    patch.params = changes
        .params
        .as_deref()
        .map(input::read_object)
        .transpose()?;
    patch.unchecked = changes.unchecked.then_some(true);
    let (text, hint) = url.map(|url| (url.text, url.hint)).unzip();
    patch.url = text;
    let changed = resources.update(name, patch).await;
    let hint = hint.unwrap_or_default();
    changed.map(drop).or_refused(RESOURCES, &with_url(&hint))
}

/// How the fields of a resource are called where its address is this one.
fn with_url(hint: &str) -> Vec<(&str, &str)> {
    let named = NAMES.iter().copied();
    named
        .map(|(field, name)| (field, if field == "url" { hint } else { name }))
        .collect()
}

/// Writes what came of a test; a database that cannot be used is a failure.
fn write_outcome(output: &Output, hint: &str, outcome: &TestOutcome) -> Result<(), Error> {
    if !outcome.ok {
        let reason = outcome.reason.as_deref().unwrap_or("it cannot be used");
        return Err(Error::new(format!("{hint}: {reason}")));
    }
    let (models, milliseconds) = (
        outcome.models.unwrap_or(0),
        outcome.milliseconds.unwrap_or(0),
    );
    output.result(
        outcome,
        &format!("{hint} answers: {models} tables and views, read in {milliseconds} ms\n"),
    )
}
