//! What a connection is doing, and until when it may go on so. The chapter "Architecture" of the book draws the states.
//!
//! The task of the connection, the tasks of its HTTP/2 streams and the registry read and write these counters; nothing
//! here waits or locks.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    time::Duration,
};

use tokio::time::Instant;

use crate::Config;

/// The deadlines of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// From the first byte to the end of a request's head, and between two requests.
    pub(crate) header: Duration,
    /// How long an answer may stay unread.
    pub(crate) write: Duration,
    /// The fewest bytes that a caller has to read within `write`.
    pub(crate) least_read: u64,
}

impl Timing {
    pub(crate) fn new(config: &Config) -> Self {
        let seconds = config.write_timeout.as_secs();
        Self {
            header: config.header_timeout,
            write: config.write_timeout,
            // Without a minimum rate one byte is progress.
            least_read: config.min_transfer_rate.saturating_mul(seconds).max(1),
        }
    }
}

/// The state of a connection.
#[derive(Debug)]
pub(crate) struct Activity {
    epoch: Instant,
    /// Requests whose answer was not handed to the transport as a whole.
    open: AtomicUsize,
    /// Requests whose body is waited for.
    receiving: AtomicUsize,
    /// Answers on their way.
    sending: AtomicUsize,
    /// When bytes last moved, or a request began or ended: milliseconds since the epoch.
    moved: AtomicU64,
    /// Bytes that the socket accepted.
    written: AtomicU64,
    /// Whether the last write found the socket full.
    blocked: AtomicBool,
    /// Whether the last request had a body that was not read to its end.
    unread_body: AtomicBool,
    /// Whether the last request came by HTTP/2.
    http2: AtomicBool,
    /// Bytes of answers in memory.
    pub(super) held: AtomicUsize,
}

impl Activity {
    /// A connection that was just accepted. Times count from the epoch.
    pub(crate) fn new(epoch: Instant) -> Self {
        let activity = Self {
            epoch,
            open: AtomicUsize::new(0),
            receiving: AtomicUsize::new(0),
            sending: AtomicUsize::new(0),
            moved: AtomicU64::new(0),
            written: AtomicU64::new(0),
            blocked: AtomicBool::new(false),
            unread_body: AtomicBool::new(false),
            http2: AtomicBool::new(false),
            held: AtomicUsize::new(0),
        };
        activity.touch();
        activity
    }

    /// Bytes moved, or the state changed.
    pub(super) fn touch(&self) {
        let since = self.epoch.elapsed().as_millis();
        self.moved
            .store(u64::try_from(since).unwrap_or(u64::MAX), Relaxed);
    }

    pub(super) fn begin_request(&self) {
        self.open.fetch_add(1, Relaxed);
        self.unread_body.store(false, Relaxed);
    }

    pub(super) fn end_request(&self) {
        self.touch();
        self.open.fetch_sub(1, Relaxed);
    }

    /// A request waits for its body.
    pub(crate) fn begin_receiving(&self) {
        self.touch();
        self.receiving.fetch_add(1, Relaxed);
    }

    pub(crate) fn end_receiving(&self) {
        self.receiving.fetch_sub(1, Relaxed);
    }

    pub(super) fn begin_sending(&self) {
        self.touch();
        self.sending.fetch_add(1, Relaxed);
    }

    pub(super) fn end_sending(&self) {
        self.sending.fetch_sub(1, Relaxed);
    }

    /// The answer is given before the request's body was read.
    pub(crate) fn leave_body_unread(&self) {
        self.unread_body.store(true, Relaxed);
    }

    pub(super) fn has_unread_body(&self) -> bool {
        self.unread_body.load(Relaxed)
    }

    pub(super) fn set_http2(&self, is_http2: bool) {
        self.http2.store(is_http2, Relaxed);
    }

    pub(super) fn is_http2(&self) -> bool {
        self.http2.load(Relaxed)
    }

    /// The socket accepted bytes.
    pub(super) fn wrote(&self, bytes: usize) {
        self.written.fetch_add(bytes as u64, Relaxed);
        if self.blocked.load(Relaxed) {
            self.touch();
            self.blocked.store(false, Relaxed);
        }
    }

    /// The socket is full: the caller does not read.
    pub(super) fn block(&self) {
        self.blocked.store(true, Relaxed);
    }

    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.load(Relaxed)
    }

    pub(super) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// Whether there is no request: the next one may come, or its head is on its way.
    pub(super) fn is_idle(&self) -> bool {
        self.open.load(Relaxed) == 0 && !self.is_blocked()
    }

    /// Whether nothing is done for the caller now: it has to send or to read before anything happens.
    pub(super) fn waits_for_caller(&self) -> bool {
        let waiting = self.receiving.load(Relaxed) + self.sending.load(Relaxed);
        self.open.load(Relaxed) <= waiting
    }

    /// When bytes last moved, or the state changed.
    pub(super) fn moved(&self) -> Instant {
        self.epoch + Duration::from_millis(self.moved.load(Relaxed))
    }
}

/// How much of something moved in a span of time that begins with the first wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    since: Instant,
    bytes: u64,
}

impl Window {
    pub(super) fn begin(bytes: u64) -> Self {
        Self {
            since: Instant::now(),
            bytes,
        }
    }

    pub(super) fn end(self, timing: &Timing) -> Instant {
        self.since + timing.write
    }

    /// Judges a window that has ended: the next one, or nothing when the caller read too little.
    pub(super) fn next(self, bytes: u64, timing: &Timing) -> Option<Self> {
        (bytes.saturating_sub(self.bytes) >= timing.least_read).then(|| Self::begin(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_idle_between_requests_and_waits_for_its_caller_outside_of_the_work() {
        let activity = Activity::new(Instant::now());
        assert!(activity.is_idle() && activity.waits_for_caller());
        activity.begin_request();
        assert!(!activity.is_idle() && !activity.waits_for_caller());
        activity.begin_receiving();
        assert!(activity.waits_for_caller());
        activity.end_receiving();
        assert!(!activity.waits_for_caller());
        activity.begin_sending();
        assert!(activity.waits_for_caller());
        activity.end_sending();
        activity.end_request();
        assert!(activity.is_idle());
        activity.block();
        assert!(!activity.is_idle() && activity.waits_for_caller());
        activity.wrote(1);
        assert!(activity.is_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn a_window_asks_for_the_minimum_rate() {
        let timing = Timing {
            header: Duration::from_secs(1),
            write: Duration::from_secs(10),
            least_read: 1_000,
        };
        let window = Window::begin(5);
        assert_eq!(window.end(&timing), Instant::now() + timing.write);
        assert!(window.next(1_004, &timing).is_none());
        assert!(window.next(1_005, &timing).is_some());
    }
}
