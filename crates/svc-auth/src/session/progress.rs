//! The progress of a refresh, for the calls that wait for it, and its lease.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{Lease, RefreshToken};

/// How long after a refresh token was sent it may be sent again. The service accepts a token for ten
/// seconds after it was used up and gives the same response; the difference allows for the transfer.
const MAY_REPEAT_WITHIN: Duration = Duration::from_secs(8);

/// A refresh token that was sent without getting a response: it may be used up. If the service
/// receives it again later than it allows, it ends the session.
#[derive(Clone, Debug)]
pub(super) struct UnansweredRefresh {
    pub(super) token: RefreshToken,
    /// When the token was first sent, if there is a clock.
    pub(super) since: Option<Duration>,
}

impl UnansweredRefresh {
    /// Whether the service will certainly accept the token, even if it is used up.
    pub(super) fn may_be_repeated(&self, now: Option<Duration>) -> bool {
        let passed = self
            .since
            .zip(now)
            .map(|(since, now)| now.checked_sub(since));
        // A clock that was set back gives no information.
        passed
            .flatten()
            .is_some_and(|passed| passed < MAY_REPEAT_WITHIN)
    }
}

/// The progress of a flight.
#[derive(Debug)]
pub(super) struct Progress(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    step: Step,
    lease: Option<Lease>,
    /// Whether the flight was not polled for a while and has given back its lease.
    was_parked: bool,
    unanswered: Option<UnansweredRefresh>,
}

/// The steps of a flight, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Begun,
    /// Another session has the lease.
    AwaitsLease,
    Leased,
    /// From this step on, the flight must not be given up.
    Sent,
}

/// What happens to a flight that nobody polls.
pub(super) enum Parked {
    /// It has changed nothing and is given up.
    GivenUp,
    /// It may get new tokens and continues with the next call. Its lease is given back.
    Kept(Option<Lease>),
}

impl Progress {
    /// The progress of reading the store, which can continue at any time.
    pub(super) fn of_load() -> Self {
        Self::at(Step::Sent)
    }

    /// The progress of a refresh.
    pub(super) fn of_refresh() -> Self {
        Self::at(Step::Begun)
    }

    fn at(step: Step) -> Self {
        Self(Mutex::new(Inner {
            step,
            lease: None,
            was_parked: false,
            unanswered: None,
        }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn awaits_lease(&self) {
        self.inner().step = Step::AwaitsLease;
    }

    pub(super) fn leased(&self, lease: Lease) {
        let mut inner = self.inner();
        inner.step = Step::Leased;
        inner.lease = Some(lease);
    }

    /// Records that the refresh token may be used up: it was sent before or is about to be sent.
    pub(super) fn mark_unanswered(&self, unanswered: UnansweredRefresh) {
        self.inner().unanswered = Some(unanswered);
    }

    /// Records that the refresh token is about to be sent.
    pub(super) fn sends(&self) {
        self.inner().step = Step::Sent;
    }

    /// Records that the service has answered whether the token was used up.
    pub(super) fn mark_answered(&self) {
        self.inner().unanswered = None;
    }

    pub(super) fn release(&self) {
        let lease = self.inner().lease.take();
        drop(lease);
    }

    pub(super) fn is_awaiting_lease(&self) -> bool {
        self.inner().step == Step::AwaitsLease
    }

    pub(super) fn was_parked(&self) -> bool {
        self.inner().was_parked
    }

    pub(super) fn unanswered(&self) -> Option<UnansweredRefresh> {
        self.inner().unanswered.clone()
    }

    /// Records that nobody polls the flight any more.
    pub(super) fn park(&self) -> Parked {
        let mut inner = self.inner();
        if inner.step < Step::Sent {
            return Parked::GivenUp;
        }
        inner.was_parked = true;
        Parked::Kept(inner.lease.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_without_a_response_may_be_sent_again_for_eight_seconds() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (since, now, expected) in [
            (seconds(100), seconds(100), true),
            (seconds(100), seconds(107), true),
            (seconds(100), seconds(108), false),
            (seconds(100), seconds(99), false),
            (None, seconds(100), false),
            (seconds(100), None, false),
        ] {
            let token = RefreshToken::new("r").unwrap();
            let unanswered = UnansweredRefresh { token, since };
            assert_eq!(
                unanswered.may_be_repeated(now),
                expected,
                "{since:?} {now:?}"
            );
        }
    }
}
