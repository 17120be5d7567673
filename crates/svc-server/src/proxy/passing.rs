//! The body of an answer on its way through: counted, held to its limits of size and time, and not gathered.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use svc_model::wire::Body;
use tokio::{sync::OwnedSemaphorePermit, task::AbortHandle, time::Instant};

use super::audit::{Audit, End};
use crate::http::response::CutOff;

/// A body that is passed on as it comes.
pub(super) struct Passing {
    exchange: Shared,
    /// Who looks at the clock.
    watch: Option<AbortHandle>,
    /// Whether the end was seen.
    ended: bool,
}

/// The exchange with the other service; gone once it is over.
type Shared = Arc<Mutex<Option<Exchange>>>;

struct Exchange {
    body: Body,
    left: u64,
    audit: Audit,
    _permit: OwnedSemaphorePermit,
}

impl Exchange {
    /// Counts what passes; `None` when it is more than may pass.
    fn pass(&mut self, data: Bytes) -> Option<Bytes> {
        let size = data.len() as u64;
        self.left = self.left.checked_sub(size)?;
        self.audit.bytes += size;
        if self.body.is_end_stream() {
            // Nobody may ask for more.
            self.audit.end = End::Done;
        }
        Some(data)
    }
}

impl Passing {
    /// Passes on this many bytes at most, until then. The permit is given back when the exchange is over.
    pub(super) fn new(
        body: Body,
        limit: u64,
        until: Instant,
        mut audit: Audit,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        if body.is_end_stream() {
            audit.end = End::Done;
            return Self {
                exchange: Shared::default(),
                watch: None,
                ended: true,
            };
        }
        let exchange = Arc::new(Mutex::new(Some(Exchange {
            body,
            left: limit,
            audit,
            _permit: permit,
        })));
        // A caller that does not read does not poll for more either: another task has to watch the time.
        let watched = Arc::clone(&exchange);
        let watch = tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            end(&mut watched.lock(), End::CutOff);
        });
        Self {
            exchange,
            watch: Some(watch.abort_handle()),
            ended: false,
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.abort();
        }
        // The aborted watch may hold on to the other half for a while.
        drop(self.exchange.lock().take());
    }
}

/// Hangs up on the other service, and notes how it ended.
fn end(exchange: &mut Option<Exchange>, how: End) {
    if let Some(mut over) = exchange.take() {
        over.audit.end = how;
    }
}

impl HttpBody for Passing {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        let this = self.get_mut();
        let mut exchange = this.exchange.lock();
        let Some(going) = &mut *exchange else {
            // Over without its end: cut off by the clock.
            let cut_off = !std::mem::replace(&mut this.ended, true);
            return Poll::Ready(cut_off.then_some(Err(CutOff)));
        };
        let data = loop {
            match ready!(Pin::new(&mut going.body).poll_frame(context)) {
                // Trailers concern one connection too.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => break going.pass(data).ok_or(End::CutOff),
                    Err(_) => continue,
                },
                Some(Err(_)) => break Err(End::CutOff),
                None => break Err(End::Done),
            }
        };
        Poll::Ready(match data {
            Ok(data) => Some(Ok(Frame::data(data))),
            Err(how) => {
                end(&mut exchange, how);
                this.ended = true;
                (how == End::CutOff).then_some(Err(CutOff))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        match &*self.exchange.lock() {
            Some(going) => going.body.is_end_stream(),
            None => self.ended,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &*self.exchange.lock() {
            Some(going) => going.body.size_hint(),
            None if self.ended => SizeHint::with_exact(0),
            None => SizeHint::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicBool, sync::atomic::Ordering, time::Duration};

    use http_body_util::BodyExt as _;
    use tokio::sync::Semaphore;

    use super::*;

    /// A body that says so when it is gone.
    struct Watched {
        chunks: Vec<Bytes>,
        ends: bool,
        gone: Arc<AtomicBool>,
    }

    impl Drop for Watched {
        fn drop(&mut self) {
            self.gone.store(true, Ordering::SeqCst);
        }
    }

    impl HttpBody for Watched {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
            match self.chunks.pop() {
                Some(chunk) => Poll::Ready(Some(Ok(Frame::data(chunk)))),
                None if self.ends => Poll::Ready(None),
                None => Poll::Pending,
            }
        }
    }

    struct Fixture {
        passing: Passing,
        gone: Arc<AtomicBool>,
        permits: Arc<Semaphore>,
    }

    fn passing(chunks: &[&'static str], ends: bool, limit: u64) -> Fixture {
        let gone = Arc::new(AtomicBool::new(false));
        let body = Watched {
            chunks: chunks
                .iter()
                .rev()
                .map(|chunk| Bytes::from(*chunk))
                .collect(),
            ends,
            gone: Arc::clone(&gone),
        };
        let permits = Arc::new(Semaphore::new(1));
        let permit = Arc::clone(&permits).try_acquire_owned().unwrap();
        let audit = Audit::begin(String::new(), String::new());
        let until = Instant::now() + Duration::from_secs(30);
        Fixture {
            passing: Passing::new(Body::stream(body), limit, until, audit, permit),
            gone,
            permits,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_passes_to_its_end_and_gives_its_place_up() {
        let mut fixture = passing(&["ab", "cd"], true, 4);
        let passed = (&mut fixture.passing).collect().await.unwrap();
        assert_eq!(passed.to_bytes(), "abcd");
        assert!(fixture.gone.load(Ordering::SeqCst));
        assert_eq!(fixture.permits.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_over_the_limit_is_cut_off() {
        let mut fixture = passing(&["ab", "cde"], true, 4);
        let first = fixture.passing.frame().await.unwrap().unwrap();
        assert_eq!(first.into_data().unwrap(), "ab");
        assert!(fixture.passing.frame().await.unwrap().is_err());
        assert!(fixture.gone.load(Ordering::SeqCst));
        assert_eq!(fixture.permits.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_does_not_read_holds_nobody_up_for_longer_than_it_may() {
        let mut fixture = passing(&["ab"], false, 4);
        tokio::time::sleep(Duration::from_secs(29)).await;
        assert!(!fixture.gone.load(Ordering::SeqCst));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(fixture.gone.load(Ordering::SeqCst));
        assert_eq!(fixture.permits.available_permits(), 1);
        assert!(!fixture.passing.is_end_stream());
        assert!(fixture.passing.frame().await.unwrap().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_leaves_ends_the_exchange_at_once() {
        let fixture = passing(&["ab"], false, 4);
        drop(fixture.passing);
        assert!(fixture.gone.load(Ordering::SeqCst));
        assert_eq!(fixture.permits.available_permits(), 1);
    }
}
