//! The token store of a session: a JavaScript object with `getItem`, `setItem` and `removeItem`
//! (specification, section 5, "User sessions", rule 2).

use std::{
    fmt,
    future::ready,
    sync::{Mutex, PoisonError},
};

use fragile::Fragile;
use svc_auth::{STORAGE_KEY, StoreError, StoredTokens, Swap, TokenStore};
use svc_model::wire::BoxFuture;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::error::text_of;

#[wasm_bindgen]
extern "C" {
    /// `localStorage`, or an object like it.
    pub type Storage;

    #[wasm_bindgen(method, structural, catch, js_name = getItem)]
    fn get_item(this: &Storage, key: &str) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(method, structural, catch, js_name = setItem)]
    fn set_item(this: &Storage, key: &str, value: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, structural, catch, js_name = removeItem)]
    fn remove_item(this: &Storage, key: &str) -> Result<(), JsValue>;
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Storage")
    }
}

/// A [`TokenStore`] that uses a [`Storage`].
pub(crate) struct StorageStore {
    storage: Fragile<Storage>,
    /// The content of the storage when the program made its client, until it was read.
    restored: Mutex<Option<String>>,
}

impl StorageStore {
    /// A store that begins with the tokens of `restored`, or with the content of the storage when there are none.
    pub(crate) fn new(storage: Storage, restored: Option<String>) -> Self {
        Self {
            storage: Fragile::new(storage),
            restored: Mutex::new(restored),
        }
    }

    fn load(&self) -> Result<Option<StoredTokens>, StoreError> {
        let mut restored = self.restored.lock().unwrap_or_else(PoisonError::into_inner);
        match restored.take() {
            Some(text) => Ok(read(&text)),
            None => self.kept(),
        }
    }

    fn kept(&self) -> Result<Option<StoredTokens>, StoreError> {
        let text = self.storage.get().get_item(STORAGE_KEY);
        let text = text.map_err(|error| failed("read", &error))?;
        Ok(text.as_deref().and_then(read))
    }

    fn put(&self, tokens: Option<&StoredTokens>) -> Result<(), StoreError> {
        let Some(tokens) = tokens else {
            let removed = self.storage.get().remove_item(STORAGE_KEY);
            return removed.map_err(|error| failed("empty", &error));
        };
        let text = serde_json::to_string(tokens).map_err(|error| {
            StoreError::new("the tokens cannot be written as JSON").with_source(error)
        })?;
        let set = self.storage.get().set_item(STORAGE_KEY, &text);
        set.map_err(|error| failed("write", &error))
    }
}

impl TokenStore for StorageStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>> {
        Box::pin(ready(self.load()))
    }

    fn replace<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.put(tokens)))
    }

    fn swap<'a>(
        &'a self,
        expected: &'a StoredTokens,
        new: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        // This is atomic: reading and writing are synchronous, so no other code of this origin runs between them.
        let swap = || {
            let kept = self.kept()?;
            if kept.as_ref() != Some(expected) {
                return Ok(Swap::Refused(kept));
            }
            self.put(new).map(|()| Swap::Done)
        };
        Box::pin(ready(swap()))
    }
}

impl fmt::Debug for StorageStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StorageStore")
    }
}

/// Reads an entry. An entry without tokens counts as missing: it is damaged or belongs to another program, and the next
/// sign-in or sign-out replaces it.
///
/// It is read as bytes, like all other JSON: a second parser would make the module larger.
fn read(text: &str) -> Option<StoredTokens> {
    serde_json::from_slice(text.as_bytes()).ok()
}

fn failed(what: &str, error: &JsValue) -> StoreError {
    let cause = text_of(error);
    StoreError::new(format!(
        "the storage cannot {what} the entry {STORAGE_KEY}: {cause}; is it full, or blocked by the browser?"
    ))
}
