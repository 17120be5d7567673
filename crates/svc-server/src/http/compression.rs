//! Answers compressed by `Accept-Encoding` (RFC 9110, section 12.5.3).
//!
//! Where a secret is next to what a caller sent, the length of the compressed answer would reveal the secret. So account calls
//! and the HTTP proxy are in no compressed group, and an answer that [has a secret](headers::has_secret) stays as it is.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker, ready},
    thread,
};

use axum::{
    BoxError, Router,
    body::{Body, Bytes, HttpBody},
    extract::Request,
    response::Response,
};
use http::{HeaderValue, header};
use http_body::{Frame, SizeHint};
use pin_project_lite::pin_project;
use svc_model::wire::BoxFuture;
use tokio::{
    sync::Semaphore,
    task::{JoinError, spawn_blocking},
};
use tower::{Layer as _, Service, ServiceExt as _, layer::layer_fn, service_fn};
use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{And, NotForContentType, Predicate as _, SizeAbove},
    },
};

use crate::http::response::{headers, size_with};

/// The smallest body that is compressed, in bytes. A body whose length is not known is compressed too.
const SMALLEST: u64 = 1_024;
/// Of 11 levels of brotli, the one whose cost is near that of the others' default.
const LEVEL: i32 = 4;
/// How much of an answer is compressed at a time, which takes about a millisecond.
const PIECE: usize = 64 << 10;
/// As many threads compress at the same time as there are cores, so that those that answer requests get their turn.
static CORES: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new(cores)
});

/// Compresses the answers of these routes when they are larger than 1 KiB and of a type that gains from it.
pub(crate) fn compressed<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router.layer(layer_fn(|routes| Compressed { routes }))
}

/// Routes whose answers are compressed.
#[derive(Clone)]
struct Compressed<S> {
    routes: S,
}

impl<S> Service<Request> for Compressed<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Compressing<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.routes.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let accepted = request.headers().get_all(header::ACCEPT_ENCODING);
        Compressing::Answering {
            accepted: accepted.iter().cloned().collect(),
            answer: self.routes.call(request),
        }
    }
}

pin_project! {
    /// The answer to a request, which is compressed where that is worthwhile.
    #[project = Step]
    enum Compressing<F> {
        Answering { #[pin] answer: F, accepted: Vec<HeaderValue> },
        Encoding { answer: BoxFuture<'static, Response> },
    }
}

impl<F: Future<Output = Result<Response, Infallible>>> Future for Compressing<F> {
    type Output = Result<Response, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            let answer: BoxFuture<'static, Response> = match self.as_mut().project() {
                Step::Encoding { answer } => return answer.as_mut().poll(context).map(Ok),
                Step::Answering { answer, accepted } => {
                    let Ok(mut response) = ready!(answer.poll(context));
                    // The body of the layer is large, whether it compresses or not: what stays as it is does without it.
                    // So does what is given in parts, which are those of these bytes.
                    let has_parts = response.headers().contains_key(header::ACCEPT_RANGES);
                    let stays = has_parts || headers::has_secret(response.headers());
                    if stays || !worthwhile().should_compress(&response) {
                        return Poll::Ready(Ok(response));
                    }
                    if !accepted.iter().any(names_encoding) {
                        let vary = HeaderValue::from_static("accept-encoding");
                        response.headers_mut().append(header::VARY, vary);
                        return Poll::Ready(Ok(response));
                    }
                    Box::pin(compress(response, std::mem::take(accepted)))
                }
            };
            self.set(Self::Encoding { answer });
        }
    }
}

/// Whether an `Accept-Encoding` may accept more than `identity`.
fn names_encoding(accepted: &HeaderValue) -> bool {
    let mut names = accepted.as_bytes().split(|byte| b",; \t".contains(byte));
    names.any(|name| {
        let encodings = ["br", "gzip", "x-gzip", "zstd", "*"];
        let is = |encoding: &&str| name.eq_ignore_ascii_case(encoding.as_bytes());
        encodings.iter().any(is)
    })
}

fn worthwhile() -> And<SizeAbove, NotForContentType> {
    SizeAbove::new(SMALLEST).and(NotForContentType::IMAGES)
}

/// Compresses an answer in the way that is accepted and preferred.
async fn compress(response: Response, accepted: Vec<HeaderValue>) -> Response {
    let mut request = http::Request::new(());
    for encodings in accepted {
        request
            .headers_mut()
            .append(header::ACCEPT_ENCODING, encodings);
    }
    let is_small = response.body().size_hint().upper();
    let is_small = is_small.is_some_and(|size| size <= PIECE as u64);
    let mut response = Some(match is_small {
        true => response,
        false => response.map(|body| Body::new(InPieces::new(body))),
    });
    let answered = service_fn(move |_| {
        let response = response.take().unwrap_or_default();
        async { Ok::<_, Infallible>(response) }
    });
    let layer = CompressionLayer::new()
        .quality(CompressionLevel::Precise(LEVEL))
        .compress_when(worthwhile());
    let answer = layer.layer(answered).oneshot(request).await;
    let answer = answer.unwrap_or_else(|never| match never {});
    // Where only `identity` is accepted, there is nothing to make.
    let is_encoded = answer.headers().contains_key(header::CONTENT_ENCODING);
    match is_encoded && !is_small {
        true => answer.map(|body| Body::new(BlockingBody::Waiting(body))),
        false => answer.map(Body::new),
    }
}

