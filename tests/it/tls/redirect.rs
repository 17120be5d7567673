//! The listener for plain HTTP beside TLS.

use std::io::Write as _;

use svc_tests::mail::MailServer;

use super::{Home, connect, get, read_answer, read_to_end};

/// A service whose plain listener is at this address.
fn home(options: &[&str]) -> (Home, std::net::SocketAddr) {
    let address = format!("127.0.0.1:{}", MailServer::free_port());
    let mut all = vec!["--http-redirect", &address];
    all.extend(options);
    (Home::new(&all), address.parse().unwrap())
}

#[test]
fn plain_http_is_redirected_to_the_same_path_over_tls() {
    let (home, plain) = home(&[]);
    let port = home.address().port();
    for (path, location) in [
        (
            "/api/x/?a=%20&b",
            format!("https://a.example:{port}/api/x/?a=%20&b"),
        ),
        ("/healthz", format!("https://a.example:{port}/healthz")),
        (
            "//evil.example/",
            format!("https://a.example:{port}//evil.example/"),
        ),
        (
            "http://evil.example/y",
            format!("https://a.example:{port}/y"),
        ),
    ] {
        let mut stream = connect(plain);
        let (head, _) = get(&mut stream, path, "Host: A.example:80\r\n");
        assert!(head.starts_with("http/1.1 308"), "{head}");
        assert!(
            head.contains(&format!("location: {location}\r\n")),
            "{head}"
        );
        assert!(!head.contains("strict-transport"), "{head}");
    }
}

#[test]
fn a_write_is_redirected_without_reading_its_body() {
    let (_home, plain) = home(&[]);
    let mut stream = connect(plain);
    let head = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"{").unwrap();
    let (head, _) = read_answer(&mut stream);
    assert!(head.starts_with("http/1.1 308"), "{head}");
    assert!(head.contains("connection: close"), "{head}");
}

#[test]
fn a_host_that_is_more_than_a_host_is_refused() {
    let (_home, plain) = home(&[]);
    for host in ["u@evil.example", "a/b", "a:b"] {
        let mut stream = connect(plain);
        let (head, body) = get(&mut stream, "/x", &format!("Host: {host}\r\n"));
        assert!(head.starts_with("http/1.1 400"), "{host}: {head}");
        assert!(body.contains("Host"), "{body}");
    }
}

#[test]
fn the_public_url_is_where_the_redirect_leads() {
    let (_home, plain) = home(&["--public-url", "https://data.example.com"]);
    for host in ["evil.example", "u@evil.example", "data.example.com"] {
        let mut stream = connect(plain);
        let (head, _) = get(&mut stream, "/x?y", &format!("Host: {host}\r\n"));
        assert!(
            head.contains("location: https://data.example.com/x?y\r\n"),
            "{head}"
        );
    }
}

#[test]
fn its_connections_have_the_same_deadlines() {
    let (_home, plain) = home(&["--header-timeout", "1"]);
    let mut stream = connect(plain);
    stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    assert!(!read_to_end(&mut stream).starts_with(b"HTTP/1.1 3"));
}
