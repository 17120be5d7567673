//! The imports that this process works on.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::{Notify, watch},
    time::timeout,
};
use uuid::Uuid;

/// Tells the worker of imports that there may be one to go on with, and others what it works on.
#[derive(Debug)]
pub(crate) struct Imports {
    wake: Notify,
    /// What this process claims imports by.
    pub(crate) runner: Uuid,
    /// Those that are being worked on. The sender is dropped when that ends.
    working: Arc<Mutex<HashMap<Uuid, watch::Receiver<()>>>>,
}

/// An import is being worked on until this is dropped.
#[derive(Debug)]
pub(crate) struct Working {
    all: Arc<Mutex<HashMap<Uuid, watch::Receiver<()>>>>,
    uid: Uuid,
    _ends: watch::Sender<()>,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.all.lock().remove(&self.uid);
    }
}

impl Default for Imports {
    fn default() -> Self {
        Self {
            wake: Notify::new(),
            runner: Uuid::now_v7(),
            working: Arc::default(),
        }
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

    /// The work on an import begins.
    pub(crate) fn begin(&self, uid: Uuid) -> Working {
        let (ends, receiver) = watch::channel(());
        self.working.lock().insert(uid, receiver);
        Working {
            all: Arc::clone(&self.working),
            uid,
            _ends: ends,
        }
    }

    /// Waits until this process does not work on an import, but no longer than this.
    pub(crate) async fn ended(&self, uid: Uuid, patience: Duration) {
        let working = self.working.lock().get(&uid).cloned();
        if let Some(mut working) = working {
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
        let working = imports.begin(mine);
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
