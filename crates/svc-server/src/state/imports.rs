//! The imports that this process works on.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use svc_model::{ResourceName, Scope};
use tokio::{
    sync::{Notify, watch},
    time::timeout,
};
use uuid::Uuid;

/// A connected database.
pub(crate) type Place = (Scope, ResourceName);
/// Its sender is dropped when the work on an import ends.
type End = watch::Receiver<()>;

/// Tells the worker of imports that there may be one to go on with, and others what it works on.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    wake: Notify,
    working: Arc<Mutex<HashMap<Uuid, (Place, End)>>>,
}

/// An import is being worked on until this is dropped.
#[derive(Debug)]
pub(crate) struct Working {
    all: Arc<Mutex<HashMap<Uuid, (Place, End)>>>,
    uid: Uuid,
    _ends: watch::Sender<()>,
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
        let of_place = working.values().filter(|(other, _)| *other == place);
        if working.contains_key(&uid) || of_place.count() >= most {
            return None;
        }
        let (ends, receiver) = watch::channel(());
        working.insert(uid, (place, receiver));
        Some(Working {
            all: Arc::clone(&self.working),
            uid,
            _ends: ends,
        })
    }

    /// Waits until this process does not work on an import, but no longer than this.
    pub(crate) async fn ended(&self, uid: Uuid, patience: Duration) {
        let working = self.working.lock().get(&uid).cloned();
        if let Some((_, mut working)) = working {
            // It never changes: it ends.
            let _ = timeout(patience, working.changed()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_the_end_of_an_import_does_not_wait_for_long() {
        let imports = Imports::default();
        let (mine, other) = (Uuid::now_v7(), Uuid::now_v7());
        let patience = Duration::from_secs(5);
        let place = || (Scope::new("p", "prod"), "r".into());
        let working = imports.begin(mine, place(), 2).unwrap();
        assert!(imports.begin(mine, place(), 2).is_none());
        assert!(imports.begin(Uuid::now_v7(), place(), 1).is_none());
        imports.ended(other, patience).await;
        let begun = tokio::time::Instant::now();
        imports.ended(mine, patience).await;
        assert_eq!(begun.elapsed(), patience);
        let waits = imports.ended(mine, patience);
        let ends = async {
            tokio::task::yield_now().await;
            drop(working);
        };
        tokio::join!(waits, ends);
        assert_eq!(begun.elapsed(), patience);
    }
}
