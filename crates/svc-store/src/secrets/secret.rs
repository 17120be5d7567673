//! The redacted [`Secret`].

use std::fmt;

use crate::error::{Error, Result};

/// A text that must not be seen: a key, a token, an address that holds a password.
///
/// `Debug` is redacted and there is no `Display`; a caller that needs the text calls [`expose`](Secret::expose).
///
/// ```
/// use svc_store::Secret;
///
/// let url = Secret::new("postgres://app:hunter2@db/shop");
/// assert_eq!(format!("{url:?}"), "Secret(..)");
/// assert!(url.expose().ends_with("/shop"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text that must not be seen.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Bytes of the system's random source.
pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(Error::caused("the system's random source failed"))?;
    Ok(bytes)
}
