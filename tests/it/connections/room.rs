//! Other callers are served while connections, bodies and responses wait for their callers.

use std::{fs, io::Write as _, net::TcpStream, time::Duration};

use svc_tests::wait_until;

use super::{DEADLINE, Home, is_closed};

#[test]
fn slow_bodies_do_not_count_as_active_requests() {
    let home = Home::new(&[
        "--max-requests",
        "2",
        "--body-timeout",
        "600",
        "--min-transfer-rate",
        "0",
    ]);
    let slow: Vec<TcpStream> = (0..6)
        .map(|_| {
            let mut stream = home.connect();
            let head = home.head("POST", "", "Content-Length: 100\r\n");
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(b"{").unwrap();
            stream
        })
        .collect();
    let anonymous = home
        .service
        .data_anonymous("POST", "auth", "/login")
        .body("{}")
        .timeout(Duration::from_secs(20));
    assert!(anonymous.send().status.is_client_error());
    for _ in 0..5 {
        home.answers();
    }
    drop(slow);
}

#[test]
fn a_request_whose_body_arrives_late_is_handled_normally() {
    let home = Home::new(&["--max-requests", "1"]);
    let body = r#"{"text": "late"}"#;
    let mut stream = home.connect();
    let length = format!("Content-Length: {}\r\nConnection: close\r\n", body.len());
    let head = home.head("POST", "", &length);
    stream.write_all(head.as_bytes()).unwrap();
    for byte in body.bytes() {
        home.answers();
        stream.write_all(&[byte]).unwrap();
    }
    let said = String::from_utf8(super::read_to_end(&mut stream)).unwrap();
    assert!(said.starts_with("HTTP/1.1 201"), "{said}");
}

#[test]
fn silent_connections_are_closed_for_new_ones() {
    for limit in ["--max-connections", "--max-connections-per-address"] {
        let home = Home::new(&[limit, "4", "--header-timeout", "600"]);
        let silent: Vec<TcpStream> = (0..30).map(|_| home.connect()).collect();
        home.answers();
        wait_until(
            "all silent connections but those with a place are closed",
            || {
                let closed = silent.iter().filter(|stream| closes(stream)).count();
                closed >= 27
            },
        );
        home.answers();
    }
}

/// Whether the other side has closed a connection on which nothing was sent.
fn closes(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    !matches!(stream.peek(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

#[test]
fn connections_of_a_trusted_proxy_are_not_counted_by_address() {
    let home = Home::new(&[
        "--max-connections-per-address",
        "2",
        "--trusted-proxies",
        "127.0.0.1",
    ]);
    let silent: Vec<TcpStream> = (0..10).map(|_| home.connect()).collect();
    home.answers();
    assert!(!silent.iter().any(closes));
}

#[test]
fn memory_of_unread_responses_is_freed_for_others() {
    let home = Home::new(&["--answer-memory", "4000000", "--write-timeout", "600"]);
    let request = home.head("GET", "?_per_page=8", "");
    let mut unread: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = home.connect();
            stream.write_all(request.repeat(20).as_bytes()).unwrap();
            stream
        })
        .collect();
    for _ in 0..5 {
        let list = home.service.data("GET", "a", "/models/t?_per_page=8");
        let answer = list.timeout(DEADLINE).send();
        assert!(
            matches!(answer.status.as_u16(), 200 | 503),
            "{}",
            answer.status
        );
        home.answers();
    }
    wait_until("a connection that holds memory gave way", || {
        unread.iter_mut().any(is_closed)
    });
    let list = || {
        home.service
            .data("GET", "a", "/models/t?_per_page=8")
            .send()
    };
    wait_until("lists are answered", || list().status == 200);
}

#[test]
fn connections_wait_in_the_queue_of_the_system_while_the_service_is_busy() {
    let home = Home::new(&[]);
    let queue = fs::read_to_string("/proc/sys/net/core/somaxconn");
    let queue: usize = queue.map_or(128, |text| text.trim().parse().unwrap());
    home.service.signal("STOP");
    let waiting: Vec<_> = (0..queue.min(600))
        .map(|_| TcpStream::connect_timeout(&home.address(), Duration::from_secs(20)))
        .collect();
    home.service.signal("CONT");
    assert!(waiting.iter().all(Result::is_ok));
    home.answers();
}

#[test]
fn the_service_may_open_as_many_files_as_the_system_allows() {
    let home = Home::new(&[]);
    let limits = fs::read_to_string(format!("/proc/{}/limits", home.service.pid())).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words[3], words[4], "{words:?}");
}
