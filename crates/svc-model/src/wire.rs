//! The transport contract: sends an [`http::Request`] to the service and returns its response.
//!
//! A transport implements one trait with one function. It sends one request; it follows no redirect,
//! decompresses nothing, adds no credential and never retries, and a response with any status is `Ok`.
//! Everything that an implementer needs to construct is public. Every transport must pass the conformance kit of the
//! crate `svc-testing`.

mod any;
mod any_json;
mod body;
mod deadline;
mod error;
mod operation;
pub(crate) mod parts;
mod received;
mod request_error;
pub(crate) mod upload;

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

pub(crate) use self::parts::encode;
pub use self::{
    any::AnyOperation,
    any_json::AnyJson,
    body::{Body, BodyTooLarge},
    deadline::{Deadline, with_deadline, within},
    error::{BoxError, TransportError, TransportErrorKind},
    operation::{
        Credential, Host, Level, Operation, OperationInfo, PathArguments, RealmOperation, add_draft,
    },
    parts::{
        HasFields, HasIfMatch, HasQuery, HasStatementId, PagedOperation, PathPart, QueryPart,
        QueryValue,
    },
    received::{BodyProperty, ParameterValue, ReadBody, ReadOperation, ReadQuery, ReceivedRequest},
    request_error::RequestError,
    upload::Upload,
};
/// Declares an operation. The documentation of the crate `svc-macros` explains the attributes.
pub use svc_macros::Operation;
/// Reads a body into the fields of a struct. The documentation of the crate `svc-macros` explains the attributes.
pub use svc_macros::ReadBody;

/// A boxed future that may move between threads.
///
/// It is `Send` on every target, including WebAssembly, so that signatures are the same on all targets.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Sends one request to the service and returns the response.
///
/// The request has an absolute URI and a complete set of headers. Its extensions hold the
/// [`OperationInfo`] of the call (for logs and metrics) and a [`Deadline`] if the caller set one.
///
/// An implementation
/// - sends the request once, and changes neither method, path, headers nor body;
/// - returns every response as `Ok`, whatever its status;
/// - returns the response as soon as its head has arrived, with a body that streams;
/// - stops the exchange when the future or the response body is dropped;
/// - observes the [`Deadline`], for head and body together.
///
/// ```
/// use svc_model::wire::{transport_fn, Body, Transport};
///
/// let transport = transport_fn(|request: http::Request<Body>| async move {
///     assert_eq!(request.method(), http::Method::GET);
///     Ok(http::Response::new(Body::from("[]")))
/// });
/// let _answer = transport.send(http::Request::new(Body::empty()));
/// ```
pub trait Transport: fmt::Debug + Send + Sync + 'static {
    /// Sends `request` and returns the response once its head has arrived.
    ///
    /// # Errors
    /// [`TransportError`] when no complete response head was received: its kind says why, and
    /// [`TransportError::never_sent`] whether the service can have seen the request.
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>>;
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        (**self).send(request)
    }
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        (**self).send(request)
    }
}

/// Makes a [`Transport`] from an async function.
///
/// See [`Transport`] for an example.
pub fn transport_fn<F, Fut>(function: F) -> TransportFn<F>
where
    F: Fn(http::Request<Body>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<http::Response<Body>, TransportError>> + Send + 'static,
{
    TransportFn { function }
}

/// The [`Transport`] that [`transport_fn`] returns.
#[derive(Clone)]
pub struct TransportFn<F> {
    function: F,
}

impl<F> fmt::Debug for TransportFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportFn").finish_non_exhaustive()
    }
}

impl<F, Fut> Transport for TransportFn<F>
where
    F: Fn(http::Request<Body>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<http::Response<Body>, TransportError>> + Send + 'static,
{
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        Box::pin((self.function)(request))
    }
}

/// A clock that can wait and measure time: for deadlines, for the pause between two tries and for
/// token refresh.
///
/// The client crates have no clock of their own: the caller's runtime is injected through this trait.
pub trait Timer: fmt::Debug + Send + Sync + 'static {
    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// The time since a fixed moment, which the timer chooses once; it never runs backwards.
    fn now(&self) -> Duration;
}

/// Runs futures in the background, so that they continue after the caller that started them has gone.
///
/// The client crates have no runtime of their own: the program's runtime is injected through this
/// trait, as its clock is through [`Timer`].
pub trait Spawner: fmt::Debug + Send + Sync + 'static {
    /// Runs `task` to its end. A spawner that cannot run it drops it, and does not panic.
    fn spawn(&self, task: BoxFuture<'static, ()>);
}
