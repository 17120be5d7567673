//! What a store keeps.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AccessToken, AuthState, RefreshToken, expiry,
    state::{expose_access, expose_refresh, text},
};

/// The tokens of a session, and which session that is.
///
/// Tokens change at every refresh. What stays is the session: it begins with the refresh token that
/// signing in gave, and is named after a hash of it. By that name a client knows its own session
/// again in a store that others write to.
///
/// As JSON it is the [`AuthState`] with one field more; where that field is missing, the session is
/// named after the refresh token that is there.
///
/// ```
/// use svc_auth::{AuthState, StoredTokens};
///
/// let state: AuthState = serde_json::from_str(r#"{"access_token":"a","refresh_token":"r"}"#)?;
/// let stored = StoredTokens::begin(state);
/// let text = serde_json::to_string(&stored)?;
/// assert_eq!(text, r#"{"access_token":"a","refresh_token":"r","session":"af63ef4c86020cd5"}"#);
/// assert_eq!(serde_json::from_str::<StoredTokens>(&text)?, stored);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Wire")]
pub struct StoredTokens {
    state: AuthState,
    session: Box<str>,
}

/// The JSON of it, without `flatten`, for which serde writes into a map of any keys.
#[derive(Serialize)]
struct Wire {
    #[serde(serialize_with = "expose_access")]
    access_token: AccessToken,
    #[serde(serialize_with = "expose_refresh")]
    refresh_token: RefreshToken,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token_expires: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token_expires: Option<String>,
    session: Box<str>,
}

impl From<StoredTokens> for Wire {
    fn from(stored: StoredTokens) -> Self {
        Self {
            access_token: stored.state.access_token,
            refresh_token: stored.state.refresh_token,
            access_token_expires: stored.state.access_token_expires,
            refresh_token_expires: stored.state.refresh_token_expires,
            session: stored.session,
        }
    }
}

impl TryFrom<Value> for StoredTokens {
    type Error = String;

    fn try_from(mut value: Value) -> Result<Self, String> {
        let session = text(&mut value, "session")?;
        let state = AuthState::try_from(value)?;
        Ok(match session {
            Some(session) => Self {
                state,
                session: session.into_boxed_str(),
            },
            None => Self::begin(state),
        })
    }
}

impl StoredTokens {
    /// The tokens of a session that begins with them.
    pub fn begin(state: AuthState) -> Self {
        Self {
            session: name(&state.refresh_token),
            state,
        }
    }

    /// The tokens with which the same session goes on.
    #[must_use]
    pub fn renewed(&self, state: AuthState) -> Self {
        Self {
            session: self.session.clone(),
            state,
        }
    }

    /// The tokens.
    pub fn state(&self) -> &AuthState {
        &self.state
    }

    /// The name of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Whether these are later tokens of the session that `other` is of.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        let expires = |tokens: &Self| {
            let text = tokens.state.access_token_expires.as_deref();
            text.and_then(expiry::parse)
        };
        let is_earlier = match (expires(self), expires(other)) {
            (Some(own), Some(other)) => own < other,
            _ => false,
        };
        self.session == other.session
            && self.state.refresh_token != other.state.refresh_token
            && !is_earlier
    }
}

/// FNV-1a with 64 bits: the name has to be the same in every process and version. It is no secret
/// kept from anybody, since it stands beside the token.
fn name(token: &RefreshToken) -> Box<str> {
    let hash = token
        .expose()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}").into_boxed_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(refresh: &str, expires: Option<&str>) -> AuthState {
        let mut state = AuthState::new(
            AccessToken::new("a").unwrap(),
            RefreshToken::new(refresh).unwrap(),
        );
        state.access_token_expires = expires.map(str::to_owned);
        state
    }

    #[test]
    fn the_name_of_a_session_outlives_its_tokens() {
        let first = StoredTokens::begin(tokens("r1", None));
        let second = first.renewed(tokens("r2", None));
        assert_eq!(first.session(), second.session());
        assert_ne!(
            first.session(),
            StoredTokens::begin(tokens("r2", None)).session()
        );
        let text = serde_json::to_string(&second).unwrap();
        let read: StoredTokens = serde_json::from_str(&text).unwrap();
        assert_eq!(read, second);
    }

    #[test]
    fn tokens_follow_others_of_their_session_unless_they_expire_earlier() {
        let early = Some("2026-09-15T12:00:00Z");
        let late = Some("2026-09-15T12:15:00Z");
        let first = StoredTokens::begin(tokens("r1", early));
        let second = first.renewed(tokens("r2", late));
        assert!(second.follows(&first));
        assert!(!first.follows(&second));
        assert!(!first.follows(&first));
        assert!(first.renewed(tokens("r2", None)).follows(&first));
        assert!(!StoredTokens::begin(tokens("r2", late)).follows(&first));
    }

    #[test]
    fn debug_shows_no_token() {
        let stored = StoredTokens::begin(tokens("hidden", None));
        assert!(!format!("{stored:?}").contains("hidden"));
    }
}
