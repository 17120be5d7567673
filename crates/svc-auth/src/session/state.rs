//! What a session knows, and what follows from it. Nothing in here waits.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, future::Shared};
use http::HeaderValue;
use svc_model::wire::BoxFuture;

use super::{failure::Failure, refresh::Outcome};
use crate::{AuthError, AuthScheme, AuthState, ServiceToken, StoredTokens, expiry};

/// A token that lives for less than this is refreshed before it is sent (specification, "User
/// sessions", rule 4).
const REFRESH_THRESHOLD: Duration = Duration::from_secs(30);

/// What a session knows.
#[derive(Default)]
pub(super) struct State {
    /// Counts who signs in and out, so that what began before can be told from what began after.
    pub(super) epoch: u64,
    /// Whether the store was asked, or need not be any more.
    restored: bool,
    /// The tokens of the user who is signed in.
    pub(super) held: Option<Held>,
    pub(super) service: Option<Service>,
    /// Tokens that a refresh brought and the store did not take. The present ones are used up by
    /// then, so that these are all there is left of the session.
    unsaved: Option<StoredTokens>,
    /// Until when no refresh is tried, and the failure that is the reason.
    cooling: Option<(Duration, Failure)>,
    /// What is under way. It goes on only when somebody asks for it, and waits here till then.
    flight: Option<Flight>,
    flights: u64,
}

/// The tokens of a user, with what is read from them once.
pub(super) struct Held {
    pub(super) tokens: StoredTokens,
    header: HeaderValue,
    access_expires: Option<Duration>,
    refresh_expires: Option<Duration>,
    /// The service has refused the access token.
    refused: bool,
}

impl Held {
    pub(super) fn new(tokens: StoredTokens) -> Self {
        let state = tokens.state();
        let (access_expires, refresh_expires) = expiries(state);
        Self {
            header: state.access_token.header_value(AuthScheme::Jwt),
            access_expires,
            refresh_expires,
            refused: false,
            tokens,
        }
    }

    fn is_fresh(&self, now: Option<Duration>) -> bool {
        !self.refused && !is_due([self.access_expires, self.refresh_expires], now)
    }

    /// Whether the access token is still as good as it was.
    fn is_valid(&self, now: Option<Duration>) -> bool {
        let expired = matches!((self.access_expires, now), (Some(end), Some(now)) if end <= now);
        !self.refused && !expired
    }
}

/// The token of a service that acts for a user.
pub(super) struct Service {
    header: HeaderValue,
    refused: bool,
}

impl Service {
    pub(super) fn new(token: &ServiceToken) -> Self {
        Self {
            header: token.header_value(AuthScheme::Jwt),
            refused: false,
        }
    }

    fn header(&self) -> Result<Option<HeaderValue>, AuthError> {
        if self.refused {
            return Err(AuthError::new(
                "the service token was refused, and cannot be renewed; load another one",
            ));
        }
        Ok(Some(self.header.clone()))
    }
}

/// Whether tokens are to be refreshed before they are sent.
pub(super) fn tokens_are_due(state: &AuthState, now: Option<Duration>) -> bool {
    let (access, refresh) = expiries(state);
    is_due([access, refresh], now)
}

fn expiries(state: &AuthState) -> (Option<Duration>, Option<Duration>) {
    let parse = |text: &Option<String>| text.as_deref().and_then(expiry::parse);
    (
        parse(&state.access_token_expires),
        parse(&state.refresh_token_expires),
    )
}

fn is_due(expiries: [Option<Duration>; 2], now: Option<Duration>) -> bool {
    now.is_some_and(|now| {
        let known = expiries.into_iter().flatten();
        known
            .min()
            .is_some_and(|end| end < now.saturating_add(REFRESH_THRESHOLD))
    })
}

/// Something that is under way, for all who wait for it.
#[derive(Clone)]
pub(super) struct Flight {
    id: u64,
    epoch: u64,
    kind: Kind,
    pub(super) future: Shared<BoxFuture<'static, Arc<Outcome>>>,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The store is asked.
    Load,
    /// The tokens are renewed.
    Refresh,
}

/// What a call has waited for so far.
pub(super) enum Seen {
    /// Nothing, or something that has nothing to do with the present user.
    Nothing,
    /// The tokens were renewed.
    Renewed,
    /// It was in vain.
    Failed(Kind, Failure),
    /// The session has ended.
    Ended(Failure),
}

/// What a call does next.
pub(super) enum Next {
    /// It has its header, or never will.
    Header(Result<Option<HeaderValue>, AuthError>),
    /// It waits.
    Wait(Flight),
}

impl State {
    /// The header of a call that need not wait.
    pub(super) fn at_hand(&self, now: Option<Duration>) -> Option<HeaderValue> {
        if let Some(service) = &self.service {
            return (!service.refused).then(|| service.header.clone());
        }
        let held = self.held.as_ref()?;
        held.is_fresh(now).then(|| held.header.clone())
    }

