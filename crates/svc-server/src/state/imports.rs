//! The imports that this process works on.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use svc_model::{ResourceName, Scope};
use tokio::sync::Notify;
use uuid::Uuid;

/// A connected database.
pub(crate) type Place = (Scope, ResourceName);

/// Tells the worker of imports that there may be one to go on with, and keeps what it works on.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    wake: Notify,
    working: Arc<Mutex<HashMap<Uuid, Place>>>,
}

/// An import is being worked on until this is dropped.
#[derive(Debug)]
pub(crate) struct Working {
    all: Arc<Mutex<HashMap<Uuid, Place>>>,
    uid: Uuid,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.all.lock().remove(&self.uid);
    }
}

impl Imports {
    /// To be called after an import was begun. Neither waits nor fails.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Completes when there may be an import.
    pub(crate) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// The work on an import into a connected database begins; `None` while this process works on it already, or on the
    /// most that it may of this database.
    pub(crate) fn begin(&self, uid: Uuid, place: Place, most: usize) -> Option<Working> {
        let mut working = self.working.lock();
        let of_place = working.values().filter(|other| **other == place);
        if working.contains_key(&uid) || of_place.count() >= most {
            return None;
        }
        working.insert(uid, place);
        Some(Working {
            all: Arc::clone(&self.working),
            uid,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_worked_on_once_and_few_of_one_database() {
        let imports = Imports::default();
        let place = |resource: &str| (Scope::new("p", "prod"), resource.into());
        let (mine, other) = (Uuid::now_v7(), Uuid::now_v7());
        let working = imports.begin(mine, place("r"), 1).unwrap();
        assert!(imports.begin(mine, place("s"), 1).is_none());
        assert!(imports.begin(other, place("r"), 1).is_none());
        assert!(imports.begin(other, place("s"), 1).is_some());
        drop(working);
        assert!(imports.begin(mine, place("r"), 1).is_some());
    }
}
