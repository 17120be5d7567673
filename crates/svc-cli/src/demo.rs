//! `svc demo`: a shop database that it makes, served with credentials that are made for this run.

mod dashboard;
mod folder;
mod pages;
mod random;
mod shop;
mod words;

use std::path::Path;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use svc_model::{EnvironmentName, ProjectName, ResourceName, Scope};
use svc_server::Server;
use svc_store::{NewApiKey, NewProject, NewResource, NewStaticToken, ProjectPatch, Secret, Store};

use self::{folder::Folder, shop::Shop};
use crate::{
    connect,
    context::{Context, place::Place},
    error::Error,
    output::shell_word,
    serve::{
        options::ServerOptions,
        ready::{Ready, ReadyResource},
        shutdown, start,
    },
};

#[cfg(feature = "console")]
use crate::serve::console;

/// The folder of the demo when none is named.
const DEFAULT_DIR: &str = "svc-demo";
const PROJECT: &str = "demo";
const RESOURCE: &str = "shop";
/// Whose API key it is.
const EMAIL: &str = "demo@example.com";
/// What the credentials are called, so that those of the run before are known.
const CREDENTIAL_NAME: &str = "svc demo";

/// Serve a demo shop, with fresh credentials and requests to paste
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc demo\n  \
    svc demo --listen 127.0.0.1:0 --json\n\n\
    The shop has about 100 000 orders. It is made in the folder svc-demo when it is not there yet, and keeps \
    what you change in it. Each start makes new credentials and ends those of the start before.")]
pub(crate) struct Demo {
    /// Remove what the demo made before, and make it again
    #[arg(long)]
    reset: bool,
    #[command(flatten)]
    options: ServerOptions,
}

impl Demo {
    /// Serves until it is stopped.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let options = self.options.or(&context.file);
        start::prepare_process(&options, &context.sources, "warn")?;
        if context.is_flag("store") {
            return Err(Error::usage(
                "svc demo keeps its store in its folder; leave --store out, or use svc serve",
            ));
        }
        let place = context.place.in_folder(&context.place.dir_or(DEFAULT_DIR));
        let folder = Folder::open(&place.dir_or(DEFAULT_DIR), self.reset)?;
        if !folder.has_shop()? {
            let locked = folder.lock()?;
            let visible = context.output.shows_progress();
            build_shop(&locked.unfinished_shop(), &folder.shop(), visible).await?;
        }
        let Some(_locked) = folder.try_lock()? else {
            return Err(already_running(&folder, &place).await);
        };
        let store = place.open(false).await?;
        prepare(&store, &folder.shop()).await?;
        let stop = shutdown::requested()?;
        let server = Server::bind(
            store.clone(),
            options.server_config(&context.sources, place.settings()),
        )
        .await?;
        #[cfg(feature = "console")]
        console::mount(&server);
        let ready = ready(&store, &server).await?;
        start::announce(&store, &server).await;
        context.output.result(&ready, &text(&ready, folder.dir()))?;
        Ok(server.run(stop).await?)
    }
}

/// Says where the demo runs that is at work in the folder. Its credentials stay as they are.
async fn already_running(folder: &Folder, place: &Place) -> Error {
    let dir = folder.dir().display();
    let address = match place.open(false).await {
        Ok(store) => store.service_address().await.ok().flatten(),
        Err(_) => None,
    };
    let at = match address {
        Some(at) => format!(" at {} (application host {})", at.base_url, at.app_base_url),
        None => ", and starts just now".to_owned(),
    };
    Error::new(format!(
        "svc demo is running in {dir} already{at}; use it, stop it first, or choose another folder with --dir"
    ))
}

