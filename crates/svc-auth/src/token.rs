//! Tokens and keys, with a type for each kind.

use std::{fmt, str::FromStr};

use http::HeaderValue;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;
use svc_model::wire::BodyProperty;

use crate::AuthScheme;

macro_rules! tokens {
    ($( $(#[$doc:meta])* $name:ident = $what:literal, )*) => {$(
        $(#[$doc])*
        ///
        /// `Debug` does not show it and there is no `Display`: only [`expose`](Self::expose) returns
        /// the text.
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(Box<str>);

        impl $name {
            /// Makes a secret from a text, without a prefix such as `Bearer `.
            ///
            /// # Errors
            /// [`TokenError`] when the text is empty or not allowed in a header. The message never
            /// quotes it.
            pub fn new(text: impl Into<String>) -> Result<Self, TokenError> {
                let text = text.into();
                check(&text).map_err(|problem| TokenError { what: $what, problem })?;
                Ok(Self(text.into_boxed_str()))
            }

            /// The secret itself.
            pub fn expose(&self) -> &str {
                &self.0
            }

            /// The value of an `Authorization` header with the secret, marked as sensitive.
            pub fn header_value(&self, scheme: AuthScheme) -> HeaderValue {
                scheme.write(&self.0)
            }
        }

        impl From<&Self> for $name {
            fn from(token: &Self) -> Self {
                token.clone()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(***)"))
            }
        }

        impl FromStr for $name {
            type Err = TokenError;

            fn from_str(text: &str) -> Result<Self, TokenError> {
                Self::new(text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::new(String::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        }
    )*};
}

tokens! {
    /// The API key of a user, which gives access to projects and pages (specification, section 5).
    ApiKey = "API key",
    /// A static API token, which gives access to a connected resource (specification, section 5).
    ApiToken = "API token",
    /// The access token of a user session, sent with the prefix `JWT`.
    AccessToken = "access token",
    /// The refresh token of a user session; it is never sent as a header.
    RefreshToken = "refresh token",
    /// The token of a service request, sent with the prefix `JWT`.
    ServiceToken = "service token",
}

impl BodyProperty for RefreshToken {
    const EXPECTED: &'static str = String::EXPECTED;

    /// Accepts any text: an impossible token is treated like an unknown one.
    fn read(json: &RawValue) -> Option<Self> {
        String::read(json).map(|text| Self(text.into_boxed_str()))
    }
}

fn check(text: &str) -> Result<(), Problem> {
    if text.is_empty() {
        return Err(Problem::Empty);
    }
    let Some(position) = text.bytes().position(|byte| !byte.is_ascii_graphic()) else {
        return Ok(());
    };
    let prefix = text.split(' ').next().unwrap_or_default();
    let is_prefix = ["Bearer", "JWT", "Token"]
        .iter()
        .any(|scheme| scheme.eq_ignore_ascii_case(prefix));
    Err(if is_prefix {
        Problem::Prefix
    } else {
        Problem::Character(position)
    })
}

/// The error for a text that cannot be a token. The message names the kind of token and the position, and never quotes it.
///
/// ```
/// use svc_auth::ApiKey;
///
/// let error = ApiKey::new("svck_77\n").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the API key has a character at position 8 that is not visible ASCII; \
///      remove spaces and line breaks around it",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {what} {problem}")]
pub struct TokenError {
    what: &'static str,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("is empty")]
    Empty,
    #[error("begins with the name of a scheme; give it without that prefix")]
    Prefix,
    #[error(
        "has a character at position {} that is not visible ASCII; remove spaces and line breaks around it",
        .0 + 1
    )]
    Character(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_never_shows_a_secret() {
        let shown = format!(
            "{:?} {:?}",
            ApiKey::new("svck_hidden").unwrap(),
            AccessToken::new("hidden.hidden.hidden").unwrap(),
        );
        assert_eq!(shown, "ApiKey(***) AccessToken(***)");
    }

    #[test]
    fn an_empty_token_is_refused() {
        assert_eq!(
            ApiToken::new("").unwrap_err().to_string(),
            "the API token is empty"
        );
    }

    #[test]
    fn a_text_that_is_not_allowed_in_a_header_is_refused_and_not_quoted() {
        for text in [
            "hidden\r\nX-Evil: 1",
            "hid den",
            "hidden\u{7f}",
            "hiddén",
            "\thidden",
        ] {
            let error = RefreshToken::new(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hid"), "{error}");
        }
    }

    #[test]
    fn a_token_with_its_prefix_is_refused_with_the_remedy() {
        for text in ["Bearer hidden", "JWT hidden", "token hidden"] {
            assert_eq!(
                ApiToken::new(text).unwrap_err().to_string(),
                "the API token begins with the name of a scheme; give it without that prefix"
            );
        }
    }

    #[test]
    fn a_header_value_is_marked_as_sensitive() {
        let value = ApiKey::new("svck_hidden")
            .unwrap()
            .header_value(AuthScheme::Bearer);
        assert_eq!(value, "Bearer svck_hidden");
        assert_eq!(format!("{value:?}"), "Sensitive");
    }
}
