//! The journal of writes to connected databases: what a process has begun to write, and the lines that the store does
//! not have yet.
//!
//! A connected database shares no transaction with the store, so that a write and its line cannot be one step. A
//! process therefore notes each write in a file of its own before it begins. After the write its line takes the place
//! of the note, and is on the disk before the write is acknowledged: at once in the file, and soon after, with the
//! lines of many others, in the store, which is when the note is cleared. Where the store has taken no lines for a
//! while, the write waits until it has taken this one. A reader of the trail first appends the lines that the
//! journals have. A store on a server is read by other machines, which have no such file: there each write waits until the
//! store has its line.
//!
//! The note of a process that was killed before it had the line becomes a line whose outcome is `unknown`. The file is made
//! large enough before a write begins, so that a full disk does not prevent a note.

mod appender;
mod file;
mod group_sync;
mod slots;

use std::borrow::Borrow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

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

/// A write that is about to begin, or has. Where it was noted and neither [`settle`](Self::settle) nor [`cancel`](Self::cancel) is called, its outcome
/// is unknown, and its line says so.
pub struct BegunWrite {
    journal: WriteJournal,
    by: Arc<By>,
    /// What was known of it before it began.
    entry: Arc<AuditEntry>,
    /// The line about that, once it was needed.
    begun: OnceLock<NewLine>,
    /// `None` once the write was settled or cancelled.
    slot: Mutex<Option<Slot>>,
    /// Whether something is written in the slot.
    is_noted: AtomicBool,
    prepared: Mutex<Option<PreparedLine>>,
}

/// The line of a write that is about to be committed, as the journal has it.
struct PreparedLine {
    line: NewLine,
    /// What the sync has to come to.
    written: u64,
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
    /// Such lines that the store did not take when its process gave them.
    pub(super) refused: Vec<NewLine>,
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
    pub fn begin(&self, store: &Store, entry: impl Into<Arc<AuditEntry>>) -> Result<BegunWrite> {
        let begun = self.expect(store, entry)?;
        begun.note()?;
        Ok(begun)
    }

