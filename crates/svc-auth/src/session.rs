//! The session of a user: tokens that are renewed before they expire (specification, section 5).

mod builder;
mod failure;
mod held;
mod outcome;
mod progress;
mod refresh;
mod state;

use std::{
    fmt,
    future::{poll_fn, ready},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::Poll,
};

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, header};
use svc_model::wire::{BoxFuture, Credential};

pub use self::builder::SessionBuilder;
use self::{
    builder::Config,
    held::{Held, Service},
    outcome::Outcome,
    refresh::{load, refresh},
    state::{Flight, Kind, Next, Seen, State},
};
use crate::{
    AuthError, AuthState, AuthTarget, ServiceToken, StoreError, StoredTokens, Swap, TokenProvider,
};

/// The session of a user, or of a service that acts for one.
///
/// It is a [`TokenProvider`]: calls that a session or a static token opens carry
/// `Authorization: JWT <access token>`. Clones share the session.
///
/// Tokens come from a [`TokenStore`](crate::TokenStore) when the session is made, or from
/// [`set`](Self::set) after signing in. Then
///
/// - a token that has more than 30 seconds to live is given without waiting;
/// - when access or refresh token has less, the next call refreshes first. However many calls wait,
///   one refresh is made for all of them;
/// - a refresh goes on when the calls that wait for it are dropped: with a
///   [spawner](SessionBuilder::spawner) at once, else with the next call;
/// - new tokens are stored before they are used, since the old ones are used up by then;
/// - a refresh that fails in passing keeps an access token that has not expired yet, and is not
///   tried again for [a while](SessionBuilder::cool_down);
/// - a refresh without an answer may have used the refresh token up. It is sent again within the ten
///   seconds in which the service takes it once more; after that not before the access token is of
///   no use any more, and newer tokens of the store come first;
/// - a refresh that the service refuses (401, 403) ends the session, here and in the store;
/// - signing out, and signing in again, win over a refresh that is under way;
/// - a token that the service refuses is renewed, unless that has happened already;
/// - while another session of the same store refreshes, an access token that is still valid is
///   given without waiting;
/// - tokens in the store that belong to another place (host, project, environment) are neither used
///   nor changed, until somebody signs in here.
///
/// Tokens of which it is not known when they expire are used until they are refused.
///
/// ```
/// use std::sync::Arc;
/// use svc_auth::{AuthState, Session};
/// use svc_model::wire::{Body, transport_fn};
///
/// # async fn example(tokens: AuthState) -> Result<(), Box<dyn std::error::Error>> {
/// let transport = transport_fn(|_request| async { Ok(http::Response::new(Body::empty())) });
/// let base_url = "https://data.example.com".parse()?;
/// let session = Session::builder(Arc::new(transport), base_url, "demo", "prod").build();
/// assert!(!session.is_signed_in());
///
/// session.set(tokens).await?;
/// let headers = session.headers().await?.expect("somebody is signed in");
/// assert!(headers["authorization"].to_str()?.starts_with("JWT "));
/// session.sign_out().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    config: Arc<Config>,
    /// Never held while something is waited for, nor while anything of the caller's runs.
    state: Mutex<State>,
    /// Lets one caller at a time sign in or out. Refreshes and calls do not wait for it.
    sign_in: futures_util::lock::Mutex<()>,
}

/// A moment in the life of a [`Session`]: see [`Session::update`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u64);

impl Session {
    pub(crate) fn new(config: Config) -> Self {
        let session = Self {
            inner: Arc::new(Inner {
                config: Arc::new(config),
                state: Mutex::default(),
                sign_in: futures_util::lock::Mutex::new(()),
            }),
        };
        // A store that needs no waiting answers now; another one is asked on at the first use.
        let flight = session
            .state()
            .start_flight(Kind::Load, load(&session.inner.config));
        // A load that has to wait is polled by the first call.
        if let Some(outcome) = flight.future.clone().now_or_never() {
            session.finish_flight(&flight, &outcome);
        }
        session
    }

