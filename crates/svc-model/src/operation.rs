//! Helpers that the operations of several groups share.

/// Converts a key that may be written in camelCase to its wire name.
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