    /// Makes place for a write that is [noted](BegunWrite::note) when it begins, or [prepared](BegunWrite::prepare) before it
    /// is committed.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when there is no place; the write must not begin.
    pub fn expect(&self, store: &Store, entry: impl Into<Arc<AuditEntry>>) -> Result<BegunWrite> {
        let by = store.audited_by().cloned();
        let by = by.unwrap_or_else(|| Arc::new(By::program()));
        let slot = self.inner.file.take()?;
        Ok(BegunWrite {
            journal: self.clone(),
            by,
            entry: entry.into(),
            begun: OnceLock::new(),
            slot: Mutex::new(Some(slot)),
            is_noted: AtomicBool::new(false),
            prepared: Mutex::default(),
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
    /// The line that says that it began.
    fn begun(&self) -> &NewLine {
        let store = &self.journal.inner.store;
        let line = || {
            store
                .new_line(&self.by, AuditEntry::clone(&self.entry))
                .unknown()
        };
        self.begun.get_or_init(line)
    }

    /// Notes that the write begins.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when the note cannot be kept; the write must not begin.
    pub fn note(&self) -> Result<()> {
        let noted = match &mut *self.slot.lock() {
            Some(slot) => {
                self.is_noted.store(true, Ordering::Relaxed);
                self.journal.inner.file.note(slot, self.begun())
            }
            None => Ok(()),
        };
        // What was written of it is no write.
        noted.inspect_err(|_| self.cancel())
    }

    /// Notes the line of the write, which was done and is about to be committed. A line that is on the disk with the
    /// commit needs no time after it.
    pub fn prepare(&self, entry: AuditEntry) {
        let inner = &self.journal.inner;
        let line = inner.store.new_line(&self.by, entry).unknown();
        let mut slot = self.slot.lock();
        let Some(slot) = &mut *slot else {
            return;
        };
        self.is_noted.store(true, Ordering::Relaxed);
        let prepared = inner.file.prepare(slot, &line).unwrap_or_else(|error| {
            tracing::warn!(%error, "the journal of writes cannot be written");
            false
        });
        *self.prepared.lock() = prepared.then(|| PreparedLine {
            line: line.known(),
            written: inner.sync.count_written(),
        });
    }

    /// Brings what was prepared to the disk, of this write and of others. Whether that succeeded is found when the write is
    /// settled.
    pub fn sync(&self) {
        self.journal.inner.sync.sync_here();
    }

    /// The write did not happen.
    pub fn cancel(&self) {
        if let Some(slot) = self.slot.lock().take() {
            self.give_back(slot);
        }
    }

    fn give_back(&self, slot: Slot) {
        let file = &self.journal.inner.file;
        match self.is_noted.load(Ordering::Relaxed) {
            true => file.clear([slot]),
            false => file.give_back(slot),
        }
    }

    /// The write was done, and these are its lines, of which one may have been [prepared](Self::prepare). They are on the
    /// disk when this gives `Ok`, and in the trail of anyone who reads it from then on.
    ///
    /// # Errors
    /// When the store does not take the lines. They wait for [`WriteJournal::flush`] then.
    pub async fn settle(&self, entries: impl FnOnce() -> Vec<AuditEntry> + Send) -> Result<()> {
        let Some(mut slot) = self.slot.lock().take() else {
            return Ok(());
        };
        let inner = &self.journal.inner;
        let (lines, place) = self.place(&mut slot, entries);
        if lines.is_empty() {
            self.give_back(slot);
            return Ok(());
        }
        let keeps_up = inner.appender.keeps_up();
        // From here on the lines are appended to the end even when the caller leaves.
        let is_settled = !matches!(place, Place::None);
        inner.appender.add(Waiting {
            slot,
            lines,
            is_settled,
        });
        let on_disk = match place {
            // Other machines read the trail too, and do not see this file.
            _ if !keeps_up || inner.store.is_on_server() => false,
            Place::Disk => true,
            Place::File => inner.sync.sync().await.is_ok(),
            Place::None => false,
        };
        match on_disk {
            true => Ok(()),
            false => inner.appender.flush().await,
        }
    }

    /// The lines, and where the journal has them.
    fn place(
        &self,
        slot: &mut Slot,
        entries: impl FnOnce() -> Vec<AuditEntry>,
    ) -> (Vec<Arc<NewLine>>, Place) {
        let inner = &self.journal.inner;
        if let Some(PreparedLine { line, written }) = self.prepared.lock().take() {
            let place = match inner.file.confirm(slot) {
                Ok(()) if inner.sync.has_synced(written) => Place::Disk,
                Ok(()) => Place::File,
                Err(error) => {
                    tracing::warn!(%error, "the journal of writes cannot be written");
                    Place::None
                }
            };
            return (vec![Arc::new(line)], place);
        }
        let lines: Vec<Arc<NewLine>> = entries()
            .into_iter()
            .map(|entry| Arc::new(inner.store.new_line(&self.by, entry)))
            .collect();
        let place = match self.note_lines(slot, &lines) {
            Ok(true) => Place::File,
            Ok(false) => Place::None,
            Err(error) => {
                tracing::warn!(%error, "the journal of writes cannot be written");
                Place::None
            }
        };
        (lines, place)
    }

    /// Writes the lines into the slot, and says whether they are in it as a whole.
    ///
    /// A process that is killed now may have the lines in the trail already or not. The note has the identifier of the first one
    /// of them, so that it becomes no second one.
    fn note_lines(&self, slot: &mut Slot, lines: &[Arc<NewLine>]) -> Result<bool> {
        let file = &self.journal.inner.file;
        match lines {
            [] => Ok(false),
            [line] => {
                let fits = file.settle(slot, line)?;
                if !fits {
                    file.note(slot, line)?;
                }
                Ok(fits)
            }
            [first, ..] => {
                file.note(slot, &self.begun().clone().with_uid(first.uid()))?;
                Ok(false)
            }
        }
    }
}

/// Where the journal has the lines of a write.
enum Place {
    /// On the disk.
    Disk,
    /// In its file.
    File,
    /// Nowhere as a whole.
    None,
}

impl Drop for BegunWrite {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.get_mut().take() {
            if !self.is_noted.load(Ordering::Relaxed) {
                return self.give_back(slot);
            }
            let prepared = self.prepared.get_mut().take();
            let line = prepared.map(|prepared| prepared.line.unknown());
            let lines = vec![Arc::new(line.unwrap_or_else(|| self.begun().clone()))];
            self.journal.inner.appender.add(Waiting {
                slot,
                lines,
                is_settled: false,
            });
        }
    }
}

impl fmt::Debug for BegunWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BegunWrite").finish_non_exhaustive()
    }
}

/// Appends lines that may be in the trail already.
pub(super) async fn append<L>(store: &Store, lines: Vec<L>) -> Result<()>
where
    L: Borrow<NewLine> + Send + 'static,
{
    if lines.is_empty() {
        return Ok(());
    }
    let is_on_server = store.is_on_server();
    store
        .write(move |tx| {
            let mut rows = lines
                .iter()
                .map(|line| line.borrow().values_for(is_on_server));
            let sql = format!("{INSERT} ON CONFLICT (uid) DO NOTHING");
            tx.housekeeping().execute_many(&sql, &mut rows)
        })
        .await?;
    Ok(())
}

/// Appends the lines of writes that were done, as journals have them.
pub(super) async fn collect(store: &Store) -> Result<()> {
    let notes = notes(store).await?;
    let settled = notes
        .into_iter()
        .flat_map(|notes| [notes.settled, notes.refused]);
    append(store, settled.flatten().collect()).await
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

/// What the journals in a folder hold. The caller holds the lock of the folder.
pub(super) fn notes_in(dir: &Path) -> Result<Vec<Notes>> {
    file::read_all(dir)
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
            refused,
            ..
        } = notes;
        recovered += begun.len();
        append(store, [begun, settled, refused].concat()).await?;
        blocking(move || file::remove(&path)).await?;
    }
    Ok(recovered)
}
