//! The tokens of a session: those of a user, or a service token.

use std::time::Duration;

use http::HeaderValue;

use crate::{AuthError, AuthScheme, AuthState, ServiceToken, StoredTokens, expiry};

/// A token that expires within this time is refreshed before it is sent (specification, "User
/// sessions", rule 4).
const REFRESH_THRESHOLD: Duration = Duration::from_secs(30);

/// The tokens of a user, with the values that are read from them once.
pub(super) struct UserTokens {
    pub(super) tokens: StoredTokens,
    pub(super) header: HeaderValue,
    pub(super) access_expires: Option<Duration>,
    refresh_expires: Option<Duration>,
    /// Whether the service has refused the access token.
    pub(super) refused: bool,
}

impl UserTokens {
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

    /// The tokens of a refresh. If they are due when they come, the clock is ahead of the service's, or they live for a
    /// moment. They are used until they are refused, since each call would refresh them otherwise.
    pub(super) fn issued(tokens: StoredTokens, now: Option<Duration>) -> Self {
        let mut issued = Self::new(tokens);
        if !issued.is_fresh(now) {
            issued.access_expires = None;
            issued.refresh_expires = None;
        }
        issued
    }

    pub(super) fn is_fresh(&self, now: Option<Duration>) -> bool {
        !self.refused && !is_due([self.access_expires, self.refresh_expires], now)
    }

    /// Whether the access token is still valid.
    pub(super) fn is_valid(&self, now: Option<Duration>) -> bool {
        !self.refused && !has_expired(self.access_expires, now)
    }
}

/// The service token of a service that acts for a user.
pub(super) struct Service {
    pub(super) header: HeaderValue,
    pub(super) refused: bool,
}

impl Service {
    pub(super) fn new(token: &ServiceToken) -> Self {
        Self {
            header: token.header_value(AuthScheme::Jwt),
            refused: false,
        }
    }

    pub(super) fn header(&self) -> Result<Option<HeaderValue>, AuthError> {
        if self.refused {
            return Err(AuthError::new(
                "the service token was refused, and cannot be renewed; load another one",
            ));
        }
        Ok(Some(self.header.clone()))
    }
}

/// Whether tokens must be refreshed before they are sent.
pub(super) fn tokens_are_due(state: &AuthState, now: Option<Duration>) -> bool {
    let (access, refresh) = expiries(state);
    is_due([access, refresh], now)
}

/// Whether the access token is still valid, as far as its expiry is known.
pub(super) fn access_is_valid(state: &AuthState, now: Option<Duration>) -> bool {
    !has_expired(expiries(state).0, now)
}

fn has_expired(end: Option<Duration>, now: Option<Duration>) -> bool {
    matches!((end, now), (Some(end), Some(now)) if end <= now)
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
