//! `svc resource`: the connected databases, and the HTTP APIs that the proxy calls.

mod hint;

use std::time::Instant;

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_data::{Resource as Database, ResourceOptions, ResourceUrl};
use svc_model::{EnvironmentName, ProjectName, ResourceName};
use svc_store::{ConnectedResource, Engine, NewResource, NewStaticToken, Secret, Store};

use crate::{
    admin::scope::{ENVIRONMENTS, InEnvironment, RESOURCES},
    connect,
    context::Context,
    failure::Failure,
    output::time,
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
        place: InEnvironment,
        /// Its name for people
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
    },
    /// Change the address or the title of a resource; its tokens stay
    #[command(after_help = "Examples:\n  \
        svc resource set shop --url @new-url.txt --project crm\n  \
        svc resource set shop --title 'The shop' --project crm\n\n\
        A running service uses the new address within a second. An HTTP API that gets another address loses its \
        secrets: they were set for the one before.")]
    Set {
        /// Its name in paths
        name: ResourceName,
        #[command(flatten)]
        place: InEnvironment,
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
    List {
        #[command(flatten)]
        place: InEnvironment,
    },
    /// Disconnect a database; its tokens end, its data stays where it is
    #[command(after_help = "Example:\n  svc resource remove shop --project crm")]
    Remove {
        /// Its name in paths
        name: ResourceName,
        #[command(flatten)]
        place: InEnvironment,
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
}

#[derive(Serialize)]
struct Tried {
    ok: bool,
    engine: &'static str,
    models: usize,
    milliseconds: u128,
}

#[derive(Serialize)]
struct Listed {
    resource: ResourceName,
    name: String,
    r#type: &'static str,
    /// The address without its password; `None` when it cannot be opened any more.
    url: Option<String>,
    date_add: String,
}

#[derive(Serialize)]
struct Made<'a> {
    resource: &'a ResourceName,
    token: &'a str,
}

#[derive(Serialize)]
struct Named<'a> {
    resource: &'a ResourceName,
}

impl Resource {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        if let Self::Test { url } = &self {
            return test(context, url).await;
        }
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
            Self::Test { .. } => Ok(()),
            Self::Set {
                name,
                place,
                changes,
            } => {
                set(&store, &name, &place, changes).await?;
                output.result(
                    &Named { resource: &name },
                    &format!("resource {name} changed; its tokens stay\n"),
                )
            }
            Self::Add {
                name,
                url,
                place,
                title,
            } => {
                let url = connect::resolve(crate::input::read_text(&url)?.trim())?;
                let is_database = Engine::of_url(&url)?.is_database();
                if is_database {
                    connect::check(&name, &url).await?;
                }
                let mut new = NewResource::new(name.clone(), url);
                new.name = title;
                store
                    .resources()
                    .create(&place.project, &place.env, new)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                if !is_database {
                    let text = format!("resource {name} added, for svc secret set and svc proxy\n");
                    return output.result(&Named { resource: &name }, &text);
                }
                let token = NewStaticToken::new(&place.project, &place.env, &name);
                let made = store.tokens().create(token).await?;
                let secret = made.secret.expose();
                output.note(&format!(
                    "resource {name} connected; its token, which is not shown again:"
                ));
                output.result(
                    &Made {
                        resource: &name,
                        token: secret,
                    },
                    &format!("{secret}\n"),
                )
            }
            Self::List { place } => {
                let resources = store
                    .resources()
                    .list(&place.project, &place.env)
                    .await
                    .map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
                let mut listed = Vec::with_capacity(resources.len());
                for resource in resources {
                    let name = &resource.unique_name;
                    let known = store.resources();
                    let opened = known.get(&place.project, &place.env, name).await;
                    listed.push(Listed {
                        url: opened.ok().map(|opened| hint::of_url(&opened.url)),
                        resource: resource.unique_name,
                        name: resource.name,
                        r#type: resource.engine.as_str(),
                        date_add: time(resource.date_add),
                    });
                }
                output.list(listed, "no resources yet; svc resource add connects one")
            }
            Self::Remove { name, place } => {
                store
                    .resources()
                    .delete(&place.project, &place.env, &name)
                    .await
                    .map_err(|error| Failure::missing(error, RESOURCES))?;
                output.result(
                    &Named { resource: &name },
                    &format!("resource {name} disconnected\n"),
                )
            }
        }
    }
}

/// Gives a resource another address or title.
async fn set(
    store: &Store,
    name: &ResourceName,
    place: &InEnvironment,
    changes: Changes,
) -> Result<(), Failure> {
    let InEnvironment { project, env } = place;
    let old = existing(store, project, env, name).await?;
    let url = match changes.url {
        None => match old.opened {
            Some(opened) => opened.url,
            None => {
                return Err(Failure::usage(format!(
                    "the address of resource {name} cannot be opened with the store's key; give it again with --url"
                )));
            }
        },
        Some(url) => {
            let url = connect::resolve(crate::input::read_text(&url)?.trim())?;
            let engine = Engine::of_url(&url)?;
            if engine.is_database() != old.engine.is_database() {
                return Err(Failure::usage(
                    "--url: a database cannot become an HTTP API, nor the other way; add another resource",
                ));
            }
            if engine.is_database() {
                connect::check(name, &url).await?;
            }
            url
        }
    };
    let mut new = NewResource::new(name.clone(), url);
    new.name = changes.title;
    store.resources().replace(project, env, new).await?;
    Ok(())
}

/// A resource that is there.
struct Existing {
    engine: Engine,
    /// `None` when its address cannot be opened any more.
    opened: Option<ConnectedResource>,
}

async fn existing(
    store: &Store,
    project: &ProjectName,
    env: &EnvironmentName,
    name: &ResourceName,
) -> Result<Existing, Failure> {
    let resources = store.resources().list(project, env).await;
    let resources = resources.map_err(|error| Failure::missing(error, ENVIRONMENTS))?;
    let found = resources
        .into_iter()
        .find(|resource| resource.unique_name == *name)
        .ok_or_else(|| {
            Failure::new(format!(
                "there is no resource {name} in this environment; {RESOURCES}"
            ))
        })?;
    Ok(Existing {
        engine: found.engine,
        opened: store.resources().get(project, env, name).await.ok(),
    })
}

/// Tries a database and keeps nothing.
async fn test(context: &Context, url: &str) -> Result<(), Failure> {
    let url: Secret = connect::resolve(crate::input::read_text(url)?.trim())?;
    let engine = Engine::of_url(&url)?;
    if !engine.is_database() {
        return Err(Failure::usage(
            "only a database can be tried; svc proxy calls an HTTP API",
        ));
    }
    let begun = Instant::now();
    let address: ResourceUrl = url.expose().parse()?;
    let connected = Database::connect("test", &address, ResourceOptions::default()).await;
    let models = connected?.structure().models().len();
    let tried = Tried {
        ok: true,
        engine: engine.as_str(),
        models,
        milliseconds: begun.elapsed().as_millis(),
    };
    let text = format!(
        "{} answers: {models} tables and views, read in {} ms\n",
        hint::of_url(&url),
        tried.milliseconds
    );
    context.output.result(&tried, &text)
}
