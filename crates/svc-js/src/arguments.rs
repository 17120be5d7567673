//! Reading the arguments of a call.

use serde::de::DeserializeOwned;

use crate::error::{self, Failed};

/// The arguments of a call, which `core.js` wrote as JSON.
pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> Result<T, Failed> {
    serde_json::from_str(json)
        .map_err(|error| error::request(format!("the arguments cannot be used: {error}")))
}
