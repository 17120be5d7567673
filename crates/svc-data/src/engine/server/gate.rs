//! What stands between requests and a database server that may be away.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{Error, Result};

/// How long a connection may take to be made.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How much longer than the server's own timeout an answer is waited for.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// How long a server that could not be reached is left alone at first, and at most: one that is back is noticed
/// within about a second.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(800));

/// Keeps requests from waiting for a server that is away: one after the other tries it, at growing intervals.
#[derive(Default)]
pub(crate) struct Gate(Mutex<Option<Closed>>);

struct Closed {
    until: Instant,
    delay: Duration,
    error: Error,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, Option<Closed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses while a server that is away is left alone.
    pub(crate) fn check(&self) -> Result<()> {
        match &*self.state() {
            Some(closed) if Instant::now() < closed.until => Err(closed.error.clone()),
            _ => Ok(()),
        }
    }

    /// Lets one request try when the time has come.
    pub(crate) fn pass(&self) -> Result<()> {
        match &mut *self.state() {
            Some(closed) if Instant::now() < closed.until => Err(closed.error.clone()),
            Some(closed) => {
                closed.until = Instant::now() + CONNECT_TIMEOUT;
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(crate) fn open(&self) {
        let mut state = self.state();
        if state.take().is_some() {
            tracing::info!("the database server can be reached again");
        }
    }

    pub(crate) fn close(&self, error: &Error) {
        let (first, longest) = BACK_OFF;
        let mut state = self.state();
        let delay = match &*state {
            None => {
                tracing::warn!(%error, "the database server cannot be reached");
                first
            }
            Some(closed) => (closed.delay * 2).min(longest),
        };
        // Not all processes at the same moment.
        let until = Instant::now() + delay.mul_f64(0.75 + fastrand::f64() / 2.0);
        *state = Some(Closed {
            until,
            delay,
            error: error.clone(),
        });
    }
}

/// The server did not answer in the time that a statement has.
pub(crate) fn no_answer() -> Error {
    Error::timeout("the database server did not answer in time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_gate_lets_one_request_try_at_growing_intervals() {
        let gate = Gate::default();
        gate.pass().unwrap();
        gate.close(&Error::unavailable("away"));
        assert_eq!(
            gate.pass().unwrap_err().kind(),
            crate::ErrorKind::Unavailable
        );
        let delay = |gate: &Gate| gate.state().as_ref().map(|closed| closed.delay);
        let first = delay(&gate);
        if let Some(closed) = &mut *gate.state() {
            closed.until = Instant::now();
        }
        gate.pass().unwrap();
        assert!(gate.pass().is_err(), "one is trying");
        gate.close(&Error::unavailable("still away"));
        assert!(delay(&gate) > first);
        for _ in 0..10 {
            gate.close(&Error::unavailable("still away"));
        }
        assert!(delay(&gate) <= Some(Duration::from_secs(1)));
        gate.open();
        gate.pass().unwrap();
    }
}
