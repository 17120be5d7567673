//! HTTP/2: one connection for many calls, and failures after which the request was certainly not processed.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame};
use svc_model::wire::{Body, Deadline, Transport, TransportError, TransportErrorKind};
use svc_transport::HyperTransport;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Barrier, Notify},
};
use tokio_rustls::server::TlsStream;

use crate::support::{Identity, Server, chain, fetch, get};

const H2: &[&str] = &["h2"];

fn transport(identity: &Identity) -> HyperTransport {
    HyperTransport::builder()
        .root_certificates_pem(identity.pem.clone())
        .build()
        .unwrap()
}

#[tokio::test]
async fn calls_share_one_connection() {
    let identity = Identity::new();
    let server = Server::of_tls_requests(&identity, H2, |request| {
        Response::new(request.uri().path().to_owned().into())
    })
    .await;
    let transport = transport(&identity);
    fetch(&transport, &server.https("/first")).await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..50 {
        let transport = transport.clone();
        let url = server.https(&format!("/{number}"));
        calls.spawn(async move { (number, fetch(&transport, &url).await) });
    }
    while let Some(done) = calls.join_next().await {
        let (number, answer) = done.unwrap();
        assert_eq!(answer, format!("/{number}"));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn first_calls_at_the_same_time_all_succeed() {
    let identity = Identity::new();
    let server = Server::of_tls_requests(&identity, H2, |_| Response::new(Body::from("ok"))).await;
    let transport = transport(&identity);
    let start = Arc::new(Barrier::new(20));
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (transport, start, url) = (transport.clone(), Arc::clone(&start), server.https("/"));
        calls.spawn(async move {
            start.wait().await;
            fetch(&transport, &url).await
        });
    }
    while let Some(done) = calls.join_next().await {
        assert_eq!(done.unwrap(), "ok");
    }
}

async fn error_of_reset(reason: h2::Reason) -> TransportError {
    let identity = Identity::new();
    let server = Server::of_tls_connections(&identity, H2, move |stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            respond.send_reset(reason);
        }
    })
    .await;
    let request = Request::post(server.https("/")).body("{}".into()).unwrap();
    transport(&identity).send(request).await.unwrap_err()
}

#[tokio::test]
async fn a_refused_stream_was_never_sent() {
    let error = error_of_reset(h2::Reason::REFUSED_STREAM).await;
    assert_eq!(
        error.kind(),
        TransportErrorKind::Interrupted,
        "{}",
        chain(&error)
    );
    assert!(error.never_sent());
}

#[tokio::test]
async fn any_other_reset_may_have_done_something() {
    let error = error_of_reset(h2::Reason::INTERNAL_ERROR).await;
    assert_eq!(
        error.kind(),
        TransportErrorKind::Interrupted,
        "{}",
        chain(&error)
    );
    assert!(!error.never_sent());
}

/// A body with one piece and then an error.
struct Broken(bool);

impl HttpBody for Broken {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
        let is_first = !std::mem::replace(&mut self.0, true);
        Poll::Ready(Some(if is_first {
            Ok(Frame::data(Bytes::from_static(b"one piece")))
        } else {
            Err(std::io::Error::other("the file is gone"))
        }))
    }
}

#[tokio::test]
async fn a_request_body_that_breaks_off_is_an_error_of_kind_body() {
    let identity = Identity::new();
    let server = Server::of_tls_connections(&identity, H2, |stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        let mut unanswered = Vec::new();
        while let Some(Ok(request)) = connection.accept().await {
            unanswered.push(request);
        }
    })
    .await;
    let request = Request::post(server.https("/"))
        .body(Body::stream(Broken(false)))
        .unwrap();
    let error = transport(&identity).send(request).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Body, "{}", chain(&error));
    assert!(!error.never_sent());
}

/// What a service does after the first piece of a response body of ten bytes.
#[derive(Clone, Copy, Debug)]
enum End {
    Early,
    Reset,
    Connection,
}

/// Answers one request, whose body ends so when the caller has the head.
async fn cut_off(stream: TlsStream<TcpStream>, end: End, go_on: Arc<Notify>) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    let (_, mut respond) = connection.accept().await.unwrap().unwrap();
    let head = Response::builder().header("content-length", 10);
    let mut body = respond
        .send_response(head.body(()).unwrap(), false)
        .unwrap();
    body.send_data("piece".into(), matches!(end, End::Early))
        .unwrap();
    tokio::select! {
        _ = connection.accept() => panic!("there is one request"),
        () = go_on.notified() => (),
    }
    match end {
        End::Early => {}
        End::Reset => body.send_reset(h2::Reason::INTERNAL_ERROR),
        End::Connection => return,
    }
    while connection.accept().await.is_some() {}
}

