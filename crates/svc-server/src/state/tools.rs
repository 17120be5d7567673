//! The built-in tools of environments, kept until the store changes.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
};

use svc_data::Resource;
use svc_store::Store;
use tokio::sync::{Mutex, MutexGuard};

use crate::http::{ApiResult, resource_path::ResourcePath};

/// The tools of every environment that was asked for, until the store changes.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    known: RwLock<HashMap<ResourcePath, Resource>>,
    /// Held from looking at the tag of a user or team until it is written.
    writing: Mutex<()>,
}

impl Tools {
    /// Waits until nobody else writes a user or team; they wait until the guard is dropped.
    pub(crate) async fn begin_write(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().await
    }

    /// Users and teams of an environment.
    pub(crate) async fn get(&self, store: &Store, path: &ResourcePath) -> ApiResult<Resource> {
        if let Some(tools) = self.known(path) {
            return Ok(tools);
        }
        let tools = store.tools(&path.scope).await?;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.clone(), tools.clone());
        Ok(tools)
    }

    fn known(&self, path: &ResourcePath) -> Option<Resource> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(path).cloned()
    }

    /// The store changed: environments may have come and gone.
    pub(crate) fn forget(&self) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.clear();
    }
}
