//! TLS: the version of HTTP, trusted certificates, and the settings.

use http::{Request, Response};
use hyper::body::Incoming;
use svc_model::wire::{Body, Transport, TransportErrorKind};
use svc_transport::{
    BuildErrorKind, HyperTransport,
    rustls::{ClientConfig, RootCertStore},
};

use crate::support::{Identity, Server, chain, fetch, get, provider};

const BOTH: &[&str] = &["h2", "http/1.1"];

fn version(request: &Request<Incoming>) -> Response<Body> {
    Response::new(format!("{:?}", request.version()).into())
}

#[tokio::test]
async fn http2_is_used_with_servers_that_offer_it() {
    let identity = Identity::new();
    let transport = HyperTransport::builder()
        .root_certificates_pem(identity.pem.clone())
        .build()
        .unwrap();
    let server = Server::of_tls_requests(&identity, BOTH, version).await;
    assert_eq!(fetch(&transport, &server.https("/")).await, "HTTP/2.0");
    let old = Server::of_tls_requests(&identity, &["http/1.1"], version).await;
    assert_eq!(fetch(&transport, &old.https("/")).await, "HTTP/1.1");
    let without_alpn = Server::of_tls_requests(&identity, &[], version).await;
    assert_eq!(
        fetch(&transport, &without_alpn.https("/")).await,
        "HTTP/1.1"
    );
}

#[tokio::test]
async fn http1_only_disables_http2() {
    let identity = Identity::new();
    let transport = HyperTransport::builder()
        .root_certificate_der(identity.der.clone())
        .http1_only()
        .build()
        .unwrap();
    let server = Server::of_tls_requests(&identity, BOTH, version).await;
    assert_eq!(fetch(&transport, &server.https("/")).await, "HTTP/1.1");
}

#[tokio::test]
async fn an_unknown_authority_is_a_connect_error_with_the_remedy() {
    let server = Server::of_tls_requests(&Identity::new(), BOTH, version).await;
    let transport = HyperTransport::new().unwrap();
    let error = transport.send(get(&server.https("/"))).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(error.never_sent());
    let text = chain(&error);
    assert!(text.contains("localhost"), "{text}");
    assert!(text.contains("add its root certificate"), "{text}");
    assert!(text.contains("UnknownIssuer"), "{text}");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let identity = Identity::new();
    let server = Server::of_tls_requests(&identity, BOTH, version).await;
    let transport = HyperTransport::builder()
        .root_certificates_pem(identity.pem)
        .build()
        .unwrap();
    let url = format!("https://{}/", server.address);
    let error = transport.send(get(&url)).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(
        chain(&error).contains("is not accepted"),
        "{}",
        chain(&error)
    );
}

#[tokio::test]
async fn a_service_without_tls_is_a_connect_error() {
    let server = Server::of_requests(version).await;
    let transport = HyperTransport::new().unwrap();
    let error = transport.send(get(&server.https("/"))).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(
        chain(&error).contains("no TLS session"),
        "{}",
        chain(&error)
    );
}

fn config(identity: &Identity) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(identity.der.clone().into()).unwrap();
    ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

#[tokio::test]
async fn the_callers_configuration_is_used_and_its_alpn_kept() {
    let identity = Identity::new();
    let server = Server::of_tls_requests(&identity, BOTH, version).await;
    let transport = HyperTransport::builder()
        .tls_config(config(&identity))
        .build()
        .unwrap();
    assert_eq!(fetch(&transport, &server.https("/")).await, "HTTP/2.0");

    let mut old = config(&identity);
    old.alpn_protocols = vec![b"http/1.1".to_vec()];
    let transport = HyperTransport::builder().tls_config(old).build().unwrap();
    assert_eq!(fetch(&transport, &server.https("/")).await, "HTTP/1.1");
}

#[tokio::test]
async fn without_public_roots_only_the_given_ones_are_trusted() {
    let trusted = Identity::new();
    let transport = HyperTransport::builder()
        .without_public_roots()
        .root_certificates_pem(trusted.pem.clone())
        .build()
        .unwrap();
    let server = Server::of_tls_requests(&trusted, BOTH, version).await;
    fetch(&transport, &server.https("/")).await;
    let other = Server::of_tls_requests(&Identity::new(), BOTH, version).await;
    let error = transport.send(get(&other.https("/"))).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Connect);
}

#[test]
fn contradictory_settings_are_refused_when_the_transport_is_built() {
    let identity = Identity::new();
    let builder = HyperTransport::builder;
    let cut = identity.pem.replace("-----END", "");
    for (transport, kind) in [
        (
            builder().root_certificates_pem(""),
            BuildErrorKind::RootCertificate,
        ),
        (
            builder().root_certificates_pem(cut),
            BuildErrorKind::RootCertificate,
        ),
        (
            builder().root_certificate_der([1, 2, 3]),
            BuildErrorKind::RootCertificate,
        ),
        (
            builder()
                .tls_config(config(&identity))
                .root_certificates_pem(identity.pem.clone()),
            BuildErrorKind::Tls,
        ),
        (
            builder().http_only().tls_config(config(&identity)),
            BuildErrorKind::Tls,
        ),
        (
            builder().http_only().without_public_roots(),
            BuildErrorKind::Tls,
        ),
    ] {
        assert_eq!(transport.build().unwrap_err().kind(), kind);
    }
}

#[tokio::test]
async fn a_transport_with_http_only_refuses_https() {
    let transport = HyperTransport::builder().http_only().build().unwrap();
    let server = Server::of_requests(version).await;
    assert_eq!(fetch(&transport, &server.http("/")).await, "HTTP/1.1");
    let error = transport.send(get(&server.https("/"))).await.unwrap_err();
    assert_eq!(error.kind(), TransportErrorKind::Invalid);
    assert!(error.never_sent());
}

/// The URL that the child process of the next test asks.
const CHILD_URL: &str = "NATIVE_ROOTS_CHILD_URL";

#[tokio::test(flavor = "multi_thread")]
async fn certificates_of_the_operating_system_are_trusted_when_they_are_asked_for() {
    let identity = Identity::new();
    let server = Server::of_tls_requests(&identity, BOTH, version).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roots.pem");
    std::fs::write(&file, &identity.pem).unwrap();
    // The variable, which stands for the system's store, has to be there when the process starts.
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tls::a_child_that_trusts_the_operating_system"])
        .env("SSL_CERT_FILE", &file)
        .env(CHILD_URL, server.https("/"))
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"));
}

#[tokio::test]
async fn a_child_that_trusts_the_operating_system() {
    let Ok(url) = std::env::var(CHILD_URL) else {
        return;
    };
    let only_public = HyperTransport::new().unwrap();
    only_public.send(get(&url)).await.unwrap_err();
    let transport = HyperTransport::builder().native_roots().build().unwrap();
    assert_eq!(fetch(&transport, &url).await, "HTTP/2.0");
}
