//! What the requests of the proxy share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::{
    outbound::Outbound,
    rules::{MOST_KNOWN, Rules},
};
use crate::{Config, Error, state::cache::Lookups};

/// What the requests of the proxy share.
#[derive(Debug)]
pub(crate) struct Proxy {
    pub(super) outbound: Outbound,
    pub(super) rules: Rules,
    pub(super) permits: Arc<Semaphore>,
}

impl Proxy {
    /// The proxy of a service whose listeners are those of `config`.
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        let own = [
            Some(config.listen),
            config.data_listen,
            config.metrics_listen,
        ];
        Ok(Self {
            outbound: Outbound::new(own.into_iter().flatten().collect())?,
            rules: Rules::new(MOST_KNOWN),
            permits: Arc::new(Semaphore::new(config.max_proxy_requests)),
        })
    }

    /// How often rules were looked for.
    pub(crate) fn lookups(&self) -> Lookups {
        self.rules.lookups()
    }

    /// Forgets what is known of the store: it changed.
    pub(crate) fn forget(&self) {
        self.rules.forget();
    }
}
