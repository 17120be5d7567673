//! Responses.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use svc_tests::{PROMPT, wait_until};

use super::{
    failed, get, setup,
    upstream::{Upstream, answer, write},
};

#[test]
fn status_headers_and_body_are_returned_without_connection_headers() {
    let upstream = Upstream::saying(answer(
        "418 I'm a teapot",
        &[
            "Content-Type: text/x-tea; charset=utf-8",
            "X-Total: 7",
            "X-Total: 8",
            "ETag: \"1\"",
            "Set-Cookie: session=stolen",
            "Access-Control-Allow-Origin: *",
            "Access-Control-Allow-Credentials: true",
            "Keep-Alive: timeout=5",
            "X-Hop: 1",
            "Connection: X-Hop",
            "Clear-Site-Data: \"*\"",
            "Strict-Transport-Security: max-age=1",
            "X-Accel-Redirect: /etc/passwd",
            "X-Svc-Proxy: forged",
            "X-Request-Id: forged",
        ],
        "short and stout",
    ));
    let answer = setup()
        .open(&get(&upstream.url("/")))
        .header("x-request-id", "mine-1")
        .expect(418);
    assert_eq!(answer.body, "short and stout");
    assert_eq!(answer.header("content-type"), "text/x-tea; charset=utf-8");
    assert_eq!(answer.headers.get_all("x-total").iter().count(), 2);
    assert_eq!(answer.header("etag"), "\"1\"");
    assert_eq!(answer.header("x-svc-proxy"), "upstream");
    assert_eq!(answer.header("x-request-id"), "mine-1");
    assert_eq!(answer.header("content-length"), "15");
    for name in [
        "set-cookie",
        "access-control-allow-origin",
        "access-control-allow-credentials",
        "keep-alive",
        "x-hop",
        "clear-site-data",
        "strict-transport-security",
        "x-accel-redirect",
    ] {
        assert!(!answer.headers.contains_key(name), "{name}");
    }
}

#[test]
fn a_compressed_body_is_passed_on_unchanged() {
    // A mebibyte of zeros, compressed with `gzip`, would be a zip bomb if the proxy decompressed it.
    let packed = "\u{1f}\u{8}not-unpacked";
    let upstream = Upstream::saying(answer("200 OK", &["Content-Encoding: gzip"], packed));
    let answer = setup().open(&get(&upstream.url("/"))).expect(200);
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert_eq!(answer.body, packed);
    assert_eq!(upstream.only().header("accept-encoding"), None);
}

#[test]
fn a_response_without_a_body_is_passed_on_without_one() {
    let head =
        Upstream::saying("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nConnection: close\r\n\r\n");
    let body = json!({"url": head.url("/"), "method": "HEAD"});
    let sent = setup().open(&body).expect(200);
    assert_eq!(
        (sent.body.as_str(), sent.header("content-length")),
        ("", "0")
    );
    let none = Upstream::saying("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    assert_eq!(setup().open(&get(&none.url("/"))).expect(204).body, "");
}

#[test]
fn a_response_that_announces_a_too_large_body_is_an_error() {
    let upstream = Upstream::new(|_, stream| {
        write(
            stream,
            b"HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n",
        );
        thread::sleep(Duration::from_secs(1));
    });
    let detail = failed(setup().open(&get(&upstream.url("/"))), 502);
    assert!(detail.contains("16777216 bytes"), "{detail}");
}

#[test]
fn an_endless_body_ends_at_the_limit_and_its_connection_is_closed() {
    let closed = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&closed);
    let upstream = Upstream::new(move |_, stream| {
        write(
            stream,
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
        );
        let chunk = [b'x'; 65_536];
        while stream.write_all(&chunk).is_ok() {}
        told.store(true, Ordering::SeqCst);
    });
    let error = setup()
        .open(&get(&upstream.url("/")))
        .try_send()
        .unwrap_err();
    assert!(
        error.contains("decoding") || error.contains("body"),
        "{error}"
    );
    wait_until("the other service is hung up on", || {
        closed.load(Ordering::SeqCst)
    });
}

#[test]
fn a_silent_service_is_an_error_after_the_timeout() {
    // Much less than the other services would take, and enough for a busy machine.
    let soon = Duration::from_secs(25);
    let silent = Upstream::new(|_, _| thread::sleep(Duration::from_secs(50)));
    let begun = Instant::now();
    let answer = setup().open(&get(&silent.url("/"))).expect(504);
    assert_eq!(answer.json()["error_code"], "timeout");
    assert!(begun.elapsed() < soon);
    // An endless response is ended too.
    let slow = Upstream::new(|_, stream| {
        write(stream, b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(100));
        }
    });
    let begun = Instant::now();
    setup().open(&get(&slow.url("/"))).try_send().unwrap_err();
    assert!(begun.elapsed() < soon);
}

