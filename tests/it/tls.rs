//! TLS of the listeners: versions of HTTP, certificates that change, plain HTTP, deadlines.

mod certificates;
mod redirect;

use std::{
    fs,
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use h2::client;
use http::Request;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedKey, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};
use rusqlite::Connection;
use rustls::{
    ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, StreamOwned,
    SupportedProtocolVersion,
    pki_types::{CertificateDer, ServerName},
    version::{TLS12, TLS13},
};
use serde_json::Value;
use svc_tests::{Service, wait_until};
use tempfile::TempDir;

/// The time limit of every wait in these tests.
const DEADLINE: Duration = Duration::from_secs(60);
/// The header that tells browsers to use HTTPS only.
const STRICT: &str = "strict-transport-security: max-age=31536000";

type Stream = StreamOwned<ClientConnection, TcpStream>;

/// A certificate for `localhost`, and its key.
fn made() -> CertifiedKey<KeyPair> {
    rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

fn write_pair(folder: &Path, made: &CertifiedKey<KeyPair>) {
    fs::write(folder.join("cert.pem"), made.cert.pem()).unwrap();
    write_key(folder, &made.signing_key);
}

fn write_key(folder: &Path, key: &KeyPair) {
    fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
}

/// A service over TLS with a table `t` of three records.
struct Home {
    service: Service,
    folder: TempDir,
    cert: CertificateDer<'static>,
}

impl Home {
    fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = made();
        write_pair(folder.path(), &made);
        Self::over(folder, made.cert.der().clone(), options)
    }

    /// A service with the pair of the folder, whose callers trust this certificate.
    fn over(folder: TempDir, cert: CertificateDer<'static>, options: &[&str]) -> Self {
        Connection::open(folder.path().join("a.db"))
            .unwrap()
            .execute_batch(
                "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES(1), (2), (3)",
            )
            .unwrap();
        let mut arguments = vec!["serve", "--connect", "a=sqlite:a.db"];
        arguments.extend(["--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
        arguments.extend(options);
        let service = Service::start(folder.path(), &arguments);
        Self {
            service,
            folder,
            cert,
        }
    }

    /// The address of the data host.
    fn address(&self) -> SocketAddr {
        let url = self.service.text("/base_url");
        url.strip_prefix("https://").unwrap().parse().unwrap()
    }

    fn socket(&self) -> TcpStream {
        connect(self.address())
    }

    fn stream(&self) -> Stream {
        over_tls(self.socket(), &self.cert, &[&TLS13, &TLS12]).unwrap()
    }

    /// The path of the first page of the table.
    fn page(&self) -> String {
        let (project, environment) = (
            self.service.text("/project"),
            self.service.text("/environment"),
        );
        format!("/projects/{project}/{environment}/a/models/t?_per_page=1")
    }

    /// What `/readyz` answers over a new connection.
    fn readiness(&self) -> Value {
        let (head, body) = self.get(&mut self.stream(), "/readyz");
        assert!(head.starts_with("http/1.1 200"), "{head}");
        serde_json::from_str(&body).unwrap()
    }

    /// Head in lower case, and body, of an answer of HTTP/1.1.
    fn get(&self, stream: &mut (impl io::Read + io::Write), path: &str) -> (String, String) {
        let token = self.service.text("/resources/a/token");
        get(
            stream,
            path,
            &format!("Host: localhost\r\nAuthorization: {token}\r\n"),
        )
    }

    /// Whether a new connection can be made by a caller who trusts this certificate only.
    fn serves(&self, cert: &CertificateDer<'static>) -> bool {
        over_tls(self.socket(), cert, &[&TLS13]).is_ok()
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&address, DEADLINE).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.set_write_timeout(Some(DEADLINE)).unwrap();
    stream
}

fn client_config(
    cert: &CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(cert.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// Agrees on TLS.
fn over_tls(
    socket: TcpStream,
    cert: &CertificateDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
) -> io::Result<Stream> {
    let config = Arc::new(client_config(cert, versions));
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = StreamOwned::new(ClientConnection::new(config, name).unwrap(), socket);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(stream)
}

/// Head in lower case, and body, of an answer of HTTP/1.1 that says its length.
fn get(stream: &mut (impl io::Read + io::Write), path: &str, headers: &str) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    stream.flush().unwrap();
    read_answer(stream)
}

fn read_answer(stream: &mut impl io::Read) -> (String, String) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8(body).unwrap())
}

/// Reads until the other side closes; a reset is no clean end.
fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    all
}

#[test]
fn http1_is_served_over_both_versions_of_tls_with_https_links_and_strict_transport() {
    let home = Home::new(&[]);
    for (version, expected) in [
        (&TLS13, ProtocolVersion::TLSv1_3),
        (&TLS12, ProtocolVersion::TLSv1_2),
    ] {
        let mut stream = over_tls(home.socket(), &home.cert, &[version]).unwrap();
        assert_eq!(stream.conn.protocol_version(), Some(expected));
        for _ in 0..2 {
            let (head, body) = home.get(&mut stream, &home.page());
            assert!(head.starts_with("http/1.1 200"), "{head}");
            assert!(head.contains(STRICT), "{head}");
            let page: Value = serde_json::from_str(&body).unwrap();
            let next = page["next"].as_str().unwrap();
            assert!(next.starts_with("https://localhost/projects/"), "{next}");
        }
        // Errors of the listener's own have it too.
        let (head, _) = get(&mut stream, "/nothing", "Host: a\r\n");
        assert!(
            head.starts_with("http/1.1 404") && head.contains(STRICT),
            "{head}"
        );
    }
    let app = home.service.text("/app_base_url");
    assert!(app.starts_with("https://127.0.0.1:"), "{app}");
}

