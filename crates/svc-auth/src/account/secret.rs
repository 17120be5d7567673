//! Secrets that a person types in: passwords and codes.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use svc_model::wire::BodyProperty;

macro_rules! secrets {
    ($( $(#[$doc:meta])* $name:ident, )*) => {$(
        $(#[$doc])*
        ///
        /// `Debug` does not show it and there is no `Display`: only [`expose`](Self::expose) and the JSON
        /// of a request contain the text.
        #[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            /// Makes a secret from a text. Only the service checks its form.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into().into_boxed_str())
            }

            /// The secret itself.
            pub fn expose(&self) -> &str {
                &self.0
            }
        }

        impl BodyProperty for $name {
            const EXPECTED: &'static str = String::EXPECTED;

            fn read(json: &RawValue) -> Option<Self> {
                String::read(json).map(Self::new)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::new(text)
            }
        }

        impl From<&Self> for $name {
            fn from(secret: &Self) -> Self {
                secret.clone()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(***)"))
            }
        }
    )*};
}

secrets! {
    /// A password.
    Password,
    /// A code that was sent to an e-mail address: it can be used once to reset a password, confirm an
    /// address or accept an invitation.
    Code,
}
