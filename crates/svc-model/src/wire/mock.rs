//! A transport without a network, for tests: it gives the answers that it was told to give, and
//! remembers what it was asked.

use std::{
    collections::VecDeque,
    fmt,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http::{Extensions, HeaderMap, Method, Request, Response, StatusCode, Uri, header};

use super::{
    Body, BoxFuture, Deadline, OperationInfo, Transport, TransportError, TransportErrorKind,
};

/// The largest request body that is taken, in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A [`Transport`] that follows a script, one entry a call, in the order in which they were added.
///
/// Clones share script and record, so that one clone can be given away and the other asked. A call
/// for which there is no entry left fails with kind [`Other`](TransportErrorKind::Other).
///
/// ```
/// use http::StatusCode;
/// use svc_model::{pages, wire::{mock::MockTransport, Operation, Transport, TransportErrorKind}};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let mock = MockTransport::new()
///     .answer(StatusCode::OK, "[]")
///     .fail(TransportErrorKind::Connect);
///
/// let list = pages::List::new(("shop", "prod"));
/// let answer = mock.send(list.to_request("https://app.example.com/api")?).await?;
/// assert_eq!(answer.status(), StatusCode::OK);
/// assert!(mock.send(list.to_request("https://app.example.com/api")?).await.is_err());
///
/// let requests = mock.requests();
/// assert_eq!(requests.len(), 2);
/// assert_eq!(requests[0].uri.path(), "/api/projects/shop/prod/view_settings/");
/// assert_eq!(requests[0].operation().map(|info| info.name), Some("pages.list"));
/// assert_eq!(mock.unused(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MockTransport(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    script: VecDeque<Step>,
    requests: Vec<RecordedRequest>,
}

type Answer =
    dyn FnOnce(&RecordedRequest) -> Result<Response<Body>, TransportError> + Send + 'static;

enum Step {
    Answer(Box<Answer>),
    Silence,
}

impl MockTransport {
    /// A transport with an empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a call with this status and body.
    #[must_use]
    pub fn answer(self, status: StatusCode, body: impl Into<Body>) -> Self {
        let body = body.into();
        self.answer_with(move |_| {
            let mut response = Response::new(body);
            *response.status_mut() = status;
            Ok(response)
        })
    }

    /// Fails a call with an error of this kind.
    #[must_use]
    pub fn fail(self, kind: TransportErrorKind) -> Self {
        self.answer_with(move |_| Err(kind.into()))
    }

    /// Answers a call with what `answer` makes of its request.
    #[must_use]
    pub fn answer_with<F>(self, answer: F) -> Self
    where
        F: FnOnce(&RecordedRequest) -> Result<Response<Body>, TransportError> + Send + 'static,
    {
        self.state()
            .script
            .push_back(Step::Answer(Box::new(answer)));
        self
    }

    /// Never answers a call: its future stays pending.
    #[must_use]
    pub fn never_answer(self) -> Self {
        self.state().script.push_back(Step::Silence);
        self
    }

    /// The requests of all calls so far, the first one first.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state().requests.clone()
    }

    /// How many entries of the script no call has used yet.
    pub fn unused(&self) -> usize {
        self.state().script.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing of the caller's runs under the lock, so that its state is whole even then.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn exchange(&self, request: Request<Body>) -> Result<Response<Body>, TransportError> {
        let (parts, body) = request.into_parts();
        let request = RecordedRequest {
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
            body: body.collect(MAX_BODY).await?,
            extensions: parts.extensions,
        };
        let step = {
            let mut state = self.state();
            state.requests.push(request.clone());
            state.script.pop_front()
        };
        match step {
            Some(Step::Answer(answer)) => answer(&request),
            Some(Step::Silence) => pending().await,
            None => Err(TransportError::new(
                TransportErrorKind::Other,
                format!(
                    "no answer is scripted for {} {}",
                    request.method, request.uri
                ),
            )),
        }
    }
}

