//! The state of a session, and decisions that depend on it. Nothing in this module waits.

use std::{ops::Range, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::Shared};
use http::HeaderValue;
use svc_model::wire::BoxFuture;

use super::{
    failure::Failure,
    outcome::Outcome,
    progress::{Parked, Progress, UnansweredRefresh},
    tokens::{Service, UserTokens},
};
use crate::{AuthError, Lease, StoredTokens};

/// The longest pause after a refresh whose response is missing.
const COOL_DOWN_IN_DOUBT: Duration = Duration::from_secs(3);

/// The state of a session.
#[derive(Default)]
pub(super) struct State {
    /// Counts sign-ins and sign-outs, to distinguish calls that began before one from those after it.
    pub(super) epoch: u64,
    /// Whether the store was read or does not need to be read any more.
    restored: bool,
    /// The tokens of the user who is signed in.
    pub(super) user: Option<UserTokens>,
    pub(super) service: Option<Service>,
    /// Tokens from a refresh that could not be stored. The current ones are used up by then, so these
    /// are the only usable tokens of the session.
    unsaved: Option<StoredTokens>,
    /// The time in which no refresh is tried, and the failure that is the reason. It is over too when the clock is set back.
    cooling: Option<(Range<Duration>, Failure)>,
    /// The refresh token that was sent without getting a response.
    unanswered: Option<UnansweredRefresh>,
    /// The flight in progress. It advances only while it is polled, and waits here otherwise.
    underway: Option<Underway>,
    flights: u64,
}

/// A flight in progress, and the number of tasks that poll it: waiting callers, and the spawner.
struct Underway {
    flight: Flight,
    pollers: usize,
}

/// The input of a refresh.
pub(super) struct RefreshInput {
    pub(super) tokens: StoredTokens,
    /// Newer tokens, which an earlier refresh got but could not store.
    pub(super) unsaved: Option<StoredTokens>,
    /// A refresh token that was sent without getting a response.
    pub(super) unanswered: Option<UnansweredRefresh>,
    /// Whether the service has refused the access token.
    pub(super) is_refused: bool,
}

/// The future to wait for, and its progress.
pub(super) type Started = (BoxFuture<'static, Arc<Outcome>>, Arc<Progress>);

/// A running operation that many callers can wait for.
#[derive(Clone)]
pub(super) struct Flight {
    id: u64,
    epoch: u64,
    kind: Kind,
    progress: Arc<Progress>,
    pub(super) future: Shared<BoxFuture<'static, Arc<Outcome>>>,
}

impl Flight {
    pub(super) fn id(&self) -> u64 {
        self.id
    }
}

/// The kinds of flights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The store is read.
    Load,
    /// The tokens are refreshed.
    Refresh,
}

/// The results that a call has waited for so far.
pub(super) enum Seen {
    /// Nothing, or something that does not concern the current user.
    Nothing,
    /// The refresh failed.
    Failed(Kind, Failure),
    /// The session has ended.
    Ended(Failure),
}

/// The next step of a call.
pub(super) enum Next {
    /// The call is done: it has its header or an error.
    Header(Result<Option<HeaderValue>, AuthError>),
    /// The call waits, and counts as polling until it [leaves](State::leave).
    Wait {
        /// The flight that it waits for.
        flight: Flight,
        /// Whether it is the first call that waits for it.
        is_new: bool,
    },
}

impl State {
    /// The header, if it is available without waiting.
    pub(super) fn available_header(&self, now: Option<Duration>) -> Option<HeaderValue> {
        if let Some(service) = &self.service {
            return (!service.refused).then(|| service.header.clone());
        }
        let user = self.user.as_ref()?;
        user.is_fresh(now).then(|| user.header.clone())
    }

