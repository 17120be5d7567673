//! A transport with a thread and a runtime of its own.

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::{Context, Poll, ready},
    thread,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use svc_model::wire::{Body, BoxError, BoxFuture, Transport, TransportError, TransportErrorKind};
use tokio::{
    runtime::Builder,
    sync::{
        mpsc::{self, UnboundedSender},
        oneshot,
    },
};

use crate::{BuildError, BuildErrorKind, HyperTransport};

/// How many pieces of a response wait to be read.
const PIECES: usize = 2;

/// A [`HyperTransport`] with a thread and a tokio runtime of its own, for programs that have no runtime, or another one.
///
/// The thread ends when the last clone, and the body of the last response, is dropped.
///
/// ```
/// use svc_transport::{HyperTransport, ThreadTransport};
///
/// let transport = ThreadTransport::new(HyperTransport::new()?)?;
/// # Ok::<(), svc_transport::BuildError>(())
/// ```
#[derive(Clone)]
pub struct ThreadTransport {
    requests: UnboundedSender<Exchange>,
}

/// A request, and where its response goes.
struct Exchange {
    request: Request<Body>,
    response: oneshot::Sender<Result<Response<Body>, TransportError>>,
    /// Keeps the thread while a body is read.
    requests: UnboundedSender<Exchange>,
}

impl ThreadTransport {
    /// Starts the thread.
    ///
    /// # Errors
    /// Kind [`Runtime`](BuildErrorKind::Runtime) when the thread or its runtime cannot be made.
    pub fn new(transport: HyperTransport) -> Result<Self, BuildError> {
        let failed = |message: &str, error: std::io::Error| {
            BuildError::new(BuildErrorKind::Runtime, message).with_source(error)
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed("the runtime cannot be made", error))?;
        let (requests, mut received) = mpsc::unbounded_channel::<Exchange>();
        thread::Builder::new()
            .name("svc-transport".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    while let Some(exchange) = received.recv().await {
                        tokio::spawn(exchange.run(transport.clone()));
                    }
                });
            })
            .map_err(|error| failed("the thread cannot be started", error))?;
        Ok(Self { requests })
    }
}

impl fmt::Debug for ThreadTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadTransport").finish_non_exhaustive()
    }
}

impl Transport for ThreadTransport {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let (sender, response) = oneshot::channel();
        let sent = self.requests.send(Exchange {
            request,
            response: sender,
            requests: self.requests.clone(),
        });
        Box::pin(async move {
            if sent.is_err() {
                return Err(ended().with_never_sent(true));
            }
            response.await.unwrap_or_else(|_| Err(ended()))
        })
    }
}

fn ended() -> TransportError {
    TransportError::new(
        TransportErrorKind::Other,
        "the thread of the transport has ended",
    )
}

impl Exchange {
    /// Sends the request, and then the pieces of the response, until nobody waits for them.
    async fn run(self, transport: HyperTransport) {
        let Self {
            request,
            mut response,
            requests,
        } = self;
        let sent = {
            let mut sent = transport.send(request);
            unless(&mut sent, |context| response.poll_closed(context)).await
        };
        let (head, mut body) = match sent {
            None => return,
            Some(Err(error)) => return drop(response.send(Err(error))),
            Some(Ok(received)) => received.into_parts(),
        };
        let (pieces, received) = mpsc::channel(PIECES);
        let passed = Passed {
            received,
            size: body.size_hint(),
            has_ended: false,
            _requests: requests,
        };
        let answer = Response::from_parts(head, Body::stream(passed));
        if response.send(Ok(answer)).is_err() {
            return;
        }
        loop {
            let piece = {
                let mut piece = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
                let mut closed = pin!(pieces.closed());
                unless(&mut piece, |context| closed.as_mut().poll(context)).await
            };
            let Some(piece) = piece else {
                return;
            };
            let is_last = piece.is_none();
            if pieces.send(piece).await.is_err() || is_last {
                return;
            }
        }
    }
}

/// The output of a future, or `None` when something else happens first.
async fn unless<F: Future + Unpin>(
    future: &mut F,
    mut other: impl FnMut(&mut Context<'_>) -> Poll<()>,
) -> Option<F::Output> {
    poll_fn(|context| {
        if let Poll::Ready(output) = Pin::new(&mut *future).poll(context) {
            return Poll::Ready(Some(output));
        }
        other(context).map(|()| None)
    })
    .await
}

/// The body of a response, piece by piece from the thread.
struct Passed {
    /// `None` is the end; a body without it was cut off.
    received: mpsc::Receiver<Option<Result<Frame<Bytes>, BoxError>>>,
    /// The size before the first piece.
    size: SizeHint,
    has_ended: bool,
    _requests: UnboundedSender<Exchange>,
}

impl HttpBody for Passed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let piece = ready!(self.received.poll_recv(context));
        let piece = piece.unwrap_or_else(|| Some(Err(ended().into())));
        self.size = SizeHint::default();
        self.has_ended = !matches!(piece, Some(Ok(_)));
        Poll::Ready(piece)
    }

    fn size_hint(&self) -> SizeHint {
        self.size
    }
}
