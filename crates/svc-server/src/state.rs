//! What every request shares.

pub(crate) mod connections;
pub(crate) mod store_health;
pub(crate) mod write_keys;

use std::sync::Arc;

use arc_swap::ArcSwap;
use jiff::Timestamp;
use svc_data::ResourceOptions;
use svc_store::{Keyring, SessionTokens, Store};
use tokio::sync::Mutex;

use crate::{
    Config, Error,
    api::{health::Readiness, tools::Tools},
    audit::Writing,
    auth::{credentials::Credentials, throttle::Throttle},
    http::error::Failure,
    mail::MailHandle,
    openapi::documents::Documents,
    proxy::Proxy,
    state::{connections::Connections, store_health::StoreHealth, write_keys::WriteKeys},
};

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
    pub(crate) readiness: Readiness,
    pub(crate) documents: Documents,
    pub(crate) tools: Tools,
    pub(crate) throttle: Throttle,
    pub(crate) mail: MailHandle,
    pub(crate) proxy: Proxy,
    pub(crate) writing: Writing,
    pub(crate) write_keys: WriteKeys,
    pub(crate) store_health: StoreHealth,
    /// The keys of access tokens.
    pub(crate) keyring: ArcSwap<Keyring>,
    /// The revision of the store that is in force.
    seen: Mutex<Option<u64>>,
    /// Where callers reach the data host; links in mails begin with it.
    base_url: String,
}

impl State {
    pub(crate) fn new(config: Config, store: Store, base_url: String) -> Result<Shared, Error> {
        let mut options = ResourceOptions::default();
        options.statement_timeout = config.statement_timeout;
        options.structure_check = config.structure_check;
        options.connections = config.database_connections;
        options.readers = config.sqlite_readers.unwrap_or(options.readers);
        Ok(Arc::new(Self {
            throttle: Throttle::new(&config),
            proxy: Proxy::new(&config)?,
            writing: Writing::new(&config),
            write_keys: WriteKeys::default(),
            store_health: StoreHealth::default(),
            config,
            store,
            credentials: Credentials::default(),
            connections: Connections::new(options),
            readiness: Readiness::default(),
            documents: Documents::default(),
            tools: Tools::default(),
            mail: MailHandle::default(),
            keyring: ArcSwap::from_pointee(Keyring::default()),
            seen: Mutex::new(None),
            base_url,
        }))
    }

    /// Where callers reach the data host, as the configuration says.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
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

    /// Believes tokens that were just made: another process may have changed the key that signed them.
    pub(crate) async fn ensure_keyring_verifies(
        &self,
        tokens: &SessionTokens,
    ) -> Result<(), Failure> {
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
        // The keys first: what an old one has signed must not be remembered once all is forgotten.
        self.keyring
            .store(Arc::new(self.store.signing_keys().keyring().await?));
        self.credentials.forget();
        self.tools.forget();
        self.proxy.forget();
        self.connections
            .refresh(self.store.resources().list_connected().await?);
        Ok(())
    }
}
