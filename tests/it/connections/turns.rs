//! Fairness: many requests of one caller do not block others, and its large bodies leave memory for them.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use svc_tests::{Program, wait_until};
use tokio::task::JoinSet;

use super::{
    DEADLINE, Home,
    http2::{connect, get, read},
};

/// Creates another token of the resource.
fn another_token(home: &Home) -> String {
    let arguments = ["token", "add", "a", "--project", "main", "--json"];
    let made = Program::new(home.folder.path(), &arguments).run_json();
    made["token"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn many_lists_of_one_caller_do_not_block_another() {
    let home = Arc::new(Home::new(&[]));
    let other = another_token(&home);
    let done = Arc::new(AtomicUsize::new(0));
    let (connections, streams) = (16, 250);
    let mut greedy = JoinSet::new();
    for _ in 0..connections {
        let requests = connect(&home, 1 << 20).await;
        for _ in 0..streams {
            let (home, done, mut requests) =
                (Arc::clone(&home), Arc::clone(&done), requests.clone());
            greedy.spawn(async move {
                let answer = get(&mut requests, &home, "?_per_page=8&_count=none").await;
                read(answer.unwrap()).await.unwrap();
                done.fetch_add(1, Relaxed);
            });
        }
    }
    let asking = Arc::clone(&home);
    let before = Arc::clone(&done);
    let retrieves = tokio::task::spawn_blocking(move || {
        wait_until("the lists are under way", || before.load(Relaxed) > 50);
        let mut waited = Vec::new();
        for _ in 0..5 {
            let begun = before.load(Relaxed);
            let call = asking.service.data_anonymous("GET", "a", "/models/t/1");
            call.authorization(&other).timeout(DEADLINE).expect(200);
            waited.push(before.load(Relaxed) - begun);
        }
        waited
    });
    let mut waited = retrieves.await.unwrap();
    waited.sort_unstable();
    // In the order of arrival, a retrieve would wait for about a thousand lists: the maximum of active requests.
    assert!(
        waited[2] < 300,
        "lists answered during a retrieve: {waited:?}"
    );
    greedy.abort_all();
}

/// Whether the service has read everything that was sent on these connections.
fn is_read(streams: &[TcpStream]) -> bool {
    let sockets = fs::read_to_string("/proc/net/tcp").unwrap();
    streams.iter().all(|stream| {
        let port = format!(":{:04X}", stream.local_addr().unwrap().port());
        let of_stream = |line: &&str| line.contains(&format!("{port} "));
        let mut ends = sockets.lines().filter(of_stream).peekable();
        ends.peek().is_some() && ends.all(|line| line.contains(" 00000000:00000000 "))
    })
}

#[test]
fn large_bodies_of_one_caller_leave_memory_to_others() {
    // There is memory for eight bodies of the maximum size, four of them from one caller.
    let limit = 1 << 20;
    let home = Home::new(&["--body-limit", &limit.to_string(), "--body-timeout", "600"]);
    let other = another_token(&home);
    let size = limit - 1_000;
    let head = home.head("POST", "", &format!("Content-Length: {size}\r\n"));
    let most = vec![b' '; size - 1];
    let mut arriving = Vec::new();
    for _ in 0..4 {
        let mut stream = home.connect();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&most).unwrap();
        arriving.push(stream);
    }
    let large = vec![b' '; limit / 2];
    let post = |token: &str, body: &[u8]| {
        let call = home.service.data_anonymous("POST", "a", "/models/t");
        let call = call
            .authorization(token)
            .header("content-type", "application/json");
        call.body(body.to_vec()).timeout(DEADLINE).send()
    };
    wait_until("the service has read the bodies", || is_read(&arriving));
    home.answers();
    let refused = post(home.token(), &large);
    assert_eq!(refused.status, 503);
    assert_eq!(refused.headers["retry-after"], "1");
    assert!(refused.body.contains("overloaded"), "{}", refused.body);
    // Its body was not read, so that no other request can follow on its connection.
    assert_eq!(refused.headers["connection"], "close");
    assert_eq!(post(home.token(), br#"{"text": "small"}"#).status, 201);
    // A body of spaces is read completely, and is then not valid JSON.
    assert_eq!(post(&other, &large).status, 400);
    // A body that has arrived completely frees its memory.
    for mut stream in arriving {
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream.write_all(b" ").unwrap();
        assert!(stream.read(&mut [0; 100]).unwrap() > 0);
    }
    assert_eq!(post(home.token(), &large).status, 400);
}
