//! One sync of the journal's file for all who wait for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::file::JournalFile;
use crate::error::{Error, Result};

pub(super) struct GroupSync {
    file: Arc<JournalFile>,
    state: Mutex<State>,
    /// How often something was written that is to be on the disk.
    written: AtomicU64,
    /// How many of these times it was synced afterwards.
    synced: AtomicU64,
    /// A sync has failed once. The system may have lost what was written, and say of the next sync that it succeeded.
    has_failed: AtomicBool,
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
            written: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
        })
    }

    /// Says that something was written, and gives its number.
    pub(super) fn count_written(&self) -> u64 {
        self.written.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Whether what has this number is on the disk.
    pub(super) fn has_synced(&self, written: u64) -> bool {
        self.synced.load(Ordering::Acquire) >= written
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
            let synced = self.sync_here();
            for waiting in waiting {
                // Nobody waits for it where the caller has left.
                let _ = waiting.send(synced);
            }
        }
    }

    /// Syncs on this thread, and says whether that succeeded.
    pub(super) fn sync_here(&self) -> bool {
        let written = self.written.load(Ordering::Acquire);
        if !self.has_failed.load(Ordering::Acquire)
            && let Err(error) = self.file.sync()
            && !self.has_failed.swap(true, Ordering::AcqRel)
        {
            tracing::error!(
                %error,
                "the journal of writes cannot be synced: until the service is started again, each write waits until \
                 the store has its line"
            );
        }
        let synced = !self.has_failed.load(Ordering::Acquire);
        if synced {
            self.synced.fetch_max(written, Ordering::AcqRel);
        }
        synced
    }

    /// Those who wait now; `None` ends the thread.
    fn next(&self) -> Option<Vec<oneshot::Sender<bool>>> {
        let mut state = self.state.lock();
        state.syncing = !state.waiting.is_empty();
        state.syncing.then(|| std::mem::take(&mut state.waiting))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;

    use super::*;

    #[tokio::test]
    async fn a_file_whose_sync_has_failed_is_not_believed_again() {
        // It takes what is written, and refuses to sync.
        let file = JournalFile::over(File::open("/dev/null").unwrap());
        let sync = GroupSync::new(Arc::new(file));
        let written = sync.count_written();
        assert!(!sync.sync_here());
        assert!(!sync.has_synced(written));
        assert!(sync.sync().await.is_err());

        let dir = tempfile::tempdir().unwrap();
        let sync = GroupSync::new(Arc::new(JournalFile::create(dir.path()).unwrap()));
        let written = sync.count_written();
        assert!(sync.sync_here());
        assert!(sync.has_synced(written));
        sync.has_failed.store(true, Ordering::Release);
        let written = sync.count_written();
        assert!(!sync.sync_here());
        assert!(!sync.has_synced(written));
        assert!(sync.sync().await.is_err());
    }
}
