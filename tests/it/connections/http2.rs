//! HTTP/2: streams that are not read, slow bodies, and memory.

use std::fs;

use bytes::Bytes;
use h2::{
    Reason,
    client::{self, SendRequest},
};
use http::{Request, Response};
use svc_tests::Service;
use tokio::net::TcpStream;

use super::Home;

/// A connection whose streams have a window of this size in bytes.
pub(super) async fn connect(home: &Home, window: u32) -> SendRequest<Bytes> {
    let stream = TcpStream::connect(home.address()).await.unwrap();
    let mut builder = client::Builder::new();
    builder.initial_window_size(window);
    let (requests, connection) = builder.handshake::<_, Bytes>(stream).await.unwrap();
    tokio::spawn(connection);
    requests
}

fn request(home: &Home, method: &str, rest: &str) -> Request<()> {
    Request::builder()
        .method(method)
        .uri(format!("http://{}{}", home.address(), home.path(rest)))
        .header("authorization", home.token())
        .body(())
        .unwrap()
}

pub(super) async fn get(
    requests: &mut SendRequest<Bytes>,
    home: &Home,
    rest: &str,
) -> Result<Response<h2::RecvStream>, h2::Error> {
    let mut requests = requests.clone().ready().await?;
    let (response, _) = requests.send_request(request(home, "GET", rest), true)?;
    response.await
}

/// Reads a response, and extends the window by the bytes that were read.
pub(super) async fn read(response: Response<h2::RecvStream>) -> Result<usize, h2::Error> {
    let mut body = response.into_body();
    let mut size = 0;
    while let Some(data) = body.data().await {
        let data = data?;
        size += data.len();
        body.flow_control().release_capacity(data.len())?;
    }
    Ok(size)
}

/// Checks with separate connections that other callers are answered.
fn answers(home: &Home) {
    tokio::task::block_in_place(|| home.answers());
}

/// The peak memory of the process in bytes.
fn peak(service: &Service) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", service.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    words[1].parse::<usize>().unwrap() * 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unread_stream_is_reset_and_its_connection_stays_open() {
    let home = Home::new(&["--write-timeout", "1", "--header-timeout", "600"]);
    for (window, rest) in [
        (0, "?_per_page=8"),
        (0, "/1"),
        (60_000, "/1"),
        (199_900, "/1"),
    ] {
        let mut requests = connect(&home, window).await;
        let unread = get(&mut requests, &home, rest).await.unwrap();
        assert_eq!(unread.status(), 200);
        let mut body = unread.into_body();
        let error = loop {
            match body.data().await {
                Some(Ok(_)) => {}
                Some(Err(error)) => break error,
                None => panic!("the stream of {rest} ended"),
            }
        };
        assert_eq!(error.reason(), Some(Reason::CANCEL), "{window} {rest}");
        let head = get(&mut requests, &home, "/1?_fields=id").await;
        assert_eq!(head.unwrap().status(), 200);
    }
    answers(&home);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_that_is_read_arrives_completely() {
    let home = Home::new(&["--write-timeout", "1"]);
    let mut requests = connect(&home, 1_000).await;
    let response = get(&mut requests, &home, "?_per_page=8").await.unwrap();
    let size = read(response).await.unwrap();
    let over_http1 = tokio::task::block_in_place(|| {
        let list = home.service.data("GET", "a", "/models/t?_per_page=8");
        list.expect(200).body.len()
    });
    assert_eq!(size, over_http1);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_bodies_of_many_streams_do_not_block_others() {
    let home = Home::new(&[
        "--max-requests",
        "2",
        "--body-timeout",
        "600",
        "--min-transfer-rate",
        "0",
    ]);
    let mut bodies = Vec::new();
    let mut requests = connect(&home, 65_535).await;
    for _ in 0..50 {
        requests = requests.ready().await.unwrap();
        let (response, mut body) = requests
            .send_request(request(&home, "POST", ""), false)
            .unwrap();
        body.send_data(Bytes::from_static(b"{"), false).unwrap();
        bodies.push((response, body));
    }
    for _ in 0..5 {
        answers(&home);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_streams_of_one_connection_stay_within_their_memory() {
    let memory = 16 << 20;
    let home = Home::new(&[
        "--answer-memory",
        &memory.to_string(),
        "--write-timeout",
        "3",
    ]);
    answers(&home);
    let before = peak(&home.service);
    let mut requests = connect(&home, 0).await;
    let mut waiting = Vec::new();
    for index in 0..100 {
        requests = requests.ready().await.unwrap();
        let mut get = request(&home, "GET", "?_per_page=8");
        if index % 2 == 0 {
            let gzip = http::HeaderValue::from_static("gzip");
            get.headers_mut().insert("accept-encoding", gzip);
        }
        waiting.push(requests.send_request(get, true).unwrap().0);
    }
    let mut statuses = Vec::new();
    let mut unread = Vec::new();
    for response in waiting {
        match response.await {
            Ok(response) => {
                statuses.push(response.status().as_u16());
                unread.push(response);
            }
            // The service may free the memory of an unread response: it resets the stream or closes the connection.
            Err(error) => {
                let is_given_up = error.reason() == Some(Reason::CANCEL);
                assert!(
                    is_given_up || error.is_io() || error.is_go_away(),
                    "{error}, after {statuses:?}"
                );
            }
        }
    }
    assert!(statuses.contains(&200), "{statuses:?}");
    let grown = peak(&home.service).saturating_sub(before);
    // 160 MB were requested.
    assert!(grown < 3 * memory, "{grown} bytes more, {statuses:?}");
    answers(&home);
}
