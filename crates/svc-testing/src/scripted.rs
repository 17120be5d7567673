//! A transport without a network, for tests: it returns prepared responses and records the
//! requests.

use std::{
    collections::VecDeque,
    fmt,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::{Request, Response, StatusCode};
use svc_model::wire::{Body, BoxFuture, Transport, TransportError, TransportErrorKind};

use crate::RecordedRequest;

/// A [`Transport`] that follows a script, with one entry for each call, in the order in which they were added.
///
/// Clones share script and record, so that a test can pass one clone to a client and inspect the other. A
/// call without an entry fails with kind [`Other`](TransportErrorKind::Other).
///
/// ```
/// use http::StatusCode;
/// use svc_model::{pages, wire::{Operation, Transport, TransportErrorKind}};
/// use svc_testing::ScriptedTransport;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let script = ScriptedTransport::new()
///     .answer(StatusCode::OK, "[]")
///     .fail(TransportErrorKind::Connect);
///
/// let list = pages::List::new(("shop", "prod"));
/// let answer = script.send(list.to_request("https://app.example.com/api")?).await?;
/// assert_eq!(answer.status(), StatusCode::OK);
/// assert!(script.send(list.to_request("https://app.example.com/api")?).await.is_err());
///
/// let requests = script.requests();
/// assert_eq!(requests.len(), 2);
/// assert_eq!(requests[0].uri.path(), "/api/projects/shop/prod/view_settings/");
/// assert_eq!(requests[0].operation().map(|info| info.name), Some("pages.list"));
/// assert_eq!(script.unused(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct ScriptedTransport(Arc<Mutex<State>>);

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

impl ScriptedTransport {
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

    /// Answers a call with the result of `answer` for its request.
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

    /// The number of entries in the script that were not used yet.
    pub fn unused(&self) -> usize {
        self.state().script.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code of the caller runs under the lock, so the state is consistent even when it is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn exchange(&self, request: Request<Body>) -> Result<Response<Body>, TransportError> {
        let request = RecordedRequest::record(request).await?;
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

impl fmt::Debug for ScriptedTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("ScriptedTransport")
            .field("requests", &state.requests)
            .field("unused", &state.script.len())
            .finish()
    }
}

impl Transport for ScriptedTransport {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(self.exchange(request))
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use http::{Method, header};
    use svc_model::wire::Deadline;

    use super::*;

    fn call(
        script: &dyn Transport,
        request: Request<Body>,
    ) -> Poll<Result<Response<Body>, TransportError>> {
        script
            .send(request)
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
    fn responses_are_returned_in_order_and_requests_recorded() {
        let script = ScriptedTransport::new()
            .answer(StatusCode::CREATED, "made")
            .fail(TransportErrorKind::Interrupted)
            .answer_with(|request| Ok(Response::new(Body::from(request.body.clone()))));
        let given_away: Box<dyn Transport> = Box::new(script.clone());
        let first = ready(call(&given_away, request("a"))).unwrap();
        assert_eq!(first.status(), StatusCode::CREATED);
        let second = ready(call(&given_away, request("b"))).unwrap_err();
        assert_eq!(second.kind(), TransportErrorKind::Interrupted);
        assert_eq!(script.unused(), 1);
        let third = ready(call(&script, request("echo"))).unwrap();
        assert_eq!(third.body().as_bytes().unwrap(), "echo");

        let requests = script.requests();
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
    fn a_call_beyond_the_script_fails_and_the_error_says_so() {
        let error = ready(call(&ScriptedTransport::new(), request(""))).unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Other);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("no answer is scripted"), "{source}");
    }

    #[test]
    fn a_call_can_be_left_without_an_answer() {
        let script = ScriptedTransport::new().never_answer();
        assert!(call(&script, request("")).is_pending());
        assert_eq!(script.requests().len(), 1);
    }

    #[test]
    fn debug_shows_neither_credentials_nor_bodies() {
        let script = ScriptedTransport::new().answer(StatusCode::OK, "");
        let _answer = call(&script, request("my password"));
        let shown = format!("{script:?}");
        assert!(shown.contains("/records") && shown.contains("11 bytes"));
        assert!(!shown.contains("hunter2") && !shown.contains("password"));
    }
}
