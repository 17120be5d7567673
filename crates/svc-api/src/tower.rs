//! Adapters between the transport contract and [tower](https://docs.rs/tower) services.

use std::{
    fmt,
    future::poll_fn,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::Body as HttpBody;
use svc_model::wire::{Body, BoxError, BoxFuture, Transport, TransportError};
use tower_service::Service;

/// A tower service as a [`Transport`]: an axum router in the same process, or a stack of layers over
/// another client.
///
/// The service is cloned for each request; it need not be `Sync`. An error gets the kind that
/// [`TransportError::from_source`] finds in it, unless [`map_err`](Self::map_err) says otherwise. The service does not
/// see the deadline of a call, which the client keeps.
///
/// ```
/// # #[cfg(feature = "tower")]
/// # fn example<S>(service: S) -> Result<svc_api::Client, svc_api::Error>
/// # where
/// #     S: tower_service::Service<
/// #         http::Request<svc_api::wire::Body>,
/// #         Response = http::Response<svc_api::wire::Body>,
/// #         Error = std::convert::Infallible,
/// #     > + Clone + Send + Sync + 'static,
/// #     S::Future: Send,
/// # {
/// use svc_api::{Client, tower::ServiceTransport};
///
/// let client = Client::builder()
///     .project("demo")
///     .transport(ServiceTransport::new(service))
///     .build()?;
/// # Ok(client)
/// # }
/// ```
pub struct ServiceTransport<S> {
    /// Locked only to be cloned.
    service: Mutex<S>,
    map_err: fn(BoxError) -> TransportError,
}

impl<S> ServiceTransport<S> {
    /// Sends requests to `service`.
    pub fn new(service: S) -> Self {
        Self {
            service: Mutex::new(service),
            map_err: TransportError::from_source,
        }
    }

    /// Sets what the errors of the service are to the client, which tries again what surely was not sent. Layers have
    /// errors of their own, such as that of tower's timeout:
    ///
    /// ```
    /// # use svc_api::{tower::ServiceTransport, wire::{BoxError, TransportError, TransportErrorKind}};
    /// # fn example<S>(service: S) -> ServiceTransport<S> {
    /// use tower::timeout::error::Elapsed;
    ///
    /// ServiceTransport::new(service).map_err(|error: BoxError| match error.is::<Elapsed>() {
    ///     true => TransportError::new(TransportErrorKind::Timeout, error),
    ///     false => TransportError::from_source(error),
    /// })
    /// # }
    /// ```
    #[must_use]
    pub fn map_err(mut self, map_err: fn(BoxError) -> TransportError) -> Self {
        self.map_err = map_err;
        self
    }

    fn service(&self) -> S
    where
        S: Clone,
    {
        let service = self.service.lock();
        service.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<S: Clone> Clone for ServiceTransport<S> {
    fn clone(&self) -> Self {
        Self {
            service: Mutex::new(self.service()),
            map_err: self.map_err,
        }
    }
}

impl<S> fmt::Debug for ServiceTransport<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceTransport").finish_non_exhaustive()
    }
}

impl<S, B> Transport for ServiceTransport<S>
where
    S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let mut service = self.service();
        let map_err = self.map_err;
        Box::pin(async move {
            poll_fn(|context| service.poll_ready(context))
                .await
                .map_err(|error| map_err(error.into()).with_never_sent(true))?;
            let response = service
                .call(request)
                .await
                .map_err(|error| map_err(error.into()))?;
            Ok(response.map(Body::stream))
        })
    }
}

/// A [`Transport`] as a tower service, to which tower layers can be applied.
///
/// ```
/// use svc_api::{tower::TransportService, wire::{Body, transport_fn}};
///
/// let transport = transport_fn(|_request| async { Ok(http::Response::new(Body::empty())) });
/// let service = TransportService::new(transport);
/// ```
#[derive(Clone, Debug)]
pub struct TransportService {
    transport: Arc<dyn Transport>,
}

impl TransportService {
    /// A service that sends requests with `transport`.
    pub fn new(transport: impl Transport) -> Self {
        Self {
            transport: Arc::new(transport),
        }
    }
}

impl Service<http::Request<Body>> for TransportService {
    type Response = http::Response<Body>;
    type Error = TransportError;
    type Future = BoxFuture<'static, Result<Self::Response, TransportError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let transport = Arc::clone(&self.transport);
        Box::pin(async move { transport.send(request).await })
    }
}
