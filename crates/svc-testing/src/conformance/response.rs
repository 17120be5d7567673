//! Rules about the response.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
    mpsc,
};

use bytes::Bytes;
use http::{Request, header};
use http_body_util::BodyExt as _;

use super::{Checked, answered, build, ensure, get, server::Server, wait::PATIENCE, whole};
use svc_model::wire::{Body, Transport};

pub(super) async fn every_status_is_an_answer(transport: &dyn Transport) -> Checked {
    for (status, reason) in [
        (200_u16, "OK"),
        (201, "Created"),
        (400, "Bad Request"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "Not Found"),
        (408, "Request Timeout"),
        (412, "Precondition Failed"),
        (429, "Too Many Requests"),
        (500, "Internal Server Error"),
        (503, "Service Unavailable"),
        (599, ""),
    ] {
        let head = format!(
            "{status} {reason}\r\nwww-authenticate: Bearer\r\nretry-after: 0\r\nx-status: {status}"
        );
        let server =
            Server::start(move |connection, _| connection.answer(&head, b"{\"detail\":\"x\"}"))?;
        let response = answered(transport, get(server.url("/"))?).await?;
        ensure(response.status().as_u16() == status, || {
            format!("status {status} came as {}", response.status())
        })?;
        let marked = response.headers().get("x-status").cloned();
        ensure(marked == Some(status.into()), || {
            format!("the headers of status {status} did not come")
        })?;
        let body = whole(response.into_body()).await?;
        ensure(body == "{\"detail\":\"x\"}", || {
            format!("the body of status {status} came as {body:?}")
        })?;
    }
    Ok(())
}

pub(super) async fn redirects_are_not_followed(transport: &dyn Transport) -> Checked {
    for status in [301_u16, 302, 303, 307, 308] {
        let server = Server::start(move |connection, request| {
            if request.target == "/here" {
                connection.answer(&format!("{status} Elsewhere\r\nlocation: /there"), b"")
            } else {
                connection.answer("200 OK", b"there")
            }
        })?;
        let response = answered(transport, get(server.url("/here"))?).await?;
        ensure(response.status().as_u16() == status, || {
            format!("status {status} came as {}", response.status())
        })?;
        let location = response.headers().get(header::LOCATION).cloned();
        ensure(location.as_ref().is_some_and(|it| it == "/there"), || {
            format!("the Location of status {status} came as {location:?}")
        })?;
        ensure(server.received().len() == 1, || {
            format!("the service got {} requests", server.received().len())
        })?;
    }
    Ok(())
}

pub(super) async fn nothing_is_decompressed(transport: &dyn Transport) -> Checked {
    // The text "hello", compressed with `gzip`.
    const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00";
    let server =
        Server::start(|connection, _| connection.answer("200 OK\r\ncontent-encoding: gzip", GZIP))?;
    let request = Request::get(server.url("/")).header(header::ACCEPT_ENCODING, "gzip");
    let response = answered(transport, build(request, Body::empty())?).await?;
    let coding = response.headers().get(header::CONTENT_ENCODING).cloned();
    ensure(coding.as_ref().is_some_and(|it| it == "gzip"), || {
        format!("the Content-Encoding came as {coding:?}")
    })?;
    let body = whole(response.into_body()).await?;
    ensure(body == GZIP, || {
        format!("{} bytes came as {}", GZIP.len(), body.len())
    })
}

