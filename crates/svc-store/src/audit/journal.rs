//! The journal of writes to connected databases: what a process has begun to write and has no line for yet.
//!
//! A connected database shares no transaction with the store, so that a write and its line cannot be one step. A
//! process therefore notes each write in a file of its own before it begins, and clears the note when the line is in
//! the audit trail. The note of a process that was killed in between becomes a line, whose outcome is `unknown` where
//! the process did not know it either. The file is made large enough before a write begins, so that a full disk does
//! not prevent a note. It is not synced: notes outlive the process, but not a loss of power.

mod file;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use self::file::{JournalFile, Slot};
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
    file: JournalFile,
    /// Lines that the store has not taken yet, and the notes that are cleared once it has.
    waiting: Mutex<Vec<Waiting>>,
}

struct Waiting {
    slot: Slot,
    lines: Vec<NewLine>,
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
    pub(super) lines: Vec<NewLine>,
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
        Ok(Self {
            inner: Arc::new(Inner {
                store: store.clone(),
                file,
                waiting: Mutex::default(),
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
        if let Err(error) = self.inner.file.write(&slot, &begun) {
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
        self.inner.waiting.lock().len()
    }

    /// Appends the lines that the store has not taken yet.
    ///
    /// # Errors
    /// When the store still cannot be written; the lines go on waiting.
    pub async fn flush(&self) -> Result<()> {
        let waiting = std::mem::take(&mut *self.inner.waiting.lock());
        if waiting.is_empty() {
            return Ok(());
        }
        let lines: Vec<NewLine> = waiting
            .iter()
            .flat_map(|waiting| waiting.lines.iter().cloned())
            .collect();
        let number = lines.len();
        match append(&self.inner.store, lines).await {
            Ok(()) => {
                for Waiting { slot, .. } in waiting {
                    self.inner.file.clear(slot);
                }
                tracing::info!(
                    lines = number,
                    "lines of the audit trail that waited for the store were written"
                );
                Ok(())
            }
            Err(error) => {
                self.inner.waiting.lock().extend(waiting);
                Err(error)
            }
        }
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

    /// The write was done: appends its lines, in one transaction with those of others who append now. They are on the
    /// disk when this gives `Ok`.
    ///
    /// # Errors
    /// When the store cannot be written. The lines wait for [`WriteJournal::flush`] then.
    pub async fn settle(mut self, entries: &[AuditEntry]) -> Result<()> {
        let Some(slot) = self.slot.take() else {
            return Ok(());
        };
        let inner = &self.journal.inner;
        let lines = entries
            .iter()
            .map(|entry| inner.store.new_line(&self.by, entry))
            .collect::<Vec<_>>();
        // Between here and the end of the append a killed process may have the line in the trail or not. The note
        // has the identifier of the line, so that it becomes no second one.
        let of_many;
        let noted = match lines.as_slice() {
            [] => None,
            [line] => Some(line),
            [first, ..] => {
                of_many = self.begun.clone().with_uid(first.uid());
                Some(&of_many)
            }
        };
        if let Some(noted) = noted
            && let Err(error) = inner.file.write(&slot, noted)
        {
            tracing::warn!(%error, "the journal of writes cannot be written");
        }
        // The line is appended to its end even when the caller leaves meanwhile.
        let mut pending = Pending {
            journal: &self.journal,
            waiting: Some(Waiting { slot, lines }),
        };
        pending.append().await
    }
}

impl Drop for BegunWrite {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            let lines = vec![self.begun.clone()];
            self.journal
                .inner
                .waiting
                .lock()
                .push(Waiting { slot, lines });
        }
    }
}

impl fmt::Debug for BegunWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BegunWrite").finish_non_exhaustive()
    }
}

/// Lines that are being appended; those of an append that failed or was dropped wait.
struct Pending<'a> {
    journal: &'a WriteJournal,
    waiting: Option<Waiting>,
}

impl Pending<'_> {
    async fn append(&mut self) -> Result<()> {
        let lines = self
            .waiting
            .as_ref()
            .map(|waiting| waiting.lines.clone())
            .unwrap_or_default();
        append(&self.journal.inner.store, lines).await?;
        if let Some(Waiting { slot, .. }) = self.waiting.take() {
            self.journal.inner.file.clear(slot);
        }
        Ok(())
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            self.journal.inner.waiting.lock().push(waiting);
        }
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

/// What the journals of the other processes hold.
pub(super) async fn notes_of_others(store: &Store) -> Result<Vec<Notes>> {
    let dir = store.dir().to_owned();
    blocking(move || {
        let _lock = crate::database::lock_folder(&dir)?;
        file::read_all(&dir)
    })
    .await
}

/// Makes lines of what processes noted that have ended, and removes their journals. Gives the number of notes.
pub(super) async fn recover(store: &Store) -> Result<usize> {
    let mut recovered = 0;
    for notes in notes_of_others(store).await? {
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
        recovered += notes.lines.len();
        append(store, notes.lines).await?;
        blocking(move || file::remove(&notes.path)).await?;
    }
    Ok(recovered)
}
