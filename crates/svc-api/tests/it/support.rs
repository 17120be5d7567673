//! A clock that the tests control, and a client with a scripted transport.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use http::{Method, Request, Response, StatusCode};
use svc_api::{
    Client, ClientBuilder, OwnTransport,
    model::{ResponseError, decode_json},
    wire::{
        Body, BoxFuture, Credential, Host, Operation, OperationInfo, PathArguments, RequestError,
        Timer,
    },
};
use svc_testing::ScriptedTransport;

/// A clock whose time advances when code sleeps on it, or when a test says so.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestTimer(Arc<Mutex<Clock>>);

#[derive(Debug, Default)]
struct Clock {
    now: Duration,
    sleeps: Vec<Duration>,
}

impl TestTimer {
    pub(crate) fn pass(&self, time: Duration) {
        self.0.lock().unwrap().now += time;
    }

    /// The durations of all sleeps, in their order.
    pub(crate) fn sleeps(&self) -> Vec<Duration> {
        self.0.lock().unwrap().sleeps.clone()
    }
}

impl Timer for TestTimer {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let clock = Arc::clone(&self.0);
        Box::pin(poll_fn(move |_| {
            let mut clock = clock.lock().unwrap();
            clock.now += duration;
            clock.sleeps.push(duration);
            Poll::Ready(())
        }))
    }

    fn now(&self) -> Duration {
        self.0.lock().unwrap().now
    }
}

/// A client of the demo project with the transport `script`, without credentials.
pub(crate) fn builder(script: &ScriptedTransport) -> ClientBuilder<OwnTransport> {
    Client::builder()
        .project("demo")
        .api_base_url("https://data.example.com")
        .app_base_url("https://app.example.com/api")
        .transport(script.clone())
}

pub(crate) fn client(script: &ScriptedTransport) -> Client {
    builder(script).build().unwrap()
}

/// An operation that is not one of the service's: it needs no credential and streams its body.
pub(crate) struct Upload;

impl Operation for Upload {
    type Response = u32;

    const INFO: OperationInfo = OperationInfo::new(
        "own.upload",
        Method::PUT,
        Host::Data,
        "/own/upload",
        Credential::Anonymous,
        true,
    );

    fn path_arguments(&self) -> PathArguments<'_> {
        [].into()
    }

    fn to_request(&self, base_url: &str) -> Result<Request<Body>, RequestError> {
        let body = http_body_util::Full::new(bytes::Bytes::from_static(b"a stream"));
        Request::put(format!("{base_url}/own/upload"))
            .body(Body::stream(body))
            .map_err(|error| RequestError::new("the upload has no URI").with_source(error))
    }

    fn parse_success(response: Response<bytes::Bytes>) -> Result<u32, ResponseError> {
        decode_json(response)
    }
}

/// A response with a header.
pub(crate) fn answer(
    status: StatusCode,
    header: (&'static str, &'static str),
    body: &'static str,
) -> Response<Body> {
    Response::builder()
        .status(status)
        .header(header.0, header.1)
        .body(Body::from(body))
        .unwrap()
}
