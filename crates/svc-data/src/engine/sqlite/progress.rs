//! How far a read is, between the caller that waits for it and the thread that does it.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// What a reader and its caller know of each other.
#[derive(Default)]
pub(crate) struct Progress {
    /// Whether no caller waits for the answer any more.
    abandoned: AtomicBool,
    /// In microseconds since a moment of this process, when the read began; 0 before.
    began: AtomicU64,
}

impl Progress {
    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    pub(crate) fn begin(&self) {
        self.began.store(micros(), Ordering::Release);
    }

    /// How long the read has been running; none before it has begun.
    pub(crate) fn ran(&self) -> Option<Duration> {
        match self.began.load(Ordering::Acquire) {
            0 => None,
            began => Some(Duration::from_micros(micros().saturating_sub(began))),
        }
    }
}

/// The time since the first call, and a microsecond.
fn micros() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_micros()).map_or(u64::MAX, |micros| micros + 1)
}
