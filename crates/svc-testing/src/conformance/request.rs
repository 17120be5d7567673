//! Rules about the request.

use bytes::Bytes;
use futures_util::stream::iter;
use http::{HeaderValue, Method, Request, header};
use http_body::Frame;
use http_body_util::StreamBody;

use super::{
    Checked, answered, build, ensure, failed, get, of_kind,
    server::{Received, Server},
    whole,
};
use svc_model::wire::{
    Body, BoxError, Credential, Host, OperationInfo, Transport, TransportErrorKind,
};

const INFO: OperationInfo = OperationInfo::new(
    "conformance.check",
    Method::PATCH,
    Host::Data,
    "/",
    Credential::Anonymous,
    true,
);

/// An extension that no transport knows.
#[derive(Clone)]
struct Unknown;

fn answering() -> Result<Server, String> {
    Server::start(|connection, _| connection.answer("200 OK", b"ok"))
}

/// The only request that was received.
fn only(server: &Server) -> Result<Received, String> {
    let received = server.received();
    match <[Received; 1]>::try_from(received) {
        Ok([request]) => Ok(request),
        Err(all) => Err(format!("the service got {} requests, not one", all.len())),
    }
}

pub(super) async fn arrives_unchanged(transport: &dyn Transport) -> Checked {
    const TARGET: &str =
        "/a%2Fb/%7Euml//x;y=1/?q=%20a+b&empty=&x=1&x=2&_filter=%7B%22or%22%3A%5B%5D%7D&'()*!";
    let sent: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    for method in [Method::PATCH, Method::PUT, Method::POST, Method::DELETE] {
        let server = answering()?;
        let request = Request::builder()
            .method(method.clone())
            .uri(server.url(TARGET))
            .header(header::AUTHORIZATION, "raw-token")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json")
            .header("x-many", "one")
            .header("x-many", "two")
            .header("x-empty", "")
            .extension(INFO)
            .extension(Unknown);
        let response = answered(transport, build(request, sent.clone().into())?).await?;
        whole(response.into_body()).await?;

        let got = only(&server)?;
        ensure(got.method == method.as_str(), || {
            format!("{method} arrived as {}", got.method)
        })?;
        ensure(got.target == TARGET, || {
            format!("{TARGET} arrived as {}", got.target)
        })?;
        ensure(got.body == sent, || {
            format!("{method}'s body arrived with {} bytes", got.body.len())
        })?;
        let host = server.host();
        let expected: [(&str, &[&str]); 6] = [
            ("authorization", &["raw-token"]),
            ("content-type", &["application/json"]),
            ("accept", &["application/json"]),
            ("x-many", &["one", "two"]),
            ("x-empty", &[""]),
            ("host", &[&host]),
        ];
        for (name, values) in expected {
            let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
            ensure(got.values(name) == values, || {
                let got: Vec<_> = got
                    .values(name)
                    .into_iter()
                    .map(String::from_utf8_lossy)
                    .collect();
                format!("the values of {name} arrived as {got:?}")
            })?;
        }
    }
    Ok(())
}

pub(super) async fn nothing_is_added(transport: &dyn Transport) -> Checked {
    const OF_THE_PROTOCOL: [&str; 7] = [
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "te",
        "transfer-encoding",
        "user-agent",
    ];
    for body in [Body::empty(), Body::from("{}")] {
        let server = answering()?;
        let request = Request::post(server.url("/")).header(header::ACCEPT, "*/*");
        whole(
            answered(transport, build(request, body)?)
                .await?
                .into_body(),
        )
        .await?;
        let got = only(&server)?;
        let added = got
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .find(|name| *name != "accept" && !OF_THE_PROTOCOL.contains(name));
        ensure(added.is_none(), || {
            format!("the service got a header {}", added.unwrap_or_default())
        })?;
    }

    let server = answering()?;
    let request = Request::get(server.url("/")).header(header::ACCEPT, "*/*");
    whole(
        answered(transport, build(request, Body::empty())?)
            .await?
            .into_body(),
    )
    .await?;
    let got = only(&server)?;
    let length = got.values("content-length");
    ensure(
        got.values("transfer-encoding").is_empty() && (length.is_empty() || length == [b"0"]),
        || "a GET without a body announces one".to_owned(),
    )
}

pub(super) async fn header_values_are_bytes(transport: &dyn Transport) -> Checked {
    const LATIN: &[u8] = b"caf\xe9";
    let server = Server::start(|connection, _| {
        connection.write(b"HTTP/1.1 200 OK\r\nx-latin: caf\xe9\r\nset-cookie: a=1\r\n")?;
        connection.write(b"set-cookie: b=2\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    })?;
    let mut request = get(server.url("/"))?;
    let latin = HeaderValue::from_bytes(LATIN)
        .map_err(|error| format!("the kit's own header is wrong: {error}"))?;
    request.headers_mut().insert("x-latin", latin);
    let response = answered(transport, request).await?;
    ensure(only(&server)?.values("x-latin") == [LATIN], || {
        "the service got other bytes".to_owned()
    })?;
    let got = response.headers().get("x-latin");
    ensure(got.is_some_and(|got| got.as_bytes() == LATIN), || {
        format!("the response has {got:?}")
    })?;
    let cookies: Vec<_> = response.headers().get_all("set-cookie").iter().collect();
    ensure(cookies == ["a=1", "b=2"], || {
        format!("two headers of one name came as {cookies:?}")
    })
}

pub(super) async fn body_streams(transport: &dyn Transport) -> Checked {
    let server = answering()?;
    let request = build(Request::post(server.url("/")), pieces(64, None))?;
    whole(answered(transport, request).await?.into_body()).await?;
    let got = only(&server)?;
    let expected: Vec<u8> = (0..64).flat_map(piece).collect();
    ensure(got.complete && got.body == expected, || {
        format!("{} of {} bytes arrived", got.body.len(), expected.len())
    })
}

pub(super) async fn broken_body_is_an_error(transport: &dyn Transport) -> Checked {
    let server = answering()?;
    let broken = pieces(3, Some("the file is gone"));
    let request = build(Request::post(server.url("/")), broken)?;
    let error = failed(transport.send(request).await)?;
    of_kind(&error, &[TransportErrorKind::Body])?;
    ensure(
        server.received().iter().all(|request| !request.complete),
        || "the service got a request that looks complete".to_owned(),
    )
}

/// A body of unknown length with pieces of equal size, and optionally an error at its end.
fn pieces(count: u8, error: Option<&'static str>) -> Body {
    let pieces = (0..count).map(|number| Ok(Frame::data(Bytes::from(piece(number)))));
    let end = error.map(|error| Err(BoxError::from(error)));
    Body::stream(StreamBody::new(iter(pieces.chain(end))))
}

fn piece(number: u8) -> Vec<u8> {
    vec![number; 16 * 1024]
}
