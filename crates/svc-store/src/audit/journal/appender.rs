//! The lines that are in the journal and not yet in the store, and the task that appends them, many at once.

use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use super::append;
use super::file::{JournalFile, Slot};
use crate::audit::row::NewLine;
use crate::database::Store;
use crate::error::{Error, Result};

/// How long lines are gathered that nobody waits for.
const GATHERED: Duration = Duration::from_millis(50);
/// How many of them are appended earlier than that.
const MANY: usize = 512;
/// How many lines the store may lag behind.
const MOST: usize = 4_096;
/// How long after it took lines the store is believed to take more.
const BELIEVED: Duration = Duration::from_millis(250);

pub(super) struct Appender {
    store: Store,
    file: Arc<JournalFile>,
    state: Mutex<State>,
    /// The lines that are gathered are to be appended now.
    hurry: Notify,
}

#[derive(Default)]
struct State {
    waiting: Vec<Waiting>,
    /// Those who wait until all of it is appended.
    watching: Vec<oneshot::Sender<Result<()>>>,
    /// Whether the task runs.
    appending: bool,
    /// When the store took lines, if it has not failed since.
    appended: Option<Instant>,
    is_failing: bool,
}

/// The lines of a write, and its note, which is cleared once the store has them.
pub(super) struct Waiting {
    pub(super) slot: Slot,
    pub(super) lines: Vec<Arc<NewLine>>,
    /// Whether the slot has the lines as a whole.
    pub(super) is_settled: bool,
}

impl Appender {
    pub(super) fn new(store: &Store, file: Arc<JournalFile>) -> Arc<Self> {
        Arc::new(Self {
            store: store.clone(),
            file,
            state: Mutex::default(),
            hurry: Notify::new(),
        })
    }

    /// How many writes have lines that the store has not taken.
    pub(super) fn waiting(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Whether the store has just taken lines, and does not lag far behind.
    pub(super) fn keeps_up(&self) -> bool {
        let state = self.state.lock();
        let appended = state.appended.map(|appended| appended.elapsed());
        appended.is_some_and(|ago| ago < BELIEVED) && state.waiting.len() < MOST
    }

    /// Adds lines that nobody waits for. Without a runtime they wait for the next ones.
    pub(super) fn add(self: &Arc<Self>, waiting: Waiting) {
        let many = {
            let mut state = self.state.lock();
            state.waiting.push(waiting);
            state.waiting.len() == MANY
        };
        if many {
            self.hurry.notify_one();
        }
        self.start();
    }

    /// Waits until the store has all lines that were added before.
    pub(super) async fn flush(self: &Arc<Self>) -> Result<()> {
        let appended = {
            let mut state = self.state.lock();
            if state.waiting.is_empty() && !state.appending {
                return Ok(());
            }
            let (sender, appended) = oneshot::channel();
            state.watching.push(sender);
            appended
        };
        self.hurry.notify_one();
        self.start();
        appended.await.unwrap_or_else(|_| {
            Err(Error::unavailable(
                "the program ended before its lines of the audit trail were written",
            ))
        })
    }

    /// Whether the store has not taken lines when they were appended last.
    pub(super) fn is_failing(&self) -> bool {
        self.state.lock().is_failing
    }

    /// Starts the task, unless it runs.
    fn start(self: &Arc<Self>) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let runs = std::mem::replace(&mut self.state.lock().appending, true);
        if !runs {
            let this = Arc::clone(self);
            runtime.spawn(async move { while this.append_gathered().await {} });
        }
    }

    /// Appends what is there after a moment, and says whether to go on.
    async fn append_gathered(&self) -> bool {
        if self.state.lock().watching.is_empty() {
            // Either way it is time.
            let _ = timeout(GATHERED, self.hurry.notified()).await;
        }
        let (waiting, watching) = {
            let mut state = self.state.lock();
            state.appending = !state.waiting.is_empty() || !state.watching.is_empty();
            if !state.appending {
                return false;
            }
            (take(&mut state.waiting), take(&mut state.watching))
        };
        let lines: Vec<Arc<NewLine>> = waiting
            .iter()
            .flat_map(|waiting| waiting.lines.iter().cloned())
            .collect();
        let number = lines.len();
        match append(&self.store, lines).await {
            Ok(()) => {
                self.file
                    .clear(waiting.into_iter().map(|waiting| waiting.slot));
                let had_failed = {
                    let mut state = self.state.lock();
                    state.appended = Some(Instant::now());
                    std::mem::replace(&mut state.is_failing, false)
                };
                if had_failed {
                    tracing::info!(
                        lines = number,
                        "lines of the audit trail that waited for the store were written"
                    );
                }
                answer(watching, &Ok(()));
                true
            }
            Err(error) => {
                for waiting in waiting.iter().filter(|waiting| waiting.is_settled) {
                    if let Err(error) = self.file.refuse(&waiting.slot) {
                        tracing::warn!(%error, "the journal of writes cannot be written");
                    }
                }
                let joined = {
                    let mut state = self.state.lock();
                    let added = std::mem::replace(&mut state.waiting, waiting);
                    state.waiting.extend(added);
                    state.appended = None;
                    state.is_failing = true;
                    state.appending = false;
                    take(&mut state.watching)
                };
                tracing::warn!(lines = number, %error, "lines of the audit trail wait for the store");
                let failed = Err(error);
                answer(watching, &failed);
                answer(joined, &failed);
                false
            }
        }
    }
}

fn answer(watching: Vec<oneshot::Sender<Result<()>>>, result: &Result<()>) {
    for watching in watching {
        // Nobody watches any more where the caller has left.
        let _ = watching.send(match result {
            Ok(()) => Ok(()),
            Err(error) => Err(error.copied()),
        });
    }
}
