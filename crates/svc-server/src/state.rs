//! What every request shares.

use std::sync::Arc;

use svc_data::ResourceOptions;
use svc_store::Store;

use crate::{Config, connections::Connections, credentials::Credentials, health::Readiness, mail};

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
    pub(crate) mail: mail::Wake,
}

impl State {
    pub(crate) fn new(config: Config, store: Store) -> Shared {
        let mut options = ResourceOptions::default();
        options.statement_timeout = config.statement_timeout;
        options.connections = config.database_connections;
        Arc::new(Self {
            config,
            store,
            credentials: Credentials::default(),
            connections: Connections::new(options),
            readiness: Readiness::default(),
            mail: mail::Wake::default(),
        })
    }

    /// Takes over what changed in the store: forgets what is known of credentials, connects new
    /// resources and lets go of removed ones.
    pub(crate) async fn refresh(&self) -> Result<(), svc_store::Error> {
        self.credentials.forget();
        self.connections
            .refresh(self.store.resources().list_connected().await?);
        Ok(())
    }
}
