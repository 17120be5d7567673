//! Proxies: what they see, for which hosts they are used, and their refusals.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use http::{Request, Response};
use hyper::body::Incoming;
use svc_model::wire::{Body, Transport, TransportErrorKind};
use svc_transport::{BuildErrorKind, HyperTransport, Proxy};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional},
    net::TcpStream,
};

use crate::support::{Identity, Server, chain, fetch, get};

/// The heads of the requests that a proxy received.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn heads(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Handles one request: makes a tunnel to `service` for CONNECT, and answers anything else itself.
async fn serve<S>(mut stream: S, seen: Seen, service: SocketAddr, refusal: Option<&'static str>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let is_connect = head.starts_with("CONNECT ");
    seen.0.lock().unwrap().push(head);
    let answer = match refusal {
        Some(status) => format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n"),
        None if is_connect => "HTTP/1.1 200 Connection established\r\n\r\n".to_owned(),
        None => "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nvia proxy".to_owned(),
    };
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    if is_connect && refusal.is_none() {
        let mut service = TcpStream::connect(service).await.unwrap();
        let _ = copy_bidirectional(&mut stream, &mut service).await;
    }
}

async fn proxy(service: SocketAddr, refusal: Option<&'static str>) -> (Server, Seen) {
    let seen = Seen::default();
    let heads = seen.clone();
    let server =
        Server::of_connections(move |stream, _| serve(stream, heads.clone(), service, refusal))
            .await;
    (server, seen)
}

fn headers(request: &Request<Incoming>) -> Response<Body> {
    let names: Vec<_> = request.headers().keys().map(|name| name.as_str()).collect();
    Response::new(format!("{:?} {}", request.version(), names.join(" ")).into())
}

fn transport(proxy: Proxy, identity: &Identity) -> HyperTransport {
    HyperTransport::builder()
        .root_certificates_pem(identity.pem.clone())
        .proxy(proxy)
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_http_request_goes_to_the_proxy_in_absolute_form_with_its_credentials() {
    let service = Server::of_requests(headers).await;
    let (server, seen) = proxy(service.address, None).await;
    let proxy = Proxy::all(&format!("http://user:pass@{}", server.address)).unwrap();
    let transport = transport(proxy, &Identity::new());
    assert_eq!(
        fetch(&transport, &service.http("/a?b=c")).await,
        "via proxy"
    );
    assert_eq!(service.connections(), 0);

    let heads = seen.heads();
    let expected = format!("GET {} HTTP/1.1\r\n", service.http("/a?b=c"));
    assert!(heads[0].starts_with(&expected), "{heads:?}");
    let head = heads[0].to_lowercase();
    assert!(
        head.contains(&format!("host: {}\r\n", service.address)),
        "{head}"
    );
    assert!(
        head.contains("proxy-authorization: basic dxnlcjpwyxnz\r\n"),
        "{head}"
    );
}

#[tokio::test]
async fn an_https_request_goes_through_a_tunnel_in_which_the_proxy_sees_only_the_host() {
    let identity = Identity::new();
    let service = Server::of_tls_requests(&identity, &["h2", "http/1.1"], headers).await;
    let (server, seen) = proxy(service.address, None).await;
    let proxy = Proxy::all(&format!("user:pass@{}", server.address)).unwrap();
    let transport = transport(proxy, &identity);
    let got = fetch(&transport, &service.https("/secret")).await;
    assert!(got.starts_with("HTTP/2.0"), "{got}");
    assert!(!got.contains("proxy-authorization"), "{got}");
    fetch(&transport, &service.https("/again")).await;

    let heads = seen.heads();
    assert_eq!(heads.len(), 1, "the tunnel is kept");
    let host = format!("localhost:{}", service.address.port());
    let expected = format!("CONNECT {host} HTTP/1.1\r\n");
    assert!(heads[0].starts_with(&expected), "{heads:?}");
    let head = heads[0].to_lowercase();
    assert!(head.contains(&format!("host: {host}\r\n")), "{head}");
    assert!(
        head.contains("proxy-authorization: basic dxnlcjpwyxnz\r\n"),
        "{head}"
    );
    assert!(!head.contains("secret"), "{head}");
}

#[tokio::test]
async fn a_proxy_can_itself_be_reached_over_tls() {
    let identity = Identity::new();
    let service = Server::of_tls_requests(&identity, &["http/1.1"], headers).await;
    let seen = Seen::default();
    let heads = seen.clone();
    let address = service.address;
    // The proxy also supports HTTP/2, in which the transport cannot request a tunnel.
    let server = Server::of_tls_connections(&identity, &["h2", "http/1.1"], move |stream| {
        serve(stream, heads.clone(), address, None)
    })
    .await;
    let proxy = Proxy::all(&server.https("")).unwrap();
    let transport = transport(proxy, &identity);
    let got = fetch(&transport, &service.https("/")).await;
    assert!(got.starts_with("HTTP/1.1"), "{got}");
    assert_eq!(fetch(&transport, "http://plain.test/").await, "via proxy");
    assert_eq!(seen.heads().len(), 2);
}

#[tokio::test]
async fn hosts_of_no_proxy_are_connected_to_directly() {
    let service = Server::of_requests(headers).await;
    let (server, seen) = proxy(service.address, None).await;
    let proxy = Proxy::all(&server.http(""))
        .unwrap()
        .no_proxy("127.0.0.0/8");
    let transport = transport(proxy, &Identity::new());
    let got = fetch(&transport, &service.http("/")).await;
    assert!(got.starts_with("HTTP/1.1"), "{got}");
    assert!(seen.heads().is_empty());
}

#[tokio::test]
async fn a_proxy_that_requires_credentials_is_a_connect_error_that_says_so() {
    let identity = Identity::new();
    let service = Server::of_tls_requests(&identity, &["h2"], headers).await;
    let (server, _) = proxy(service.address, Some("407 Proxy Authentication Required")).await;
    let proxy = Proxy::all(&format!("http://user:hunter2@{}", server.address)).unwrap();
    let error = transport(proxy, &identity)
        .send(get(&service.https("/")))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(error.never_sent());
    let text = format!("{} {error:?}", chain(&error));
    assert!(text.contains("407"), "{text}");
    assert!(
        !text.contains("hunter2") && !text.contains("Basic"),
        "{text}"
    );
}

#[tokio::test]
async fn a_refused_tunnel_is_a_connect_error_with_the_status() {
    let identity = Identity::new();
    let service = Server::of_tls_requests(&identity, &["h2"], headers).await;
    for (status, text) in [
        ("403 Forbidden", "status 403"),
        ("502 Bad Gateway", "status 502"),
    ] {
        let (server, _) = proxy(service.address, Some(status)).await;
        let error = transport(Proxy::all(&server.http("")).unwrap(), &identity)
            .send(get(&service.https("/")))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Connect);
        assert!(chain(&error).contains(text), "{}", chain(&error));
    }
}

#[tokio::test]
async fn an_unreachable_proxy_is_a_connect_error() {
    let transport = transport(Proxy::all("127.0.0.1:1").unwrap(), &Identity::new());
    for url in ["http://service.test/", "https://service.test/"] {
        let error = transport.send(get(url)).await.unwrap_err();
        assert_eq!(error.kind(), TransportErrorKind::Connect);
        assert!(error.never_sent());
    }
}

#[test]
fn a_proxy_over_https_needs_tls() {
    let proxy = Proxy::all("https://proxy.test").unwrap();
    let error = HyperTransport::builder()
        .http_only()
        .proxy(proxy)
        .build()
        .unwrap_err();
    assert_eq!(error.kind(), BuildErrorKind::Proxy);
}