    /// The next step of a call. `start` makes the future to wait for: a refresh, or reading the store
    /// when there is nothing to refresh.
    pub(super) fn next(
        &mut self,
        seen: Seen,
        now: Option<Duration>,
        start: impl FnOnce(Option<RefreshInput>) -> Started,
    ) -> Next {
        if let Some(service) = &self.service {
            return Next::Header(service.header());
        }
        if let Seen::Ended(failure) = seen {
            return Next::Header(Err(failure.to_error()));
        }
        if !self.restored {
            if let Seen::Failed(Kind::Load, failure) = seen {
                return Next::Header(Err(failure.to_error()));
            }
            return self.join_or(Kind::Load, |_| start(None));
        }
        let Some(user) = &self.user else {
            return Next::Header(Ok(None));
        };
        if user.is_fresh(now) {
            return Next::Header(Ok(Some(user.header.clone())));
        }
        let failure = match seen {
            Seen::Failed(Kind::Refresh, failure) => Some(failure),
            _ => self.cooling_failure(now),
        };
        match failure {
            Some(_) if user.is_valid(now) => Next::Header(Ok(Some(user.header.clone()))),
            Some(failure) => Next::Header(Err(failure.to_error())),
            None => self.join_or(Kind::Refresh, |state| start(state.refresh_input())),
        }
    }

    fn refresh_input(&self) -> Option<RefreshInput> {
        let user = self.user.as_ref()?;
        Some(RefreshInput {
            tokens: user.tokens.clone(),
            unsaved: self.unsaved.clone(),
            unanswered: self.unanswered.clone(),
            is_refused: user.refused,
        })
    }

    /// The header of a call that would have to wait for the lease of another session, but need not,
    /// since its token is still valid.
    pub(super) fn instead_of_lease(
        &self,
        flight: &Flight,
        now: Option<Duration>,
    ) -> Option<HeaderValue> {
        let user = self.user.as_ref().filter(|user| user.is_valid(now))?;
        flight
            .progress
            .is_awaiting_lease()
            .then(|| user.header.clone())
    }

    fn cooling_failure(&self, now: Option<Duration>) -> Option<Failure> {
        let (pause, failure) = self.cooling.as_ref()?;
        pause.contains(&now?).then(|| failure.clone())
    }

    fn join_or(&mut self, kind: Kind, start: impl FnOnce(&Self) -> Started) -> Next {
        let is_new = self.underway.is_none();
        let flight = match &self.underway {
            Some(underway) => underway.flight.clone(),
            None => {
                let started = start(self);
                self.start_flight(kind, started)
            }
        };
        self.join(&flight);
        Next::Wait { flight, is_new }
    }

    /// Adds a task that polls a flight.
    pub(super) fn join(&mut self, flight: &Flight) {
        if let Some(underway) = self.underway_of(flight.id) {
            underway.pollers += 1;
        }
    }

    /// Removes a task that polls a flight. After the last one, the flight is parked; the resources that
    /// it then gives up are returned, to be dropped outside of the lock.
    #[must_use]
    pub(super) fn leave(&mut self, flight: u64) -> (Option<Flight>, Option<Lease>) {
        let Some(underway) = self.underway_of(flight) else {
            return (None, None);
        };
        underway.pollers = underway.pollers.saturating_sub(1);
        if underway.pollers > 0 {
            return (None, None);
        }
        match underway.flight.progress.park() {
            Parked::GivenUp => (self.take_underway(), None),
            Parked::Kept(lease) => (None, lease),
        }
    }

    fn underway_of(&mut self, flight: u64) -> Option<&mut Underway> {
        let underway = self.underway.as_mut();
        underway.filter(|underway| underway.flight.id == flight)
    }

    fn take_underway(&mut self) -> Option<Flight> {
        self.underway.take().map(|underway| underway.flight)
    }

    pub(super) fn start_flight(&mut self, kind: Kind, (future, progress): Started) -> Flight {
        self.flights += 1;
        let flight = Flight {
            id: self.flights,
            epoch: self.epoch,
            kind,
            progress,
            future: future.shared(),
        };
        self.underway = Some(Underway {
            flight: flight.clone(),
            pollers: 0,
        });
        flight
    }

