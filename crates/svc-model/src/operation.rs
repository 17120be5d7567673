//! What the operations of several groups share.

use serde::{Deserialize, Deserializer};

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
