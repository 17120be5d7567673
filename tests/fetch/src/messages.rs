//! What the test and the page send to each other, as JSON.

use std::{error::Error as _, iter::successors, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use futures_channel::mpsc::UnboundedReceiver;
use futures_util::{StreamExt as _, stream::unfold};
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use serde::{Deserialize, Serialize};
use svc_model::wire::{
    Body, BoxError, TransportError,
    TransportErrorKind::{self as Kind, Connect, Interrupted, Invalid, Other, Timeout},
};

/// A part of a call.
#[derive(Debug, Deserialize, Serialize)]
pub struct Message {
    pub call: u32,
    pub part: Part,
}

#[derive(Debug, Deserialize, Serialize)]
pub enum Part {
    /// Begins a call, in the page.
    Request(Request),
    /// Begins the response, in the test.
    Response(Response),
    /// Bytes of a body, in Base64.
    Data(String),
    /// The end of a body.
    End,
    /// The end of a call, or of a body, that failed.
    Failed(Failure),
    /// The call, or the body of its response, was dropped.
    Dropped,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Request {
    pub method: String,
    pub uri: String,
    pub headers: Headers,
    pub deadline: Option<Duration>,
    /// The body in Base64; `None` for one that streams.
    pub body: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Response {
    pub status: u16,
    pub headers: Headers,
}

/// A [`TransportError`].
#[derive(Debug, Deserialize, Serialize)]
pub struct Failure {
    kind: String,
    never_sent: bool,
    causes: Vec<String>,
}

/// Headers, whose values need not be text.
#[derive(Debug, Deserialize, Serialize)]
pub struct Headers(Vec<(String, Vec<u8>)>);

impl From<&HeaderMap> for Headers {
    fn from(headers: &HeaderMap) -> Self {
        let pair = |(name, value): (&HeaderName, &HeaderValue)| {
            (name.to_string(), value.as_bytes().to_vec())
        };
        Self(headers.iter().map(pair).collect())
    }
}

impl Headers {
    pub fn read(self) -> Result<HeaderMap, BoxError> {
        let pair = |(name, value): (String, Vec<u8>)| Ok((name.parse()?, value.try_into()?));
        self.0.into_iter().map(pair).collect()
    }
}

impl From<&TransportError> for Failure {
    fn from(error: &TransportError) -> Self {
        let causes = successors(error.source(), |&error| error.source());
        Self {
            kind: format!("{:?}", error.kind()),
            never_sent: error.never_sent(),
            causes: causes.map(ToString::to_string).collect(),
        }
    }
}

impl Failure {
    pub fn read(self) -> TransportError {
        let mut kinds = [Connect, Interrupted, Timeout, Kind::Body, Invalid, Other].into_iter();
        let kind = kinds.find(|kind| format!("{kind:?}") == self.kind);
        TransportError::new(kind.unwrap_or(Other), self.causes.join(": "))
            .with_never_sent(self.never_sent)
    }
}

pub fn encode(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

pub fn decode(text: &str) -> Result<Bytes, BoxError> {
    Ok(BASE64_STANDARD.decode(text)?.into())
}

/// Sends a body piece by piece, with its end or its error.
pub async fn send_body(mut body: Body, send: impl Fn(Part)) {
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => send(Part::Data(encode(&data))),
            Ok(Err(_trailers)) => {}
            Err(error) => {
                let error = TransportError::from_source(error);
                return send(Part::Failed((&error).into()));
            }
        }
    }
    send(Part::End);
}

/// The body whose parts arrive. `owner` is dropped with it.
pub fn receive_body(parts: UnboundedReceiver<Part>, owner: impl Send + 'static) -> Body {
    let pieces = unfold((parts, owner), async |(mut parts, owner)| {
        let piece = match parts.next().await {
            Some(Part::Data(text)) => decode(&text).map(Frame::data),
            Some(Part::Failed(failure)) => Err(failure.read().into()),
            Some(Part::End) => return None,
            other => Err(format!("in place of a body came {other:?}").into()),
        };
        Some((piece, (parts, owner)))
    });
    Body::stream(StreamBody::new(pieces))
}