    /// The tokens of the user who is signed in, as they are now.
    pub fn tokens(&self) -> Option<AuthState> {
        let state = self.state();
        state.held.as_ref().map(|held| held.tokens.state().clone())
    }

    /// Whether there is a token to send: a user's, or a service token.
    pub fn is_signed_in(&self) -> bool {
        let state = self.state();
        state.held.is_some() || state.service.is_some()
    }

    /// The headers that calls carry, refreshed if need be; `None` when nobody is signed in.
    ///
    /// # Errors
    /// [`AuthError`] as for a call: of kind [`Transient`](crate::AuthErrorKind::Transient) when the
    /// access token has expired and cannot be renewed now, of kind
    /// [`Permanent`](crate::AuthErrorKind::Permanent) when the session has ended.
    pub async fn headers(&self) -> Result<Option<HeaderMap>, AuthError> {
        let header = self.header().await?;
        Ok(header.map(|header| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, header);
            headers
        }))
    }

    /// Signs a user in with the tokens of a login: stores them, and then uses them.
    ///
    /// A [service token](Self::load_service_token) that was loaded goes on to be sent instead.
    ///
    /// # Errors
    /// [`StoreError`] when the tokens cannot be stored; everything is then as it was before.
    pub async fn set(&self, tokens: AuthState) -> Result<(), StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        let tokens = self.begun(tokens);
        self.inner.config.store.replace(Some(&tokens)).await?;
        self.begin(Some(Held::new(tokens)));
        Ok(())
    }

    /// The moment to give to [`update`](Self::update).
    pub fn mark(&self) -> Mark {
        Mark(self.state().epoch)
    }

    /// Takes the tokens that the answer to a call brought, such as a changed password, unless the
    /// user has signed out or somebody has signed in since `mark` was taken. Tells whether it did.
    ///
    /// The tokens begin a new session: the service has ended all others. They are not stored in
    /// place of those of another host, project or environment.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn update(&self, mark: Mark, tokens: AuthState) -> Result<bool, StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        if self.mark() != mark {
            return Ok(false);
        }
        let tokens = self.begun(tokens);
        self.replace_own(Some(&tokens)).await?;
        self.begin(Some(Held::new(tokens)));
        Ok(true)
    }

    fn begun(&self, tokens: AuthState) -> StoredTokens {
        StoredTokens::begin(tokens).at(&self.inner.config.place)
    }

    fn begin(&self, held: Option<Held>) {
        let overtaken = self.state().begin(held);
        // Outside of the lock.
        drop(overtaken);
    }

    /// Signs out: forgets tokens and service token, and empties the store, unless it keeps tokens
    /// of another host, project or environment.
    ///
    /// The service is not told, and other clients are not either (specification, "User sessions",
    /// rule 6).
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be emptied. This session has forgotten its tokens even
    /// then.
    pub async fn sign_out(&self) -> Result<(), StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        self.state().service = None;
        self.begin(None);
        self.replace_own(None).await
    }

    /// Puts tokens in place of what the store keeps, or removes that, unless it belongs to another
    /// place.
    fn replace_own<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let config = &self.inner.config;
        Box::pin(async move {
            loop {
                let Some(kept) = config.store.load().await? else {
                    return config.store.replace(tokens).await;
                };
                if !kept.belongs_to(&config.place)
                    || matches!(config.store.swap(&kept, tokens).await?, Swap::Done)
                {
                    return Ok(());
                }
            }
        })
    }

    /// Sends a service token instead of a user's tokens, until [`sign_out`](Self::sign_out)
    /// (specification, "Service requests", rule 3). It is never stored.
    pub fn load_service_token(&self, token: impl Into<ServiceToken>) {
        let service = Service::new(&token.into());
        self.state().service = Some(service);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock, so that the state is whole even then.
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The header of a call, refreshed if need be.
    async fn header(&self) -> Result<Option<HeaderValue>, AuthError> {
        let mut seen = Seen::Nothing;
        loop {
            let (flight, is_new) = match self.next(seen) {
                Next::Header(result) => return result,
                Next::Wait { flight, is_new } => (flight, is_new),
            };
            // Until the outcome is taken over: a flight that was left by all may be given up.
            let _poller = Poller::of(self, &flight);
            if is_new {
                self.drive(&flight);
            }
            let outcome = match self.wait(&flight).await {
                Waited::Outcome(outcome) => outcome,
                Waited::Header(header) => return Ok(Some(header)),
            };
            seen = self.finish_flight(&flight, &outcome);
        }
    }

    /// What a call is to do, given what it has waited for so far.
    fn next(&self, seen: Seen) -> Next {
        let config = &self.inner.config;
        let now = config.now();
        self.state().next(seen, now, |departure| match departure {
            None => load(config),
            Some(departure) => refresh(config, departure),
        })
    }

    /// Waits for a flight, but not for the lease of another session with a token that is valid.
    async fn wait(&self, flight: &Flight) -> Waited {
        let mut future = flight.future.clone();
        poll_fn(|context| {
            if let Poll::Ready(outcome) = future.poll_unpin(context) {
                return Poll::Ready(Waited::Outcome(outcome));
            }
            let now = self.inner.config.now();
            let header = self.state().instead_of_lease(flight, now);
            header.map_or(Poll::Pending, |header| Poll::Ready(Waited::Header(header)))
        })
        .await
    }

    /// Lets the spawner poll a flight too, so that it ends though all callers leave it.
    fn drive(&self, flight: &Flight) {
        let Some(spawner) = &self.inner.config.spawner else {
            return;
        };
        self.state().join(flight);
        let poller = Poller::of(self, flight);
        let flight = flight.clone();
        spawner.spawn(Box::pin(async move {
            let outcome = flight.future.clone().await;
            if let Some(inner) = poller.session.upgrade() {
                Self { inner }.finish_flight(&flight, &outcome);
            }
        }));
    }

    /// Takes over what a flight brought, once, if nothing has overtaken it.
    fn finish_flight(&self, flight: &Flight, outcome: &Arc<Outcome>) -> Seen {
        let config = &self.inner.config;
        let now = config.now();
        let (seen, finished) = self
            .state()
            .finish_flight(flight, outcome, now, config.cool_down);
        // What the flight held on to is let go outside of the lock.
        drop(finished);
        seen
    }
}

