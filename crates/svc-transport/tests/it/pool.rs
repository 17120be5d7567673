//! The connection pool: connections are kept, reused, and replaced when they are closed.

use std::{sync::Arc, time::Duration};

use http::{Request, Response};
use svc_model::wire::{Body, Transport};
use svc_transport::HyperTransport;
use tokio::{io::AsyncReadExt, sync::Notify};

use crate::support::{Server, fetch, read_head, write};

const EMPTY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

async fn ok_server() -> Server {
    Server::of_requests(|_| Response::new(Body::from("ok"))).await
}

#[tokio::test]
async fn consecutive_calls_use_one_connection() {
    let server = ok_server().await;
    let transport = HyperTransport::new().unwrap();
    for _ in 0..10 {
        fetch(&transport, &server.http("/")).await;
    }
    fetch(&transport.clone(), &server.http("/")).await;
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn without_idle_connections_each_call_has_its_own_connection() {
    let server = ok_server().await;
    let transport = HyperTransport::builder()
        .max_idle_per_host(0)
        .build()
        .unwrap();
    for _ in 0..3 {
        fetch(&transport, &server.http("/")).await;
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn many_calls_at_once_all_get_their_response() {
    let server =
        Server::of_requests(|request| Response::new(request.uri().path().to_owned().into())).await;
    let transport = HyperTransport::new().unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..200 {
        let transport = transport.clone();
        let url = server.http(&format!("/{number}"));
        calls.spawn(async move { (number, fetch(&transport, &url).await) });
    }
    while let Some(done) = calls.join_next().await {
        let (number, answer) = done.unwrap();
        assert_eq!(answer, format!("/{number}"));
    }
}

#[tokio::test]
async fn a_connection_that_the_service_closed_is_replaced() {
    let leave = Arc::new(Notify::new());
    let left = Arc::new(Notify::new());
    let (told, gone) = (Arc::clone(&leave), Arc::clone(&left));
    let server = Server::of_connections(move |mut stream, number| {
        let (told, gone) = (Arc::clone(&told), Arc::clone(&gone));
        async move {
            read_head(&mut stream).await;
            write(&mut stream, EMPTY).await;
            if number == 0 {
                told.notified().await;
                drop(stream);
                gone.notify_one();
            }
        }
    })
    .await;
    let transport = HyperTransport::new().unwrap();
    fetch(&transport, &server.http("/")).await;
    leave.notify_one();
    left.notified().await;
    // Another exchange lets the runtime notice that the first connection was closed.
    fetch(&transport, &ok_server().await.http("/")).await;

    let request = Request::post(server.http("/")).body(Body::empty()).unwrap();
    let response = transport.send(request).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn an_unused_connection_is_closed() {
    let closed = Arc::new(Notify::new());
    let seen = Arc::clone(&closed);
    let server = Server::of_connections(move |mut stream, _| {
        let seen = Arc::clone(&seen);
        async move {
            read_head(&mut stream).await;
            write(&mut stream, EMPTY).await;
            if matches!(stream.read(&mut [0]).await, Ok(0)) {
                seen.notify_one();
            }
        }
    })
    .await;
    let transport = HyperTransport::builder()
        .idle_timeout(Duration::from_millis(50))
        .build()
        .unwrap();
    fetch(&transport, &server.http("/")).await;
    tokio::time::timeout(Duration::from_secs(10), closed.notified())
        .await
        .expect("the connection is closed when its time is over");
}

#[test]
fn a_transport_outlives_the_runtime_that_it_was_first_used_on() {
    let transport = HyperTransport::new().unwrap();
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = ok_server().await;
            assert_eq!(fetch(&transport, &server.http("/")).await, "ok");
            assert_eq!(fetch(&transport, &server.http("/")).await, "ok");
        });
    }
}
