//! The journal of writes to connected databases: what a process has begun to write, and the lines that the store does
//! not have yet.
//!
//! A connected database shares no transaction with the store, so that a write and its line cannot be one step. A
//! process therefore notes each write in a file of its own before it begins. After the write its line takes the place
//! of the note, and is on the disk before the write is acknowledged: at once in the file, and soon after, with the
//! lines of many others, in the store, which is when the note is cleared. Where the store has taken no lines for a
//! while, the write waits until it has taken this one. Whoever reads the trail first appends the lines that the
//! journals have.
//!
//! The note of a process that was killed before it had the line becomes a line whose outcome is `unknown`. The file is made
//! large enough before a write begins, so that a full disk does not prevent a note.

mod appender;
mod file;
mod group_sync;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use self::appender::{Appender, Waiting};
use self::file::{JournalFile, Slot};
use self::group_sync::GroupSync;
use super::row::{INSERT, NewLine};
use super::{AuditEntry, By};
use crate::database::{Store, blocking};
use crate::error::Result;

/// The journal of this process: [`Audit::open_journal`](super::Audit::open_journal). Cheap to clone.
#[derive(Clone)]
pub struct WriteJournal {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    file: Arc<JournalFile>,
    sync: Arc<GroupSync>,
    appender: Arc<Appender>,
}

/// A write that has begun. Where neither [`settle`](Self::settle) nor [`cancel`](Self::cancel) is called, its outcome
/// is unknown, and its line says so.
pub struct BegunWrite {
    journal: WriteJournal,
    by: By,
    begun: NewLine,
    /// `None` once the write was settled or cancelled.
    slot: Option<Slot>,
}

/// What a journal of another process holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notes {
    pub(super) path: PathBuf,
    /// Whether its process has ended.
    pub(super) ended: bool,
    /// What it knew of writes that it had begun.
    pub(super) begun: Vec<NewLine>,
    /// The lines of writes that were done.
    pub(super) settled: Vec<NewLine>,
    /// Notes that cannot be read.
    pub(super) unreadable: usize,
}

impl WriteJournal {
    pub(super) async fn open(store: &Store) -> Result<Self> {
        let dir = store.dir().to_owned();
        let file = blocking(move || {
            let _lock = crate::database::lock_folder(&dir)?;
            JournalFile::create(&dir)
        })
        .await?;
        let file = Arc::new(file);
        Ok(Self {
            inner: Arc::new(Inner {
                store: store.clone(),
                sync: GroupSync::new(Arc::clone(&file)),
                appender: Appender::new(store, Arc::clone(&file)),
                file,
            }),
        })
    }

    /// Notes that the actor of `store` begins a write, as far as `entry` knows it.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when the note cannot be kept; the write must not begin.
    pub fn begin(&self, store: &Store, entry: &AuditEntry) -> Result<BegunWrite> {
        let by = store.audited_by().cloned().unwrap_or_else(By::program);
        let begun = store.new_line(&by, entry).unknown();
        let slot = self.inner.file.take()?;
        if let Err(error) = self.inner.file.note(&slot, &begun) {
            self.inner.file.give_back(slot);
            return Err(error);
        }
        Ok(BegunWrite {
            journal: self.clone(),
            by,
            begun,
            slot: Some(slot),
        })
    }

    /// How many writes wait for the store to take their lines.
    pub fn waiting(&self) -> usize {
        self.inner.appender.waiting()
    }

    /// Whether the store did not take the lines that were appended last.
    pub fn is_failing(&self) -> bool {
        self.inner.appender.is_failing()
    }

    /// Appends the lines that the store has not taken yet.
    ///
    /// # Errors
    /// When the store cannot be written; the lines go on waiting.
    pub async fn flush(&self) -> Result<()> {
        self.inner.appender.flush().await
    }

    /// Ends the journal: appends what waits, and removes the file when nothing is noted in it any more. Otherwise the
    /// file stays for the next service that starts.
    pub async fn close(&self) {
        if let Err(error) = self.flush().await {
            tracing::error!(%error, "lines of the audit trail wait in the journal of writes for the next start");
        }
        self.inner.file.remove_when_clear();
    }
}

