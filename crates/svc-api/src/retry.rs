//! When a call is tried again, and after which pause.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use http::StatusCode;
use svc_model::wire::TransportError;

use crate::error::is_transient;

/// How a client repeats calls that failed in passing.
///
/// Tried again are calls that surely never reached the service, and idempotent ones (RFC 9110,
/// section 9.2.2) after a broken connection or an answer 429, 502, 503 or 504. A call with
/// `If-Match` does not count as idempotent, because the second try would find the tag changed by
/// the first. A `DELETE` whose first answer was lost can therefore end in 404.
///
/// The pause before a try is random between zero and [`base_delay`](Self::base_delay) doubled for
/// each try, [`max_delay`](Self::max_delay) at most; a longer `Retry-After` (in seconds) is waited
/// for. A call whose pause would end behind its deadline, or whose `Retry-After` is longer than
/// `max_delay`, fails at once.
///
/// Without a [`Timer`](svc_model::wire::Timer) no waiting is possible: then only calls that never
/// reached the service are tried again, at once.
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
    /// How often a call is tried, the first try counted; 3 by default.
    pub max_tries: u32,
    /// The longest pause before the second try; 100 ms by default.
    pub base_delay: Duration,
    /// The longest pause of all; 10 s by default.
    pub max_delay: Duration,
    /// How many further tries all calls of a client together may take in a row, so that a service
    /// in trouble is not buried; 20 by default. Each takes one; ten calls that succeed give one back.
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
    /// One try and no more.
    pub fn never() -> Self {
        Self::default().max_tries(1)
    }

    /// Sets how often a call is tried, the first try counted; 0 counts as 1.
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

    /// Sets the longest pause of all.
    #[must_use]
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets how many further tries all calls together may take in a row.
    #[must_use]
    pub fn budget(mut self, tries: u32) -> Self {
        self.budget = tries;
        self
    }

    /// The pause before the try that follows `tries` of them; `None` when the service asked for a
    /// longer one than it gets.
    pub(crate) fn pause(
        &self,
        tries: u32,
        retry_after: Option<Duration>,
        random: &mut fastrand::Rng,
    ) -> Option<Duration> {
        let doubled = 2_u32.saturating_pow(tries.saturating_sub(1));
        let longest = self.base_delay.saturating_mul(doubled).min(self.max_delay);
        let jittered = longest.mul_f64(random.f64());
        match retry_after {
            Some(asked) if asked > self.max_delay => None,
            Some(asked) => Some(asked.max(jittered)),
            None => Some(jittered),
        }
    }
}

/// How a try failed.
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

/// What a further try takes; a success gives back one.
const COST: u32 = 10;

/// The tries that all calls of a client share.
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

    /// Takes a try; `false` when there is none.
    pub(crate) fn withdraw(&self) -> bool {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(COST)
            })
            .is_ok()
    }

    /// Is told of a success.
    pub(crate) fn deposit(&self) {
        // A full budget, which is the rule, costs a read and no write.
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
    fn pauses_grow_up_to_the_longest_and_are_random_below() {
        let policy = RetryPolicy::default();
        let mut random = fastrand::Rng::with_seed(7);
        for tries in 1..40 {
            let longest = policy
                .base_delay
                .saturating_mul(1 << (tries - 1).min(20))
                .min(policy.max_delay);
            for _ in 0..50 {
                assert!(policy.pause(tries, None, &mut random).unwrap() <= longest);
            }
        }
        let some: std::collections::BTreeSet<_> = (0..50)
            .map(|_| policy.pause(3, None, &mut random).unwrap())
            .collect();
        assert!(some.len() > 40, "{some:?}");
    }

    #[test]
    fn retry_after_is_the_least_pause_and_may_be_too_long() {
        let policy = RetryPolicy::default();
        let mut random = fastrand::Rng::with_seed(7);
        let asked = Duration::from_secs(2);
        assert_eq!(policy.pause(1, Some(asked), &mut random), Some(asked));
        let asked = Duration::from_secs(11);
        assert_eq!(policy.pause(1, Some(asked), &mut random), None);
    }

    #[test]
    fn only_harmless_failures_are_tried_again() {
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
    fn a_budget_runs_dry_and_fills_up_by_successes() {
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
