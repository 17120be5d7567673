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

/// Settings for a [`HyperTransport`]; each has a default that fits a service on the internet.
///
/// Where a setting takes `impl Into<Option<Duration>>`, `None` turns it off.
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
    /// How long a new connection may take: name resolution, TCP, the proxy and TLS together.
    /// Default 10 s. When it passes, the error is of kind `Connect`.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.connect_timeout = timeout.into();
        self
    }

    /// The longest pause between two pieces of a response body. Default none: the deadline holds.
    /// It is what to set, with `deadline(None)`, for downloads that may take long and must not stall.
    #[must_use]
    pub fn read_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.read_timeout = timeout.into();
        self
    }

    /// How long an exchange may take from the call to the last byte of the response body, where the
    /// request has no [`Deadline`](svc_model::wire::Deadline) of its own. Default 30 s.
    #[must_use]
    pub fn deadline(mut self, deadline: impl Into<Option<Duration>>) -> Self {
        self.deadline = deadline.into();
        self
    }

    /// The most bytes that a response body may have. Default none: anyone who reads a body says how
    /// much of it to take, see [`Body::collect`](svc_model::wire::Body::collect).
    #[must_use]
    pub fn max_response_bytes(mut self, limit: impl Into<Option<u64>>) -> Self {
        self.max_response_bytes = limit.into();
        self
    }

    /// How long a connection is kept that nobody uses. Default 50 s, which is under the 60 s and
    /// 75 s after which the usual load balancers and servers hang up.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.idle_timeout = timeout.into();
        self
    }

    /// How many unused connections are kept per host. Default 32; 0 makes a new connection for
    /// every request.
    #[must_use]
    pub fn max_idle_per_host(mut self, connections: usize) -> Self {
        self.max_idle_per_host = connections;
        self
    }

    /// Whether small packets are sent at once (`TCP_NODELAY`). Default true.
    #[must_use]
    pub fn tcp_nodelay(mut self, nodelay: bool) -> Self {
        self.tcp_nodelay = nodelay;
        self
    }

    /// After how much silence TCP asks whether the other side is still there. Default 60 s.
    #[must_use]
    pub fn tcp_keep_alive(mut self, idle: impl Into<Option<Duration>>) -> Self {
        self.tcp_keep_alive = idle.into();
        self
    }

    /// How often an HTTP/2 connection with requests under way is pinged; it counts as broken when
    /// no answer comes within the same time. Default 20 s.
    #[must_use]
    pub fn http2_keep_alive(mut self, interval: impl Into<Option<Duration>>) -> Self {
        self.http2_keep_alive = interval.into();
        self
    }

    /// Speaks HTTP/1.1 alone. Otherwise HTTP/2 is used over TLS with servers that have it.
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

    /// TLS settings in place of the default ones: other roots, a client certificate, another
    /// provider. Where its `alpn_protocols` are empty, they become `h2` and `http/1.1`.
    #[must_use]
    pub fn tls_config(mut self, config: ClientConfig) -> Self {
        self.tls_config = Some(config);
        self
    }

    /// Trusts these certificates too, one or more in PEM.
    #[must_use]
    pub fn root_certificates_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots.pem.push(pem.into());
        self
    }

    /// Trusts this certificate too, in DER.
    #[must_use]
    pub fn root_certificate_der(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.roots.der.push(der.into());
        self
    }

    /// Trusts the given root certificates alone, without the public authorities
    /// (those of Mozilla, compiled in).
    #[must_use]
    pub fn without_public_roots(mut self) -> Self {
        self.roots.without_public = true;
        self
    }

    /// Sends requests through a proxy. Default none, whatever the environment says.
    #[must_use]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = Ok(proxy);
        self
    }

    /// Sends requests through the proxies that the variables of this process name, see
    /// [`Proxy::from_env`]. They are read here and now, and nowhere else.
    #[must_use]
    pub fn proxy_from_env(mut self) -> Self {
        self.proxy = Proxy::from_env();
        self
    }

    /// Lets the caller decide on every address before a connection to it is made. Default none: every
    /// address is connected to.
    ///
    /// `filter` is given the host as the request names it (an IPv6 address without its brackets) and
    /// each address that it resolves to, with the port. A connection is made to no other address than
    /// those that were admitted then: a name that resolves to something else a moment later changes
    /// nothing. A refusal says why. When every address of a host is refused, the error holds an
    /// [`AddressRefused`](crate::AddressRefused), and nothing was sent.
    ///
    /// A connection that is kept serves further requests to the same host, port and scheme without
    /// another look. Where the answer differs from request to request, use several transports. With a
    /// [proxy](Self::proxy) the address is that of the proxy, which is who is connected to.
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

    /// Makes the transport. It connects when the first request is sent.
    ///
    /// # Errors
    /// [`BuildErrorKind`] says which setting is wrong: `https` is asked for (it is unless
    /// [`http_only`](Self::http_only) is set) and there is neither a provider nor a `ClientConfig`;
    /// `tls_config` together with root certificates; a certificate or proxy that cannot be read.
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
            // What was handed to a dead connection and comes back unwritten goes out on another.
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
