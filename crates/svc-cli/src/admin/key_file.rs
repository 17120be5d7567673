//! The key of a store, in a file that was named.

use std::{fs, path::Path};

use svc_store::SealKey;

use crate::{context::place::Place, error::Error};

/// The key that was given, itself or in a file.
pub(super) fn given(place: &Place) -> Result<Option<SealKey>, Error> {
    match place.key() {
        Some(key) => Ok(Some(key.clone())),
        None => place.key_file().map(read).transpose(),
    }
}

/// Reads the key of a store.
fn read(path: &Path) -> Result<SealKey, Error> {
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
