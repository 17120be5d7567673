//! Deadlines: a connection is closed in each state in which its caller does nothing. Service options make the
//! deadlines short.

use std::io::{Read as _, Write as _};

use svc_tests::wait_until;

use super::{Home, is_closed, read_to_end};

#[test]
fn a_connection_without_a_whole_request_is_closed() {
    let home = Home::new(&["--header-timeout", "1"]);
    let preface: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let states: [(&str, &[u8]); 6] = [
        ("nothing sent", b""),
        ("the first byte", b"G"),
        ("a part of the preface of HTTP/2", b"PRI * HTTP/2.0"),
        ("a part of a head", b"GET /healthz HTTP/1.1\r\nHost: a\r\n"),
        ("HTTP/2 without a stream", preface),
        ("HTTP/2 with a part of a frame", &preface[..30]),
    ];
    let streams = states.map(|(state, bytes)| {
        let mut stream = home.connect();
        stream.write_all(bytes).unwrap();
        (state, stream)
    });
    for (state, mut stream) in streams {
        let said = read_to_end(&mut stream);
        assert!(!said.starts_with(b"HTTP/1.1 2"), "{state}");
    }
    home.answers();
}

#[test]
fn an_idle_connection_is_closed_after_its_last_answer() {
    let home = Home::new(&["--header-timeout", "1"]);
    let mut stream = home.connect();
    for _ in 0..2 {
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            .unwrap();
    }
    let said = String::from_utf8(read_to_end(&mut stream)).unwrap();
    assert_eq!(said.matches("HTTP/1.1 200").count(), 2, "{said}");
}

#[test]
fn a_connection_whose_answers_are_not_read_is_closed() {
    let home = Home::new(&["--write-timeout", "1"]);
    let mut pipelined = home.connect();
    let request = home.head("GET", "?_per_page=8", "");
    pipelined.write_all(request.repeat(50).as_bytes()).unwrap();
    wait_until("a connection that does not read is closed", || {
        is_closed(&mut pipelined)
    });
    home.answers();
}

#[test]
fn the_connection_of_a_very_slow_reader_is_closed() {
    let home = Home::new(&["--write-timeout", "1", "--min-transfer-rate", "100000000"]);
    let mut stream = home.connect();
    let request = home.head("GET", "?_per_page=8", "");
    stream.write_all(request.repeat(50).as_bytes()).unwrap();
    let mut some = [0; 1_000];
    wait_until("a slow reader is cut off", || {
        !matches!(stream.read(&mut some), Ok(1..))
    });
    home.answers();
}

#[test]
fn a_body_that_stops_or_is_very_slow_is_answered_with_408() {
    let home = Home::new(&["--body-timeout", "1"]);
    let mut stream = home.connect();
    let head = home.head("POST", "", "Content-Length: 100\r\nConnection: close\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"{").unwrap();
    let said = String::from_utf8(read_to_end(&mut stream)).unwrap();
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
    assert!(said.contains("timeout"), "{said}");

    // The minimum rate is enforced after five seconds, long before the deadline.
    let home = Home::new(&["--body-timeout", "600", "--header-timeout", "1"]);
    let mut stream = home.connect();
    stream.write_all(head_of(&home).as_bytes()).unwrap();
    stream.write_all(b"{").unwrap();
    let said = String::from_utf8(read_to_end(&mut stream)).unwrap();
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
}

fn head_of(home: &Home) -> String {
    home.head("POST", "", "Content-Length: 100\r\n")
}

#[test]
fn a_body_over_the_limit_gets_a_response_that_its_sender_can_read() {
    let home = Home::new(&[]);
    let body = vec![b' '; 20 << 20];
    for (name, headers) in [
        ("announced", format!("Content-Length: {}\r\n", body.len())),
        ("in chunks", "Transfer-Encoding: chunked\r\n".to_owned()),
    ] {
        let mut stream = home.connect();
        stream
            .write_all(home.head("POST", "", &headers).as_bytes())
            .unwrap();
        if name == "in chunks" {
            let size = format!("{:x}\r\n", body.len());
            stream.write_all(size.as_bytes()).unwrap();
        }
        // The sender reads the response after it has sent everything.
        stream.write_all(&body).unwrap();
        let said = String::from_utf8(read_to_end(&mut stream)).unwrap();
        assert!(said.starts_with("HTTP/1.1 413"), "{name}: {said}");
        assert!(said.contains("payload_too_large"), "{name}: {said}");
    }
}
