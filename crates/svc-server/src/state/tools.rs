//! The built-in tools of environments, kept until the store changes.

use svc_data::Resource;
use svc_store::Store;

use super::cache::{Lookups, StoreCache};
use crate::http::{ApiResult, resource_path::ResourcePath};

/// The tools of every environment that was asked for, until the store changes.
#[derive(Debug)]
pub(crate) struct Tools {
    known: StoreCache<ResourcePath, Resource>,
}

impl Tools {
    pub(crate) fn new() -> Self {
        Self {
            // There are as many as environments.
            known: StoreCache::new(usize::MAX),
        }
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
