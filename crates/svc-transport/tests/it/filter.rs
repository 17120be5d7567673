//! The filter of addresses.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use svc_model::wire::{Transport, TransportErrorKind};
use svc_testing::conformance;
use svc_transport::{AddressRefused, HyperTransport, Proxy};

use crate::support::{Server, chain, fetch, get};

type Seen = Arc<Mutex<Vec<(String, SocketAddr)>>>;

/// A transport whose filter records its calls, and the record.
fn noting(answer: fn(SocketAddr) -> Result<(), String>) -> (HyperTransport, Seen) {
    let seen = Seen::default();
    let notes = Arc::clone(&seen);
    let transport = HyperTransport::builder()
        .address_filter(move |host, address| {
            notes.lock().unwrap().push((host.to_owned(), address));
            answer(address)
        })
        .build()
        .unwrap();
    (transport, seen)
}

fn none_is_loopback(address: SocketAddr) -> Result<(), String> {
    match address.ip().is_loopback() {
        true => Err("this machine itself".to_owned()),
        false => Ok(()),
    }
}

#[tokio::test]
async fn the_transport_conforms_with_a_filter_too() {
    let transport = HyperTransport::builder()
        .address_filter(|_, _| Ok(()))
        .build()
        .unwrap();
    conformance::check(&transport).await.unwrap();
}

#[tokio::test]
async fn the_filter_sees_every_address_with_its_port_before_a_connection_is_made() {
    let server = Server::of_requests(|_| http::Response::new("here".into())).await;
    let port = server.address.port();
    let (transport, seen) = noting(|_| Ok(()));
    let url = format!("http://localhost:{port}/");
    assert_eq!(fetch(&transport, &url).await, "here");
    let seen = seen.lock().unwrap().clone();
    assert!(seen.contains(&("localhost".to_owned(), server.address)));
    assert!(seen.iter().all(|(_, address)| address.port() == port));
}

#[tokio::test]
async fn a_refused_address_is_never_connected_to_however_it_is_written() {
    let server = Server::of_requests(|_| http::Response::new("reached".into())).await;
    let port = server.address.port();
    let (transport, seen) = noting(none_is_loopback);
    // The system's resolver accepts addresses in many numeric forms.
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
    ] {
        let request = get(&format!("http://{host}:{port}/"));
        let error = transport.send(request).await.unwrap_err();
        let Some(refused) = AddressRefused::of(&error) else {
            // If the resolver does not accept a form, there is no address to connect to.
            assert_eq!(error.kind(), TransportErrorKind::Connect, "{host}");
            continue;
        };
        assert_eq!(refused.reason(), "this machine itself");
        assert_eq!(refused.host(), host.trim_matches(['[', ']']));
        assert_eq!(error.kind(), TransportErrorKind::Invalid);
        assert!(error.never_sent() && !error.is_retryable(true));
        let text = chain(&error);
        assert!(text.contains("this machine itself"), "{text}");
    }
    assert_eq!(server.connections(), 0);
    assert!(seen.lock().unwrap().len() >= 3);
}

#[tokio::test]
async fn a_kept_connection_is_used_without_calling_the_filter_again() {
    let server = Server::of_requests(|_| http::Response::new("here".into())).await;
    let (transport, seen) = noting(|_| Ok(()));
    for _ in 0..3 {
        fetch(&transport, &server.http("/")).await;
    }
    assert_eq!(server.connections(), 1);
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_failed_connection_is_a_connect_error_with_a_filter_too() {
    let (transport, _) = noting(|_| Ok(()));
    for url in [
        "http://127.0.0.1:1/",
        "http://127.0.0.1:0/",
        "http://does-not-exist.invalid/",
    ] {
        let error = transport.send(get(url)).await.unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Connect, "{url}");
        assert!(error.never_sent());
    }
}

#[tokio::test]
async fn with_a_proxy_the_filter_gets_the_address_of_the_proxy() {
    let proxy = Server::of_requests(|_| http::Response::new("by proxy".into())).await;
    let url = format!("http://localhost:{}", proxy.address.port());
    let transport = HyperTransport::builder()
        .proxy(Proxy::all(&url).unwrap())
        .address_filter(|host, _| match host {
            "localhost" => Ok(()),
            other => Err(format!("{other} is not the proxy")),
        })
        .build()
        .unwrap();
    assert_eq!(fetch(&transport, "http://a.invalid/").await, "by proxy");
}
