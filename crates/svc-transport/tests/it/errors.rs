//! Requests that cannot be sent, and responses that are not HTTP.

use std::{
    future::Future,
    task::{Context, Poll, Waker},
};

use http::Request;
use svc_model::wire::{Body, Transport, TransportErrorKind};
use svc_transport::HyperTransport;

use crate::support::{Server, chain, get, read_head, write};

#[test]
fn without_a_runtime_a_call_fails_and_the_error_says_so() {
    let transport = HyperTransport::new().unwrap();
    let mut call = transport.send(get("http://127.0.0.1:1/"));
    let polled = Future::poll(call.as_mut(), &mut Context::from_waker(Waker::noop()));
    let Poll::Ready(Err(error)) = polled else {
        panic!("the call fails at once");
    };
    assert_eq!(error.kind(), TransportErrorKind::Other);
    assert!(error.never_sent());
    assert!(
        chain(&error).contains("no tokio runtime"),
        "{}",
        chain(&error)
    );
}

#[tokio::test]
async fn credentials_in_the_uri_are_refused_and_not_repeated() {
    let transport = HyperTransport::new().unwrap();
    let request = get("http://user:hunter2@127.0.0.1:1/");
    let error = transport.send(request).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Invalid);
    assert!(!format!("{error:?}{}", chain(&error)).contains("hunter2"));
}

#[tokio::test]
async fn connect_is_refused_as_a_method() {
    let request = Request::connect("http://127.0.0.1:1/")
        .body(Body::empty())
        .unwrap();
    let error = HyperTransport::new()
        .unwrap()
        .send(request)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Invalid);
}

#[tokio::test]
async fn the_version_in_the_request_does_not_matter() {
    let server = Server::of_requests(|request| {
        http::Response::new(format!("{:?}", request.version()).into())
    })
    .await;
    for version in [
        http::Version::HTTP_10,
        http::Version::HTTP_2,
        http::Version::HTTP_3,
    ] {
        let mut request = get(&server.http("/"));
        *request.version_mut() = version;
        let response = HyperTransport::new().unwrap().send(request).await.unwrap();
        let body = response.into_body().collect(100).await.unwrap();
        assert_eq!(body, "HTTP/1.1");
    }
}

#[tokio::test]
async fn a_response_that_is_not_http_is_an_error() {
    let server = Server::of_connections(|mut stream, _| async move {
        read_head(&mut stream).await;
        write(&mut stream, "220 mail.test ESMTP\r\n\r\n").await;
    })
    .await;
    let transport = HyperTransport::new().unwrap();
    let error = transport.send(get(&server.http("/"))).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Other, "{}", chain(&error));
    assert!(!error.never_sent());
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_a_connect_error() {
    let transport = HyperTransport::new().unwrap();
    let request = get("http://does-not-exist.invalid/");
    let error = transport.send(request).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(
        chain(&error).contains("does-not-exist.invalid"),
        "{}",
        chain(&error)
    );
}

#[tokio::test]
async fn a_refused_connection_names_host_and_cause_once() {
    let transport = HyperTransport::new().unwrap();
    let error = transport
        .send(get("http://127.0.0.1:1/"))
        .await
        .unwrap_err();
    let text = chain(&error);
    assert!(
        text.starts_with("could not connect to the service: no connection to 127.0.0.1:1: "),
        "{text}"
    );
    assert!(text.to_lowercase().contains("refused"), "{text}");
}
