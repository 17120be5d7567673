//! How far a refresh has come, for those who wait for it; and the lease that it holds meanwhile.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{Lease, RefreshToken};

/// How long after a refresh token was sent it may be sent again. The service takes a token for ten
/// seconds after it was used up and gives the same answer; the rest is for the way there.
const MAY_REPEAT_WITHIN: Duration = Duration::from_secs(8);

/// A refresh token that was sent and not answered: the service may have used it up. When it comes
/// again later than the service allows, the service ends the session.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    pub(super) token: RefreshToken,
    /// When it was first sent, where there is a clock.
    pub(super) since: Option<Duration>,
}

impl Doubt {
    /// Whether the service is sure to take the token, even if it is used up.
    pub(super) fn may_be_repeated(&self, now: Option<Duration>) -> bool {
        let passed = self
            .since
            .zip(now)
            .map(|(since, now)| now.checked_sub(since));
        // A clock that was put back says nothing.
        passed
            .flatten()
            .is_some_and(|passed| passed < MAY_REPEAT_WITHIN)
    }
}

/// How far a flight has come.
#[derive(Debug)]
pub(super) struct Progress(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    step: Step,
    lease: Option<Lease>,
    /// Nobody polled the flight for a while, and it does not hold the lease since.
    was_parked: bool,
    doubt: Option<Doubt>,
}

/// The steps of a flight, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Begun,
    /// Another session has the lease.
    AwaitsLease,
    Leased,
    /// From here on it must not be given up.
    Sent,
}

/// What becomes of a flight that nobody polls.
pub(super) enum Parked {
    /// It has changed nothing, and is given up.
    GivenUp,
    /// It may bring new tokens, and goes on with the next call. Its lease is given back.
    Kept(Option<Lease>),
}

impl Progress {
    /// That of a look into the store, which goes on whenever somebody asks for it.
    pub(super) fn of_load() -> Self {
        Self::at(Step::Sent)
    }

    /// That of a refresh.
    pub(super) fn of_refresh() -> Self {
        Self::at(Step::Begun)
    }

    fn at(step: Step) -> Self {
        Self(Mutex::new(Inner {
            step,
            lease: None,
            was_parked: false,
            doubt: None,
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

    /// The refresh token may be used up: it was sent before, or is about to be.
    pub(super) fn is_in_doubt(&self, doubt: Doubt) {
        self.inner().doubt = Some(doubt);
    }

    /// The refresh token is about to be sent.
    pub(super) fn sends(&self) {
        self.inner().step = Step::Sent;
    }

    /// The service has said what became of the token that was sent.
    pub(super) fn is_answered(&self) {
        self.inner().doubt = None;
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

    pub(super) fn doubt(&self) -> Option<Doubt> {
        self.inner().doubt.clone()
    }

    /// Nobody polls the flight any more.
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
    fn a_token_without_answer_may_be_repeated_for_eight_seconds() {
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
            let doubt = Doubt { token, since };
            assert_eq!(doubt.may_be_repeated(now), expected, "{since:?} {now:?}");
        }
    }
}
