//! Deadlines, timeouts, and the limit of body sizes.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::Response;
use http_body::{Body as HttpBody, Frame};
use svc_model::wire::{Body, Deadline, Timer, Transport, TransportErrorKind};
use svc_transport::{HyperTransport, HyperTransportBuilder, TokioTimer};
use tokio::io::AsyncReadExt;

use crate::support::{Server, chain, fetch, get, read_head, write};

const SHORT: Duration = Duration::from_millis(100);
/// A time far shorter than the servers of these tests would make a call wait.
const SOON: Duration = Duration::from_secs(20);

async fn silent_server() -> Server {
    Server::of_connections(|mut stream, _| async move {
        while matches!(stream.read(&mut [0; 1024]).await, Ok(1..)) {}
    })
    .await
}

async fn stalling_server() -> Server {
    Server::of_connections(|mut stream, _| async move {
        read_head(&mut stream).await;
        write(
            &mut stream,
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
        )
        .await;
        while matches!(stream.read(&mut [0; 1024]).await, Ok(1..)) {}
    })
    .await
}

fn built(settings: impl FnOnce(HyperTransportBuilder) -> HyperTransportBuilder) -> HyperTransport {
    settings(HyperTransport::builder()).build().unwrap()
}

#[tokio::test]
async fn the_deadline_of_the_transport_applies_when_the_request_has_none() {
    let server = silent_server().await;
    let transport = built(|it| it.deadline(SHORT));
    let started = Instant::now();
    let error = transport.send(get(&server.http("/"))).await.unwrap_err();
    assert!(started.elapsed() < SOON);
    assert_eq!(error.kind(), TransportErrorKind::Timeout);
    assert!(!error.never_sent());
    assert!(chain(&error).contains("within 100ms"), "{}", chain(&error));
}

#[tokio::test]
async fn the_deadline_of_the_request_overrides_that_of_the_transport() {
    let server = Server::of_requests(|_| Response::new(Body::from("ok"))).await;
    let transport = built(|it| it.deadline(Duration::from_nanos(1)));
    let mut request = get(&server.http("/"));
    request.extensions_mut().insert(Deadline(Duration::MAX));
    let response = transport.send(request).await.unwrap();
    assert_eq!(response.into_body().collect(10).await.unwrap(), "ok");
}

#[tokio::test]
async fn nothing_is_sent_after_the_deadline() {
    let server = silent_server().await;
    let mut request = get(&server.http("/"));
    request.extensions_mut().insert(Deadline(Duration::ZERO));
    let error = HyperTransport::new()
        .unwrap()
        .send(request)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Timeout);
    assert!(error.never_sent());
    assert_eq!(server.connections(), 0);
}

struct Endless;

impl HttpBody for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::convert::Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; 1024])))))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endless_body_ends_at_the_deadline() {
    let server = Server::of_requests(|_| Response::new(Body::stream(Endless))).await;
    let mut request = get(&server.http("/"));
    request.extensions_mut().insert(Deadline(SHORT));
    let response = HyperTransport::new().unwrap().send(request).await.unwrap();
    let mut body = response.into_body();
    let started = Instant::now();
    let error = loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        match frame.expect("it has no end") {
            Ok(_) => assert!(started.elapsed() < SOON),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("in time"), "{error}");
    let after = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
    assert!(after.is_none(), "nothing comes after an error");
}

#[tokio::test]
async fn the_read_timeout_ends_a_pause_in_the_body() {
    let server = stalling_server().await;
    let transport = built(|it| it.read_timeout(SHORT).deadline(None));
    let response = transport.send(get(&server.http("/"))).await.unwrap();
    let error = response.into_body().collect(100).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Timeout);
    assert!(chain(&error).contains("further bytes"), "{}", chain(&error));
}

#[tokio::test]
async fn the_earlier_of_deadline_and_read_timeout_applies() {
    let server = stalling_server().await;
    let transport = built(|it| it.read_timeout(Duration::from_secs(60)).deadline(SHORT));
    let response = transport.send(get(&server.http("/"))).await.unwrap();
    let error = response.into_body().collect(100).await.unwrap_err();
    assert!(
        chain(&error).contains("no complete answer"),
        "{}",
        chain(&error)
    );
}

#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_a_connect_error() {
    // The service accepts the connection and never starts TLS.
    let server = silent_server().await;
    let transport = built(|it| it.connect_timeout(SHORT));
    let started = Instant::now();
    let error = transport.send(get(&server.https("/"))).await.unwrap_err();
    assert!(started.elapsed() < SOON);
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(error.never_sent());
    assert!(chain(&error).contains("within 100ms"), "{}", chain(&error));
}

#[tokio::test]
async fn a_response_over_the_limit_is_cut_off() {
    let server = Server::of_requests(|_| Response::new(Body::from("four"))).await;
    let transport = built(|it| it.max_response_bytes(4));
    assert_eq!(fetch(&transport, &server.http("/")).await, "four");
    let transport = built(|it| it.max_response_bytes(3));
    let response = transport.send(get(&server.http("/"))).await.unwrap();
    let error = response.into_body().collect(100).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Body);
    assert!(
        chain(&error).contains("limit of 3 bytes, `max_response_bytes`"),
        "{}",
        chain(&error)
    );
}

#[tokio::test]
async fn the_timer_sleeps_for_the_given_time() {
    let timer = TokioTimer::new();
    let before = timer.now();
    timer.sleep(SHORT).await;
    assert!(timer.now() - before >= SHORT);
}
