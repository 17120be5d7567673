//! The store as a whole: reading and writing, and the revision that caches watch.

mod address;
pub(crate) mod files;
pub(crate) mod json;
mod migrations;
mod postgres;
pub(crate) mod row;
mod tx;
mod unchanged;
mod values;

use std::any::Any;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use parking_lot::Mutex;
use svc_data::database::DatabaseLock;
use svc_data::{Database, Durations, Row};
use uuid::{ContextV7, Uuid};

pub use self::address::ServiceAddress;
pub use self::files::KEY_FILE;
pub(crate) use self::files::{lock as lock_folder, make_private_dir, private_file, sync_dir};
pub(crate) use self::migrations::MIGRATIONS;
pub(crate) use self::postgres::WORDING;
pub(crate) use self::row::{columns, stored_by_name};
pub(crate) use self::tx::{Reader, Tx};
pub(crate) use self::unchanged::Unchanged;
pub(crate) use self::values::{Bind, row, values};
use crate::audit::{Actor, AuditEntry, By, NewLine};
use crate::clock::Clock;
use crate::credentials::Passwords;
use crate::error::{Error, Result};
use crate::secrets::Sealer;

/// Defines a handle: a type that borrows the store, and the method that gives it.
macro_rules! handle {
    ($(#[$type_doc:meta])+ $type:ident, $(#[$method_doc:meta])+ $method:ident) => {
        $(#[$type_doc])+
        #[derive(Debug, Clone, Copy)]
        pub struct $type<'a> {
            store: &'a $crate::Store,
        }

        impl $crate::Store {
            $(#[$method_doc])+
            pub fn $method(&self) -> $type<'_> {
                $type { store: self }
            }
        }
    };
}
pub(crate) use handle;

/// The one row about the store itself.
pub(crate) const STATE: &str = "SELECT revision, seal_check FROM store_state WHERE id = 1";
/// What caches watch, and whether nodes ask each other something.
const REVISION: &str = "SELECT revision, (SELECT count(*) FROM node_questions) AS questions FROM store_state WHERE id = 1";
/// How much a check writes, to see whether the disk has space for more.
const PROBE_BYTES: usize = 8_192;
/// The control plane. Cheap to clone; several processes may have the same folder open at once.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
    /// Who writes, and by which request.
    by: Arc<By>,
    /// Whether writes leave lines in the audit trail.
    is_audited: bool,
    /// What must still be as it was when something is written.
    unchanged: Option<Arc<Unchanged>>,
}

struct Inner {
    dir: PathBuf,
    database: Database,
    sealer: Sealer,
    clock: Clock,
    passwords: Passwords,
    /// What the identifiers of lines of the audit trail are counted with.
    lines: Mutex<ContextV7>,
    /// The revision last read and the change counter it was read at.
    revision: Mutex<Option<(u64, u64)>>,
    /// Whether any node asked something when the revision was read.
    has_questions: AtomicBool,
    /// How long statements take.
    statements: Durations,
}

impl Store {
    /// The store in a database that was opened.
    pub(crate) fn over(dir: PathBuf, database: Database, sealer: Sealer, clock: Clock) -> Self {
        let inner = Inner {
            dir,
            database,
            sealer,
            clock,
            passwords: Passwords::default(),
            lines: Mutex::new(ContextV7::new()),
            revision: Mutex::new(None),
            has_questions: AtomicBool::new(false),
            statements: Durations::default(),
        };
        Self {
            inner: Arc::new(inner),
            by: Arc::new(By::program()),
            is_audited: true,
            unchanged: None,
        }
    }

    /// The folder the store lives in.
    pub fn dir(&self) -> &Path {
        &self.inner.dir
    }