#[tokio::test(flavor = "multi_thread")]
async fn http2_is_agreed_on_by_alpn_and_its_links_name_the_callers_host() {
    let home = Home::new(&[]);
    let mut config = client_config(&home.cert, &[&TLS13]);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let socket = tokio::net::TcpStream::connect(home.address())
        .await
        .unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = connector.connect(name, socket).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (mut requests, connection) = client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get(format!("https://localhost:1{}", home.page()))
        .header("authorization", home.service.text("/resources/a/token"))
        .body(())
        .unwrap();
    let (response, _) = requests.send_request(request, true).unwrap();
    let response = response.await.unwrap();
    assert_eq!(response.status(), 200);
    let strict = &response.headers()["strict-transport-security"];
    assert_eq!(strict, "max-age=31536000");
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        bytes.extend(data.unwrap());
    }
    let page: Value = serde_json::from_slice(&bytes).unwrap();
    let next = page["next"].as_str().unwrap();
    assert!(next.starts_with("https://localhost:1/projects/"), "{next}");
}

#[test]
fn both_listeners_speak_tls_and_send_the_chain() {
    let authority = |name: &str| {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        (params, KeyPair::generate().unwrap())
    };
    let (root, root_key) = authority("root");
    let (middle, middle_key) = authority("middle");
    let root_cert = root.self_signed(&root_key).unwrap();
    let by_root = Issuer::from_params(&root, &root_key);
    let middle_cert = middle.signed_by(&middle_key, &by_root).unwrap();
    let by_middle = Issuer::from_params(&middle, &middle_key);
    let mut leaf = CertificateParams::new(["localhost".to_owned()]).unwrap();
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate().unwrap();
    let leaf_cert = leaf.signed_by(&key, &by_middle).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let chain = format!("{}{}", leaf_cert.pem(), middle_cert.pem());
    fs::write(folder.path().join("cert.pem"), chain).unwrap();
    write_key(folder.path(), &key);
    let home = Home::over(
        folder,
        root_cert.der().clone(),
        &["--data-listen", "127.0.0.1:0"],
    );
    let (head, _) = home.get(&mut home.stream(), &home.page());
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let app = home.service.text("/app_base_url");
    let app = app
        .strip_prefix("https://")
        .and_then(|rest| rest.strip_suffix("/api"));
    let socket = connect(app.unwrap().parse().unwrap());
    let mut stream = over_tls(socket, &home.cert, &[&TLS13]).unwrap();
    let (head, _) = get(&mut stream, "/api/openapi.json", "Host: a\r\n");
    assert!(
        head.starts_with("http/1.1 200") && head.contains(STRICT),
        "{head}"
    );
}

#[test]
fn a_slow_handshake_and_a_head_after_it_share_one_deadline() {
    let home = Home::new(&["--header-timeout", "2"]);
    // The first bytes of a record of 512 bytes.
    let record: &[u8] = &[0x16, 3, 1, 2, 0, 1];
    let silent = [&b""[..], record].map(|bytes| {
        let mut stream = home.socket();
        stream.write_all(bytes).unwrap();
        stream
    });
    let agreed = home.stream();
    let begun = Instant::now();
    for mut stream in silent {
        assert_eq!(read_to_end(&mut stream), b"");
    }
    let mut socket = agreed.sock;
    let mut rest = Vec::new();
    socket.read_to_end(&mut rest).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20));
    home.get(&mut home.stream(), "/healthz");
}

#[test]
fn what_is_not_tls_is_closed_at_once_and_plain_http_is_told_why() {
    let home = Home::new(&["--header-timeout", "600"]);
    let mut stream = home.socket();
    let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let (answer, body) = read_answer(&mut stream);
    assert!(answer.starts_with("http/1.1 400"), "{answer}");
    assert!(!answer.contains("strict-transport"), "{answer}");
    assert!(body.contains("https://"), "{body}");
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(read_to_end(&mut stream), b"");

    let mut stream = home.socket();
    stream.write_all(&[0xff; 64]).unwrap();
    // An alert at most.
    assert!(read_to_end(&mut stream).len() <= 7);
    home.get(&mut home.stream(), "/healthz");
}

#[test]
fn tls_1_1_is_refused() {
    let home = Home::new(&[]);
    // A ClientHello of TLS 1.1 with the cipher suite ECDHE_RSA_WITH_AES_128_CBC_SHA, without extensions.
    let mut body = vec![3, 2];
    body.extend([7; 32]);
    body.extend([0, 0, 2, 0xc0, 0x13, 1, 0]);
    let mut hello = vec![
        0x16,
        3,
        1,
        0,
        u8::try_from(body.len() + 4).unwrap(),
        1,
        0,
        0,
    ];
    hello.push(u8::try_from(body.len()).unwrap());
    hello.extend(body);
    let mut stream = home.socket();
    stream.write_all(&hello).unwrap();
    // A fatal alert: no handshake with these versions, or without what later ones send.
    let answer = read_to_end(&mut stream);
    assert_eq!(answer[0], 0x15, "{answer:?}");
    assert_eq!(answer[5], 2, "{answer:?}");
}

#[test]
fn a_connection_whose_answers_are_not_read_is_closed() {
    let home = Home::new(&["--write-timeout", "1"]);
    let mut stream = home.stream();
    let request = "GET /api/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
    stream.write_all(request.repeat(300).as_bytes()).unwrap();
    stream.flush().unwrap();
    let mut socket = stream.sock;
    socket.set_nonblocking(true).unwrap();
    wait_until("a connection that does not read is closed", || {
        let written = socket.write_all(&[0]);
        written.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock)
    });
    home.get(&mut home.stream(), "/healthz");
}
