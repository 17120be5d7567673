//! Answers that are late, cut off, too long, too large, or not those of the service.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use http::StatusCode;
use http_body_util::BodyExt as _;
use svc_api::{Error, ErrorKind, Record, wire::TransportErrorKind};

use super::server::{Connection, Server, answer};

const MIB: usize = 1024 * 1024;

/// A server that answers the record `bad` with `bytes`, after which it hangs up or not, and all others well.
async fn server(bytes: Vec<u8>, hangs_up: bool) -> Server {
    let bytes = Arc::new(bytes);
    Server::start(move |connection| serve(connection, Arc::clone(&bytes), hangs_up)).await
}

async fn serve(mut connection: Connection, bytes: Arc<Vec<u8>>, hangs_up: bool) -> Option<()> {
    loop {
        let name = connection.request().await?.name;
        if name != "bad" {
            let body = format!(r#"{{"id":"{name}"}}"#);
            connection.answer("200 OK", &body).await?;
            continue;
        }
        connection.write(&*bytes).await?;
        if hangs_up {
            return None;
        }
    }
}

/// The result of a call, and a check that the next call of the same client has an answer of its own.
async fn call(server: &Server, client: &svc_api::Client) -> Result<Record, Error> {
    let orders = client.records("shop", "orders");
    let result = orders.get("bad").max_tries(1).await;
    for id in ["next", "last"] {
        assert_eq!(orders.get(id).max_tries(1).await.unwrap()["id"], id);
    }
    assert_eq!(server.requests("bad").len(), 1);
    result
}

/// An error and all its causes, as a log would show them.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

#[derive(Debug, PartialEq)]
enum Seen {
    Value,
    Transport(TransportErrorKind),
    Status(u16),
    Decode,
}

#[tokio::test]
async fn every_bad_answer_is_one_clear_error_and_the_next_call_gets_its_own_answer() {
    use Seen::{Decode, Status, Transport, Value};
    use TransportErrorKind::{Body, Interrupted, Other};

    let good = answer("200 OK", r#"{"id":"bad"}"#);
    let html =
        "<!DOCTYPE html>\r\n<html><head>\r\n<title>\r\nPlease wait \x1b[2J</title></head><body>";
    let page = |status: &str| answer(&format!("{status}\r\ncontent-type: text/html"), html);
    let cut = |rest: &str| format!("HTTP/1.1 200 OK\r\n{rest}");
    let long = |line: &str, count: usize| cut(&format!("{}\r\n{{}}", line.repeat(count)));
    // The answer, what the caller sees, and a part of what a log shows.
    let cases: Vec<(&str, String, Seen, &str)> = vec![
        (
            "less than its length",
            cut("content-length: 99\r\n\r\n{"),
            Transport(Interrupted),
            "broke off",
        ),
        (
            "chunked and cut off",
            cut("transfer-encoding: chunked\r\n\r\n5\r\n{\"i"),
            Transport(Interrupted),
            "broke off",
        ),
        (
            "chunked without end",
            cut("transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"),
            Transport(Interrupted),
            "broke off",
        ),
        (
            "a chunk size that is no number",
            cut("transfer-encoding: chunked\r\n\r\nsize\r\n{}"),
            Transport(Body),
            "chunk size",
        ),
        (
            "half a head",
            cut("content-le"),
            Transport(Interrupted),
            "broke off",
        ),
        (
            "nothing",
            String::new(),
            Transport(Interrupted),
            "broke off",
        ),
        (
            "not HTTP",
            "220 mail.test ESMTP\r\n\r\n".into(),
            Transport(Other),
            "invalid HTTP",
        ),
        (
            "two lengths",
            cut("content-length: 1\r\ncontent-length: 2\r\n\r\n{}"),
            Transport(Other),
            "content-length",
        ),
        (
            "a negative length",
            cut("content-length: -2\r\n\r\n{}"),
            Transport(Other),
            "content-length",
        ),
        (
            "a head of a megabyte",
            long(&format!("x: {}\r\n", "y".repeat(MIB)), 1),
            Transport(Other),
            "too large",
        ),
        (
            "ten thousand headers",
            long("x: y\r\n", 10_000),
            Transport(Other),
            "too large",
        ),
        (
            "more than its length",
            format!("{good}, and more"),
            Value,
            "",
        ),
        ("a second answer", good.repeat(3), Value, ""),
        (
            "interim answers",
            format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n{good}"),
            Value,
            "",
        ),
        (
            "another protocol",
            cut("").replace("200 OK", "101 Other\r\nupgrade: x\r\nconnection: upgrade") + "\r\nx",
            Status(101),
            "101",
        ),
        (
            "a 204 with a body",
            answer("204 No Content", "{}"),
            Decode,
            "EOF",
        ),
        ("an empty body", answer("200 OK", ""), Decode, "EOF"),
        (
            "a page with 200",
            page("200 OK"),
            Decode,
            "\"Please wait \\u{1b}",
        ),
        (
            "a page with 407",
            page("407 Proxy"),
            Status(407),
            "\"Please wait \\u{1b}",
        ),
        (
            "a page with 502",
            page("502 Bad Gateway"),
            Status(502),
            "\"Please wait \\u{1b}",
        ),
        (
            "a page with 503",
            page("503 Service Unavailable"),
            Status(503),
            "\"Please wait \\u{1b}",
        ),
        (
            "an error that breaks off",
            cut("content-length: 9\r\n\r\n{").replace("200 OK", "503 No"),
            Status(503),
            "503",
        ),
        (
            "an answer passed on that breaks off",
            cut("x-svc-proxy: upstream\r\ncontent-length: 9\r\n\r\n{").replace("200 OK", "503 No"),
            Transport(Interrupted),
            "broke off",
        ),
        (
            "a body that ends with the connection",
            cut("\r\n{\"id\":\"bad\"}"),
            Value,
            "",
        ),
        (
            "a redirect",
            answer("302 Found\r\nlocation: /elsewhere", ""),
            Status(302),
            "not followed",
        ),
        (
            "unasked compression",
            answer("200 OK\r\ncontent-encoding: gzip", "\x1f\x01"),
            Decode,
            "expected value",
        ),
        (
            "deep nesting",
            answer("200 OK", &format!("{{\"id\":{}", "[".repeat(MIB))),
            Decode,
            "recursion limit",
        ),
        (
            "an error with deep nesting",
            answer("500 No", &"[".repeat(MIB)),
            Status(500),
            "500",
        ),
        (
            "another type",
            answer("200 OK", r#"["id"]"#),
            Decode,
            "invalid type: sequence",
        ),
        (
            "a long text",
            answer("200 OK", &format!("\"{}\"", "x".repeat(MIB))),
            Decode,
            "invalid type: string",
        ),
        (
            "a long name",
            answer("200 OK", &format!("{{\"{}\":-}}", "x".repeat(MIB))),
            Decode,
            "at xxx",
        ),
        (
            "half of the JSON",
            answer("200 OK", r#"{"id":"b"#),
            Decode,
            "EOF",
        ),
    ];
    for (name, bytes, expected, shown) in cases {
        let hangs_up = matches!(expected, Transport(_))
            || name.contains("breaks off")
            || name.contains("ends with");
        let server = server(bytes.into(), hangs_up).await;
        let result = call(&server, &server.client()).await;
        let error = match result {
            Ok(record) => {
                assert_eq!(
                    (&expected, &record["id"]),
                    (&Value, &"bad".into()),
                    "{name}"
                );
                continue;
            }
            Err(error) => error,
        };
        let seen = match (error.kind(), error.transport_error(), error.status()) {
            (ErrorKind::Transport, Some(error), None) => Transport(error.kind()),
            (ErrorKind::Status, None, Some(status)) => Status(status.as_u16()),
            (ErrorKind::Decode, None, Some(status)) if status.is_success() => Decode,
            other => panic!("{name}: {other:?}"),
        };
        let text = chain(&error);
        assert_eq!(seen, expected, "{name}: {text}");
        assert!(text.contains(shown), "{name}: {text}");
        assert!(text.len() < 600 && !text.contains('\x1b'), "{name}: {text}");
    }
}

#[tokio::test]
async fn text_that_is_not_utf_8_is_an_error_in_a_body_and_no_matter_in_a_header() {
    let bytes = b"HTTP/1.1 200 OK\r\nx-request-id: \xff\r\netag: \xff\r\ncontent-length: 6\r\n\r\n{\"\xff\":1";
    let server = server(bytes.to_vec(), false).await;
    let error = call(&server, &server.client()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.request_id(), None);
    assert_eq!(error.body().unwrap().len(), 6);
}

#[tokio::test]
async fn a_delete_whose_204_has_a_body_succeeds() {
    let server = server(answer("204 No Content", "{}").into(), false).await;
    let orders = server.client().records("shop", "orders");
    orders.delete("bad").await.unwrap();
    assert_eq!(orders.get("next").await.unwrap()["id"], "next");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again_if_that_does_no_harm() {
    let cut_off = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec();
    let server = server(cut_off, true).await;
    let orders = server.client().records("shop", "orders");
    let error = orders.get("bad").await.unwrap_err();
    assert!(error.is_retryable());
    assert_eq!(server.requests("bad").len(), 3);
    let change = serde_json::json!({});
    orders.update("bad", &change).await.map(drop).unwrap_err();
    assert_eq!(server.requests("bad").len(), 4);
}

#[tokio::test]
async fn the_deadline_is_for_the_whole_of_an_answer_that_comes_byte_by_byte() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n";
    // How much of the answer comes at once: nothing, or the head.
    for at_once in [0, head.len()] {
        let server = Server::start(move |mut connection: Connection| async move {
            connection.request().await?;
            connection.write(&head[..at_once]).await?;
            let rest = head[at_once..].bytes().chain(std::iter::repeat(b' '));
            connection.drip(rest).await
        });
        let server = server.await;
        let started = Instant::now();
        let limit = Duration::from_millis(150);
        let orders = server.client().records("shop", "orders");
        let error = orders.get(1).deadline(limit).await.unwrap_err();
        assert!(error.is_timeout(), "{error:?}");
        assert!((limit..limit * 20).contains(&started.elapsed()));
        server.has_at_most(0).await;
        // The body of a stream ends in time too.
        if at_once > 0 {
            let stream = orders
                .list()
                .deadline(limit)
                .send_streaming()
                .await
                .unwrap();
            let error = stream.into_body().collect(usize::MAX).await.unwrap_err();
            assert_eq!(error.kind(), TransportErrorKind::Timeout);
            server.has_at_most(0).await;
        }
    }
}

#[tokio::test]
async fn interim_answers_without_end_are_no_answer() {
    let server = Server::start(async |mut connection: Connection| {
        connection.request().await?;
        loop {
            connection.write("HTTP/1.1 102 Processing\r\n\r\n").await?;
        }
    });
    let server = server.await;
    let orders = server.client().records("shop", "orders");
    let call = orders.get(1).deadline(Duration::from_millis(150));
    assert!(call.await.unwrap_err().is_timeout());
    server.has_at_most(0).await;
}

#[tokio::test]
async fn of_a_large_answer_no_more_than_the_limit_is_held_and_a_stream_has_none() {
    let piece = "x".repeat(MIB);
    let chunk = format!("{MIB:x}\r\n{piece}\r\n");
    for (head, piece, end) in [
        (format!("content-length: {}", 20 * MIB), &piece, ""),
        ("transfer-encoding: chunked".to_owned(), &chunk, "0\r\n\r\n"),
    ] {
        let head = format!("200 OK\r\n{head}\r\n\r\n");
        let piece = piece.clone();
        let server = Server::start(move |mut connection: Connection| {
            let (head, piece) = (head.clone(), piece.clone());
            async move {
                while let Some(request) = connection.request().await {
                    let head = match request.name.as_str() {
                        "error" => head.replace("200 OK", "502 Bad Gateway"),
                        _ => head.clone(),
                    };
                    connection.write(format!("HTTP/1.1 {head}")).await?;
                    for _ in 0..20 {
                        connection.write(&piece).await?;
                    }
                    connection.write(end).await?;
                }
                None
            }
        });
        let server = server.await;
        let client = server.builder().body_limit(MIB).build().unwrap();
        let orders = client.records("shop", "orders");
        let error = orders.get(1).await.unwrap_err();
        let kind = error
            .transport_error()
            .map(svc_api::wire::TransportError::kind);
        assert_eq!(kind, Some(TransportErrorKind::Body));
        assert!(!error.is_retryable());
        let text = chain(&error);
        assert!(
            text.contains("`body_limit`") && text.contains("1048576 bytes"),
            "{text}"
        );
        // What is left of it is not read.
        server.has_at_most(0).await;
        let error = orders.get("error").max_tries(1).await.unwrap_err();
        assert_eq!(error.status(), Some(StatusCode::BAD_GATEWAY));

        let mut body = orders.list().send_streaming().await.unwrap().into_body();
        let mut size = 0;
        while let Some(frame) = body.frame().await {
            size += frame.unwrap().into_data().map_or(0, |data| data.len());
        }
        assert_eq!(size, 20 * MIB);
        assert!(
            server
                .client()
                .records("shop", "orders")
                .get(1)
                .await
                .is_err_and(|error| error.kind() == ErrorKind::Decode
                    && error.body().is_some_and(|it| it.len() == 20 * MIB))
        );
    }
}

#[tokio::test]
async fn a_large_request_ends_at_its_deadline_if_it_is_not_read_and_early_if_it_is_answered() {
    for answered in [false, true] {
        let server = Server::start(move |mut connection: Connection| async move {
            connection.head().await?;
            if answered {
                connection
                    .answer("413 Too Large", r#"{"detail":"too much"}"#)
                    .await?;
            }
            // The body stays unread.
            std::future::pending().await
        })
        .await;
        let rows = serde_json::json!({ "note": "x".repeat(16 * MIB) });
        let orders = server.client().records("shop", "orders");
        let call = orders.create(&rows).deadline(Duration::from_millis(400));
        let error = call.await.map(drop).unwrap_err();
        match answered {
            true => assert_eq!(error.detail(), Some("too much"), "{error}"),
            false => assert!(error.is_timeout(), "{error}"),
        }
    }
}
