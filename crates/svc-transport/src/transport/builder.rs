//! The settings of a transport.

use std::{fmt, net::SocketAddr, time::Duration};

use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use rustls::ClientConfig;

use super::{HyperTransport, Inner};
use crate::{
    BuildError, BuildErrorKind, Proxy,
    connector::{Connector, TcpOptions},
    filter::AddressFilter,
    tls::{self, Roots, Tls},
};

/// The builder of a [`HyperTransport`]; each setting has a default that fits a service on the internet.
///
/// For settings of type `impl Into<Option<Duration>>`, `None` turns the setting off.
///
/// ```
/// use std::time::Duration;
/// use svc_transport::HyperTransport;
///
/// let transport = HyperTransport::builder()
///     .connect_timeout(Duration::from_secs(3))
///     .read_timeout(Duration::from_secs(15))
///     .deadline(None)
///     .build()?;
/// # Ok::<(), svc_transport::BuildError>(())
/// ```
pub struct HyperTransportBuilder {
    connect_timeout: Option<Duration>,
    read_timeout: Option<Duration>,
    deadline: Option<Duration>,
    max_response_bytes: Option<u64>,
    idle_timeout: Option<Duration>,
    max_idle_per_host: usize,
    tcp_nodelay: bool,
    tcp_keep_alive: Option<Duration>,
    http2_keep_alive: Option<Duration>,
    http1_only: bool,
    http_only: bool,
    tls_config: Option<ClientConfig>,
    roots: Roots,
    proxy: Result<Proxy, BuildError>,
    address_filter: Option<AddressFilter>,
}

impl Default for HyperTransportBuilder {
    fn default() -> Self {
        Self {
            connect_timeout: Some(Duration::from_secs(10)),
            read_timeout: None,
            deadline: Some(Duration::from_secs(30)),
            max_response_bytes: None,
            idle_timeout: Some(Duration::from_secs(50)),
            max_idle_per_host: 32,
            tcp_nodelay: true,
            tcp_keep_alive: Some(Duration::from_secs(60)),
            http2_keep_alive: Some(Duration::from_secs(20)),
            http1_only: false,
            http_only: false,
            tls_config: None,
            roots: Roots::default(),
            proxy: Ok(Proxy::default()),
            address_filter: None,
        }
    }
}