enum Waited {
    Outcome(Arc<Outcome>),
    Header(HeaderValue),
}

/// Somebody who polls a flight. It holds nothing of the session, which may end before the flight.
struct Poller {
    session: Weak<Inner>,
    flight: u64,
}

impl Poller {
    fn of(session: &Session, flight: &Flight) -> Self {
        Self {
            session: Arc::downgrade(&session.inner),
            flight: flight.id(),
        }
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        if let Some(inner) = self.session.upgrade() {
            let left = Session { inner }.state().leave(self.flight);
            drop(left);
        }
    }
}

impl TokenProvider for Session {
    fn authorization<'a>(
        &'a self,
        target: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
        match target.operation.credential {
            Credential::StaticToken | Credential::Session => {}
            _ => return Box::pin(ready(Ok(None))),
        }
        let now = self.inner.config.now();
        if let Some(header) = self.state().at_hand(now) {
            return Box::pin(ready(Ok(Some(header))));
        }
        Box::pin(self.header())
    }

    /// A token that is refused is not sent again: the next call refreshes first, whether or not a
    /// refresh has just failed. An older token than the present one changes nothing.
    fn rejected(&self, _: AuthTarget<'_>, refused: &HeaderValue) {
        self.state().reject(refused);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (signed_in, service) = {
            let state = self.state();
            (state.held.is_some(), state.service.is_some())
        };
        f.debug_struct("Session")
            .field("config", &self.inner.config)
            .field("signed_in", &signed_in)
            .field("service_token", &service)
            .finish_non_exhaustive()
    }
}