    /// Applies the outcome of a flight, unless it is outdated or was applied already, and returns the
    /// result for a call that has waited for it. After a failure, `cool_down` begins; it is shorter when
    /// the refresh token may be used up. The flight is returned, to be dropped outside of the lock.
    pub(super) fn finish_flight(
        &mut self,
        flight: &Flight,
        outcome: &Outcome,
        now: Option<Duration>,
        cool_down: Duration,
    ) -> (Seen, Option<Flight>) {
        let landed = match self.underway_of(flight.id) {
            Some(_) => self.take_underway(),
            None => None,
        };
        if landed.is_some() {
            self.publish(flight, outcome, now, cool_down);
        }
        let seen = match outcome {
            _ if flight.epoch != self.epoch => Seen::Nothing,
            Outcome::Loaded(_) | Outcome::Interrupted | Outcome::Renewed(_) => Seen::Nothing,
            Outcome::Failed(failure) | Outcome::Unsaved(_, failure) => {
                Seen::Failed(flight.kind, failure.clone())
            }
            Outcome::Ended(failure) => Seen::Ended(failure.clone()),
        };
        (seen, landed)
    }

    fn publish(
        &mut self,
        flight: &Flight,
        outcome: &Outcome,
        now: Option<Duration>,
        cool_down: Duration,
    ) {
        if flight.kind == Kind::Refresh {
            self.cooling = None;
        }
        match outcome {
            Outcome::Loaded(tokens) => {
                self.restored = true;
                self.user = tokens.clone().map(UserTokens::new);
            }
            Outcome::Renewed(tokens) => {
                self.unsaved = None;
                self.unanswered = None;
                self.user = Some(UserTokens::issued(tokens.clone(), now));
            }
            Outcome::Ended(_) => {
                self.unsaved = None;
                self.unanswered = None;
                self.user = None;
            }
            Outcome::Unsaved(tokens, failure) => {
                self.unsaved = Some(tokens.clone());
                self.unanswered = None;
                self.cool(now, cool_down, failure);
            }
            Outcome::Failed(failure) => {
                if let Some(unanswered) = flight.progress.unanswered() {
                    self.unanswered = Some(unanswered);
                }
                if flight.kind == Kind::Refresh {
                    self.cool(now, cool_down, failure);
                }
            }
            Outcome::Interrupted => {
                if let Some(unanswered) = flight.progress.unanswered() {
                    self.unanswered = Some(unanswered);
                }
            }
        }
    }

    /// Starts a pause without refreshes. While a token may be used up the pauses are short, so that it
    /// is sent again while the service accepts it; they end when the access token expires, since from
    /// then on there is nothing to lose.
    fn cool(&mut self, now: Option<Duration>, cool_down: Duration, failure: &Failure) {
        let Some(now) = now else { return };
        let mut until = now.saturating_add(cool_down);
        if self.unanswered.is_some() {
            until = until.min(now.saturating_add(COOL_DOWN_IN_DOUBT));
            let expires = self.user.as_ref().and_then(|user| user.access_expires);
            until = expires
                .filter(|expires| *expires > now)
                .map_or(until, |expires| until.min(expires));
        }
        self.cooling = Some((now..until, failure.clone()));
    }

    /// Starts again with these tokens, or with none. An outdated flight is returned, to be dropped
    /// outside of the lock.
    #[must_use]
    pub(super) fn begin(&mut self, user: Option<UserTokens>) -> Option<Flight> {
        self.epoch += 1;
        self.restored = true;
        self.user = user;
        self.unsaved = None;
        self.unanswered = None;
        self.cooling = None;
        self.take_underway()
    }

    /// Records that the service has refused a header, if it is the current one.
    pub(super) fn reject(&mut self, refused: &HeaderValue) {
        if let Some(service) = &mut self.service {
            service.refused |= service.header == *refused;
            return;
        }
        let user = self.user.as_mut().filter(|user| !user.refused);
        if let Some(user) = user.filter(|user| user.header == *refused) {
            user.refused = true;
            self.cooling = None;
        }
    }
}