impl HyperTransportBuilder {
    /// Sets how long a new connection may take: name resolution, TCP, the proxy and TLS together.
    /// Default 10 s. When it is exceeded, the error is of kind `Connect`.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.connect_timeout = timeout.into();
        self
    }

    /// Sets the longest pause between two pieces of a response body. Default none: only the deadline
    /// applies. Set it, with `deadline(None)`, for downloads that may take long but must not stall.
    #[must_use]
    pub fn read_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.read_timeout = timeout.into();
        self
    }

    /// Sets how long an exchange may take, from the call to the last byte of the response body, if the
    /// request has no [`Deadline`](svc_model::wire::Deadline). Default 30 s.
    #[must_use]
    pub fn deadline(mut self, deadline: impl Into<Option<Duration>>) -> Self {
        self.deadline = deadline.into();
        self
    }

    /// Sets the maximum size of a response body in bytes. Default none: a limit is set when the body is
    /// read, see [`Body::collect`](svc_model::wire::Body::collect).
    #[must_use]
    pub fn max_response_bytes(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.max_response_bytes = limit.into();
        self
    }

    /// Sets how long an unused connection is kept. Default 50 s, which is less than the 60 s and 75 s
    /// after which common load balancers and servers close connections.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.idle_timeout = timeout.into();
        self
    }

    /// Sets how many unused connections are kept per host. Default 32; with 0, every request uses a new
    /// connection.
    #[must_use]
    pub fn max_idle_per_host(mut self, connections: usize) -> Self {
        self.max_idle_per_host = connections;
        self
    }

    /// Sets whether small packets are sent at once (`TCP_NODELAY`). Default true.
    #[must_use]
    pub fn tcp_nodelay(mut self, nodelay: bool) -> Self {
        self.tcp_nodelay = nodelay;
        self
    }

    /// Sets after how much idle time TCP checks whether the other side still responds. Default 60 s.
    #[must_use]
    pub fn tcp_keep_alive(mut self, idle: impl Into<Option<Duration>>) -> Self {
        self.tcp_keep_alive = idle.into();
        self
    }

    /// Sets how often an HTTP/2 connection with open requests is pinged; it counts as broken when there
    /// is no response within the same time. Default 20 s.
    #[must_use]
    pub fn http2_keep_alive(mut self, interval: impl Into<Option<Duration>>) -> Self {
        self.http2_keep_alive = interval.into();
        self
    }

    /// Uses only HTTP/1.1. Otherwise HTTP/2 is used over TLS with servers that support it.
    #[must_use]
    pub fn http1_only(mut self) -> Self {
        self.http1_only = true;
        self
    }

    /// Refuses `https`. Such a transport needs no cryptography provider.
    #[must_use]
    pub fn http_only(mut self) -> Self {
        self.http_only = true;
        self
    }

    /// Replaces the default TLS settings, for other roots, a client certificate or another provider.
    /// If `alpn_protocols` is empty, `h2` and `http/1.1` are used.
    #[must_use]
    pub fn tls_config(mut self, config: ClientConfig) -> Self {
        self.tls_config = Some(config);
        self
    }

    /// Also trusts these certificates, one or more in PEM.
    #[must_use]
    pub fn root_certificates_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots.pem.push(pem.into());
        self
    }

    /// Also trusts this certificate, in DER.
    #[must_use]
    pub fn root_certificate_der(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.der.push(der.into());
        self
    }

    /// Also trusts the root certificates of the operating system, such as those of a company's own authority. They are
    /// read when the transport is built.
    #[cfg(feature = "native-roots")]
    #[must_use]
    pub fn native_roots(mut self) -> Self {
        self.roots.native = true;
        self
    }

    /// Trusts only the given root certificates, not the public authorities (those of Mozilla, compiled
    /// in).
    #[must_use]
    pub fn without_public_roots(mut self) -> Self {
        self.roots.without_public = true;
        self
    }

    /// Sends requests through a proxy. Default none, independent of the environment.
    #[must_use]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = Ok(proxy);
        self
    }

    /// Sends requests through the proxies that the variables of this process name, see
    /// [`Proxy::from_env`]. They are read only by this call.
    #[must_use]
    pub fn proxy_from_env(mut self) -> Self {
        self.proxy = Proxy::from_env();
        self
    }

    /// Sets a filter that decides on every address before a connection to it is made. Default none: all
    /// addresses are allowed.
    ///
    /// `filter` is called with the host as the request names it (an IPv6 address without its brackets)
    /// and each address that it resolves to, with the port. Connections are made only to addresses that
    /// were admitted: if the name resolves to another address a moment later, that has no effect. A
    /// refusal contains the reason. When every address of a host is refused, the error contains an
    /// [`AddressRefused`](crate::AddressRefused), and nothing was sent.
    ///
    /// A kept connection is used for further requests to the same host, port and scheme without calling
    /// the filter again. If the decision depends on the request, use several transports. With a
    /// [proxy](Self::proxy), the filter gets the address of the proxy.
    ///
    /// ```
    /// use svc_model::wire::{Body, Transport};
    /// use svc_transport::{AddressRefused, HyperTransport};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let transport = HyperTransport::builder()
    ///     .address_filter(|_, address| match address.ip().is_loopback() {
    ///         true => Err("loopback is this machine itself".to_owned()),
    ///         false => Ok(()),
    ///     })
    ///     .build()?;
    /// let request = http::Request::get("http://localhost:1/").body(Body::empty())?;
    /// let error = transport.send(request).await.unwrap_err();
    /// let refused = AddressRefused::of(&error).map(AddressRefused::reason);
    /// assert_eq!(refused, Some("loopback is this machine itself"));
    /// assert!(error.never_sent());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })
    /// # .map_err(|error| error.to_string())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn address_filter(
        mut self,
        filter: impl Fn(&str, SocketAddr) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.address_filter = Some(AddressFilter::new(filter));
        self
    }

    /// Builds the transport. It connects when the first request is sent.
    ///
    /// # Errors
    /// Its [`BuildErrorKind`] says which setting is wrong: `https` is required (unless
    /// [`http_only`](Self::http_only) is set) but there is neither a provider nor a `ClientConfig`;
    /// `tls_config` and root certificates are both set; a certificate or proxy cannot be read.
    pub fn build(self) -> Result<HyperTransport, BuildError> {
        let proxy = self.proxy?;
        let tls = match (self.http_only, self.tls_config) {
            (true, None) if !self.roots.is_default() => {
                return Err(BuildError::new(
                    BuildErrorKind::Tls,
                    "`http_only` leaves no use for root certificates; drop one of the two",
                ));
            }
            (true, Some(_)) => {
                return Err(BuildError::new(
                    BuildErrorKind::Tls,
                    "`http_only` and `tls_config` exclude each other; drop one of the two",
                ));
            }
            (true, None) if proxy.needs_tls() => {
                return Err(BuildError::new(
                    BuildErrorKind::Proxy,
                    "the proxy is reached over https, which `http_only` excludes",
                ));
            }
            (true, None) => None,
            (false, None) => Some(tls::default_config(&self.roots)?),
            (false, Some(config)) if self.roots.is_default() => Some(config),
            (false, Some(_)) => {
                return Err(BuildError::new(
                    BuildErrorKind::Tls,
                    "`tls_config` brings its own roots; put the root certificates into it",
                ));
            }
        };
        let tls = tls.map(|config| Tls::new(config, self.http1_only));

        let tcp = TcpOptions {
            nodelay: self.tcp_nodelay,
            keep_alive: self.tcp_keep_alive,
            timeout: self.connect_timeout,
            filter: self.address_filter,
        };
        let connector = Connector::new(tcp, tls, proxy);

        let mut client = Client::builder(TokioExecutor::new());
        client
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(self.idle_timeout)
            .pool_max_idle_per_host(self.max_idle_per_host)
            // A request that a closed connection has not written at all is sent on another connection.
            .retry_canceled_requests(true)
            .timer(TokioTimer::new());
        if let Some(interval) = self.http2_keep_alive {
            client
                .http2_keep_alive_interval(interval)
                .http2_keep_alive_timeout(interval);
        }
        Ok(HyperTransport::from_inner(Inner {
            client: client.build(connector.clone()),
            connector,
            deadline: self.deadline,
            read_timeout: self.read_timeout,
            max_response_bytes: self.max_response_bytes,
        }))
    }
}

impl fmt::Debug for HyperTransportBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HyperTransportBuilder")
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("deadline", &self.deadline)
            .field("max_response_bytes", &self.max_response_bytes)
            .field("idle_timeout", &self.idle_timeout)
            .field("max_idle_per_host", &self.max_idle_per_host)
            .field("proxy", &self.proxy)
            .field("filters_addresses", &self.address_filter.is_some())
            .finish_non_exhaustive()
    }
}
