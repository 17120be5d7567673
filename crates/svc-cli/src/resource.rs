//! `svc resource`: the connected databases, and the HTTP APIs that the proxy calls.

use clap::Subcommand;
use serde::Serialize;
use svc_model::ResourceName;
use svc_store::{Engine, NewResource, NewStaticToken};

use crate::{
    connect, context::Context, environment, failure::Failure, output::time, place::InEnvironment,
};

/// How to see which resources there are.
pub(crate) const REMEDY: &str = "svc resource list --project P --env E shows the resources";

/// Connect, list and remove databases
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
    /// List the connected databases of an environment, without their addresses
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

#[derive(Serialize)]
struct Listed {
    resource: ResourceName,
    name: String,
    r#type: &'static str,
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
        let store = context.existing_store().await?;
        let output = &context.output;
        match self {
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
                    .map_err(|error| Failure::missing(error, environment::REMEDY))?;
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
                    .map_err(|error| Failure::missing(error, environment::REMEDY))?;
                let listed = resources.into_iter().map(|resource| Listed {
                    resource: resource.unique_name,
                    name: resource.name,
                    r#type: resource.engine.as_str(),
                    date_add: time(resource.date_add),
                });
                output.list(listed, "no resources yet; svc resource add connects one")
            }
            Self::Remove { name, place } => {
                store
                    .resources()
                    .delete(&place.project, &place.env, &name)
                    .await
                    .map_err(|error| Failure::missing(error, REMEDY))?;
                output.result(
                    &Named { resource: &name },
                    &format!("resource {name} disconnected\n"),
                )
            }
        }
    }
}
