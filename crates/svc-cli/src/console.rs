//! `svc console`: the console for a service elsewhere, which it calls over the network.

mod elsewhere;
mod hosts;
mod sessions;

use std::{sync::Arc, time::Duration};

use clap::Args;
use serde::Serialize;
use svc_api::{Client, transport::HyperTransport, wire::Transport};
use svc_server::ConsoleServer;
use svc_store::SealKey;

use self::{elsewhere::Elsewhere, hosts::Hosts, sessions::Sessions};
#[cfg(unix)]
use crate::serve::systemd;
use crate::{
    context::Context,
    error::Error,
    serve::{options::console::ConsoleOptions, shutdown, sockets, start},
};

/// The folder of the key when none is named.
const DEFAULT_DIR: &str = "svc-console";
/// The key in it.
const KEY_FILE: &str = "console.key";
/// How long a connection to the service may take. A page tries a few times, and says within ten seconds that it failed.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the service may pause in a long answer.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the service may take to say that it is one.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Serve the console of a service elsewhere
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc console --app-base-url https://data.example.com/api\n  \
    svc console --app-base-url https://data.example.com/api --listen 0.0.0.0:8443 --tls-cert fullchain.pem \
    --tls-key privkey.pem --public-url https://console.example.com\n\n\
    It needs no store. Sessions are kept by the browsers, sealed with the key in the file console.key of the folder \
    --dir (./svc-console when not given), which is made at the first start; who loses it signs in again. The service should \
    have the address of this machine among its --trusted-proxies, so that it counts tries of each browser and not of all \
    together.")]
pub(crate) struct Console {
    /// Application host of the service, which ends in /api
    #[arg(long, value_name = "URL", env = "SVC_APP_BASE_URL")]
    app_base_url: String,
    /// Data host of the service [default: the application host's URL without /api]
    #[arg(long, value_name = "URL", env = "SVC_API_BASE_URL")]
    api_base_url: Option<String>,
    #[command(flatten)]
    options: ConsoleOptions,
}

/// What it says once it accepts connections.
#[derive(Serialize)]
struct Ready {
    /// The console, for people.
    console_url: String,
    /// The application host of the service.
    app_base_url: String,
}

impl Console {
    /// Serves until it is stopped.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let options = self.options.or(&context.file);
        start::prepare_process(&options, &context.sources, "info")?;
        if context.is_flag("store") {
            return Err(Error::usage(
                "svc console has no store, but a key in the folder --dir; leave --store out",
            ));
        }
        let hosts = Hosts::new(&self.app_base_url, self.api_base_url.as_deref())?;
        hosts.warn_when_readable();
        let sockets = sockets::passed()?;
        let key = key(context)?;
        let place = context.place.in_folder(&context.place.dir_or(DEFAULT_DIR));
        let config = options.server_config(&context.sources, place.settings());
        let transport = transport()?;
        let stop = shutdown::requested()?;
        let server = ConsoleServer::bind(config, sockets).await?;
        let sessions = Sessions::new(key, Arc::clone(&transport), hosts.app.clone());
        let client = client(&hosts, &transport)?;
        let ready = Ready {
            console_url: server.console_url(),
            app_base_url: hosts.app.to_string(),
        };
        let service = Elsewhere::new(hosts, transport, sessions, server.browsers());
        let console = Arc::new(svc_console::Console::new(service));
        let text = format!(
            "The console of {} is at {}\n",
            ready.app_base_url, ready.console_url
        );
        context.output.result(&ready, &text)?;
        tokio::spawn(probe(client));
        #[cfg(unix)]
        let stop = {
            systemd::watch(vec![server.address()])?;
            systemd::stopping(stop)
        };
        Ok(server.run(console, stop).await?)
    }
}

/// The key with which sessions are sealed.
fn key(context: &Context) -> Result<SealKey, Error> {
    let place = &context.place;
    if let Some(key) = place.key() {
        return Ok(key.clone());
    }
    let file = place.key_file().map(ToOwned::to_owned);
    let file = file.unwrap_or_else(|| place.dir_or(DEFAULT_DIR).join(KEY_FILE));
    Ok(SealKey::kept_in(&file)?)
}

fn transport() -> Result<Arc<dyn Transport>, Error> {
    let transport = HyperTransport::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .build();
    let transport = transport.map_err(|error| Error::new(error.to_string()))?;
    Ok(Arc::new(transport))
}

fn client(hosts: &Hosts, transport: &Arc<dyn Transport>) -> Result<Client, Error> {
    let client = Client::builder()
        .transport(Arc::clone(transport))
        .api_base_url(hosts.data.as_str())
        .app_base_url(hosts.app.as_str());
    Ok(client.build()?)
}

/// Asks the service for what it tells nobody who is not signed in. Another answer is logged: the address may be wrong.
async fn probe(client: Client) {
    let administration = client.administration();
    let asked = administration.account().get();
    let Err(error) = asked.deadline(PROBE_TIMEOUT).max_tries(1).send().await else {
        return;
    };
    if !error.is_unauthenticated() {
        tracing::warn!(%error, "the service does not answer as one; is --app-base-url right?");
    }
}
