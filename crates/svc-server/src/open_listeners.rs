//! Listeners that somebody else opened: a service manager keeps them while the service restarts, so that no connection is
//! refused meanwhile.

use std::{
    io,
    net::{SocketAddr, TcpListener as StdListener},
};

use tokio::net::TcpListener;

use crate::{Config, Error, config::SettingSource, http::listener::bind};

/// Listeners that are open already. Each takes the place of the address in the setting of its name.
///
/// See [`Server::bind_with`](crate::Server::bind_with).
#[derive(Debug, Default)]
pub struct OpenListeners {
    /// In place of [`Config::listen`].
    pub listen: Option<StdListener>,
    /// In place of [`Config::data_listen`].
    pub data_listen: Option<StdListener>,
    /// In place of [`Config::metrics_listen`].
    pub metrics_listen: Option<StdListener>,
    /// In place of [`Config::http_redirect`].
    pub http_redirect: Option<StdListener>,
}

impl OpenListeners {
    /// Takes their addresses into the settings.
    pub(crate) fn set_addresses(&self, config: &mut Config) -> Result<(), Error> {
        let mut take = |name: &str, listener: &Option<StdListener>| {
            let Some(listener) = listener else {
                return Ok(None);
            };
            let source = SettingSource::Socket;
            config.sources.insert(name.to_owned(), source);
            address_of(listener).map(Some)
        };
        let listen = take("listen", &self.listen)?;
        let data_listen = take("data-listen", &self.data_listen)?;
        let metrics_listen = take("metrics-listen", &self.metrics_listen)?;
        let http_redirect = take("http-redirect", &self.http_redirect)?;
        config.listen = listen.unwrap_or(config.listen);
        config.data_listen = data_listen.or(config.data_listen);
        config.metrics_listen = metrics_listen.or(config.metrics_listen);
        config.http_redirect = http_redirect.or(config.http_redirect);
        Ok(())
    }
}

fn address_of(listener: &StdListener) -> Result<SocketAddr, Error> {
    listener.local_addr().map_err(Error::passed)
}

/// The listener of an option that is open already, else a new one on this address.
pub(crate) async fn open(
    config: &Config,
    option: &str,
    open: Option<StdListener>,
    address: SocketAddr,
) -> Result<TcpListener, Error> {
    let Some(open) = open else {
        let bound = bind(address).await;
        return bound.map_err(|error| config.named(option, error));
    };
    let open = || -> io::Result<TcpListener> {
        open.set_nonblocking(true)?;
        TcpListener::from_std(open)
    };
    open().map_err(Error::passed)
}
