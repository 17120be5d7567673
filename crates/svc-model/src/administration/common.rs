//! Types that several groups of the administration share.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::wire::BodyProperty;

/// A team by its unique ID, with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TeamName {
    /// The unique ID.
    pub uid: String,
    /// The name.
    pub name: String,
}

impl TeamName {
    /// The team with this unique ID and name.
    pub fn new(uid: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uid: uid.into(),
            name: name.into(),
        }
    }
}

/// A session of an account or a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Session {
    /// The unique ID.
    pub uid: String,
    /// When it began (RFC 3339).
    pub date_add: String,
    /// When it was last renewed (RFC 3339).
    pub last_use: String,
    /// When it ends unless it is renewed (RFC 3339).
    #[serde(default)]
    pub expires: String,
    /// What the browser or the program calls itself.
    pub user_agent: Option<String>,
    /// The address of who signed in.
    pub address: Option<String>,
    /// Whether it is the session of this call.
    pub current: bool,
}

macro_rules! secret_texts {
    ($( $(#[$doc:meta])* $name:ident, )*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn expose(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl BodyProperty for $name {
            const EXPECTED: &'static str = String::EXPECTED;

            fn read(json: &RawValue) -> Option<Self> {
                String::read(json).map(Self)
            }
        }
    )*};
}

secret_texts! {
    /// The text of a credential that was just created, or a code. `Debug` does not show it.
    IssuedText,
    /// A secret that is written and never read back: the value of a secret token, or a password. `Debug` does not show it.
    SecretValue,
    /// The address of a resource, which may contain a password. `Debug` does not show it.
    SecretUrl,
}
