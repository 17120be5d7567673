//! A token store in memory.

use std::{
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use svc_model::wire::BoxFuture;

use super::{StoreError, StoredTokens, Swap, TokenStore};
use crate::AuthState;

/// A token store in memory. It is the default store of a session.
///
/// Clones share their tokens, so that a program can pass one clone to a session and read the other. A
/// server that acts for many users makes a store for each request:
///
/// ```
/// use svc_auth::{AuthState, MemoryStore};
///
/// let cookie: AuthState = serde_json::from_str(r#"{"access_token":"a","refresh_token":"r"}"#)?;
/// let store = MemoryStore::holding(cookie);
/// // ... a client with a clone of the store makes calls, and may have to refresh ...
/// let cookie = store.tokens();
/// assert_eq!(cookie.unwrap().access_token.expose(), "a");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<Option<StoredTokens>>>);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// A store with the tokens of a session.
    pub fn holding(state: AuthState) -> Self {
        Self(Arc::new(Mutex::new(Some(StoredTokens::begin(state)))))
    }

    /// The tokens that are stored now.
    pub fn tokens(&self) -> Option<AuthState> {
        self.kept().as_ref().map(|tokens| tokens.state().clone())
    }

    fn kept(&self) -> MutexGuard<'_, Option<StoredTokens>> {
        // No code of the caller runs under the lock, so its content is consistent even when it is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenStore for MemoryStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>> {
        Box::pin(ready(Ok(self.kept().clone())))
    }

    fn replace<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            *self.kept() = tokens.cloned();
            Ok(())
        })
    }

    fn swap<'a>(
        &'a self,
        expected: &'a StoredTokens,
        new: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        Box::pin(async move {
            let mut kept = self.kept();
            if kept.as_ref() != Some(expected) {
                return Ok(Swap::Refused(kept.clone()));
            }
            *kept = new.cloned();
            Ok(Swap::Done)
        })
    }
}