    /// What a call is to do. `start` makes what is to be waited for: a refresh of the tokens that
    /// it is given, or a look into the store when it is given none.
    pub(super) fn next(
        &mut self,
        seen: Seen,
        now: Option<Duration>,
        start: impl FnOnce(Option<&Held>, Option<StoredTokens>) -> BoxFuture<'static, Arc<Outcome>>,
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
            return Next::Wait(self.join_or(Kind::Load, |_| start(None, None)));
        }
        let Some(held) = &self.held else {
            return Next::Header(Ok(None));
        };
        if held.is_fresh(now) {
            return Next::Header(Ok(Some(held.header.clone())));
        }
        let failure = match seen {
            // Some services give tokens that are due from the beginning.
            Seen::Renewed if !held.refused => {
                return Next::Header(Ok(Some(held.header.clone())));
            }
            Seen::Failed(Kind::Refresh, failure) => Some(failure),
            _ => self.cooling_failure(now),
        };
        match failure {
            Some(_) if held.is_valid(now) => Next::Header(Ok(Some(held.header.clone()))),
            Some(failure) => Next::Header(Err(failure.to_error())),
            None => Next::Wait(self.join_or(Kind::Refresh, |state| {
                start(state.held.as_ref(), state.unsaved.clone())
            })),
        }
    }

    fn cooling_failure(&self, now: Option<Duration>) -> Option<Failure> {
        let (until, failure) = self.cooling.as_ref()?;
        now.is_some_and(|now| now < *until).then(|| failure.clone())
    }

    fn join_or(
        &mut self,
        kind: Kind,
        start: impl FnOnce(&Self) -> BoxFuture<'static, Arc<Outcome>>,
    ) -> Flight {
        match &self.flight {
            Some(flight) => flight.clone(),
            None => {
                let future = start(self);
                self.take_off(kind, future)
            }
        }
    }

    pub(super) fn take_off(
        &mut self,
        kind: Kind,
        future: BoxFuture<'static, Arc<Outcome>>,
    ) -> Flight {
        self.flights += 1;
        let flight = Flight {
            id: self.flights,
            epoch: self.epoch,
            kind,
            future: future.shared(),
        };
        self.flight = Some(flight.clone());
        flight
    }

    /// Takes over what a flight brought, unless it was overtaken or somebody else has done so; and
    /// what a call that has waited for it is to know. The flight is given back to be dropped where
    /// nothing is locked.
    pub(super) fn land(
        &mut self,
        flight: &Flight,
        outcome: &Outcome,
        cool_until: Option<Duration>,
    ) -> (Seen, Option<Flight>) {
        let is_current = |current: &mut Flight| current.id == flight.id;
        let landed = self.flight.take_if(is_current);
        if landed.is_some() {
            self.publish(flight.kind, outcome, cool_until);
        }
        let seen = match outcome {
            _ if flight.epoch != self.epoch => Seen::Nothing,
            Outcome::Loaded(_) => Seen::Nothing,
            Outcome::Renewed(_) => Seen::Renewed,
            Outcome::Failed(failure) | Outcome::Unsaved(_, failure) => {
                Seen::Failed(flight.kind, failure.clone())
            }
            Outcome::Ended(failure) => Seen::Ended(failure.clone()),
        };
        (seen, landed)
    }

    fn publish(&mut self, kind: Kind, outcome: &Outcome, cool_until: Option<Duration>) {
        if kind == Kind::Refresh {
            self.cooling = None;
        }
        match outcome {
            Outcome::Loaded(tokens) => {
                self.restored = true;
                self.held = tokens.clone().map(Held::new);
            }
            Outcome::Renewed(tokens) => {
                self.unsaved = None;
                self.held = Some(Held::new(tokens.clone()));
            }
            Outcome::Ended(_) => {
                self.unsaved = None;
                self.held = None;
            }
            Outcome::Failed(failure) | Outcome::Unsaved(_, failure) => {
                if let Outcome::Unsaved(tokens, _) = outcome {
                    self.unsaved = Some(tokens.clone());
                }
                if kind == Kind::Refresh {
                    self.cooling = cool_until.map(|until| (until, failure.clone()));
                }
            }
        }
    }

    /// Begins anew with these tokens, or with none. What is overtaken by that is given back to be
    /// dropped where nothing is locked.
    #[must_use]
    pub(super) fn begin(&mut self, held: Option<Held>) -> Option<Flight> {
        self.epoch += 1;
        self.restored = true;
        self.held = held;
        self.unsaved = None;
        self.cooling = None;
        self.flight.take()
    }

    /// Notes that the service has refused a header, if it is the present one.
    pub(super) fn reject(&mut self, refused: &HeaderValue) {
        if let Some(service) = &mut self.service {
            service.refused |= service.header == *refused;
        } else if let Some(held) = &mut self.held
            && !held.refused
            && held.header == *refused
        {
            held.refused = true;
            self.cooling = None;
        }
    }
}
