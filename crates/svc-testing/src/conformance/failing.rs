//! Rules about failures.

use http::{Request, Uri};

use super::{
    Checked, answered, build, ensure, failed, get, of_kind,
    server::{Server, unused_address},
    shown, whole,
};
use svc_model::wire::{Body, Transport, TransportErrorKind};

pub(super) async fn nothing_is_retried(transport: &dyn Transport) -> Checked {
    let server = Server::start(|connection, request| match request.target.as_str() {
        "/silent" => Ok(()),
        target => {
            let status = target.trim_start_matches('/');
            connection.answer(&format!("{status} Later\r\nretry-after: 0"), b"")
        }
    })?;
    let once = |what: &str, before: usize| {
        let count = server.received().len().saturating_sub(before);
        ensure(count == 1, || format!("{what} was sent {count} times"))
    };
    for status in ["503", "429", "408", "401", "407"] {
        let before = server.received().len();
        let request = get(server.url(&format!("/{status}")))?;
        // An error is another rule's business; browsers give one for 407, which only proxies send.
        if let Ok(response) = transport.send(request).await {
            whole(response.into_body()).await?;
        }
        once(&format!("a request that got status {status}"), before)?;
    }
    let before = server.received().len();
    failed(transport.send(get(server.url("/silent"))?).await)?;
    once("a GET that got no answer", before)
}

pub(super) async fn refused_connection_was_never_sent(transport: &dyn Transport) -> Checked {
    let url = format!("http://{}/", unused_address()?);
    let request = build(Request::post(url), Body::from("{}"))?;
    let error = failed(transport.send(request).await)?;
    of_kind(&error, &[TransportErrorKind::Connect])?;
    ensure(error.never_sent(), || {
        "the error does not say that the request was never sent".to_owned()
    })
}

pub(super) async fn missing_answer_is_interrupted(transport: &dyn Transport) -> Checked {
    for answer in [
        "",
        "HTTP/1.1 200 O",
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n",
    ] {
        let server = Server::start(move |connection, _| connection.write(answer))?;
        let request = build(Request::post(server.url("/")), Body::from("{}"))?;
        let error = failed(transport.send(request).await)?;
        of_kind(&error, &[TransportErrorKind::Interrupted])?;
        ensure(!error.never_sent(), || {
            "the error says that the request was never sent, and the service had read it".to_owned()
        })?;
    }
    Ok(())
}

pub(super) async fn truncated_body_is_an_error(transport: &dyn Transport) -> Checked {
    for answer in [
        "content-length: 100\r\n\r\nten bytes.",
        "transfer-encoding: chunked\r\n\r\na\r\nten bytes.\r\n",
        "transfer-encoding: chunked\r\n\r\n64\r\nten bytes.",
    ] {
        let server = Server::start(move |connection, _| {
            connection.write(format!("HTTP/1.1 200 OK\r\nconnection: close\r\n{answer}"))
        })?;
        // Only the kind is checked: a transport that receives the whole response at once may fail at once.
        let result = match transport.send(get(server.url("/"))?).await {
            Ok(response) => response.into_body().collect(usize::MAX).await,
            Err(error) => Err(error),
        };
        match result {
            Ok(body) => {
                return Err(format!(
                    "{answer:?} was a body of {} bytes without an error",
                    body.len()
                ));
            }
            Err(error) => of_kind(
                &error,
                &[TransportErrorKind::Body, TransportErrorKind::Interrupted],
            )?,
        }
    }
    Ok(())
}

pub(super) async fn endless_head_is_an_error(transport: &dyn Transport) -> Checked {
    let server = Server::start(|connection, _| {
        connection.write("HTTP/1.1 200 OK\r\n")?;
        let lines = format!("x-long: {}\r\n", "x".repeat(1000)).repeat(100);
        loop {
            connection.write(&lines)?;
        }
    })?;
    let error = failed(transport.send(get(server.url("/"))?).await)?;
    ensure(!error.never_sent(), || {
        "the error says that the request was never sent, and the service had read it".to_owned()
    })
}

pub(super) async fn surplus_bytes_are_no_response(transport: &dyn Transport) -> Checked {
    let right = "HTTP/1.1 200 OK\r\nx-surplus: 1\r\ncontent-length: 5\r\n\r\nright";
    for (status, surplus) in [
        ("200 OK", right.replace("right", "wrong")),
        ("204 No Content", right.replace("right", "wrong")),
        ("200 OK", "wrong".to_owned()),
    ] {
        let server = Server::start(move |connection, _| {
            connection.write(right.replace("200 OK", status) + &surplus)?;
            while connection.read_head().is_ok() {
                connection.write(right)?;
            }
            Ok(())
        })?;
        for _ in 0..3 {
            let response = answered(transport, get(server.url("/"))?).await?;
            let is_empty = response.status() == 204;
            let body = whole(response.into_body()).await?;
            let is_right = body == if is_empty { "" } else { "right" };
            ensure(is_right, || format!("a response was {body:?}"))?;
        }
    }
    Ok(())
}

pub(super) async fn unusable_uri_is_invalid(transport: &dyn Transport) -> Checked {
    let address = unused_address()?;
    for uri in [
        "/relative".to_owned(),
        "*".to_owned(),
        format!("ftp://{address}/"),
    ] {
        let uri: Uri = uri
            .parse()
            .map_err(|error| format!("the kit's own URI is wrong: {error}"))?;
        let request = build(Request::get(uri.clone()), Body::empty())?;
        let error = failed(transport.send(request).await)?;
        ensure(error.kind() == TransportErrorKind::Invalid, || {
            format!("{uri} gave an error {}", shown(&error))
        })?;
        ensure(error.never_sent(), || {
            format!("the error for {uri} does not say that the request was never sent")
        })?;
    }
    Ok(())
}
