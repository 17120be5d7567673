//! Responses that arrived in time but were polled later.

use std::{
    future::poll_fn,
    io::{Read, Write},
    net::TcpListener,
    pin::pin,
    sync::mpsc,
    task::Poll,
    thread,
    time::{Duration, Instant},
};

use svc_model::wire::{Body, Deadline, Transport};
use svc_transport::HyperTransport;

#[test]
fn a_response_that_arrived_in_time_is_read_after_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (received, is_received) = mpsc::channel();
    let (go, may_answer) = mpsc::channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let _ = stream.read(&mut request).unwrap();
        received.send(()).unwrap();
        may_answer.recv().unwrap();
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
        stream.write_all(answer.as_bytes()).unwrap();
        // The connection stays open until the other side closes it.
        let _ = stream.read(&mut request);
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let transport = HyperTransport::new().unwrap();
        let limit = Duration::from_millis(500);
        let begun = Instant::now();
        let mut request = http::Request::get(format!("http://{address}/"))
            .body(Body::empty())
            .unwrap();
        request.extensions_mut().insert(Deadline(limit));
        let mut answer = pin!(transport.send(request));
        // Polls until the request was sent, and then stops.
        while is_received.try_recv().is_err() {
            let polled = poll_fn(|context| Poll::Ready(answer.as_mut().poll(context))).await;
            assert!(polled.is_pending());
            tokio::task::yield_now().await;
        }
        go.send(()).unwrap();
        // Meanwhile the connection continues to run.
        while begun.elapsed() < limit * 2 {
            tokio::task::yield_now().await;
        }
        let answer = answer.await.expect("the head");
        let body = answer.into_body().collect(1024).await.expect("the body");
        assert_eq!(&body[..], b"hello");
    });
}
