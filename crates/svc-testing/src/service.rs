//! A mock service: a transport without a network that answers by operation.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use svc_model::wire::{
    Body, BoxFuture, Operation, OperationInfo, Transport, TransportError, TransportErrorKind,
};

use crate::{
    RecordedRequest,
    path::{names, values},
};

/// A [`Transport`] with a response for each operation, for any number of calls in any order.
///
/// The operation of a request is found by its method and path, as on a server. A response that is added later replaces
/// an earlier one, so that a test can change one response of a shared service. A call of an operation without a response
/// fails with kind [`Other`](TransportErrorKind::Other).
///
/// ```
/// use http::{Response, StatusCode};
/// use svc_model::{pages, wire::{Operation, Transport}};
/// use svc_testing::MockService;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let service = MockService::new()
///     .on::<pages::List>(StatusCode::OK, "[]")
///     .on_request::<pages::Publish>(|request| {
///         // As a service reads it: every field is checked.
///         let publish: pages::Publish = request.read().unwrap();
///         let published = publish.uids.map_or(0, |uids| uids.len());
///         Ok(Response::new(format!(r#"{{"published":{published}}}"#).into()))
///     });
///
/// let mut publish = pages::Publish::new(("shop", "prod"));
/// publish.uids = Some(vec!["5f0c".into()]);
/// let answer = service.send(publish.to_request("https://app.example.com/api")?).await?;
/// assert_eq!(answer.into_body().collect(100).await?, r#"{"published":1}"#);
/// assert_eq!(service.requests().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MockService(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    routes: Vec<Route>,
    requests: Vec<RecordedRequest>,
}

#[derive(Clone)]
struct Route {
    info: OperationInfo,
    answer: Arc<Answer>,
}

type Answer =
    dyn Fn(&RecordedRequest) -> Result<Response<Body>, TransportError> + Send + Sync + 'static;

impl MockService {
    /// A service without responses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers each call of the operation `O` with this status and body.
    #[must_use]
    pub fn on<O: Operation>(self, status: StatusCode, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        self.on_request::<O>(move |_| {
            let mut response = Response::new(Body::from(body.clone()));
            *response.status_mut() = status;
            Ok(response)
        })
    }

    /// Answers each call of the operation `O` with the result of `answer` for its request.
    #[must_use]
    pub fn on_request<O: Operation>(
        self,
        answer: impl Fn(&RecordedRequest) -> Result<Response<Body>, TransportError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let answer = Arc::new(answer);
        self.state().routes.push(Route {
            info: O::INFO,
            answer,
        });
        self
    }

    /// The requests of all calls so far, the first one first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code of the caller runs under the lock, so the state is consistent even when it is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn exchange(&self, request: Request<Body>) -> Result<Response<Body>, TransportError> {
        let request = RecordedRequest::record(request).await?;
        let route = {
            let mut state = self.state();
            state.requests.push(request.clone());
            let of_request = |route: &&Route| {
                route.info.method == request.method
                    && values(route.info.path_template, request.uri.path()).is_some()
            };
            // The most specific template is used, and the last one of those: `.../models/orders/aggregate/` is not a record.
            let routes = state.routes.iter().rev().filter(of_request);
            routes
                .min_by_key(|route| names(route.info.path_template))
                .cloned()
        };
        match route {
            Some(route) => (route.answer)(&request),
            None => Err(TransportError::new(
                TransportErrorKind::Other,
                format!("no answer is given for {} {}", request.method, request.uri),
            )),
        }
    }
}

impl fmt::Debug for MockService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        let operations = state.routes.iter().map(|route| route.info.name);
        f.debug_struct("MockService")
            .field("operations", &operations.collect::<Vec<_>>())
            .field("requests", &state.requests)
            .finish()
    }
}

impl Transport for MockService {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(self.exchange(request))
    }
}