/// Makes the shop in a file of its own, which gets its name when it is complete.
async fn build_shop(unfinished: &Path, shop: &Path, visible: bool) -> Result<(), Error> {
    let target = match visible {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let style =
        ProgressStyle::with_template("making the demo shop {bar:32} {pos}/{len} rows, {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(None, target).with_style(style);
    let made = shop::build(Shop::FULL, unfinished, shop, bar.clone()).await;
    bar.finish_and_clear();
    made
}

/// Brings project and resource into the store.
async fn prepare(store: &Store, shop: &Path) -> Result<(), Error> {
    let mut new = NewProject::new(PROJECT);
    new.name = Some("Demo shop".to_owned());
    new.owner = Some(EMAIL.to_owned());
    new.sign_up = true;
    let project = ProjectName::from(PROJECT);
    let projects = store.projects().list().await?;
    let scope = Scope::new(&project, EnvironmentName::default());
    let is_new = !projects.iter().any(|known| known.unique_name == project);
    if is_new {
        start::create_project(store, new).await?;
        pages::make(store, &scope).await?;
    } else {
        let mut patch = ProjectPatch::default();
        patch.sign_in.sign_up = Some(true);
        store.projects().update(&project, patch).await?;
    }
    let path = shop.to_str().ok_or_else(|| {
        let path = shop.display();
        Error::new(format!(
            "{path} is a path that is no UTF-8 text; choose another --dir"
        ))
    })?;
    let resource = NewResource::new(RESOURCE, connect::resolve(&format!("sqlite:{path}"))?);
    store.resources().replace(&scope, resource).await?;
    if is_new {
        dashboard::make(store, &scope, EMAIL).await?;
    }
    Ok(())
}

/// Makes new credentials, ends those of the runs before, and gathers the ready line.
async fn ready(store: &Store, server: &Server) -> Result<Ready, Error> {
    let scope = Scope::new(PROJECT, EnvironmentName::default());
    let is_old = |name: &Option<String>| name.as_deref() == Some(CREDENTIAL_NAME);
    for key in store.api_keys().list(&scope.project).await? {
        if key.revoked.is_none() && is_old(&key.name) {
            store.api_keys().revoke(&key.uid.to_string()).await?;
        }
    }
    for token in store.tokens().list(&scope).await? {
        if token.revoked.is_none() && is_old(&token.name) {
            store.tokens().revoke(&token.uid.to_string()).await?;
        }
    }
    let mut key = NewApiKey::new(&scope.project, EMAIL);
    key.name = Some(CREDENTIAL_NAME.to_owned());
    let api_key = store.api_keys().create(key).await?.secret;
    let token = async |resource: &str| -> Result<Option<Secret>, Error> {
        let mut new = NewStaticToken::new(&scope, resource);
        new.name = Some(CREDENTIAL_NAME.to_owned());
        Ok(Some(store.tokens().create(new).await?.secret))
    };
    let shop = ReadyResource {
        token: token(RESOURCE).await?,
    };
    let resources = [(RESOURCE.to_owned(), shop)].into();
    let tools_token = token(ResourceName::TOOLS).await?;
    Ok(Ready {
        app_base_url: server.app_base_url().to_owned(),
        base_url: server.base_url().to_owned(),
        project: scope.project,
        environment: scope.environment,
        api_key: Some(api_key),
        resources,
        tools_token,
        #[cfg(feature = "console")]
        console: Some(console::sign_in_link(store, server, EMAIL).await?),
        #[cfg(not(feature = "console"))]
        console: None,
    })
}

/// The text for people: where it is, the credentials, and requests that work when they are pasted.
fn text(ready: &Ready, dir: &Path) -> String {
    let shop = ready.resources.get(RESOURCE);
    let token = shop.and_then(|shop| shop.token.as_ref());
    let token = token.map_or("", Secret::expose);
    let key = ready.api_key.as_ref().map_or("", Secret::expose);
    let (project, environment) = (&ready.project, &ready.environment);
    let (base, app) = (&ready.base_url, &ready.app_base_url);
    let orders = format!("{base}/projects/{project}/{environment}/{RESOURCE}/models/orders");
    let pages = format!("{app}/projects/{project}/{environment}/view_settings/");
    format!(
        "The demo shop is being served. Ctrl-C stops it; the next start makes new credentials.\n\n{ready}\n\
         Paid orders, the dearest first:\n\
         curl -H \"Authorization: {token}\" \"{orders}?status=paid&_order_by=-total&_per_page=3\"\n\n\
         One order:\n\
         curl -H \"Authorization: {token}\" \"{orders}/1\"\n\n\
         A new order:\n\
         curl -X POST -H \"Authorization: {token}\" -H \"Content-Type: application/json\" \
         -d '{{\"customer_id\": 1, \"status\": \"pending\", \"total\": \"19.90\"}}' \"{orders}\"\n\n\
         A change of an order:\n\
         curl -X PATCH -H \"Authorization: {token}\" -H \"Content-Type: application/json\" \
         -d '{{\"note\": \"call before delivery\"}}' \"{orders}/1\"\n\n\
         The pages of the application, with the API key:\n\
         curl -H \"Authorization: Bearer {key}\" \"{pages}\"\n\n\
         The mails that it would send, such as invitations, with their links:\n\
         svc mail list --dir {dir}\n\n\
         With SQLite files of your own, which the console then connects as sqlite:/FOLDER/FILE:\n\
         svc demo --sqlite-dir FOLDER\n\n\
         For svc pages, svc records and the examples:\n\
         export SVC_API_BASE_URL={base} SVC_APP_BASE_URL={app} SVC_PROJECT={project} \
         SVC_ENVIRONMENT={environment} SVC_API_TOKEN={token} SVC_API_KEY={key}\n",
        ready = ready.to_text(),
        dir = shell_word(&dir.display().to_string()),
    )
}
