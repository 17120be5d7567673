//! JSON that the store keeps as text: checked when it comes in, never looked at again.

use serde::de::IgnoredAny;
use svc_model::JsonObject;

use crate::error::Error;

/// A JSON object as text; the empty object when none is given.
pub(crate) fn object_or_empty(field: &str, text: Option<String>) -> Result<String, Error> {
    text.map_or_else(|| Ok("{}".to_owned()), |text| object(field, text))
}

/// A JSON object as text.
pub(crate) fn object(field: &str, text: String) -> Result<String, Error> {
    match serde_json::from_str::<JsonObject>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Error::invalid_field(
            field,
            format!("must be a JSON object: {error}"),
        )),
    }
}

/// Whether a text holds JSON, and if not, where it ends to be.
pub(crate) fn check(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text).map(drop)
}