pub(super) async fn streams(transport: &dyn Transport) -> Checked {
    let (go_on, told) = mpsc::channel::<()>();
    let told = Mutex::new(told);
    let impatient = Arc::new(AtomicBool::new(false));
    let gave_up = Arc::clone(&impatient);
    let server = Server::start(move |connection, _| {
        // The next piece is sent only after the client has received the previous one.
        let next = |piece: &str| {
            let told = told.lock().unwrap_or_else(PoisonError::into_inner);
            let gave_up_before = gave_up.load(Ordering::SeqCst);
            if gave_up_before || told.recv_timeout(PATIENCE).is_err() {
                gave_up.store(true, Ordering::SeqCst);
            }
            format!("{:x}\r\n{piece}\r\n", piece.len())
        };
        connection
            .write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n")?;
        connection.write(next("one"))?;
        connection.write(next("three"))?;
        connection.write("0\r\n\r\n")
    })?;
    let held_back = |what: &str| {
        ensure(!impatient.load(Ordering::SeqCst), || {
            format!("{what} was not given while the service waited")
        })
    };
    let response = answered(transport, get(server.url("/"))?).await?;
    held_back("the head")?;
    let _ = go_on.send(());
    let mut body = response.into_body();
    let mut read = 0;
    while read < "one".len() {
        read += next_piece(&mut body).await?.len();
    }
    held_back("the first piece of the body")?;
    let _ = go_on.send(());
    let rest = whole(body).await?;
    ensure(rest == "three", || format!("the rest came as {rest:?}"))
}

/// The next bytes of a body that has not ended.
async fn next_piece(body: &mut Body) -> Result<Bytes, String> {
    loop {
        match body.frame().await {
            None => return Err("the body ended too early".to_owned()),
            Some(Err(error)) => return Err(format!("the body failed: {error}")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(data);
                }
            }
        }
    }
}

pub(super) async fn empty_bodies_end(transport: &dyn Transport) -> Checked {
    for (method, head) in [
        ("DELETE", "204 No Content"),
        ("GET", "304 Not Modified\r\netag: \"1\""),
        ("GET", "200 OK\r\ncontent-length: 0"),
        ("GET", "200 OK\r\ntransfer-encoding: chunked\r\n\r\n0"),
        ("HEAD", "200 OK\r\ncontent-length: 10"),
    ] {
        let hung_up = Arc::new(AtomicBool::new(true));
        let seen = Arc::clone(&hung_up);
        let server = Server::start(move |connection, _| {
            connection.write(format!("HTTP/1.1 {head}\r\n\r\n"))?;
            seen.store(connection.client_hangs_up(), Ordering::SeqCst);
            Ok(())
        })?;
        let request = Request::builder().method(method).uri(server.url("/"));
        let started = std::time::Instant::now();
        let response = answered(transport, build(request, Body::empty())?).await?;
        let body = whole(response.into_body()).await?;
        ensure(body.is_empty(), || {
            format!("{method} with {head:?} gave {} bytes", body.len())
        })?;
        let awaited_the_end = !hung_up.load(Ordering::SeqCst) || started.elapsed() >= PATIENCE;
        ensure(!awaited_the_end, || {
            format!("{method} with {head:?} ended only when the service hung up")
        })?;
    }
    Ok(())
}

pub(super) async fn interim_responses_are_skipped(transport: &dyn Transport) -> Checked {
    let server = Server::start(|connection, _| {
        connection.write("HTTP/1.1 100 Continue\r\n\r\n")?;
        connection.write("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")?;
        connection.answer("200 OK\r\nx-last: 1", b"last")
    })?;
    let response = answered(transport, get(server.url("/"))?).await?;
    let status = response.status();
    let body = whole(response.into_body()).await?;
    ensure(status == 200 && body == "last", || {
        format!("the response was {status} with {body:?}")
    })
}

pub(super) async fn large_bodies_arrive_whole(transport: &dyn Transport) -> Checked {
    let sent: Vec<u8> = (0..4 * 1024 * 1024_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let server = Server::start(|connection, request| connection.answer("200 OK", &request.body))?;
    let request = build(Request::post(server.url("/")), sent.clone().into())?;
    let body = whole(answered(transport, request).await?.into_body()).await?;
    let arrived = server.received().pop().map(|request| request.body);
    ensure(arrived.as_ref() == Some(&sent), || {
        let arrived = arrived.as_ref().map_or(0, Vec::len);
        format!("{arrived} of {} bytes arrived as they were", sent.len())
    })?;
    ensure(body == sent, || {
        format!(
            "{} of {} bytes came back as they were",
            body.len(),
            sent.len()
        )
    })
}
