//! The transport itself: one request out, one response in.

mod builder;

use std::{fmt, sync::Arc, time::Duration};

use http::{Method, Request, Response, Uri, Version, header, uri::Scheme};
use http_body::Body as _;
use hyper_util::client::legacy::Client;
use svc_model::wire::{Body, BoxFuture, Deadline, Transport, TransportError, TransportErrorKind};
use tokio::{runtime::Handle, time::Instant};

pub use self::builder::HyperTransportBuilder;
use crate::{
    BuildError,
    body::{self, Late, Limits, RequestBody, ResponseBody, request_body},
    connector::Connector,
    failure,
};

/// The time limit for the body of a response whose head was read after the deadline.
const LATE_BODY: Duration = Duration::from_secs(1);

/// A transport with hyper and rustls, which keeps connections for later requests.
///
/// It is cheap to clone; clones share their connections. The [crate](crate) documentation lists its
/// features and limits.
///
/// ```
/// use svc_model::wire::{Body, Transport, TransportErrorKind};
/// use svc_transport::HyperTransport;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let transport = HyperTransport::new()?;
/// let request = http::Request::get("http://127.0.0.1:1/").body(Body::empty())?;
/// let error = transport.send(request).await.unwrap_err();
/// assert_eq!(error.kind(), TransportErrorKind::Connect);
/// assert!(error.never_sent());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })
/// # .map_err(|error| error.to_string())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct HyperTransport(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) client: Client<Connector, RequestBody>,
    pub(crate) connector: Connector,
    pub(crate) deadline: Option<Duration>,
    pub(crate) read_timeout: Option<Duration>,
    pub(crate) max_response_bytes: Option<u64>,
}

impl HyperTransport {
    /// A transport with the defaults of [`HyperTransportBuilder`].
    ///
    /// # Errors
    /// [`BuildErrorKind::Tls`](crate::BuildErrorKind::Tls) when neither of the features `ring` and
    /// `aws-lc-rs` is on.
    pub fn new() -> Result<Self, BuildError> {
        Self::builder().build()
    }

    /// A builder for the settings of a transport.
    pub fn builder() -> HyperTransportBuilder {
        HyperTransportBuilder::default()
    }

    pub(crate) fn from_inner(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }
}

impl fmt::Debug for HyperTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HyperTransport")
            .field("deadline", &self.0.deadline)
            .field("read_timeout", &self.0.read_timeout)
            .field("max_response_bytes", &self.0.max_response_bytes)
            .finish_non_exhaustive()
    }
}

impl Transport for HyperTransport {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(self.0.exchange(request))
    }
}

impl Inner {
    async fn exchange(&self, request: Request<Body>) -> Result<Response<Body>, TransportError> {
        if Handle::try_current().is_err() {
            return Err(TransportError::new(
                TransportErrorKind::Other,
                "no tokio runtime: await this call inside of one",
            )
            .with_never_sent(true));
        }
        let request = self.prepare(request)?;
        let mut limits = Limits {
            deadline: self.deadline(&request)?,
            read_timeout: self.read_timeout,
            max_bytes: self.max_response_bytes,
        };
        let answer = self.client.request(request.map(request_body));
        let response = match limits.deadline {
            None => answer.await,
            Some(deadline) => tokio::time::timeout_at(deadline.at, answer)
                .await
                .map_err(|_| Late::answer(deadline.after))?,
        };
        let response = response.map_err(failure::from_client)?;
        let now = Instant::now();
        if let Some(deadline) = limits.deadline.as_mut().filter(|it| it.at < now) {
            // The head arrived in time but was not polled until now. Its body is read too.
            deadline.at = now + LATE_BODY;
        }
        Ok(response.map(|incoming| {
            if incoming.is_end_stream() {
                Body::empty()
            } else {
                Body::stream(ResponseBody::new(incoming, limits))
            }
        }))
    }

    /// Refuses invalid requests, and adds the credentials for a forwarding proxy.
    fn prepare(&self, mut request: Request<Body>) -> Result<Request<Body>, TransportError> {
        let uri = request.uri();
        let invalid = |what: &'static str| TransportError::new(TransportErrorKind::Invalid, what);
        if uri.scheme().is_none() || uri.host().is_none_or(str::is_empty) {
            return Err(invalid(
                "the URI is not absolute; it must begin with http:// or https:// and a host",
            ));
        }
        if uri.scheme() == Some(&Scheme::HTTPS) {
            if !self.connector.speaks_https() {
                return Err(invalid(
                    "the URI begins with https://, and this transport was built for http alone",
                ));
            }
        } else if uri.scheme() != Some(&Scheme::HTTP) {
            return Err(invalid("the URI begins with neither http:// nor https://"));
        }
        if has_user(uri) {
            return Err(invalid(
                "the URI holds a user or a password, which HTTP does not send; use a header",
            ));
        }
        if request.method() == Method::CONNECT {
            return Err(invalid("CONNECT is not a method of this transport"));
        }
        let authorization = self
            .connector
            .forwarding_proxy(uri)
            .and_then(|proxy| proxy.authorization());
        if let Some(authorization) = authorization.cloned() {
            request
                .headers_mut()
                .entry(header::PROXY_AUTHORIZATION)
                .or_insert(authorization);
        }
        // The connection chooses the version; this value means any version that is supported.
        *request.version_mut() = Version::HTTP_11;
        Ok(request)
    }

    /// The request's own deadline, or else that of the transport. `None` when it is too long for the clock.
    fn deadline(&self, request: &Request<Body>) -> Result<Option<body::Deadline>, TransportError> {
        let own = request.extensions().get::<Deadline>().map(|own| own.0);
        let Some(after) = own.or(self.deadline) else {
            return Ok(None);
        };
        if after.is_zero() {
            return Err(TransportError::from(Late::answer(after)).with_never_sent(true));
        }
        let at = Instant::now().checked_add(after);
        Ok(at.map(|at| body::Deadline { at, after }))
    }
}

fn has_user(uri: &Uri) -> bool {
    uri.authority()
        .is_some_and(|authority| authority.as_str().contains('@'))
}
