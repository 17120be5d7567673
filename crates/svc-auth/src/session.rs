//! The session of a user: tokens that are renewed before they expire (specification, section 5).

mod builder;
mod failure;
mod refresh;
mod state;

use std::{
    fmt,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, header};
use svc_model::wire::{BoxFuture, Credential};

pub use self::builder::SessionBuilder;
use self::{
    builder::Config,
    refresh::{Outcome, load, refresh},
    state::{Flight, Held, Kind, Next, Seen, State},
};
use crate::{
    AuthError, AuthState, AuthTarget, ServiceToken, StoreError, StoredTokens, TokenProvider,
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
///   one refresh is made for all of them, and it goes on when the call that began it is dropped;
/// - new tokens are stored before they are used, since the old ones are used up by then;
/// - a refresh that fails in passing keeps an access token that has not expired yet, and is not
///   tried again for [a while](SessionBuilder::cool_down);
/// - a refresh that the service refuses (400, 401, 403) ends the session, here and in the store;
/// - signing out, and signing in anew, win over a refresh that is under way;
/// - a token that the service refuses is renewed, unless that has happened already.
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
            .take_off(Kind::Load, load(&session.inner.config));
        if let Some(outcome) = flight.future.clone().now_or_never() {
            session.land(&flight, &outcome);
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
        self.begin(tokens).await
    }

    /// The moment to give to [`update`](Self::update).
    pub fn mark(&self) -> Mark {
        Mark(self.state().epoch)
    }

    /// Takes the tokens that the answer to a call brought, such as a changed password, unless the
    /// user has signed out or somebody has signed in since `mark` was taken. Tells whether it did.
    ///
    /// The tokens begin a new session: the service has ended all others.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn update(&self, mark: Mark, tokens: AuthState) -> Result<bool, StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        if self.mark() != mark {
            return Ok(false);
        }
        self.begin(tokens).await.map(|()| true)
    }

    async fn begin(&self, tokens: AuthState) -> Result<(), StoreError> {
        let tokens = StoredTokens::begin(tokens);
        self.inner.config.store.replace(Some(&tokens)).await?;
        let overtaken = self.state().begin(Some(Held::new(tokens)));
        drop(overtaken);
        Ok(())
    }

    /// Signs out: forgets tokens and service token, and empties the store.
    ///
    /// The service is not told, and other clients are not either (specification, "User sessions",
    /// rule 6).
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be emptied. This session has forgotten its tokens even
    /// then.
    pub async fn sign_out(&self) -> Result<(), StoreError> {
        let _turn = self.inner.sign_in.lock().await;
        let overtaken = {
            let mut state = self.state();
            state.service = None;
            state.begin(None)
        };
        drop(overtaken);
        self.inner.config.store.replace(None).await
    }

    /// Sends a service token instead of a user's tokens, until [`sign_out`](Self::sign_out)
    /// (specification, "Service requests", rule 3). It is never stored.
    pub fn load_service_token(&self, token: impl Into<ServiceToken>) {
        let service = state::Service::new(&token.into());
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
            let flight = match self.next(seen) {
                Next::Header(result) => return result,
                Next::Wait(flight) => flight,
            };
            let outcome = flight.future.clone().await;
            seen = self.land(&flight, &outcome);
        }
    }

    /// What a call is to do, given what it has waited for so far.
    fn next(&self, seen: Seen) -> Next {
        let config = &self.inner.config;
        let now = config.now();
        self.state().next(seen, now, |held, unsaved| match held {
            None => load(config),
            Some(held) => refresh(config, held.tokens.clone(), unsaved),
        })
    }

    /// Takes over what a flight brought, once, if nothing has overtaken it.
    fn land(&self, flight: &Flight, outcome: &Arc<Outcome>) -> Seen {
        let cool_until = self
            .inner
            .config
            .now()
            .map(|now| now.saturating_add(self.inner.config.cool_down));
        let (seen, landed) = self.state().land(flight, outcome, cool_until);
        // What the flight held on to is let go outside of the lock.
        drop(landed);
        seen
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
