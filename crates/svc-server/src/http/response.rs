//! JSON answers.

pub(crate) mod headers;
pub(crate) mod raw;
pub(crate) mod rows;

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, ready},
};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body::{Body as _, Frame, SizeHint};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use svc_model::wire::{BoxFuture, Operation};

/// The largest answer whose bytes in memory are not counted.
pub(crate) const SMALL: usize = 4 << 10;

/// A response that is ready to be sent.
pub(crate) type ApiResponse = Response<Chunks>;

/// What is to be known of an answer besides what it says, as an extension of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseKind {
    /// What was read, though the method is not one of those that only read: the same request can be sent again.
    Read,
    /// Passed on from another service as it comes, so that it is never in memory as a whole.
    Relayed,
}

/// How many bytes the body of an answer keeps in memory besides those that are ready to be sent, as an extension of the
/// response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept(pub(crate) usize);

/// How many bytes of an answer are ready to be sent, before they are compressed, as an extension of the response. Small
/// answers go without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready(pub(crate) usize);

/// A body of a few pieces that are sent one after the other, so that rows that a driver wrote are not
/// copied into their envelope. Behind them there may be more, made when they are on their way.
#[derive(Default)]
pub(crate) struct Chunks {
    ready: VecDeque<Bytes>,
    more: Option<BoxFuture<'static, Result<Chunks, CutOff>>>,
}

impl Chunks {
    /// Adds what follows. When that fails, the body is cut off, so that no caller takes it for complete.
    pub(crate) fn followed_by(
        mut self,
        more: impl Future<Output = Result<Chunks, CutOff>> + Send + 'static,
    ) -> Self {
        self.more = Some(Box::pin(more));
        self
    }
}

impl<const N: usize> From<[Bytes; N]> for Chunks {
    fn from(chunks: [Bytes; N]) -> Self {
        let ready = chunks.into_iter().filter(|chunk| !chunk.is_empty());
        Self {
            ready: ready.collect(),
            more: None,
        }
    }
}

/// A body that could not be sent to its end.
#[derive(Debug, thiserror::Error)]
#[error("the answer was cut off")]
pub(crate) struct CutOff;

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(chunk))));
            }
            let Some(more) = &mut self.more else {
                return Poll::Ready(None);
            };
            match ready!(more.as_mut().poll(context)) {
                Ok(chunks) => *self = chunks,
                Err(cut_off) => {
                    self.more = None;
                    return Poll::Ready(Some(Err(cut_off)));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ready.is_empty() && self.more.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        let ready = self.ready.iter().map(|chunk| chunk.len() as u64).sum();
        match self.more {
            None => SizeHint::with_exact(ready),
            Some(_) => {
                let mut hint = SizeHint::new();
                hint.set_lower(ready);
                hint
            }
        }
    }
}

/// An answer of bytes that are JSON already.
pub(crate) fn raw_json_response(status: StatusCode, body: impl Into<Chunks>) -> ApiResponse {
    let body = body.into();
    let ready = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    if ready > SMALL {
        answer.extensions_mut().insert(Ready(ready));
    }
    answer.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    answer
}

/// An answer that is written as JSON.
pub(crate) fn json_response<T: Serialize + ?Sized>(status: StatusCode, value: &T) -> ApiResponse {
    match serde_json::to_vec(value) {
        Ok(body) => raw_json_response(status, [Bytes::from(body)]),
        Err(error) => {
            tracing::error!(%error, "an answer cannot be written as JSON");
            raw_json_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                [Bytes::from_static(
                    br#"{"detail":"internal error","error_code":"error"}"#,
                )],
            )
        }
    }
}

/// The answer of an operation.
pub(crate) fn operation_response<O>(response: &O::Response) -> ApiResponse
where
    O: Operation<Response: Serialize>,
{
    json_response(O::INFO.status, response)
}

/// An answer of another media type than JSON, with the headers that go with it.
pub(crate) fn page_response<const N: usize>(
    body: Bytes,
    headers: [(HeaderName, &'static str); N],
) -> ApiResponse {
    let mut answer = Response::new([body].into());
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    answer.headers_mut().extend(headers);
    answer
}

/// An answer without a body.
pub(crate) fn empty_response(status: StatusCode) -> ApiResponse {
    let mut answer = Response::new(Chunks::default());
    *answer.status_mut() = status;
    answer
}

/// An answer of JSON bytes with an entity tag, or 304 when the caller has it (RFC 9110, section 13.1.2).
pub(crate) fn tagged_response(
    status: StatusCode,
    body: impl Into<Chunks>,
    etag: &str,
    request: Option<&HeaderMap>,
) -> ApiResponse {
    if request.is_some_and(|headers| is_known(headers, etag)) {
        return unmodified_response(etag);
    }
    let mut answer = raw_json_response(status, body);
    if let Ok(etag) = HeaderValue::from_str(etag) {
        answer.headers_mut().insert(header::ETAG, etag);
    }
    answer
}

/// Whether the caller has what an entity tag belongs to.
pub(crate) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let tags = headers.get(header::IF_NONE_MATCH);
    let tags = tags.and_then(|tags| tags.to_str().ok());
    tags.is_some_and(|tags| tags.split(',').any(|tag| matches_weakly(tag.trim(), etag)))
}

/// The answer to a caller who has what an entity tag belongs to.
pub(crate) fn unmodified_response(etag: &str) -> ApiResponse {
    let mut answer = empty_response(StatusCode::NOT_MODIFIED);
    if let Ok(etag) = HeaderValue::from_str(etag) {
        answer.headers_mut().insert(header::ETAG, etag);
    }
    answer
}

/// The size of what is left of a frame and of the body that it came from.
pub(crate) fn size_with(rest: &Bytes, body: &Body) -> SizeHint {
    let (rest, body) = (rest.len() as u64, body.size_hint());
    let mut sum = SizeHint::new();
    sum.set_lower(body.lower().saturating_add(rest));
    if let Some(upper) = body.upper() {
        sum.set_upper(upper.saturating_add(rest));
    }
    sum
}

/// A strong entity tag of a body.
pub(crate) fn etag_of(body: &[u8]) -> String {
    let hash = Sha256::digest(body);
    let digits = hash.iter().take(16).map(|byte| format!("{byte:02x}"));
    format!("\"{}\"", digits.collect::<String>())
}

fn matches_weakly(tag: &str, etag: &str) -> bool {
    tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag
}
