//! How long an exchange may take.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::{Body, BoxError, BoxFuture, Timer, TransportError, TransportErrorKind};

/// Request extension: how long the exchange may take, from [`Transport::send`](super::Transport::send) to the last byte of
/// the response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(
    /// The remaining time when [`Transport::send`](super::Transport::send) is called.
    pub Duration,
);

/// Waits for `future`, but not longer than `limit`; returns `None` when the time ran out first.
///
/// An output that is ready is returned even after the limit, so that a response is not lost only
/// because it was polled late.
pub async fn within<F: Future>(timer: &dyn Timer, limit: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut over = None;
    poll_fn(|context| {
        if let Poll::Ready(output) = future.as_mut().poll(context) {
            return Poll::Ready(Some(output));
        }
        let over = over.get_or_insert_with(|| timer.sleep(limit));
        over.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// Ends an exchange when the [`Deadline`] of its request passes, whether the head of the response or its body is late:
/// for a [`Transport`](super::Transport) over an HTTP client that has no deadlines of its own.
///
/// ```
/// use svc_model::wire::{Body, Deadline, Timer, TransportError, with_deadline};
///
/// # async fn exchange(request: http::Request<Body>) -> Result<http::Response<Body>, TransportError> {
/// #     Ok(http::Response::new(Body::empty()))
/// # }
/// async fn send(
///     timer: &dyn Timer,
///     request: http::Request<Body>,
/// ) -> Result<http::Response<Body>, TransportError> {
///     let deadline = request.extensions().get::<Deadline>().copied();
///     with_deadline(timer, deadline, exchange(request)).await
/// }
/// ```
///
/// # Errors
/// That of the exchange, as [`TransportError::from_source`] reads it; kind [`Timeout`](TransportErrorKind::Timeout) when
/// the deadline has passed.
pub async fn with_deadline<B, E>(
    timer: &dyn Timer,
    deadline: Option<Deadline>,
    exchange: impl Future<Output = Result<http::Response<B>, E>>,
) -> Result<http::Response<Body>, TransportError>
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    E: Into<BoxError>,
{
    let Some(Deadline(limit)) = deadline else {
        let response = exchange.await.map_err(TransportError::from_source)?;
        return Ok(response.map(Body::stream));
    };
    let start = timer.now();
    let head = within(timer, limit, exchange).await;
    let response = head
        .ok_or(TransportErrorKind::Timeout)?
        .map_err(TransportError::from_source)?;
    let left = limit.saturating_sub(timer.now().saturating_sub(start));
    let over = timer.sleep(left);
    Ok(response.map(|body| {
        Body::stream(Limited {
            body: Body::stream(body),
            over,
        })
    }))
}

/// A body that has to end before a time.
struct Limited {
    body: Body,
    over: BoxFuture<'static, ()>,
}

impl HttpBody for Limited {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        let timeout = TransportError::from(TransportErrorKind::Timeout);
        self.over
            .as_mut()
            .poll(context)
            .map(|()| Some(Err(timeout.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::ready,
        sync::Arc,
        sync::atomic::{AtomicBool, Ordering},
        task::Waker,
    };

    use super::*;

    /// Time is over when a test says so.
    #[derive(Clone, Debug, Default)]
    struct Clock(Arc<AtomicBool>);

    impl Timer for Clock {
        fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
            let is_over = Arc::clone(&self.0);
            Box::pin(poll_fn(move |_| match is_over.load(Ordering::Relaxed) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }))
        }

        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }

    /// A body of which one frame arrives and no more.
    #[derive(Default)]
    struct Stuck(bool);

    impl HttpBody for Stuck {
        type Data = Bytes;
        type Error = BoxError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            match std::mem::replace(&mut self.0, true) {
                true => Poll::Pending,
                false => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"part"))))),
            }
        }
    }

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    const LIMIT: Option<Deadline> = Some(Deadline(Duration::from_secs(1)));

    #[test]
    fn a_response_whose_head_is_late_is_a_timeout() {
        let clock = Clock::default();
        let never = std::future::pending::<Result<http::Response<Body>, TransportError>>();
        let mut exchange = pin!(with_deadline(&clock, LIMIT, never));
        assert!(poll(exchange.as_mut()).is_pending());
        clock.0.store(true, Ordering::Relaxed);
        let Poll::Ready(Err(error)) = poll(exchange.as_mut()) else {
            panic!("it goes on");
        };
        assert_eq!(error.kind(), TransportErrorKind::Timeout);
    }

    #[test]
    fn a_response_whose_body_is_late_is_a_timeout() {
        let clock = Clock::default();
        let answer = ready(Ok::<_, TransportError>(http::Response::new(
            Stuck::default(),
        )));
        let mut exchange = pin!(with_deadline(&clock, LIMIT, answer));
        let Poll::Ready(Ok(response)) = poll(exchange.as_mut()) else {
            panic!("there is no response");
        };
        let mut whole = pin!(response.into_body().collect(100));
        assert!(poll(whole.as_mut()).is_pending());
        clock.0.store(true, Ordering::Relaxed);
        let Poll::Ready(Err(error)) = poll(whole.as_mut()) else {
            panic!("it goes on");
        };
        assert_eq!(error.kind(), TransportErrorKind::Timeout);
    }

    #[test]
    fn a_body_can_be_shared_between_threads() {
        fn is_shared<T: Send + Sync>(_: &T) {}
        is_shared(&Body::stream(Stuck::default()));
    }
}
