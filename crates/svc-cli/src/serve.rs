//! `svc serve`: the service over the databases that are connected.

#[cfg(feature = "console")]
pub(crate) mod console;
mod logging;
mod open_files;
pub(crate) mod options;
pub(crate) mod ready;
pub(crate) mod shutdown;
pub(crate) mod sockets;
pub(crate) mod start;
#[cfg(unix)]
pub(crate) mod systemd;

use std::collections::BTreeMap;

use clap::Args;
use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope};
use svc_server::Server;
use svc_store::{NewApiKey, NewProject, NewResource, NewStaticToken, Secret, Store};

use self::{
    options::ServerOptions,
    ready::{Ready, ReadyResource},
};
use crate::{
    connect::{self, Connect},
    context::Context,
    error::Error,
};

/// The project of the databases that are connected here.
const PROJECT: &str = "main";

/// Serve the connected databases
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc serve --connect shop=sqlite:path/to/file.db\n  \
    svc serve --metrics-listen 127.0.0.1:9090 --rate-limit 50:200 --address-rate-limit 60/m\n  \
    svc serve --listen 0.0.0.0:8080 --public-url https://data.example.com --config svc.toml\n  \
    svc serve --listen 0.0.0.0:443 --tls-cert fullchain.pem --tls-key privkey.pem --http-redirect 0.0.0.0:80\n\n\
    Each --connect becomes, or updates, a resource of project main, environment prod. New credentials are \
    printed once. The configuration file has the same names: listen = \"0.0.0.0:8080\", and a table \
    [connect] with shop = \"sqlite:path/to/file.db\".")]
pub(crate) struct Serve {
    /// A database and its name; can be repeated. In SVC_CONNECT one on each line
    #[arg(long, value_name = "NAME=URL")]
    connect: Vec<String>,
    #[command(flatten)]
    options: ServerOptions,
}

impl Serve {
    /// Serves until it is stopped.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let options = self.options.or(&context.file);
        start::prepare_process(&options, &context.sources, "info")?;
        let sockets = sockets::passed()?;
        let connects = connect::gather(&self.connect, &options)?;
        let config = options.server_config(&context.sources, context.place.settings());
        let mut opened = Vec::new();
        for connect in &connects {
            let resource = connect::open_at_start(connect, config.resource_options()).await?;
            opened.extend(resource.map(|resource| (connect.url.clone(), resource)));
        }
        let store = context.store().await?;
        let project = prepare(&store, connects).await?;
        let stop = shutdown::requested()?;
        let server = Server::bind_with(store.clone(), config, sockets).await?;
        let scope = Scope::new(&project, EnvironmentName::default());
        #[cfg(feature = "console")]
        console::mount(&server);
        for (url, resource) in opened {
            server.adopt(&scope, &url, resource);
        }
        // Only now: a credential that is made before the address is had could get lost unseen.
        let ready = ready(&store, &server, project).await?;
        start::announce(&store, &server).await;
        let mut text = format!("svc is serving.\n\n{}\n", ready.to_text());
        if ready.resources.is_empty() {
            text += "No database is connected; svc resource add, or --connect NAME=sqlite:PATH, connects one.\n";
        }
        if ready.has_secrets() {
            text += "Keep the credentials: they are not shown again.\n";
        }
        context.output.result(&ready, &text)?;
        #[cfg(unix)]
        let stop = {
            systemd::watch(server.addresses())?;
            systemd::stopping(stop)
        };
        Ok(server.run(stop).await?)
    }
}

/// Brings the project and the resources into the store. The project is `main`, made when new; a store
/// that has other projects, and nothing to connect, is served as it is.
async fn prepare(store: &Store, connects: Vec<Connect>) -> Result<ProjectName, Error> {
    let projects = store.projects().list().await?.into_iter();
    let mut projects = projects.map(|project| project.unique_name);
    let main = ProjectName::from(PROJECT);
    let oldest = projects.next();
    let has_main = oldest.as_ref() == Some(&main) || projects.any(|project| project == main);
    match oldest {
        Some(oldest) if !has_main && connects.is_empty() => return Ok(oldest),
        _ if has_main => {}
        _ => start::create_project(store, NewProject::new(main.clone())).await?,
    }
    let scope = Scope::new(&main, EnvironmentName::default());
    for Connect { name, url, .. } in connects {
        let new = NewResource::new(name, url);
        let kept = store.resources().replace(&scope, new).await;
        kept.map_err(|error| Error::fields(error, &[("unique_name", "NAME of --connect")]))?;
    }
    Ok(main)
}

/// Makes what credentials the project never had, and gathers the ready line.
async fn ready(store: &Store, server: &Server, project: ProjectName) -> Result<Ready, Error> {
    // Of several services that start at once on a new store, one makes the credentials.
    let _exclusive = store.exclusive().await?;
    let scope = Scope::new(project, EnvironmentName::default());
    let tokens = store.tokens().list(&scope).await?;
    let first_token = async |resource: &ResourceName| -> Result<Option<Secret>, Error> {
        if tokens.iter().any(|token| token.grant.resource == *resource) {
            return Ok(None);
        }
        let new = NewStaticToken::new(&scope, resource);
        Ok(Some(store.tokens().create(new).await?.secret))
    };
    let mut resources = BTreeMap::new();
    let connected = store.resources().list(&scope).await?;
    for resource in connected
        .iter()
        .filter(|resource| resource.engine.is_database())
    {
        let token = first_token(&resource.unique_name).await?;
        resources.insert(resource.unique_name.to_string(), ReadyResource { token });
    }
    let tools_token = first_token(&ResourceName::from(ResourceName::TOOLS)).await?;
    let mut api_key = None;
    if store.api_keys().list(&scope.project).await?.is_empty() {
        let new = NewApiKey::new(
            &scope.project,
            store.projects().owner_email(&scope.project).await?,
        );
        api_key = Some(store.api_keys().create(new).await?.secret);
    }
    Ok(Ready {
        app_base_url: server.app_base_url().to_owned(),
        base_url: server.base_url().to_owned(),
        project: scope.project,
        environment: scope.environment,
        api_key,
        resources,
        tools_token,
        #[cfg(feature = "console")]
        console: console::first_run_link(store, server).await?,
        #[cfg(not(feature = "console"))]
        console: None,
    })
}
