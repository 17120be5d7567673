//! From a URI to a connection: name resolution, TCP, the proxy, TLS.

mod addresses;
mod stream;
mod tunnel;

use std::{
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Uri, uri::Scheme};
use hyper_util::{
    client::legacy::connect::{HttpConnector, dns::GaiResolver},
    rt::TokioIo,
};
use rustls::pki_types::ServerName;
use svc_model::wire::BoxError;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use tower_service::Service;

use self::{addresses::CHECKED, stream::Stream};
use crate::{
    filter::AddressFilter,
    proxy::{Proxy, ProxyServer, without_brackets},
    tls::Tls,
};

/// The connector of hyper's pool. It is cheap to clone, since the pool clones it for every request.
#[derive(Clone)]
pub(crate) struct Connector(Arc<Inner>);

/// The options of TCP connections.
pub(crate) struct TcpOptions {
    pub(crate) nodelay: bool,
    pub(crate) keep_alive: Option<Duration>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) filter: Option<AddressFilter>,
}

impl TcpOptions {
    fn connector<R>(&self, resolver: R) -> HttpConnector<R> {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(self.nodelay);
        tcp.set_keepalive(self.keep_alive);
        // This time is divided among the addresses of a name, so that an unreachable one leaves time for the next.
        tcp.set_connect_timeout(self.timeout);
        tcp
    }
}

struct Inner {
    tcp: HttpConnector,
    options: TcpOptions,
    tls: Option<Tls>,
    proxy: Proxy,
}

impl Connector {
    pub(crate) fn new(options: TcpOptions, tls: Option<Tls>, proxy: Proxy) -> Self {
        Self(Arc::new(Inner {
            tcp: options.connector(GaiResolver::new()),
            options,
            tls,
            proxy,
        }))
    }

    pub(crate) fn speaks_https(&self) -> bool {
        self.0.tls.is_some()
    }

    /// The proxy that forwards requests to `uri`: requests with `http` are not sent through a tunnel.
    pub(crate) fn forwarding_proxy(&self, uri: &Uri) -> Option<&ProxyServer> {
        if uri.scheme() == Some(&Scheme::HTTP) {
            self.0.proxy.server(uri)
        } else {
            None
        }
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<Stream, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, destination: Uri) -> Self::Future {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            let connecting = inner.connect(&destination);
            match inner.options.timeout {
                None => connecting.await,
                Some(limit) => tokio::time::timeout(limit, connecting)
                    .await
                    .unwrap_or_else(|_| Err(ConnectError::timeout(&destination, limit))),
            }
        })
    }
}

impl Inner {
    async fn connect(&self, destination: &Uri) -> Result<Stream, ConnectError> {
        let is_https = destination.scheme() == Some(&Scheme::HTTPS);
        match (self.proxy.server(destination), is_https) {
            (None, false) => Ok(Stream::plain(self.tcp(destination).await?)),
            (None, true) => {
                let tcp = self.tcp(destination).await?;
                let tls = &self.tls(destination)?.service;
                Ok(Stream::tls(secure(tls, destination, tcp).await?))
            }
            (Some(proxy), false) => Ok(self.proxy(proxy).await?.with_forwarding()),
            (Some(proxy), true) => {
                let stream = self.proxy(proxy).await?;
                let tunnel = tunnel::open(stream, destination, proxy).await?;
                let tls = &self.tls(destination)?.service;
                let session = secure(tls, destination, TokioIo::new(tunnel)).await?;
                Ok(Stream::tls(session))
            }
        }
    }

    async fn proxy(&self, proxy: &ProxyServer) -> Result<Stream, ConnectError> {
        let uri = proxy.uri();
        let tcp = self.tcp(uri).await?;
        if !proxy.is_https() {
            return Ok(Stream::plain(tcp));
        }
        let tls = &self.tls(uri)?.proxy;
        Ok(Stream::tls(secure(tls, uri, tcp).await?))
    }

    async fn tcp(&self, destination: &Uri) -> Result<TcpStream, ConnectError> {
        let connected = match &self.options.filter {
            None => self.tcp.clone().call(destination.clone()).await,
            Some(filter) => {
                let checked = addresses::checked(filter, destination).await?;
                let mut tcp = self.options.connector(checked);
                tcp.call(CHECKED.clone()).await
            }
        };
        match connected {
            Ok(stream) => Ok(stream.into_inner()),
            Err(error) => Err(ConnectError::new(
                format!("no connection to {}", shown(destination)),
                error,
            )),
        }
    }

    fn tls(&self, destination: &Uri) -> Result<&Tls, ConnectError> {
        self.tls.as_ref().ok_or_else(|| ConnectError {
            message: format!(
                "{} wants https, and this transport was built without",
                shown(destination)
            ),
            source: None,
        })
    }
}

/// A TLS session with the host of `uri`.
async fn secure<S>(tls: &TlsConnector, uri: &Uri, io: S) -> Result<TlsStream<S>, ConnectError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    tls.connect(server_name(uri)?, io)
        .await
        .map_err(|error| ConnectError::tls(uri, error))
}

fn server_name(uri: &Uri) -> Result<ServerName<'static>, ConnectError> {
    let host = without_brackets(uri.host().unwrap_or_default());
    ServerName::try_from(host.to_owned()).map_err(|error| {
        ConnectError::new(
            format!("{host:?} is no name that a certificate can have"),
            error,
        )
    })
}

/// The host, with the port if the URI has one.
fn shown(uri: &Uri) -> &str {
    uri.authority().map_or("the host", |host| host.as_str())
}

/// The error when no connection could be made.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ConnectError {
    message: String,
    source: Option<BoxError>,
}

impl ConnectError {
    fn new(message: String, source: impl Into<BoxError>) -> Self {
        Self {
            message,
            source: Some(source.into()),
        }
    }

    fn timeout(destination: &Uri, limit: Duration) -> Self {
        let message = format!("no connection to {} within {limit:?}", shown(destination));
        Self::new(message, io::Error::from(io::ErrorKind::TimedOut))
    }

    fn tls(destination: &Uri, error: io::Error) -> Self {
        let host = shown(destination);
        let cause = error
            .get_ref()
            .and_then(|cause| cause.downcast_ref::<rustls::Error>());
        let message = match cause {
            Some(rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer)) => {
                format!(
                    "the certificate of {host} is not from an authority that is trusted; \
                     if it is the right one, add its root certificate"
                )
            }
            Some(rustls::Error::InvalidCertificate(_)) => {
                format!("the certificate of {host} is not accepted")
            }
            _ => format!("no TLS session with {host}"),
        };
        Self::new(message, error)
    }

    fn proxy(proxy: &ProxyServer, message: &str) -> Self {
        Self {
            message: format!("the proxy {} {message}", shown(proxy.uri())),
            source: None,
        }
    }

    fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
}