impl fmt::Debug for WriteJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteJournal")
            .field("waiting", &self.waiting())
            .finish_non_exhaustive()
    }
}

impl BegunWrite {
    /// The write did not happen.
    pub fn cancel(mut self) {
        if let Some(slot) = self.slot.take() {
            self.journal.inner.file.clear(slot);
        }
    }

    /// The write was done, and these are its lines. They are on the disk when this gives `Ok`, and in the trail of
    /// whoever reads it from then on.
    ///
    /// # Errors
    /// When the store does not take the lines. They wait for [`WriteJournal::flush`] then.
    pub async fn settle(mut self, entries: &[AuditEntry]) -> Result<()> {
        let Some(slot) = self.slot.take() else {
            return Ok(());
        };
        let inner = &self.journal.inner;
        let lines = entries
            .iter()
            .map(|entry| inner.store.new_line(&self.by, entry))
            .collect::<Vec<_>>();
        let in_file = self.note_lines(&slot, &lines).unwrap_or_else(|error| {
            tracing::warn!(%error, "the journal of writes cannot be written");
            false
        });
        let keeps_up = inner.appender.keeps_up();
        // From here on the lines are appended to the end even when the caller leaves.
        inner.appender.add(Waiting { slot, lines });
        if in_file && keeps_up && inner.sync.sync().await.is_ok() {
            return Ok(());
        }
        inner.appender.flush().await
    }

    /// Writes the lines into the slot, and says whether they are in it as a whole.
    ///
    /// A process that is killed now may have the lines in the trail already or not. The note has the identifier of the first one
    /// of them, so that it becomes no second one.
    fn note_lines(&self, slot: &Slot, lines: &[NewLine]) -> Result<bool> {
        let file = &self.journal.inner.file;
        match lines {
            [] => Ok(true),
            [line] => {
                let fits = file.settle(slot, line)?;
                if !fits {
                    file.note(slot, line)?;
                }
                Ok(fits)
            }
            [first, ..] => {
                file.note(slot, &self.begun.clone().with_uid(first.uid()))?;
                Ok(false)
            }
        }
    }
}

impl Drop for BegunWrite {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            let lines = vec![self.begun.clone()];
            self.journal.inner.appender.add(Waiting { slot, lines });
        }
    }
}

impl fmt::Debug for BegunWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BegunWrite").finish_non_exhaustive()
    }
}

/// Appends lines that may be in the trail already.
pub(super) async fn append(store: &Store, lines: Vec<NewLine>) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    store
        .write(move |tx| {
            let mut rows = lines.iter().map(NewLine::values);
            let sql = format!("{INSERT} ON CONFLICT (uid) DO NOTHING");
            tx.housekeeping().execute_many(&sql, &mut rows)
        })
        .await?;
    Ok(())
}

/// Appends the lines of writes that were done, as journals have them.
pub(super) async fn collect(store: &Store, notes: &[Notes]) -> Result<()> {
    let settled = notes.iter().flat_map(|notes| notes.settled.iter().cloned());
    append(store, settled.collect()).await
}

/// What the journals of all processes hold.
pub(super) async fn notes(store: &Store) -> Result<Vec<Notes>> {
    let dir = store.dir().to_owned();
    blocking(move || {
        let _lock = crate::database::lock_folder(&dir)?;
        file::read_all(&dir)
    })
    .await
}

/// Makes lines of what processes noted that have ended, and removes their journals. Gives the number of
/// those whose outcome they did not know.
pub(super) async fn recover(store: &Store) -> Result<usize> {
    let mut recovered = 0;
    for notes in notes(store).await? {
        if !notes.ended {
            continue;
        }
        if notes.unreadable > 0 {
            tracing::error!(
                notes = notes.unreadable,
                "the journal of writes of a service that ended early is damaged; lines may be missing from the \
                 audit trail"
            );
        }
        let Notes {
            path,
            begun,
            settled,
            ..
        } = notes;
        recovered += begun.len();
        append(store, [begun, settled].concat()).await?;
        blocking(move || file::remove(&path)).await?;
    }
    Ok(recovered)
}
