//! Servers for the tests, with and without TLS, each on a free loopback port.

use std::{
    convert::Infallible,
    error::Error as _,
    future::Future,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use http::{Request, Response};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use svc_model::wire::{Body, Transport, TransportError};
use svc_transport::rustls::{
    self, ServerConfig,
    crypto::CryptoProvider,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// A server that ends when this value is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn http(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn https(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address.port())
    }

    /// Passes every connection to `serve`, with its number starting at 0.
    pub(crate) async fn of_connections<F, Fut>(serve: F) -> Self
    where
        F: Fn(TcpStream, usize) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let number = count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, number));
            }
        });
        Self {
            address,
            connections,
            task,
        }
    }

    /// A plain HTTP server.
    pub(crate) async fn of_requests<F>(answer: F) -> Self
    where
        F: Fn(&Request<Incoming>) -> Response<Body> + Clone + Send + Sync + 'static,
    {
        Self::of_connections(move |stream, _| {
            let answer = answer.clone();
            async move { speak_http(TokioIo::new(stream), answer).await }
        })
        .await
    }

    /// An HTTP server over TLS.
    pub(crate) async fn of_tls_requests<F>(identity: &Identity, alpn: &[&str], answer: F) -> Self
    where
        F: Fn(&Request<Incoming>) -> Response<Body> + Clone + Send + Sync + 'static,
    {
        Self::of_tls_connections(identity, alpn, move |stream| {
            let answer = answer.clone();
            async move { speak_http(TokioIo::new(stream), answer).await }
        })
        .await
    }

    /// Passes every TLS session to `serve`.
    pub(crate) async fn of_tls_connections<F, Fut>(
        identity: &Identity,
        alpn: &[&str],
        serve: F,
    ) -> Self
    where
        F: Fn(TlsStream<TcpStream>) -> Fut + Clone + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let acceptor = identity.acceptor(alpn);
        Self::of_connections(move |stream, _| {
            let acceptor = acceptor.clone();
            let serve = serve.clone();
            async move {
                if let Ok(session) = acceptor.accept(stream).await {
                    serve(session).await;
                }
            }
        })
        .await
    }
}

async fn speak_http<S, F>(stream: S, answer: F)
where
    S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    F: Fn(&Request<Incoming>) -> Response<Body> + Send + Sync + 'static,
{
    let service = service_fn(|request| {
        let response = answer(&request);
        async { Ok::<_, Infallible>(response) }
    });
    // A client that closes the connection is not a failure of the test.
    let _ = auto::Builder::new(TokioExecutor::new())
        .serve_connection(stream, service)
        .await;
}

/// A self-signed certificate for `localhost`.
pub(crate) struct Identity {
    pub(crate) pem: String,
    pub(crate) der: Vec<u8>,
    key: Vec<u8>,
}

impl Identity {
    pub(crate) fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        Self {
            pem: made.cert.pem(),
            der: made.cert.der().to_vec(),
            key: made.signing_key.serialize_der(),
        }
    }

    pub(crate) fn acceptor(&self, alpn: &[&str]) -> TlsAcceptor {
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(self.key.clone()));
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.der.clone().into()], key)
            .unwrap();
        config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

/// A provider for the tests, so that a caller's configuration can be distinguished from the default one.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

pub(crate) fn get(url: &str) -> Request<Body> {
    Request::get(url).body(Body::empty()).unwrap()
}

/// The body of the response to a GET.
pub(crate) async fn fetch(transport: &dyn Transport, url: &str) -> String {
    let response = transport.send(get(url)).await.unwrap_or_else(|error| {
        panic!("{url} failed: {}", chain(&error));
    });
    let body = response.into_body().collect(1024 * 1024).await.unwrap();
    String::from_utf8(body.to_vec()).unwrap()
}

/// An error and all its causes, as a log would show them.
pub(crate) fn chain(error: &TransportError) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

/// Reads up to the end of a request's head.
pub(crate) async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

pub(crate) async fn write(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
}
