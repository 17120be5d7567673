//! Adapters between the transport contract and [tower](https://docs.rs/tower) services.

use std::{
    fmt,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::Body as HttpBody;
use svc_model::wire::{Body, BoxError, BoxFuture, Transport, TransportError, TransportErrorKind};
use tower_service::Service;

/// A tower service as a [`Transport`]: an axum router in the same process, or a stack of layers over
/// another client.
///
/// The service is cloned for each request. An error that is a [`TransportError`] stays unchanged; any
/// other error gets the kind [`Other`](TransportErrorKind::Other), and the call is not repeated. The
/// service does not see the deadline of a call: set a timer on the client, or a timeout in the stack.
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
#[derive(Clone)]
pub struct ServiceTransport<S> {
    service: S,
}

impl<S> ServiceTransport<S> {
    /// Sends requests to `service`.
    pub fn new(service: S) -> Self {
        Self { service }
    }
}

impl<S> fmt::Debug for ServiceTransport<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceTransport").finish_non_exhaustive()
    }
}

impl<S, B> Transport for ServiceTransport<S>
where
    S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let mut service = self.service.clone();
        Box::pin(async move {
            poll_fn(|context| service.poll_ready(context))
                .await
                .map_err(|error| transport_error(error.into()).with_never_sent(true))?;
            let response = service
                .call(request)
                .await
                .map_err(|error| transport_error(error.into()))?;
            Ok(response.map(Body::stream))
        })
    }
}

fn transport_error(error: BoxError) -> TransportError {
    match error.downcast::<TransportError>() {
        Ok(error) => *error,
        Err(error) => TransportError::new(TransportErrorKind::Other, error),
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
