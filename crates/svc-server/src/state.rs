//! What every request shares.

mod administered;
pub(crate) mod cache;
mod connections;
pub(crate) mod documents;
mod imports;
pub(crate) mod nodes;
mod resources;
pub(crate) mod statements;
mod store_health;
mod tools;
mod write_keys;
mod writing;

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use arc_swap::ArcSwap;
use http::request::Parts;
use jiff::Timestamp;
use svc_model::wire::Transport;
use svc_store::{Actor, Keyring, Node, SessionTokens, Store};
use tokio::sync::Mutex;

use self::{
    administered::{AdministeredLists, MOST_ADMINISTERED},
    connections::Connections,
    documents::Documents,
    imports::Imports,
    nodes::Nodes,
    statements::Statements,
    store_health::StoreHealth,
    tools::Tools,
    write_keys::WriteKeys,
    writing::Writing,
};
use crate::{
    Config, Error,
    auth::{
        identity::{Credentials, MOST_KNOWN, Program},
        rate_limit::RateLimits,
        throttle::Throttle,
    },
    config::AuditMode,
    http::{ApiResult, request::RequestId, tls::Tls},
    mail::MailHandle,
    metrics::{Metrics, history::Totals},
    proxy::shared::Proxy,
    resources::{places::Places, test::ResourceTests},
};

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What every request shares, behind one pointer.
pub(crate) type Shared = Arc<State>;

/// The service's state. Everything in it is cached from the store and can be dropped at any time, so
/// that several processes may serve the same store.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) config: Config,
    pub(crate) store: Store,
    pub(crate) credentials: Credentials,
    pub(crate) connections: Connections,
    places: Places,
    resource_tests: ResourceTests,
    pub(crate) documents: Documents,
    pub(crate) tools: Tools,
    pub(crate) administered: AdministeredLists,
    pub(crate) throttle: Throttle,
    /// How often callers may call, where that is limited.
    pub(crate) rate_limits: Option<RateLimits>,
    pub(crate) metrics: Metrics,
    pub(crate) mail: MailHandle,
    pub(crate) proxy: Proxy,
    pub(crate) writing: Writing,
    pub(crate) write_keys: WriteKeys,
    pub(crate) statements: Statements,
    pub(crate) imports: Imports,
    pub(crate) store_health: StoreHealth,
    pub(crate) nodes: Nodes,
    /// Certificate and key, if the listeners speak TLS.
    pub(crate) tls: Option<Arc<Tls>>,
    /// Since when requests are served over the network, if they are.
    pub(crate) serves_since: OnceLock<Timestamp>,
    /// Who runs this process, where it asks the service itself.
    pub(crate) program: OnceLock<Arc<Program>>,
    /// The console, where the service has one.
    pub(crate) console: OnceLock<Arc<dyn Transport>>,
    /// The keys of access tokens.
    pub(crate) keyring: ArcSwap<Keyring>,
    /// Whether the service takes no new requests: load balancers are to send them elsewhere.
    is_ending: AtomicBool,
    /// The revision of the store that is in force.
    seen: Mutex<Option<u64>>,
    /// Where callers reach the data host; links in mails to users begin with it.
    base_url: String,
    /// Where callers reach the application host; links in mails to accounts begin with it.
    app_base_url: String,
}

impl State {
    pub(crate) fn new(
        config: Config,
        store: Store,
        base_url: String,
        app_base_url: String,
    ) -> Result<Shared, Error> {
        let options = config.resource_options();
        let places = Places::new(&config, store.dir());
        Ok(Arc::new(Self {
            throttle: Throttle::new(&config),
            rate_limits: RateLimits::of(&config),
            metrics: Metrics::default(),
            proxy: Proxy::new(&config)?,
            writing: Writing::new(&config),
            write_keys: WriteKeys::default(),
            statements: Statements::default(),
            imports: Imports::default(),
            store_health: StoreHealth::new(config.store_grace),
            nodes: Nodes::default(),
            tls: Tls::open(&config)?.map(Arc::new),
            config,
            store,
            credentials: Credentials::new(MOST_KNOWN),
            connections: Connections::new(options),
            places,
            resource_tests: ResourceTests::default(),
            is_ending: AtomicBool::new(false),
            documents: Documents::default(),
            tools: Tools::new(),
            administered: AdministeredLists::new(MOST_ADMINISTERED),
            mail: MailHandle::default(),
            serves_since: OnceLock::new(),
            program: OnceLock::new(),
            console: OnceLock::new(),
            keyring: ArcSwap::from_pointee(Keyring::default()),
            seen: Mutex::new(None),
            base_url,
            app_base_url,
        }))
    }