/// A body whose frames take long to make: each is made on a thread for such work, so that none of those that answer requests
/// is held. ([`block_in_place`](tokio::task::block_in_place) would have new threads take their place again and again, and
/// each takes memory of its own.)
enum BlockingBody<B: HttpBody> {
    Waiting(B),
    Making(BoxFuture<'static, Result<Made<B>, JoinError>>),
    Ended,
}

/// The next frame of a body, until its end.
type NextFrame<B> = Option<Result<Frame<<B as HttpBody>::Data>, <B as HttpBody>::Error>>;

/// What became of a body that was polled elsewhere.
struct Made<B: HttpBody> {
    body: B,
    frame: Poll<NextFrame<B>>,
    waiter: Arc<Waiter>,
}

/// Who waits for a frame.
struct Waiter {
    task: Waker,
    /// Whether the frame came, maybe before the task knew that there was none.
    is_woken: AtomicBool,
}

impl Wake for Waiter {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

/// Polls a body on another thread, when a core is free for that.
async fn make<B>(mut body: B, waiter: Arc<Waiter>) -> Result<Made<B>, JoinError>
where
    B: HttpBody<Data: Send, Error: Send> + Send + Unpin + 'static,
{
    // They are never closed.
    let core = CORES.acquire().await;
    let made = spawn_blocking(move || {
        let _core = core;
        let waker = Waker::from(Arc::clone(&waiter));
        let frame = Pin::new(&mut body).poll_frame(&mut Context::from_waker(&waker));
        Made {
            body,
            frame,
            waiter,
        }
    });
    made.await
}

impl<B> HttpBody for BlockingBody<B>
where
    B: HttpBody<Data: Send, Error = BoxError> + Send + Unpin + 'static,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        loop {
            let making = match std::mem::replace(&mut *self, Self::Ended) {
                Self::Waiting(body) => {
                    let waiter = Waiter {
                        task: context.waker().clone(),
                        is_woken: AtomicBool::new(false),
                    };
                    *self = Self::Making(Box::pin(make(body, Arc::new(waiter))));
                    continue;
                }
                Self::Making(mut making) => match making.as_mut().poll(context) {
                    Poll::Ready(made) => made,
                    Poll::Pending => {
                        *self = Self::Making(making);
                        return Poll::Pending;
                    }
                },
                Self::Ended => return Poll::Ready(None),
            };
            // It has panicked, or the service ends.
            let Made {
                body,
                frame,
                waiter,
            } = match making {
                Ok(made) => made,
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
            };
            *self = Self::Waiting(body);
            let is_waiting =
                !waiter.is_woken.load(Ordering::Acquire) && waiter.task.will_wake(context.waker());
            if frame.is_ready() || is_waiting {
                return frame;
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Waiting(body) => body.is_end_stream(),
            Self::Making(_) => false,
            Self::Ended => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Waiting(body) => body.size_hint(),
            Self::Making(_) | Self::Ended => SizeHint::default(),
        }
    }
}

/// A body that lets other tasks go on after each [`PIECE`] of it, however large its frames are.
struct InPieces {
    body: Body,
    /// What is left of a frame.
    rest: Bytes,
    /// How much was given since other tasks went on.
    given: usize,
}

impl InPieces {
    fn new(body: Body) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            given: 0,
        }
    }
}

impl HttpBody for InPieces {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.given >= PIECE {
            self.given = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        let size = self.rest.len().min(PIECE);
        self.given += size;
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(size)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        size_with(&self.rest, &self.body)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use http_body_util::BodyExt as _;

    use super::*;

    #[test]
    fn what_names_no_encoding_is_answered_as_it_is() {
        for accepted in ["gzip", "deflate, GZIP;q=0.5", "identity,br", "*", "zstd"] {
            assert!(
                names_encoding(&HeaderValue::from_static(accepted)),
                "{accepted}"
            );
        }
        for accepted in ["", "identity", "identity;q=1", "deflate", "bright"] {
            assert!(
                !names_encoding(&HeaderValue::from_static(accepted)),
                "{accepted}"
            );
        }
    }

    /// A body that has no frame until it is polled again.
    struct Late(Vec<Option<&'static str>>);

    impl HttpBody for Late {
        type Data = Bytes;
        type Error = BoxError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            match self.0.pop() {
                Some(Some("")) => panic!("as the test wants"),
                Some(Some(frame)) => Poll::Ready(Some(Ok(Frame::data(frame.into())))),
                Some(None) => {
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
                None => Poll::Ready(None),
            }
        }
    }

    #[tokio::test]
    async fn a_body_that_is_made_elsewhere_is_the_same_and_its_waiter_is_woken() {
        let body = BlockingBody::Waiting(Late(vec![Some("c"), None, None, Some("b"), Some("a")]));
        assert_eq!(body.collect().await.unwrap().to_bytes(), "abc");
    }

    #[tokio::test]
    async fn a_body_that_fails_while_it_is_made_is_cut_off() {
        let body = BlockingBody::Waiting(Late(vec![Some(""), Some("a")]));
        let mut body = pin!(body);
        let first = body.frame().await.unwrap().unwrap();
        assert_eq!(first.into_data().unwrap(), "a");
        assert!(body.frame().await.unwrap().is_err());
        assert!(body.frame().await.is_none());
        assert!(body.is_end_stream());
    }

    #[test]
    fn a_large_frame_comes_in_pieces_between_which_others_go_on() {
        let bytes: Vec<u8> = (0..=255).cycle().take(3 * PIECE + 7).collect();
        let body = InPieces::new(Body::from(bytes.clone()));
        assert_eq!(body.size_hint().exact(), Some(bytes.len() as u64));
        let mut whole = pin!(body.collect());
        let mut context = Context::from_waker(Waker::noop());
        let mut pauses = 0;
        let collected = loop {
            match whole.as_mut().poll(&mut context) {
                Poll::Ready(collected) => break collected.unwrap().to_bytes(),
                Poll::Pending => pauses += 1,
            }
        };
        assert_eq!(collected, bytes);
        assert_eq!(pauses, 3);
    }
}
