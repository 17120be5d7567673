//! The timer of clients that were not given one.

use std::time::{Duration, Instant};

use futures_timer::Delay;
use svc_model::wire::{BoxFuture, Timer};

/// A [`Timer`] that works under any runtime, or without one: one thread of the process waits for all its timers.
///
/// Clients use it unless they are given [another](crate::ClientBuilder::timer).
///
/// ```
/// use svc_api::{SystemTimer, wire::Timer};
///
/// let timer = SystemTimer::new();
/// assert!(timer.now() <= timer.now());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SystemTimer {
    start: Instant,
}

impl SystemTimer {
    /// A timer whose time begins now.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer for SystemTimer {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(Delay::new(duration))
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}
