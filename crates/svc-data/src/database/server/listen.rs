//! How processes hear of each other's changes: by a notification of the server, which comes with the commit. By others they
//! tell each other what no table keeps.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Mutex, mpsc, watch},
    task::AbortHandle,
    time::sleep,
};

use crate::engine::postgres::StoreSource as Source;

/// What changes are announced on.
const CHANNEL: &str = "svc_changed";
/// What processes tell each other on.
pub(super) const TOLD: &str = "svc_told";
/// How many texts wait for being read; others are lost.
const MOST_TOLD: usize = 256;
/// How a change is committed that others are to hear of.
pub(super) const ANNOUNCED_COMMIT: &str = "NOTIFY svc_changed; COMMIT";
/// How long to wait until a lost connection is made again.
const PAUSE: Duration = Duration::from_millis(250);

/// What is known of changes.
pub(in crate::database) struct Changes {
    shared: Arc<Shared>,
    /// What [`changed`](Changes::changed) has seen.
    seen: Mutex<watch::Receiver<u64>>,
    /// What others have told.
    told: Mutex<mpsc::Receiver<String>>,
    listener: std::sync::OnceLock<AbortHandle>,
}

struct Shared {
    /// How many were heard of, and how often some may have been missed.
    count: watch::Sender<u64>,
    /// Whether all of them are heard of at this time.
    hears: AtomicBool,
    told: mpsc::Sender<String>,
}

impl Default for Changes {
    fn default() -> Self {
        let (count, seen) = watch::channel(0);
        let (sender, told) = mpsc::channel(MOST_TOLD);
        Self {
            shared: Arc::new(Shared {
                count,
                hears: AtomicBool::new(false),
                told: sender,
            }),
            told: Mutex::new(told),
            seen: Mutex::new(seen),
            listener: std::sync::OnceLock::new(),
        }
    }
}

impl Changes {
    /// A change was made, by this process.
    pub(super) fn note(&self) {
        self.shared.note();
    }

    /// Moves with each change; `None` when some may not be heard of.
    pub(in crate::database) fn counter(&self) -> Option<u64> {
        self.hears().then(|| *self.shared.count.borrow())
    }

    /// Whether all that others do and tell is heard of at this time.
    pub(in crate::database) fn hears(&self) -> bool {
        self.shared.hears.load(Ordering::SeqCst)
    }

    /// Waits for the next text that a process tells, which may be this one.
    pub(in crate::database) async fn told(&self) -> String {
        match self.told.lock().await.recv().await {
            Some(text) => text,
            // The sender is as old as this.
            None => std::future::pending().await,
        }
    }

    /// Waits for the next change.
    pub(in crate::database) async fn changed(&self) {
        let mut seen = self.seen.lock().await;
        // The sender is as old as this.
        let _ = seen.changed().await;
    }

    /// Listens, until this is dropped.
    pub(super) fn listen(&self, source: &Arc<Source>) {
        self.listener.get_or_init(|| {
            let (shared, source) = (Arc::clone(&self.shared), Arc::clone(source));
            tokio::spawn(listen(shared, source)).abort_handle()
        });
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.get() {
            listener.abort();
        }
    }
}

impl Shared {
    fn note(&self) {
        self.count.send_modify(|count| *count += 1);
    }
}

/// Listens, and begins again whenever the connection is lost.
async fn listen(shared: Arc<Shared>, source: Arc<Source>) {
    loop {
        let hears = || {
            shared.hears.store(true, Ordering::SeqCst);
            // What was announced before was missed.
            shared.note();
        };
        let heard = |channel: &str, text: &str| match channel {
            // A reader that is late has lost some.
            TOLD => drop(shared.told.try_send(text.to_owned())),
            _ => shared.note(),
        };
        let ended = source.listen(&[CHANNEL, TOLD], hears, heard).await;
        let heard = shared.hears.swap(false, Ordering::SeqCst);
        if heard {
            shared.note();
        }
        if let Err(error) = ended {
            tracing::debug!(%error, "changes of the store are asked for, since the server does not tell of them");
        }
        sleep(PAUSE).await;
    }
}
