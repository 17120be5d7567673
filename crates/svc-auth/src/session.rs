//! The session of a user: tokens that are renewed before they expire (specification, section 5).

mod builder;
mod failure;
mod outcome;
mod progress;
mod refresh;
mod state;
mod tokens;

use std::{
    fmt,
    future::{poll_fn, ready},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::Poll,
};

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, header};
use svc_model::{
    Realm,
    wire::{BoxFuture, Credential},
};

pub use self::builder::SessionBuilder;
use self::{
    builder::Config,
    outcome::Outcome,
    refresh::{load, refresh},
    state::{Flight, Kind, Next, Seen, State},
    tokens::{Service, UserTokens},
};
use crate::{
    AuthError, AuthState, AuthTarget, ServiceToken, StoreError, StoredTokens, Swap, TokenProvider,
};

/// The session of a user, or of a service that acts for one.
///
/// It is a [`TokenProvider`]: calls that require a session or a static token are sent with
/// `Authorization: JWT <access token>`. Clones share the session.
///
/// Tokens come from a [`TokenStore`](crate::TokenStore) when the session is made, or from
/// [`set`](Self::set) after signing in. These rules apply:
///
/// - a token that is valid for more than 30 seconds is used without waiting;
/// - when the access or refresh token is valid for less, the next call refreshes first. One refresh is
///   made for all waiting calls, however many there are;
/// - a refresh continues when the calls that wait for it are dropped: with a
///   [spawner](SessionBuilder::spawner) at once, else with the next call;
/// - new tokens are stored before they are used, since the old ones are used up by then;
/// - after a transient failure of a refresh, an access token that has not expired yet is still used,
///   and no refresh is tried for [a while](SessionBuilder::cool_down);
/// - a refresh without a response may have used up the refresh token. The token is sent again within
///   the ten seconds in which the service accepts it a second time; later, only when the access token
///   has become useless and the store has no newer tokens;
/// - a refresh that the service refuses (401, 403) ends the session, in memory and in the store;
/// - signing out, and signing in again, override a refresh that is in progress;
/// - a token that the service refuses is renewed, unless that has happened already;
/// - while another session of the same store refreshes, an access token that is still valid is used
///   without waiting;
/// - tokens in the store that belong to another place (host, project, environment) are neither used
///   nor changed, until a user signs in with this session.
///
/// Tokens with an unknown expiry are used until they are refused; so are those that are due when a refresh
/// brings them.
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
    /// Never locked across an `await`, nor while code of the caller runs.
    state: Mutex<State>,
    /// Held while one caller signs in or out. Refreshes and calls do not wait for it.
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
        // A store that is ready at once is read now; for other stores, reading continues at the first use.
        let flight = session
            .state()
            .start_flight(Kind::Load, load(&session.inner.config));
        // If reading has to wait, the first call polls it.
        if let Some(outcome) = flight.future.clone().now_or_never() {
            session.finish_flight(&flight, &outcome);
        }
        session
    }

    /// The current tokens of the user who is signed in.
    pub fn tokens(&self) -> Option<AuthState> {
        let state = self.state();
        state.user.as_ref().map(|user| user.tokens.state().clone())
    }

    /// Whether there is a token to send: a token of a user, or a service token.
    pub fn is_signed_in(&self) -> bool {
        let state = self.state();
        state.user.is_some() || state.service.is_some()
    }

    /// The headers for calls, after a refresh if necessary; `None` when nobody is signed in.
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
    /// If a [service token](Self::load_service_token) was loaded, it is still sent instead.
    ///
    /// # Errors
    /// [`StoreError`] when the tokens cannot be stored; nothing is changed then.
    pub async fn set(&self, tokens: AuthState) -> Result<(), StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        let tokens = self.begun(tokens);
        self.inner.config.store.replace(Some(&tokens)).await?;
        self.begin(Some(UserTokens::new(tokens)));
        Ok(())
    }

    /// A mark of the present moment for [`update`](Self::update).
    pub fn mark(&self) -> Mark {
        Mark(self.state().epoch)
    }

    /// Uses the tokens in the response to a call, such as a changed password, unless the user has
    /// signed out or a user has signed in since `mark` was taken. Returns whether they are used.
    ///
    /// The tokens begin a new session: the service has ended all others. In the store they do not
    /// replace tokens of another host, project or environment.
    ///
    /// # Errors
    /// The errors of [`set`](Self::set).
    pub async fn update(&self, mark: Mark, tokens: AuthState) -> Result<bool, StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        if self.mark() != mark {
            return Ok(false);
        }
        let tokens = self.begun(tokens);
        self.replace_own(Some(&tokens)).await?;
        self.begin(Some(UserTokens::new(tokens)));
        Ok(true)
    }

    fn begun(&self, tokens: AuthState) -> StoredTokens {
        StoredTokens::begin(tokens).at(&self.inner.config.place)
    }

    fn begin(&self, user: Option<UserTokens>) {
        let overtaken = self.state().begin(user);
        // Dropped outside of the lock.
        drop(overtaken);
    }

    /// Signs out: deletes the tokens and the service token, and empties the store, unless it has tokens
    /// of another host, project or environment.
    ///
    /// Neither the service nor other clients are notified (specification, "User sessions", rule 6).
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be emptied. This session has deleted its tokens even
    /// then.
    pub async fn sign_out(&self) -> Result<(), StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        self.state().service = None;
        self.begin(None);
        self.replace_own(None).await
    }

    /// Replaces or removes the tokens in the store, unless they belong to another place.
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
        // No code that can panic runs under the lock, so the state is consistent even when it is poisoned.
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The header of a call, after a refresh if necessary.
    async fn header(&self) -> Result<Option<HeaderValue>, AuthError> {
        let mut seen = Seen::Nothing;
        loop {
            let (flight, is_new) = match self.next(seen) {
                Next::Header(result) => return result,
                Next::Wait { flight, is_new } => (flight, is_new),
            };
            // Kept until the outcome is applied: a flight that nobody polls any more may be given up.
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

    /// The next step of a call, depending on what it has waited for so far.
    fn next(&self, seen: Seen) -> Next {
        let config = &self.inner.config;
        let now = config.now();
        self.state()
            .next(seen, now, |refresh_input| match refresh_input {
                None => load(config),
                Some(refresh_input) => refresh(config, refresh_input),
            })
    }

    /// Waits for a flight; with a valid token it does not wait for the lease of another session.
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

    /// Lets the spawner poll a flight too, so that it ends even if all callers leave it.
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

    /// Applies the outcome of a flight, once, unless the user has signed in or out in the meantime.
    fn finish_flight(&self, flight: &Flight, outcome: &Arc<Outcome>) -> Seen {
        let config = &self.inner.config;
        let now = config.now();
        let (seen, finished) = self
            .state()
            .finish_flight(flight, outcome, now, config.cool_down);
        // The resources of the flight are dropped outside of the lock.
        drop(finished);
        seen
    }
}

enum Waited {
    Outcome(Arc<Outcome>),
    Header(HeaderValue),
}

/// A registration of a task that polls a flight. It does not keep the session alive.
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
            // Accounts have keys too, which their session stands for; a service token does not.
            Credential::ApiKey
                if self.inner.config.realm == Realm::Service && self.state().service.is_none() => {}
            _ => return Box::pin(ready(Ok(None))),
        }
        let now = self.inner.config.now();
        if let Some(header) = self.state().available_header(now) {
            return Box::pin(ready(Ok(Some(header))));
        }
        Box::pin(self.header())
    }

    /// A refused token is not sent again: the next call refreshes first, even if a refresh has just
    /// failed. A refusal of an older token has no effect.
    fn rejected(&self, _: AuthTarget<'_>, refused: &HeaderValue) {
        self.state().reject(refused);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (signed_in, service) = {
            let state = self.state();
            (state.user.is_some(), state.service.is_some())
        };
        f.debug_struct("Session")
            .field("config", &self.inner.config)
            .field("signed_in", &signed_in)
            .field("service_token", &service)
            .finish_non_exhaustive()
    }
}