#[test]
fn an_invalid_or_too_large_response_head_is_an_error() {
    let huge = format!("HTTP/1.1 200 OK\r\nX-A: {}\r\n\r\n", "x".repeat(10_000_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-A: 1\r\n".repeat(10_000));
    for text in [
        "220 mail.example ESMTP\r\n\r\n",
        "",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: upgrade\r\n\r\nowned",
        "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        &huge,
        &many,
    ] {
        let upstream = Upstream::saying(text);
        failed(setup().open(&get(&upstream.url("/"))), 502);
    }
    let detail = failed(setup().open(&get("http://127.0.0.1:1/")), 502);
    assert!(detail.contains("refuses"), "{detail}");
    let detail = failed(setup().closed(&get("http://does-not-exist.invalid/")), 502);
    assert!(detail.contains("resolve"), "{detail}");
    let plain = Upstream::saying("no TLS here");
    let url = plain.url("/").replace("http:", "https:");
    let detail = failed(setup().open(&get(&url)), 502);
    assert!(detail.contains("TLS"), "{detail}");
}

#[test]
fn a_body_that_breaks_off_also_breaks_off_for_the_caller() {
    let upstream = Upstream::saying("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    setup()
        .open(&get(&upstream.url("/")))
        .try_send()
        .unwrap_err();
}

/// The bytes of a call of the proxy.
fn raw_call(url: &str) -> Vec<u8> {
    let body = get(url).to_string();
    format!(
        "POST /api/proxy_request/ HTTP/1.1\r\nHost: svc\r\nAuthorization: {}\r\nContent-Length: {}\r\n\r\n{body}",
        setup().open,
        body.len()
    )
    .into_bytes()
}

fn connect() -> TcpStream {
    let base = setup().service.text("/base_url");
    TcpStream::connect(base.trim_start_matches("http://")).expect("a connection")
}

#[test]
fn a_disconnecting_caller_ends_the_request_at_the_other_service() {
    // Before the head of the response, and in the middle of its body.
    for head in [&b""[..], b"HTTP/1.1 200 OK\r\n\r\nbegun"] {
        let (begun, left) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let (tells, told) = (Arc::clone(&begun), Arc::clone(&left));
        let upstream = Upstream::new(move |_, stream| {
            write(stream, head);
            tells.store(true, Ordering::SeqCst);
            // Nothing more is sent: this ends when the connection does.
            let ended = stream.read(&mut [0; 1]);
            told.store(matches!(ended, Ok(0) | Err(_)), Ordering::SeqCst);
        });
        let mut caller = connect();
        caller
            .write_all(&raw_call(&upstream.url("/")))
            .expect("sent");
        wait_until("the request arrives", || begun.load(Ordering::SeqCst));
        if !head.is_empty() {
            let mut some = [0; 12];
            caller.read_exact(&mut some).expect("the head");
        }
        let gone = Instant::now();
        drop(caller);
        wait_until("the other service sees that nobody waits", || {
            left.load(Ordering::SeqCst)
        });
        assert!(gone.elapsed() < PROMPT, "{:?}", gone.elapsed());
    }
}

#[test]
fn a_response_is_streamed() {
    let go_on = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&go_on);
    let upstream = Upstream::new(move |_, stream| {
        write(
            stream,
            b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nfirst",
        );
        while !waits.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
        write(stream, b"second");
    });
    let mut caller = connect();
    caller
        .write_all(&raw_call(&upstream.url("/")))
        .expect("sent");
    let mut seen = Vec::new();
    let mut some = [0; 1024];
    while !seen.ends_with(b"first") {
        let read = caller.read(&mut some).expect("bytes");
        assert!(read > 0);
        seen.extend_from_slice(&some[..read]);
    }
    go_on.store(true, Ordering::SeqCst);
    while !seen.ends_with(b"second") {
        let read = caller.read(&mut some).expect("bytes");
        assert!(read > 0);
        seen.extend_from_slice(&some[..read]);
    }
}

#[test]
fn too_many_requests_at_once_get_429() {
    let setup = super::Setup::new(&["--max-proxy-requests", "2", "--proxy-timeout", "20"]);
    let go_on = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&go_on);
    let upstream = Upstream::new(move |_, stream| {
        while !waits.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
        write(stream, answer("200 OK", &[], "").as_bytes());
    });
    let call = get(&upstream.url("/"));
    thread::scope(|scope| {
        let slow: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| setup.open(&call).expect(200)))
            .collect();
        wait_until("both arrive", || upstream.seen().len() == 2);
        let refused = setup.open(&call).expect(429);
        assert_eq!(refused.header("retry-after"), "1");
        go_on.store(true, Ordering::SeqCst);
        for slow in slow {
            slow.join().expect("answered");
        }
    });
    setup.open(&call).expect(200);
}
