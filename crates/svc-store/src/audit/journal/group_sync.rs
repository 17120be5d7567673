//! One sync of the journal's file for all who wait for one.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::file::JournalFile;
use crate::error::{Error, Result};

pub(super) struct GroupSync {
    file: Arc<JournalFile>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether a thread syncs, which goes on as long as somebody waits.
    syncing: bool,
    waiting: Vec<oneshot::Sender<bool>>,
}

impl GroupSync {
    pub(super) fn new(file: Arc<JournalFile>) -> Arc<Self> {
        Arc::new(Self {
            file,
            state: Mutex::default(),
        })
    }

    /// Waits until what was written to the file before this call is on the disk.
    pub(super) async fn sync(self: &Arc<Self>) -> Result<()> {
        let (sender, synced) = oneshot::channel();
        let is_first = {
            let mut state = self.state.lock();
            state.waiting.push(sender);
            !std::mem::replace(&mut state.syncing, true)
        };
        if is_first {
            let this = Arc::clone(self);
            spawn_blocking(move || this.run());
        }
        match synced.await {
            Ok(true) => Ok(()),
            _ => Err(Error::internal("the journal of writes cannot be synced")),
        }
    }

    fn run(&self) {
        while let Some(waiting) = self.next() {
            let synced = self.file.sync();
            if let Err(error) = &synced {
                tracing::error!(%error, "the journal of writes cannot be synced");
            }
            for waiting in waiting {
                // Nobody waits for it where the caller has left.
                let _ = waiting.send(synced.is_ok());
            }
        }
    }

    /// Those who wait now; `None` ends the thread.
    fn next(&self) -> Option<Vec<oneshot::Sender<bool>>> {
        let mut state = self.state.lock();
        state.syncing = !state.waiting.is_empty();
        state.syncing.then(|| std::mem::take(&mut state.waiting))
    }
}
