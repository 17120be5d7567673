//! The addresses of a host, which are looked up once and filtered before a connection is made.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    io,
    net::SocketAddr,
    sync::LazyLock,
    task::{Context, Poll},
    vec,
};

use http::{Uri, uri::Scheme};
use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

use super::{ConnectError, shown};
use crate::{filter::AddressFilter, proxy::without_brackets};

/// The URI for hyper's connector when the addresses were looked up already. It has a name, so that the
/// resolver is called, and no port, so that the ports of the addresses are used.
pub(super) static CHECKED: LazyLock<Uri> = LazyLock::new(|| Uri::from_static("http://checked"));

/// A resolver that returns the admitted addresses for every name.
#[derive(Clone, Debug)]
pub(super) struct Checked(Vec<SocketAddr>);

impl Service<Name> for Checked {
    type Response = vec::IntoIter<SocketAddr>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Name) -> Self::Future {
        ready(Ok(self.0.clone().into_iter()))
    }
}

/// The addresses of the host of `destination` that the filter admits.
pub(super) async fn checked(
    filter: &AddressFilter,
    destination: &Uri,
) -> Result<Checked, ConnectError> {
    let host = without_brackets(destination.host().unwrap_or_default());
    let default = match destination.scheme() == Some(&Scheme::HTTPS) {
        true => 443,
        false => 80,
    };
    let port = destination.port_u16().unwrap_or(default);
    let failed = |error: io::Error| {
        ConnectError::new(format!("no connection to {}", shown(destination)), error)
    };
    if port == 0 {
        // Hyper would read port 0 as no port.
        return Err(failed(io::Error::other("port 0 cannot be connected to")));
    }
    let found = tokio::net::lookup_host((host, port))
        .await
        .map_err(failed)?;
    let admitted = filter
        .admitted(host, found)
        .map_err(|refused| ConnectError::new(refused.to_string(), refused))?;
    if admitted.is_empty() {
        return Err(failed(io::Error::other("the name has no address")));
    }
    Ok(Checked(admitted))
}