impl fmt::Debug for MockTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("MockTransport")
            .field("requests", &state.requests)
            .field("unused", &state.script.len())
            .finish()
    }
}

impl Transport for MockTransport {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(self.exchange(request))
    }
}

/// A request that a [`MockTransport`] was given.
#[derive(Clone)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The method.
    pub method: Method,
    /// The absolute URI.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// The extensions.
    pub extensions: Extensions,
}

impl RecordedRequest {
    /// What the call was, where it came from an operation.
    pub fn operation(&self) -> Option<&OperationInfo> {
        self.extensions.get()
    }

    /// The deadline that the call had.
    pub fn deadline(&self) -> Option<Deadline> {
        self.extensions.get().copied()
    }
}

impl fmt::Debug for RecordedRequest {
    /// Hides credentials and says of the body how large it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut headers = self.headers.clone();
        for name in [
            header::AUTHORIZATION,
            header::PROXY_AUTHORIZATION,
            header::COOKIE,
        ] {
            if let header::Entry::Occupied(mut values) = headers.entry(name) {
                values
                    .iter_mut()
                    .for_each(|value| value.set_sensitive(true));
            }
        }
        f.debug_struct("RecordedRequest")
            .field("method", &self.method)
            .field("uri", &self.uri)
            .field("headers", &headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn call(
        mock: &dyn Transport,
        request: Request<Body>,
    ) -> Poll<Result<Response<Body>, TransportError>> {
        mock.send(request)
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
    }

    fn ready<T>(poll: Poll<T>) -> T {
        match poll {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("the mock answers at once"),
        }
    }

    fn request(body: &'static str) -> Request<Body> {
        Request::post("http://data.test/records?x=1")
            .header(header::AUTHORIZATION, "Bearer hunter2")
            .extension(Deadline(std::time::Duration::from_secs(3)))
            .body(Body::from(body))
            .unwrap()
    }

    #[test]
    fn answers_come_in_their_order_and_requests_are_remembered() {
        let mock = MockTransport::new()
            .answer(StatusCode::CREATED, "made")
            .fail(TransportErrorKind::Interrupted)
            .answer_with(|request| Ok(Response::new(Body::from(request.body.clone()))));
        let given_away: Box<dyn Transport> = Box::new(mock.clone());
        let first = ready(call(&given_away, request("a"))).unwrap();
        assert_eq!(first.status(), StatusCode::CREATED);
        let second = ready(call(&given_away, request("b"))).unwrap_err();
        assert_eq!(second.kind(), TransportErrorKind::Interrupted);
        assert_eq!(mock.unused(), 1);
        let third = ready(call(&mock, request("echo"))).unwrap();
        assert_eq!(third.body().as_bytes().unwrap(), "echo");

        let requests = mock.requests();
        assert_eq!(requests.len(), 3);
        assert_eq!(requests[0].method, Method::POST);
        assert_eq!(requests[0].uri, "http://data.test/records?x=1");
        assert_eq!(requests[0].body, "a");
        assert_eq!(
            requests[0].deadline(),
            Some(Deadline(std::time::Duration::from_secs(3)))
        );
        assert!(requests[0].operation().is_none());
    }

    #[test]
    fn a_call_beyond_the_script_fails_and_says_so() {
        let error = ready(call(&MockTransport::new(), request(""))).unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Other);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("no answer is scripted"), "{source}");
    }

    #[test]
    fn a_call_can_be_left_without_an_answer() {
        let mock = MockTransport::new().never_answer();
        assert!(call(&mock, request("")).is_pending());
        assert_eq!(mock.requests().len(), 1);
    }

    #[test]
    fn debug_shows_neither_credentials_nor_bodies() {
        let mock = MockTransport::new().answer(StatusCode::OK, "");
        let _answer = call(&mock, request("my password"));
        let shown = format!("{mock:?}");
        assert!(shown.contains("/records") && shown.contains("11 bytes"));
        assert!(!shown.contains("hunter2") && !shown.contains("password"));
    }
}
