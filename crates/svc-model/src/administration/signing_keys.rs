//! The keys that sign access tokens, for operators (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::wire::Operation;

/// The key that signs from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SigningKey {
    /// The unique ID.
    pub kid: String,
}

impl SigningKey {
    /// The key with this ID.
    pub fn new(kid: impl Into<String>) -> Self {
        Self { kid: kid.into() }
    }
}

/// Rotate the key that signs access tokens: `POST {app_base_url}/signing_keys/rotate/`, 200 with the [`SigningKey`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/signing_keys/rotate/")]
#[operation(name = "signing_keys.rotate", read, credential = ApiKey, level = Operator, answer = SigningKey)]
#[operation(new = "Rotates the key that signs access tokens.")]
#[non_exhaustive]
pub struct Rotate {
    /// Whether what earlier keys have signed ends now, so that everybody renews the session; otherwise it stays valid until it expires.
    #[wire(body)]
    pub now: Option<bool>,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}