    /// A shutdown began.
    pub(crate) fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// Whether a shutdown began.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Where callers reach the data host, as the configuration says.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Where callers reach the application host, as the configuration says.
    pub(crate) fn app_base_url(&self) -> &str {
        &self.app_base_url
    }

    /// Takes over what changed in the store, if anything did: by this process or another one.
    pub(crate) async fn sync_with_store(&self) -> Result<(), svc_store::Error> {
        let revision = self.store.revision().await?;
        let mut seen = self.seen.lock().await;
        if *seen != Some(revision) {
            self.refresh().await?;
            *seen = Some(revision);
            // It may have been a mail: svc user add puts one into the outbox.
            self.mail.wake();
        }
        Ok(())
    }

    /// Reads the keyring again unless it verifies tokens that were just made: another process may have changed the key.
    pub(crate) async fn ensure_keyring_verifies(&self, tokens: &SessionTokens) -> ApiResult<()> {
        let token = tokens.access_token.expose();
        if self
            .keyring
            .load()
            .verify(token, Timestamp::now())
            .is_none()
        {
            self.keyring
                .store(Arc::new(self.store.signing_keys().keyring().await?));
        }
        Ok(())
    }

    /// Takes over what changed in the store: forgets what is known of credentials, connects new
    /// resources and lets go of removed ones.
    pub(crate) async fn refresh(&self) -> Result<(), svc_store::Error> {
        // All is read before anything is forgotten: what is known stays in force while the store is away.
        let keyring = self.store.signing_keys().keyring().await?;
        let connected = self.store.resources().list_connected().await?;
        // The keys first: what an old one has signed must not be remembered once all is forgotten.
        self.keyring.store(Arc::new(keyring));
        self.credentials.forget();
        self.tools.forget();
        self.administered.forget();
        self.proxy.forget();
        self.connections.refresh(connected);
        Ok(())
    }

    /// What was counted until now.
    pub(crate) async fn totals(self: &Arc<Self>) -> Totals {
        let connected = self.connections.connected();
        let used = connected.iter().map(|resource| resource.pool_use().used);
        let used = used.map(|used| used as u64).sum();
        let state = Arc::clone(self);
        // It reads files of the system.
        let read = tokio::task::spawn_blocking(move || Totals::read(&state.metrics.http, used));
        match read.await {
            Ok(totals) => totals,
            Err(_) => Totals::read(&self.metrics.http, used),
        }
    }

    /// This process, as others see it.
    pub(crate) fn node(&self) -> Node {
        let since = self.serves_since.get().copied();
        Node::new(
            self.nodes.uid(),
            self.config.node_name.clone(),
            VERSION,
            self.config.node_address(),
            since.unwrap_or_else(Timestamp::now),
        )
    }

    /// The store for what this actor writes by this request.
    pub(crate) fn store_for(&self, actor: Actor, parts: &Parts) -> Store {
        let id = parts.extensions.get::<RequestId>();
        let id = id.and_then(|RequestId(id)| id.to_str().ok());
        self.store_acting(actor, id)
    }

    /// The store for what this actor writes, with this request id in the lines about it.
    pub(crate) fn store_acting(&self, actor: Actor, request_id: Option<&str>) -> Store {
        let store = self.store.acting(actor, request_id);
        match self.config.audit {
            AuditMode::Off => store.unaudited(),
            _ => store,
        }
    }
}
