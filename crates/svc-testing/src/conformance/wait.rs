//! Waiting without a runtime.

use std::{future::Future, pin::pin, time::Duration};

use futures_timer::Delay;
use futures_util::future::{Either, select};

/// The time limit for something that should happen at once. It is long, for machines under load.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The output of `future`, or `None` if it takes longer than `limit`.
pub(super) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    match select(pin!(future), Delay::new(limit)).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, time::Instant};

    use super::*;

    #[tokio::test]
    async fn a_call_that_never_ends_is_dropped_at_the_limit() {
        let started = Instant::now();
        let outcome = within(Duration::from_millis(20), pending::<()>()).await;
        assert!(outcome.is_none());
        assert!(started.elapsed() >= Duration::from_millis(20));
    }
}
