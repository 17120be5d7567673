//! The `draft` switch of page settings.

use std::str::FromStr;

use crate::{QueryString, wire::QueryPart};

/// The layer of page settings that an operation works on: the `draft` query parameter
/// (specification, section 4). Allowed values are `0`, the default, and `1`; there will be no other.
///
/// ```
/// use svc_model::Draft;
///
/// assert_eq!("1".parse(), Ok(Draft::On));
/// assert_eq!(Draft::default().as_str(), "0");
/// assert!("true".parse::<Draft>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Draft {
    /// `0`: the published layer.
    #[default]
    Off,
    /// `1`: the draft layer on top of it.
    On,
}

impl Draft {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "0",
            Self::On => "1",
        }
    }
}

impl QueryPart for Draft {
    const NAMES: &'static [&'static str] = &["draft"];

    fn write(&self, query: &mut QueryString) {
        query.push("draft", self.as_str());
    }
}

impl From<bool> for Draft {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

impl FromStr for Draft {
    type Err = DraftError;

    fn from_str(text: &str) -> Result<Self, DraftError> {
        match text {
            "0" => Ok(Self::Off),
            "1" => Ok(Self::On),
            _ => Err(DraftError(())),
        }
    }
}

/// A value of `draft` that is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be 0 or 1")]
pub struct DraftError(());