#[tokio::test]
async fn a_response_body_that_breaks_off_is_interrupted() {
    for end in [End::Early, End::Reset, End::Connection] {
        let identity = Identity::new();
        let has_head = Arc::new(Notify::new());
        let go_on = Arc::clone(&has_head);
        let server = Server::of_tls_connections(&identity, H2, move |stream| {
            cut_off(stream, end, Arc::clone(&go_on))
        })
        .await;
        let transport = transport(&identity);
        let response = transport.send(get(&server.https("/"))).await.unwrap();
        has_head.notify_one();
        let error = response.into_body().collect(100).await.unwrap_err();
        let seen = (error.kind(), error.never_sent());
        let expected = (TransportErrorKind::Interrupted, false);
        assert_eq!(seen, expected, "{end:?}: {}", chain(&error));
    }
}

#[tokio::test]
async fn a_head_of_a_megabyte_is_an_error() {
    let identity = Identity::new();
    let server = Server::of_tls_requests(&identity, H2, |_| {
        let line = || "x".repeat(10_000);
        let head = (0..100).fold(Response::builder(), |head, _| head.header("x-long", line()));
        head.body(Body::empty()).unwrap()
    })
    .await;
    let error = transport(&identity)
        .send(get(&server.https("/")))
        .await
        .unwrap_err();
    assert!(!error.never_sent());
    assert_eq!(
        error.kind(),
        TransportErrorKind::Interrupted,
        "{}",
        chain(&error)
    );
}

#[tokio::test]
async fn a_cancelled_call_resets_its_stream() {
    let identity = Identity::new();
    let (arrived, reset) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell_arrived, tell_reset) = (Arc::clone(&arrived), Arc::clone(&reset));
    let server = Server::of_tls_connections(&identity, H2, move |stream| {
        let (arrived, reset) = (Arc::clone(&tell_arrived), Arc::clone(&tell_reset));
        async move {
            let mut connection = h2::server::handshake(stream).await.unwrap();
            while let Some(Ok((_, mut respond))) = connection.accept().await {
                let (arrived, reset) = (Arc::clone(&arrived), Arc::clone(&reset));
                tokio::spawn(async move {
                    arrived.notify_one();
                    if poll_fn(|context| respond.poll_reset(context)).await.is_ok() {
                        reset.notify_one();
                    }
                });
            }
        }
    })
    .await;
    let transport = transport(&identity);
    let call = transport.send(get(&server.https("/")));
    tokio::select! {
        _ = call => panic!("the service does not answer"),
        () = arrived.notified() => (),
    }
    tokio::time::timeout(Duration::from_secs(10), reset.notified())
        .await
        .expect("the stream is reset when the call is dropped");
}

/// Reads frames up to the request, then sends a GOAWAY with this as the last accepted stream.
async fn goodbye(mut stream: TlsStream<TcpStream>, last_stream: u32) -> std::io::Result<()> {
    const PREFACE: usize = 24;
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const HEADERS: u8 = 1;
    stream.write_all(&SETTINGS).await?;
    stream.flush().await?;
    stream.read_exact(&mut [0; PREFACE]).await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let size = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        stream.read_exact(&mut vec![0; size as usize]).await?;
        if head[3] == HEADERS {
            break;
        }
    }
    let mut frame = vec![0, 0, 8, 7, 0, 0, 0, 0, 0];
    frame.extend(last_stream.to_be_bytes());
    frame.extend([0; 4]);
    stream.write_all(&frame).await?;
    stream.shutdown().await
}

#[tokio::test]
async fn a_goaway_frame_says_which_requests_were_accepted() {
    for (last_stream, never_sent) in [(0, true), (1, false)] {
        let identity = Identity::new();
        let server = Server::of_tls_connections(&identity, H2, move |stream| async move {
            let _ = goodbye(stream, last_stream).await;
        })
        .await;
        let mut request = get(&server.https("/"));
        request
            .extensions_mut()
            .insert(Deadline(Duration::from_secs(10)));
        let error = transport(&identity).send(request).await.unwrap_err();
        assert_eq!(
            error.kind(),
            TransportErrorKind::Interrupted,
            "{}",
            chain(&error)
        );
        assert_eq!(error.never_sent(), never_sent, "{}", chain(&error));
    }
}
