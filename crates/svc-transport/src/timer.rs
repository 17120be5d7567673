//! A timer with the clock of tokio.

use std::time::Duration;

use svc_model::wire::{BoxFuture, Timer};
use tokio::time::Instant;

/// The [`Timer`] of tokio, for retries and token refresh.
///
/// Its futures must be awaited inside a tokio runtime whose time driver is on.
///
/// ```
/// use std::time::Duration;
/// use svc_model::wire::Timer;
/// use svc_transport::TokioTimer;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// TokioTimer::new().sleep(Duration::from_millis(1)).await;
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TokioTimer {
    start: Instant,
}

impl TokioTimer {
    /// A timer whose time begins now.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for TokioTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer for TokioTimer {
    /// # Panics
    /// When the future is polled outside of a tokio runtime, as [`tokio::time::sleep`] does.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async move { tokio::time::sleep(duration).await })
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}
