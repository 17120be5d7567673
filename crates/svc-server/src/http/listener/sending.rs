//! A request that is open on a connection, and the body of its answer on its way to the caller.

use std::{
    cell::Cell,
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use tokio::sync::mpsc;

use super::{
    memory::{AnswerMemory, Counted, Held},
    registry::Entry,
};
use crate::http::response::{SMALL, size_with};

/// How many bytes are given to the transport at once. How far a caller of HTTP/2 reads is seen by them.
const PIECE: usize = 64 << 10;

tokio::task_local! {
    /// What the task of an HTTP/2 stream has sent.
    pub(super) static SENT: Cell<Sent>;
}

/// What was sent of the answer of an HTTP/2 stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) bytes: u64,
    /// Whether the transport has bytes that the caller has to read before more is asked for.
    pub(super) waits_for_caller: bool,
}

/// A request from its head to the end of its answer.
#[derive(Debug)]
pub(crate) struct OpenRequest(Arc<Entry>);

impl OpenRequest {
    pub(super) fn begin(entry: &Arc<Entry>) -> Self {
        entry.activity.begin_request();
        Self(Arc::clone(entry))
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.activity.end_request();
    }
}

/// The body of an answer, in pieces, counted while it is in memory.
#[derive(Debug)]
pub(crate) struct Sending {
    body: Body,
    /// What is left of the buffer that the body gave last.
    rest: Bytes,
    /// Memory for what the body has ready.
    held: Option<Held>,
    /// Memory for what the body keeps until its end.
    _kept: Option<Held>,
    memory: Arc<AnswerMemory>,
    /// For HTTP/2: what the transport has not yet sent.
    unsent: Option<Unsent>,
    request: OpenRequest,
}

impl Sending {
    pub(super) fn new(
        body: Body,
        (held, kept): (Option<Held>, Option<Held>),
        memory: Arc<AnswerMemory>,
        request: OpenRequest,
        is_http2: bool,
    ) -> Self {
        request.0.activity.begin_sending();
        let size = body.size_hint();
        let is_small = size.exact().is_some_and(|exact| exact <= SMALL as u64);
        Self {
            body,
            rest: Bytes::new(),
            held,
            _kept: kept,
            memory,
            unsent: (is_http2 && !is_small).then(Unsent::new),
            request,
        }
    }

    /// A buffer of the body, with the memory that it takes.
    fn count(&mut self, buffer: Bytes) -> Bytes {
        let reserved = self.held.as_mut().filter(|held| held.bytes() > 0);
        let held = match reserved {
            Some(held) => held.split(buffer.len()),
            None if buffer.len() > SMALL => self.memory.take(&self.request.0, buffer.len()),
            None => return buffer,
        };
        let at_end = self
            .unsent
            .as_ref()
            .and_then(|unsent| unsent.buffer.clone());
        Bytes::from_owner(Counted {
            bytes: buffer,
            _held: held,
            _at_end: at_end,
        })
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.request.0.activity.end_sending();
    }
}

impl http_body::Body for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        while this.rest.is_empty() {
            // Until the body gives more, it is not the caller who is slow.
            note(0, false);
            let frame = match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    note(0, true);
                    let unsent = this.unsent.as_mut();
                    let sent = unsent.map_or(Poll::Ready(()), |unsent| unsent.poll_sent(context));
                    return sent.map(|()| None);
                }
            };
            match frame.into_data() {
                Ok(buffer) => this.rest = this.count(buffer),
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let piece = this.rest.split_to(this.rest.len().min(PIECE));
        note(piece.len() as u64, true);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.unsent.is_none() && self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        size_with(&self.rest, &self.body)
    }
}

fn note(bytes: u64, waits_for_caller: bool) {
    // Outside of HTTP/2 the socket shows how far the caller has read.
    let _ = SENT.try_with(|sent| {
        sent.set(Sent {
            bytes: sent.get().bytes + bytes,
            waits_for_caller,
        });
    });
}

/// Which buffers of an HTTP/2 answer the transport still has: each holds a sender, and the channel ends with the last.
/// The stream's task waits for that, so that the deadline of an unread answer covers its last bytes too.
#[derive(Debug)]
struct Unsent {
    /// `None` once the body gives no more.
    buffer: Option<mpsc::Sender<Infallible>>,
    all_sent: mpsc::Receiver<Infallible>,
}

impl Unsent {
    fn new() -> Self {
        let (buffer, all_sent) = mpsc::channel(1);
        let buffer = Some(buffer);
        Self { buffer, all_sent }
    }

    fn poll_sent(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.buffer = None;
        self.all_sent.poll_recv(context).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::{IpAddr, Ipv4Addr},
        task::Waker,
    };

    use http_body_util::BodyExt as _;

    use super::*;
    use crate::{
        Config,
        http::listener::registry::{Admission, Registry},
    };

    fn admitted() -> (Arc<AnswerMemory>, Admission) {
        let registry = Registry::new(&Config::default());
        let admission = registry.admit(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        (AnswerMemory::new(1 << 20, registry), admission)
    }

    async fn sending(bytes: usize, is_http2: bool) -> (Sending, Admission) {
        let (memory, admission) = admitted();
        let held = memory.reserve(&admission.entry, bytes).await;
        let request = OpenRequest::begin(&admission.entry);
        let body = Body::from(vec![7; bytes]);
        (
            Sending::new(body, (held, None), memory, request, is_http2),
            admission,
        )
    }

    fn held(admission: &Admission) -> usize {
        let held = &admission.entry.activity.held;
        held.load(std::sync::atomic::Ordering::Relaxed)
    }

    #[tokio::test]
    async fn memory_is_counted_until_the_last_byte_is_gone() {
        let (sending, admission) = sending(200_000, false).await;
        assert_eq!(sending.size_hint().exact(), Some(200_000));
        assert_eq!(held(&admission), 200_000);
        assert_eq!(sending.collect().await.unwrap().to_bytes().len(), 200_000);
        assert_eq!(held(&admission), 0);
        assert!(admission.entry.activity.is_idle());
    }

    #[tokio::test]
    async fn an_http2_answer_ends_when_its_last_byte_is_gone() {
        let (mut sending, admission) = sending(100_000, true).await;
        let first = sending.frame().await.unwrap().unwrap().into_data().unwrap();
        let second = sending.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!((first.len(), second.len()), (PIECE, 100_000 - PIECE));
        assert!(!sending.is_end_stream());
        let mut end = tokio_test_poll(&mut sending);
        assert!(end.is_pending());
        drop(first);
        assert_eq!(held(&admission), 100_000);
        drop(second);
        assert_eq!(held(&admission), 0);
        end = tokio_test_poll(&mut sending);
        assert!(matches!(end, Poll::Ready(None)));
    }

    fn tokio_test_poll(sending: &mut Sending) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(sending).poll_frame(&mut Context::from_waker(Waker::noop()))
    }
}
