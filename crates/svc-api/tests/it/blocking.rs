//! Calls without a runtime.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use http::StatusCode;
use svc_api::{
    Client,
    blocking::{self, Wait},
};
use svc_testing::ScriptedTransport;

use crate::support::client;

#[test]
fn calls_and_lists_can_be_waited_for_on_any_transport() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, r#"{"y_func":3}"#)
        .answer(
            StatusCode::OK,
            r#"{"count":3,"next":"/x?page=2","previous":null,"results":[{"id":1},{"id":2}]}"#,
        )
        .answer(
            StatusCode::OK,
            r#"{"count":3,"next":null,"previous":null,"results":[{"id":3}]}"#,
        )
        .answer(StatusCode::NOT_FOUND, "{}");
    let orders = client(&script).records("shop", "orders");
    assert_eq!(orders.count().wait().unwrap(), 3);
    let ids = blocking::iter(orders.list().by_item()).map(|order| order.unwrap()["id"].clone());
    assert_eq!(ids.collect::<Vec<_>>(), [1, 2, 3]);
    assert!(orders.get(7).wait().unwrap_err().is_not_found());
}

/// A service that answers one request after another.
fn service(answers: &'static [&'static str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for answer in answers {
            let (mut connection, _) = listener.accept().unwrap();
            let _ = connection.read(&mut [0; 4096]).unwrap();
            let length = answer.len();
            write!(
                connection,
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}"
            )
            .unwrap();
        }
    });
    url
}

#[test]
fn the_built_in_transport_needs_no_runtime_of_the_program() {
    let client = Client::builder()
        .project("demo")
        .app_base_url(service(&["[]", "[]"]))
        .build_blocking()
        .unwrap();
    // Also when the client is gone before its call ends.
    let list = client.pages().list();
    assert!(client.pages().list().wait().unwrap().is_empty());
    drop(client);
    assert!(list.wait().unwrap().is_empty());
}

#[test]
fn a_connection_that_is_refused_is_tried_again_and_then_an_error() {
    let client = Client::builder()
        .project("demo")
        .app_base_url("http://127.0.0.1:1")
        .build_blocking()
        .unwrap();
    assert!(client.pages().list().wait().unwrap_err().is_connect());
}
