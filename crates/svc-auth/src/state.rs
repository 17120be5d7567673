//! The tokens of a user session as data.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::{AccessToken, RefreshToken, TokenError};

/// The tokens of a user session (specification, section 5, `AuthState`).
///
/// Login and refresh return it, and stores keep it. Its JSON contains the tokens; `Debug` does not
/// show them.
///
/// ```
/// use svc_auth::AuthState;
///
/// let text = r#"{"access_token":"a.b.c","refresh_token":"r","access_token_expires":"2026-09-15T12:00:00Z"}"#;
/// let state: AuthState = serde_json::from_str(text)?;
/// assert_eq!(state.access_token.expose(), "a.b.c");
/// assert_eq!(serde_json::to_string(&state)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
#[non_exhaustive]
pub struct AuthState {
    /// The token that is sent with calls.
    #[serde(serialize_with = "expose_access")]
    pub access_token: AccessToken,
    /// The token that is exchanged for the next pair of tokens.
    #[serde(serialize_with = "expose_refresh")]
    pub refresh_token: RefreshToken,
    /// When the access token expires (RFC 3339), if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_token_expires: Option<String>,
    /// When the refresh token expires (RFC 3339), if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token_expires: Option<String>,
}

/// JSON is first parsed to a `Value`: in WebAssembly all types then share one parser, which needs a third of the bytes
/// that a parser for each type would need.
impl TryFrom<Value> for AuthState {
    type Error = String;

    fn try_from(mut value: Value) -> Result<Self, String> {
        Self::take_from(&mut value)
    }
}

fn token<T>(
    value: &mut Value,
    name: &str,
    new: fn(String) -> Result<T, TokenError>,
) -> Result<T, String> {
    let text = text(value, name)?.ok_or_else(|| format!("missing field `{name}`"))?;
    new(text).map_err(|error| error.to_string())
}

/// Removes the text of a property, which may be missing or null, and returns it.
pub(crate) fn text(value: &mut Value, name: &str) -> Result<Option<String>, String> {
    // It is replaced and not removed, since the code for removing takes kilobytes of WebAssembly.
    match value.get_mut(name).map(Value::take) {
        Some(Value::String(text)) => Ok(Some(text)),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(format!("`{name}` is not a text")),
    }
}

impl AuthState {
    /// Takes the tokens from a JSON object. Its other properties stay in it.
    pub(crate) fn take_from(value: &mut Value) -> Result<Self, String> {
        Ok(Self {
            access_token: token(value, "access_token", AccessToken::new)?,
            refresh_token: token(value, "refresh_token", RefreshToken::new)?,
            access_token_expires: text(value, "access_token_expires")?,
            refresh_token_expires: text(value, "refresh_token_expires")?,
        })
    }

    /// Tokens with an unknown expiry.
    pub fn new(access_token: AccessToken, refresh_token: RefreshToken) -> Self {
        Self {
            access_token,
            refresh_token,
            access_token_expires: None,
            refresh_token_expires: None,
        }
    }
}

fn expose_access<S: Serializer>(token: &AccessToken, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(token.expose())
}

fn expose_refresh<S: Serializer>(token: &RefreshToken, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(token.expose())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_token() {
        let state = AuthState::new(
            AccessToken::new("hidden").unwrap(),
            RefreshToken::new("hidden").unwrap(),
        );
        assert!(!format!("{state:?}").contains("hidden"));
    }
}
