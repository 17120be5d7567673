//! `svc resource`: the connected databases, and the HTTP APIs that the proxy calls.

mod params;

use std::time::Instant;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::value::RawValue;
use svc_model::ResourceName;
use svc_store::{Engine, NewResource, NewStaticToken, ResourcePatch, Secret, Store, url_hint};

use super::scope::{ENVIRONMENTS, InEnvironment, RESOURCES};
use crate::{
    connect,
    context::Context,
    error::{Error, OrJson as _, StoreResult as _},
    input,
    output::{Output, row, time},
};

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
}

impl Resource {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let output = &context.output;
        if let Self::Test { url } = &self {
            return test(output, &read_address(url)?).await;
        }
        let store = context.existing_store().await?;
        let resources = store.resources();
        match self {
            Self::Test { .. } => Ok(()),
            Self::Set {
                name,
                scope,
                changes,
            } => {
                set(output, &store, &name, &scope, changes).await?;
                let text = format!("resource {name} changed; its tokens stay\n");
                output.result(&row! { resource: &name }, &text)
            }
            Self::Add {
                name,
                url,
                scope,
                title,
                params,
            } => {
                let url = read_address(&url)?;
                let params = params.as_deref().map(params::read).transpose()?;
                let is_database = Engine::of_url(&url)?.is_database();
                if is_database {
                    connect::check(&name, &url).await?;
                    params::check(output, &name, &url, params.as_ref()).await?;
                }
                let mut new = NewResource::new(name.clone(), url);
                new.name = title;
                new.params = params.map(|params| params.text);
                let made = resources.create(&scope.names(), new).await;
                made.or_refused(ENVIRONMENTS, &[("unique_name", "NAME")])?;
                if !is_database {
                    let text = format!("resource {name} added, for svc secret set and svc proxy\n");
                    return output.result(&row! { resource: &name }, &text);
                }
                let token = NewStaticToken::new(scope.names(), &name);
                let made = store.tokens().create(token).await?;
                let secret = made.secret.expose();
                output.note(&format!(
                    "resource {name} connected; its token, which is not shown again:"
                ));
                let text = format!("{secret}\n");
                output.result(&row! { resource: &name, token: secret }, &text)
            }
            Self::List(scope) => {
                let scope = scope.names();
                let found = resources.list_with_hints(&scope).await;
                let mut listed = Vec::new();
                for (resource, url) in found.or_missing(ENVIRONMENTS)? {
                    // For people they would be too wide.
                    let params = output
                        .is_json()
                        .then(|| RawValue::from_string(resource.params));
                    let params = params.transpose().or_json("the settings of a resource")?;
                    listed.push(Listed {
                        resource: resource.unique_name,
                        name: resource.name,
                        r#type: resource.engine.as_str(),
                        url,
                        params,
                        date_add: time(resource.date_add),
                    });
                }
                output.list(listed, "no resources yet; svc resource add connects one")
            }
            Self::Remove { name, scope } => {
                let removed = resources.delete(&scope.names(), &name).await;
                removed.or_missing(RESOURCES)?;
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
    r#type: &'static str,
    /// Without its password; null when it cannot be opened any more.
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Box<RawValue>>,
    date_add: String,
}

/// The address that an argument gives, as the store keeps it.
fn read_address(argument: &str) -> Result<Secret, Error> {
    connect::resolve(input::read_text(argument)?.trim())
}

/// Gives a resource another address, title or settings.
async fn set(
    output: &Output,
    store: &Store,
    name: &ResourceName,
    scope: &InEnvironment,
    changes: Changes,
) -> Result<(), Error> {
    let scope = scope.names();
    let resources = store.resources();
    let params = changes.params.as_deref().map(params::read).transpose()?;
    let known = resources.list(&scope).await.or_missing(ENVIRONMENTS)?;
    let mut known = known.into_iter();
    let Some(old) = known.find(|resource| resource.unique_name == *name) else {
        return Err(Error::new(format!(
            "there is no resource {name} in this environment; {RESOURCES}"
        )));
    };
    let url = changes.url.as_deref().map(read_address).transpose()?;
    if let Some(url) = &url {
        let engine = Engine::of_url(url)?;
        if engine.is_database() != old.engine.is_database() {
            return Err(Error::usage(
                "--url: a database cannot become an HTTP API, nor the other way; add another resource",
            ));
        }
        if engine.is_database() {
            connect::check(name, url).await?;
        }
    }
    if old.engine.is_database() && params.is_some() {
        let asked = match &url {
            Some(url) => url.clone(),
            None => match resources.get(&scope, name).await {
                Ok(opened) => opened.url,
                Err(_) => {
                    return Err(Error::usage(format!(
                        "the address of resource {name} cannot be opened with the store's key; give it again with --url"
                    )));
                }
            },
        };
        params::check(output, name, &asked, params.as_ref()).await?;
    }
    let mut patch = ResourcePatch::default();
    patch.name = changes.title;
    patch.params = params.map(|params| params.text);
    patch.url = url;
    let changed = resources.update(&scope, name, patch).await;
    changed.map(drop).or_missing(RESOURCES)
}

/// Tries a database and keeps nothing.
async fn test(output: &Output, url: &Secret) -> Result<(), Error> {
    let engine = Engine::of_url(url)?;
    if !engine.is_database() {
        return Err(Error::usage(
            "only a database can be tried; svc proxy calls an HTTP API",
        ));
    }
    let begun = Instant::now();
    let models = connect::open("test", url).await?.structure().models().len();
    let milliseconds = begun.elapsed().as_millis();
    let address = url_hint(url);
    output.result(
        &row! { ok: true, engine: engine.as_str(), models: models, milliseconds: milliseconds },
        &format!("{address} answers: {models} tables and views, read in {milliseconds} ms\n"),
    )
}
