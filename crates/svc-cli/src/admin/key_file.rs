//! The key of a store, in a file that was named.

use std::{fs, path::Path};

use svc_store::SealKey;

use crate::error::Error;

/// Reads the key of a store.
pub(super) fn read(path: &Path) -> Result<SealKey, Error> {
    let file = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        Error::new(format!(
            "the key file {file} cannot be read: {error}; name another one with --key-file"
        ))
    })?;
    // The error would not name the file, and the text is a secret.
    SealKey::parse(&text).map_err(|_| {
        Error::new(format!(
            "the key file {file} contains no key: a key is 43 characters of base64url, as in the file store.key of a store; \
             name another one with --key-file"
        ))
    })
}
