//! The retry policy: when a call is repeated, and after which pause.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use http::StatusCode;
use svc_model::wire::TransportError;

use crate::error::is_transient;

/// The rules for repeating calls after transient failures.
///
/// Two kinds of calls are repeated: those that certainly never reached the service, and idempotent ones
/// (RFC 9110, section 9.2.2) after a broken connection or a response with status 429, 502, 503 or 504. A
/// call with `If-Match` does not count as idempotent, because the first try may have changed the tag. A
/// repeated `DELETE` can end in 404, if the first one succeeded and its response was lost.
///
/// The pause before a try is random between zero and [`base_delay`](Self::base_delay) doubled for
/// each try, at most [`max_delay`](Self::max_delay); a longer `Retry-After` is respected. A call whose
/// pause would end after its deadline fails at once; without a deadline, one whose `Retry-After` is longer than
/// `max_delay`.
///
/// ```
/// use std::time::Duration;
/// use svc_api::RetryPolicy;
///
/// let patient = RetryPolicy::default()
///     .max_tries(5)
///     .max_delay(Duration::from_secs(30));
/// assert_eq!(patient.base_delay, Duration::from_millis(100));
/// assert_eq!(RetryPolicy::never().max_tries, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The maximum number of tries, including the first one; 3 by default.
    pub max_tries: u32,
    /// The longest pause before the second try; 100 ms by default.
    pub base_delay: Duration,
    /// The longest pause before any try; 10 s by default.
    pub max_delay: Duration,
    /// The number of retries that all calls of a client may use together, so that retries do not overload a
    /// failing service; 20 by default. Each retry uses one; ten successful calls give one back.
    pub budget: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_tries: 3,
            base_delay: Duration::from_millis(100),
            max_delay: Duration::from_secs(10),
            budget: 20,
        }
    }
}

impl RetryPolicy {
    /// A policy without retries.
    pub fn never() -> Self {
        Self::default().max_tries(1)
    }

    /// Sets the maximum number of tries, including the first one; 0 counts as 1.
    #[must_use]
    pub fn max_tries(mut self, tries: u32) -> Self {
        self.max_tries = tries.max(1);
        self
    }

    /// Sets the longest pause before the second try.
    #[must_use]
    pub fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// Sets the longest pause before any try.
    #[must_use]
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets the number of retries that all calls may use together.
    #[must_use]
    pub fn budget(mut self, tries: u32) -> Self {
        self.budget = tries;
        self
    }

    /// The pause before the next try, after `tries` tries. `random` is between zero and one.
    pub(crate) fn pause(&self, tries: u32, retry_after: Option<Duration>, random: f64) -> Duration {
        let doubled = 2_u32.saturating_pow(tries.saturating_sub(1));
        let longest = self.base_delay.saturating_mul(doubled).min(self.max_delay);
        let jittered = longest.mul_f64(random);
        jittered.max(retry_after.unwrap_or_default())
    }
}

/// The failure of a try.
#[derive(Clone, Copy)]
pub(crate) enum Failure<'a> {
    Transport(&'a TransportError),
    Status(StatusCode),
}

impl Failure<'_> {
    /// Whether another try may succeed and can do no harm.
    pub(crate) fn is_retryable(self, idempotent: bool, can_wait: bool) -> bool {
        match self {
            Self::Transport(error) if !can_wait => {
                error.never_sent() && error.is_retryable(idempotent)
            }
            Self::Transport(error) => error.is_retryable(idempotent),
            Self::Status(status) => can_wait && idempotent && is_transient(status),
        }
    }
}

/// The cost of a retry in units of the budget; a success gives back one unit.
const COST: u32 = 10;

/// The retries that all calls of a client share.
#[derive(Debug)]
pub(crate) struct Budget {
    left: AtomicU32,
    most: u32,
}

impl Budget {
    pub(crate) fn new(tries: u32) -> Self {
        let most = tries.saturating_mul(COST);
        Self {
            left: AtomicU32::new(most),
            most,
        }
    }

    /// Uses one retry; returns `false` when the budget is empty.
    pub(crate) fn withdraw(&self) -> bool {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(COST)
            })
            .is_ok()
    }

    /// Records a success.
    pub(crate) fn deposit(&self) {
        // Usually the budget is full, and a success then only reads it.
        if self.left.load(Ordering::Relaxed) < self.most {
            let most = self.most;
            let _ = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    (left < most).then_some(left + 1)
                });
        }
    }
}

#[cfg(test)]
mod tests {
    use svc_model::wire::TransportErrorKind;

    use super::*;

    #[test]
    fn pauses_are_random_and_their_limit_grows_up_to_the_longest() {
        let policy = RetryPolicy::default();
        for tries in 1..40 {
            let longest = policy
                .base_delay
                .saturating_mul(1 << (tries - 1).min(20))
                .min(policy.max_delay);
            for random in [0.0, 0.25, 1.0] {
                let pause = policy.pause(tries, None, random);
                assert_eq!(pause, longest.mul_f64(random));
            }
        }
    }

    #[test]
    fn retry_after_is_the_shortest_pause() {
        let policy = RetryPolicy::default();
        for seconds in [2, 11] {
            let asked = Duration::from_secs(seconds);
            assert_eq!(policy.pause(1, Some(asked), 0.5), asked);
        }
        let short = Duration::from_millis(1);
        assert!(policy.pause(3, Some(short), 0.5) > short);
    }

    #[test]
    fn only_calls_that_can_be_repeated_safely_are_tried_again() {
        let connect = TransportError::from(TransportErrorKind::Connect);
        let broken = TransportError::from(TransportErrorKind::Interrupted);
        let timeout = TransportError::from(TransportErrorKind::Timeout);
        let invalid = TransportError::from(TransportErrorKind::Invalid);
        // failure, idempotent, can wait, tried again
        let cases = [
            (Failure::Transport(&connect), false, true, true),
            (Failure::Transport(&connect), false, false, true),
            (Failure::Transport(&broken), true, true, true),
            (Failure::Transport(&broken), false, true, false),
            (Failure::Transport(&broken), true, false, false),
            (Failure::Transport(&timeout), true, true, false),
            (Failure::Transport(&invalid), true, true, false),
            (
                Failure::Status(StatusCode::SERVICE_UNAVAILABLE),
                true,
                true,
                true,
            ),
            (
                Failure::Status(StatusCode::SERVICE_UNAVAILABLE),
                false,
                true,
                false,
            ),
            (
                Failure::Status(StatusCode::SERVICE_UNAVAILABLE),
                true,
                false,
                false,
            ),
            (
                Failure::Status(StatusCode::TOO_MANY_REQUESTS),
                true,
                true,
                true,
            ),
            (
                Failure::Status(StatusCode::INTERNAL_SERVER_ERROR),
                true,
                true,
                false,
            ),
            (Failure::Status(StatusCode::NOT_FOUND), true, true, false),
        ];
        for (index, (failure, idempotent, can_wait, again)) in cases.into_iter().enumerate() {
            assert_eq!(
                failure.is_retryable(idempotent, can_wait),
                again,
                "case {index}"
            );
        }
    }

    #[test]
    fn a_budget_is_used_up_by_retries_and_refilled_by_successes() {
        let budget = Budget::new(2);
        assert!(budget.withdraw() && budget.withdraw() && !budget.withdraw());
        for _ in 0..9 {
            budget.deposit();
        }
        assert!(!budget.withdraw());
        budget.deposit();
        assert!(budget.withdraw() && !budget.withdraw());
        for _ in 0..1000 {
            budget.deposit();
        }
        assert!(budget.withdraw() && budget.withdraw() && !budget.withdraw());
    }
}
