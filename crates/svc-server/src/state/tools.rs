//! The built-in tools of environments, kept until the store changes.

use svc_data::Resource;
use svc_store::Store;
use tokio::sync::{Mutex, MutexGuard};

use super::cache::{Lookups, StoreCache};
use crate::http::{ApiResult, resource_path::ResourcePath};

/// The tools of every environment that was asked for, until the store changes.
#[derive(Debug)]
pub(crate) struct Tools {
    known: StoreCache<ResourcePath, Resource>,
    /// Held from looking at the tag of a user or team until it is written.
    writing: Mutex<()>,
}

impl Tools {
    pub(crate) fn new() -> Self {
        Self {
            // There are as many as environments.
            known: StoreCache::new(usize::MAX),
            writing: Mutex::default(),
        }
    }

    /// Waits until nobody else writes a user or team; they wait until the guard is dropped.
    pub(crate) async fn begin_write(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().await
    }

    /// Users and teams of an environment.
    pub(crate) async fn get(&self, store: &Store, path: &ResourcePath) -> ApiResult<Resource> {
        let read = store.tools(&path.scope);
        Ok(self.known.get_or_read(path.clone(), read).await?)
    }

    /// How often tools were looked for.
    pub(crate) fn lookups(&self) -> Lookups {
        self.known.lookups()
    }

    /// The store changed: environments may have come and gone.
    pub(crate) fn forget(&self) {
        self.known.forget();
    }
}
