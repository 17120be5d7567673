//! Bodies in transfer: the request body, whose errors are distinguished from hyper's own, and the
//! response body, which observes the deadline.

use std::{
    error::Error as _,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::{BodyExt as _, combinators::MapErr};
use hyper::body::Incoming;
use pin_project_lite::pin_project;
use svc_model::wire::{Body, BoxError, TransportError, TransportErrorKind};
use tokio::time::{Instant, Sleep};

/// The error of the caller's stream.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct RequestBodyError(BoxError);

/// The body of a request.
pub(crate) type RequestBody = MapErr<Body, fn(BoxError) -> RequestBodyError>;

pub(crate) fn request_body(body: Body) -> RequestBody {
    body.map_err(RequestBodyError)
}

/// The maximum number of bytes that are returned after the deadline because they need no waiting.
const LATE_BYTES: u64 = 64 * 1024;

/// The limits of a response body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) deadline: Option<Deadline>,
    pub(crate) read_timeout: Option<Duration>,
    pub(crate) max_bytes: Option<u64>,
}

/// A point in time, and the original time limit for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) after: Duration,
}

pin_project! {
    /// The body of a response.
    pub(crate) struct ResponseBody {
        // `None` after an error, which ends the exchange.
        incoming: Option<Incoming>,
        limits: Limits,
        left: u64,
        // The number of bytes that may still be returned after the deadline.
        late_left: u64,
        silent_since: Option<Instant>,
        // Made only when there is something to wait for: most bodies are available at once.
        #[pin]
        alarm: Option<Sleep>,
    }
}

impl ResponseBody {
    pub(crate) fn new(incoming: Incoming, limits: Limits) -> Self {
        Self {
            incoming: Some(incoming),
            limits,
            left: limits.max_bytes.unwrap_or(u64::MAX),
            late_left: LATE_BYTES,
            silent_since: None,
            alarm: None,
        }
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let mut this = self.project();
        let Some(incoming) = this.incoming else {
            return Poll::Ready(None);
        };
        let result = match Pin::new(incoming).poll_frame(context) {
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Ready(Some(Ok(frame))) => {
                *this.silent_since = None;
                let size = frame.data_ref().map_or(0, |data| data.remaining() as u64);
                match this.left.checked_sub(size) {
                    Some(left) => {
                        *this.left = left;
                        // Bytes that arrived in time are returned even late. A body without
                        // end does not continue after the deadline.
                        match this.limits.deadline {
                            Some(deadline) if Instant::now() >= deadline.at => {
                                *this.late_left = this.late_left.saturating_sub(size.max(1));
                                match *this.late_left {
                                    0 => Err(Late::answer(deadline.after).into()),
                                    _ => Ok(frame),
                                }
                            }
                            _ => Ok(frame),
                        }
                    }
                    None => Err(TransportError::new(
                        TransportErrorKind::Body,
                        ResponseTooLarge(this.limits.max_bytes.unwrap_or_default()),
                    )),
                }
            }
            Poll::Ready(Some(Err(error))) => Err(cut_off(error)),
            Poll::Pending => Err(ready!(poll_alarm(
                *this.limits,
                this.silent_since,
                this.alarm.as_mut(),
                context
            ))
            .into()),
        };
        if result.is_err() {
            *this.incoming = None;
        }
        Poll::Ready(Some(result))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

/// The error of a body that is cut off, which looks like a connection that is, or cannot be read.
fn cut_off(error: hyper::Error) -> TransportError {
    let kind = match error.source() {
        Some(source) if source.is::<h2::Error>() => TransportErrorKind::Interrupted,
        _ => TransportErrorKind::Body,
    };
    TransportError::from_source(error).or_kind(kind)
}

/// Ready when the awaited bytes have taken too long.
fn poll_alarm(
    limits: Limits,
    silent_since: &mut Option<Instant>,
    mut alarm: Pin<&mut Option<Sleep>>,
    context: &mut Context<'_>,
) -> Poll<Late> {
    let mut due = limits.deadline.map(|deadline| deadline.at);
    let mut late = limits.deadline.map(|deadline| Late::answer(deadline.after));
    if let Some(timeout) = limits.read_timeout {
        let since = silent_since.get_or_insert_with(Instant::now);
        let at = since.checked_add(timeout);
        if let Some(at) = at.filter(|at| due.is_none_or(|due| *at < due)) {
            due = Some(at);
            late = Some(Late::bytes(timeout));
        }
    }
    let (Some(due), Some(late)) = (due, late) else {
        return Poll::Pending;
    };
    match alarm.as_mut().as_pin_mut() {
        Some(sleep) if sleep.deadline() == due => (),
        Some(sleep) => sleep.reset(due),
        None => alarm.set(Some(tokio::time::sleep_until(due))),
    }
    match alarm.as_pin_mut() {
        Some(sleep) => sleep.poll(context).map(|()| late),
        None => Poll::Pending,
    }
}

/// The error when the time ran out.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{what} within {limit:?}")]
pub(crate) struct Late {
    what: &'static str,
    limit: Duration,
}

impl Late {
    pub(crate) fn answer(limit: Duration) -> Self {
        Self {
            what: "no complete answer",
            limit,
        }
    }

    pub(crate) fn bytes(limit: Duration) -> Self {
        Self {
            what: "no further bytes of the answer",
            limit,
        }
    }
}

impl From<Late> for TransportError {
    fn from(late: Late) -> Self {
        Self::new(TransportErrorKind::Timeout, late)
    }
}

/// The error when the service sends more than the limit of this transport.
#[derive(Debug, thiserror::Error)]
#[error("the response body is larger than the limit of {0} bytes, `max_response_bytes`")]
struct ResponseTooLarge(u64);
