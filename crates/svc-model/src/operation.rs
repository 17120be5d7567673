//! What the operations of several groups share.

use bytes::Bytes;
use http::{HeaderName, header};
use serde::{Deserialize, Deserializer, Serialize};

use crate::wire::RequestError;

/// Writes a JSON body.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Bytes, RequestError> {
    serde_json::to_vec(value)
        .map(Bytes::from)
        .map_err(|error| RequestError::new("the body cannot be written as JSON").with_source(error))
}

/// The `If-Match` header (RFC 9110, section 13.1.1), where an entity tag is given.
pub(crate) fn if_match(etag: Option<&String>) -> Vec<(HeaderName, String)> {
    etag.map(|etag| (header::IF_MATCH, etag.clone()))
        .into_iter()
        .collect()
}

/// Reads a property that is there: a null is the value's own to judge, and only an absent one is `None`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// The wire name of a key that may be written in camelCase.
pub(crate) fn wire_key(key: &str) -> String {
    let mut name = String::with_capacity(key.len() + 2);
    for character in key.chars() {
        if character.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
}