    /// A number that moves when anything a cache may hold was changed, by this or another process.
    /// The use of a credential alone does not move it. Costs no query while nothing was committed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn revision(&self) -> Result<u64> {
        // Read before the revision, so that the next call sees a commit in between.
        let counter = self.change_counter().await?;
        let known = *self.inner.revision.lock();
        if let Some((at, revision)) = known
            && Some(at) == counter
        {
            return Ok(revision);
        }
        let read = self.read(|reader| {
            let state = state(reader.query_one(REVISION, &[])?)?;
            Ok((state.get("revision")?, state.get::<i64>("questions")? > 0))
        });
        let (revision, has_questions) = read.await?;
        self.inner
            .has_questions
            .store(has_questions, Ordering::Relaxed);
        *self.inner.revision.lock() = counter.map(|counter| (counter, revision));
        Ok(revision)
    }

    /// The revision as the store itself says it, for the case that the news of a change was lost on its way.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn read_revision(&self) -> Result<u64> {
        self.inner.revision.lock().take();
        self.revision().await
    }

    /// Whether the store is in a database on a server, where other machines may have it open too.
    pub fn is_on_server(&self) -> bool {
        self.inner.database.is_on_server()
    }

    /// Hears from now on of changes by other machines; for a service.
    pub fn listen(&self) {
        self.inner.database.listen();
    }

    /// Waits until the revision may have moved. In a file nobody tells of it: then it waits for ever.
    pub async fn changed(&self) {
        self.inner.database.changed().await;
    }

    /// How long statements on the store took in this process, without what waits for a connection, and without those that
    /// go with the commit.
    pub fn statement_durations(&self) -> &Durations {
        &self.inner.statements
    }

    /// Whether the store answers; for a readiness check.
    ///
    /// # Errors
    /// Why it does not.
    pub async fn check(&self) -> Result<()> {
        self.read(|reader| reader.query("SELECT id FROM store_state", &[]).map(drop))
            .await
    }

    /// Whether the store can be written; for a readiness check. Writes some kilobytes and removes them again.
    ///
    /// # Errors
    /// Why it cannot.
    pub async fn check_writable(&self) -> Result<()> {
        self.write(|tx| {
            let filler = "x".repeat(PROBE_BYTES);
            tx.housekeeping().execute(
                "INSERT INTO store_probe (id, filler) VALUES (1, ?1) \
                 ON CONFLICT (id) DO UPDATE SET filler = excluded.filler",
                &values![filler],
            )
        })
        .await?;
        // In a transaction of its own: pages that are freed in the same one would be used again at once, and
        // nothing would be known about the space that is left.
        self.write(|tx| tx.housekeeping().execute("DELETE FROM store_probe", &[]))
            .await?;
        Ok(())
    }

    /// Reads all of the database and checks that it is not damaged. It takes a second for each gigabyte, or longer.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when it is damaged or cannot be read.
    pub async fn check_integrity(&self) -> Result<()> {
        Ok(self.inner.database.check_integrity().await?)
    }

    /// Updates the statistics of tables and indexes, by which the database chooses how to find entries.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn analyze(&self) -> Result<()> {
        Ok(self.inner.database.analyze().await?)
    }

    /// Completes the file of the database: what lies in its log is moved into it, so that a copy of the file alone is
    /// a copy of the store. For a service that ends.
    ///
    /// # Errors
    /// When the file cannot be written, or another process uses the log.
    pub async fn checkpoint(&self) -> Result<()> {
        Ok(self.inner.database.checkpoint().await?)
    }

    /// Waits until no other process that waits for the same is between its own call and the drop of what it was
    /// given: for steps that several processes that start at once must not do twice.
    ///
    /// # Errors
    /// When the store's folder cannot be written, or the server with its database does not answer.
    pub async fn exclusive(&self) -> Result<Exclusive> {
        let dir = self.inner.dir.clone();
        Ok(Exclusive {
            _folder: blocking(move || files::lock(&dir)).await?,
            _database: self.inner.database.lock().await?,
        })
    }

    /// A number that moves when a change was announced, by any process; `None` while this one does not hear of changes.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn change_counter(&self) -> Result<Option<u64>> {
        Ok(self.inner.database.change_counter().await?)
    }

    pub(crate) fn has_questions(&self) -> bool {
        self.inner.has_questions.load(Ordering::Relaxed)
    }

    pub(crate) fn sealer(&self) -> &Sealer {
        &self.inner.sealer
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// Reads, everything in `work` from one snapshot.
    pub(crate) async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Reader<'_>) -> Result<T> + Send + 'static,
    {
        let work = Box::new(move |reader: &mut Reader<'_>| Ok(Box::new(work(reader)?) as Given));
        given(self.read_boxed(work).await?)
    }

    /// Writes in one transaction: what `work` changes, with the lines of the audit trail and the revision that it asks
    /// for.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let work = Box::new(move |tx: &mut Tx<'_>| Ok(Box::new(work(tx)?) as Given));
        given(self.write_boxed(work).await?)
    }

    /// Compiled once, for all that is read.
    async fn read_boxed(&self, work: Box<ReadWork>) -> Result<Given> {
        let (store, now) = (self.clone(), self.clock().now());
        self.inner
            .database
            .read(move |conn| work(&mut Reader::new(conn, &store, now)))
            .await
    }

    /// Compiled once, for all that is written.
    async fn write_boxed(&self, work: Box<WriteWork>) -> Result<Given> {
        let (store, now) = (self.clone(), self.clock().now());
        self.inner
            .database
            .write(move |conn| {
                let mut tx = Tx::new(Reader::new(conn, &store, now));
                if let Some(unchanged) = &store.unchanged {
                    unchanged.check(&mut tx)?;
                }
                let done = work(&mut tx)?;
                tx.finish()?;
                Ok(done)
            })
            .await
    }

    /// The same store with another author of its writes.
    pub(crate) fn by(&self, by: By) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            by: Arc::new(by),
            is_audited: true,
            unchanged: self.unchanged.clone(),
        }
    }

    /// The same store, whose writes are refused when a row is no longer as it was.
    pub(crate) fn holding(&self, unchanged: Unchanged) -> Self {
        Self {
            unchanged: Some(Arc::new(unchanged)),
            ..self.clone()
        }
    }

    /// The same store, whose writes leave no lines in the audit trail.
    #[must_use]
    pub fn unaudited(&self) -> Self {
        Self {
            is_audited: false,
            ..self.clone()
        }
    }

    /// Who writes.
    pub(crate) fn actor(&self) -> &Actor {
        &self.by.actor
    }

    /// Who the lines of the audit trail are about; `None` when there are none.
    pub(crate) fn audited_by(&self) -> Option<&Arc<By>> {
        self.is_audited.then_some(&self.by)
    }

    /// A line of the audit trail about a change that was made now. Its identifier sorts behind those of all before.
    pub(crate) fn new_line(&self, by: &By, entry: AuditEntry) -> NewLine {
        let now = self.clock().now();
        let seconds = u64::try_from(now.as_second()).unwrap_or(0);
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or(0);
        let lines = self.inner.lines.lock();
        let uid = Uuid::new_v7(uuid::Timestamp::from_unix(&*lines, seconds, nanos));
        NewLine::new(uid, now, by, entry)
    }

    pub(crate) fn database(&self) -> &Database {
        &self.inner.database
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.inner.passwords
    }
}

/// What is done in a transaction.
type ReadWork = dyn FnOnce(&mut Reader<'_>) -> Result<Given> + Send;
type WriteWork = dyn FnOnce(&mut Tx<'_>) -> Result<Given> + Send;

/// What that gives, whatever its type.
type Given = Box<dyn Any + Send>;

/// The same with its type.
fn given<T: 'static>(given: Given) -> Result<T> {
    let other = |_| Error::internal("a transaction gave a value of another type");
    given.downcast().map(|given| *given).map_err(other)
}

/// Proof that no other process is at the same step: [`Store::exclusive`].
#[derive(Debug)]
pub struct Exclusive {
    _folder: File,
    /// On a server other machines wait too.
    _database: Option<DatabaseLock>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("dir", &self.inner.dir)
            .finish_non_exhaustive()
    }
}

/// The one row about the store itself.
pub(crate) fn state(found: Option<Row>) -> Result<Row> {
    found
        .ok_or_else(|| Error::internal("the store has lost its state; restore it from your backup"))
}

/// Runs work on files on a thread where it may block.
pub(crate) async fn blocking<T, F>(work: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T> + Send + 'static,
{
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(Error::caused("opening the store was interrupted"))?
}
