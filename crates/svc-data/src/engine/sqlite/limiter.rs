//! What ends the statement that runs on a connection: its time, its caller who has left, or its steps.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use rusqlite::ErrorCode;

use super::progress::Progress;

/// Ends the statement that runs when its time is over or its caller has left.
#[derive(Clone, Default)]
pub(crate) struct Limiter(Arc<Mutex<Limit>>);

#[derive(Default)]
struct Limit {
    deadline: Option<Instant>,
    progress: Option<Arc<Progress>>,
    /// How many virtual machine steps were taken, as far as they were reported.
    steps: u64,
    /// At how many the statement that runs has to end.
    last_step: Option<u64>,
    /// When the statement that runs has to end, while others may go on.
    until: Option<Instant>,
}

/// How many steps statements may take while this exists.
pub(super) struct Budget<'l> {
    limiter: &'l Limiter,
    /// What ended them before.
    before: Option<u64>,
}

impl Budget<'_> {
    /// Whether so many steps were taken.
    pub(super) fn is_spent(&self) -> bool {
        self.limiter.limit().is_spent()
    }
}

impl Drop for Budget<'_> {
    fn drop(&mut self) {
        self.limiter.limit().last_step = self.before;
    }
}

/// Until when statements may run while this exists.
pub(super) struct Until<'l> {
    limiter: &'l Limiter,
}

impl Until<'_> {
    /// Whether an error is the end of a statement at this time, and not because nothing may run any more.
    pub(super) fn has_ended(&self, error: &rusqlite::Error) -> bool {
        let limit = self.limiter.limit();
        error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
            && limit.is_late()
            && !limit.is_over()
            && !limit.is_spent()
    }
}

impl Drop for Until<'_> {
    fn drop(&mut self) {
        self.limiter.limit().until = None;
    }
}

impl Limit {
    fn is_late(&self) -> bool {
        self.until.is_some_and(|at| Instant::now() >= at)
    }

    fn is_spent(&self) -> bool {
        self.last_step.is_some_and(|last| self.steps >= last)
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|at| Instant::now() >= at)
            || self
                .progress
                .as_ref()
                .is_some_and(|progress| progress.is_abandoned())
    }
}

impl Limiter {
    fn limit(&self) -> MutexGuard<'_, Limit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what ends the statements that follow.
    pub(crate) fn set(&self, deadline: Option<Instant>, progress: Option<Arc<Progress>>) {
        let mut limit = self.limit();
        (limit.deadline, limit.progress, limit.last_step) = (deadline, progress, None);
    }

    /// The same, for statements that take at most so many steps.
    pub(super) fn set_short(&self, deadline: Instant, steps: u64) {
        let mut limit = self.limit();
        (limit.deadline, limit.progress) = (Some(deadline), None);
        limit.last_step = Some(limit.steps.saturating_add(steps));
    }

    /// Lets the statements that follow run to their end.
    pub(crate) fn lift(&self) {
        self.set(None, None);
    }

    /// Whether the time of the statement that runs is over, or its caller has left.
    pub(crate) fn is_over(&self) -> bool {
        self.limit().is_over()
    }

    /// Ends the statements that follow after so many steps, too.
    pub(super) fn budget(&self, steps: u64) -> Budget<'_> {
        let mut limit = self.limit();
        let before = limit.last_step;
        let last = limit.steps.saturating_add(steps);
        limit.last_step = Some(before.map_or(last, |before| before.min(last)));
        Budget {
            limiter: self,
            before,
        }
    }

    /// Ends the statements that follow at this time, too.
    pub(super) fn until(&self, at: Instant) -> Until<'_> {
        self.limit().until = Some(at);
        Until { limiter: self }
    }

    /// Counts steps, and says whether the statement that runs has to end.
    pub(super) fn ends_after(&self, steps: i32) -> bool {
        let mut limit = self.limit();
        // Of the first ones that are reported, statements before may have taken a part.
        let is_spent = limit.is_spent();
        limit.steps = limit.steps.saturating_add(u64::from(steps.unsigned_abs()));
        is_spent || limit.is_over() || limit.is_late()
    }

    /// How many steps were taken.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        self.limit().steps
    }
}
