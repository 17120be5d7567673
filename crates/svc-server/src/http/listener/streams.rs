//! The deadline of an HTTP/2 stream whose answer is not read: the caller gives it no window, or reads too little.
//!
//! The socket does not show it, since other streams of the connection may go on.

use std::{cell::Cell, future::poll_fn, pin::pin, task::Poll};

use hyper::rt::Executor;

use super::{
    activity::{Timing, Window},
    sending::SENT,
};

/// Runs the streams of HTTP/2 connections, and resets those that their callers do not read.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamExecutor(pub(super) Timing);

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, stream: F) {
        tokio::spawn(SENT.scope(Cell::default(), watched(stream, self.0)));
    }
}

/// Runs a stream to its end, or drops it, which resets it.
async fn watched<F: Future>(stream: F, timing: Timing) {
    let mut stream = pin!(stream);
    let mut window: Option<Window> = None;
    let mut timer = None;
    poll_fn(|context| {
        if stream.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        let sent = SENT.with(Cell::get);
        if !sent.waits_for_caller {
            window = None;
            return Poll::Pending;
        }
        loop {
            let current = *window.get_or_insert_with(|| Window::begin(sent.bytes));
            let end = current.end(&timing);
            let timer = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end)));
            if timer.deadline() != end {
                timer.as_mut().reset(end);
            }
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            window = current.next(sent.bytes, &timing);
            if window.is_none() {
                tracing::debug!("an HTTP/2 stream was reset: its answer was not read");
                return Poll::Ready(());
            }
        }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;
    use crate::http::listener::sending::Sent;

    const TIMING: Timing = Timing {
        header: Duration::from_secs(1),
        write: Duration::from_secs(10),
        least_read: 100,
    };

    /// A stream that sends so many bytes each second.
    async fn run(bytes: u64, waits_for_caller: bool, seconds: u32) -> Duration {
        let begun = Instant::now();
        let stream = async move {
            for _ in 0..seconds {
                tokio::time::sleep(Duration::from_secs(1)).await;
                SENT.with(|sent| {
                    sent.set(Sent {
                        bytes: sent.get().bytes + bytes,
                        waits_for_caller,
                    });
                });
            }
        };
        SENT.scope(Cell::default(), watched(stream, TIMING)).await;
        begun.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_ends_when_its_caller_reads_too_little() {
        assert_eq!(run(0, true, 100).await.as_secs(), 11);
        assert_eq!(run(9, true, 100).await.as_secs(), 11);
        assert_eq!(run(10, true, 100).await.as_secs(), 100);
        assert_eq!(run(0, false, 100).await.as_secs(), 100);
    }
}
