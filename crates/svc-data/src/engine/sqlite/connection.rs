//! One connection to an SQLite file: how it is opened, that it is opened again when the file was
//! replaced, and how a statement on it is ended when its time is over.

use std::{
    cell::Cell,
    fs, io,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::{discover, fault, limiter::Limiter, ways::Ways};
use crate::{Error, Outage, Result, engine::counts::Counts};

/// How long a statement waits for a lock that another program holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long it pauses between two tries. SQLite's own pauses grow, so that beside a program that writes
/// all the time its turn would hardly ever come.
const BUSY_PAUSE: Duration = Duration::from_millis(1);
/// How many virtual machine steps SQLite takes between two looks at the clock.
const STEPS_BETWEEN_CHECKS: i32 = 4_000;
/// The same of a statement that others wait for: so few that they read only some pages of the file.
const STEPS_OF_DIRECT_READS: i32 = 250;
/// How many prepared statements a connection keeps.
const CACHED_STATEMENTS: usize = 256;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Sees the database and cannot change it.
    Reader,
    /// The same, without waiting for locks.
    DirectReader,
    /// The one connection that changes it.
    Writer,
}

/// Prepares a connection of ours further, for example with functions.
pub(crate) type Prepare =
    Arc<dyn Fn(&mut Connection, &Limiter) -> rusqlite::Result<()> + Send + Sync>;

/// How the file of a pool is opened.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// Whether the database is put into WAL mode; otherwise its journal mode stays what it is.
    pub(crate) set_wal: bool,
    /// Whether the file is only looked at, so that no other file may appear beside it.
    pub(crate) untouched: bool,
    pub(crate) prepare: Prepare,
}

/// A place for one connection, opened when it is first needed and again when the file was replaced.
pub(crate) struct Slot {
    source: Source,
    role: Role,
    open: Option<Open>,
    limiter: Limiter,
    /// How often this place has opened a connection.
    generation: u32,
}

/// Kibibytes of pages that a reader keeps.
const READER_PAGES_KIB: i64 = 2 << 10;
/// The same of a reader that has aggregated, as long as it reads: it would read most pages from the file again and again,
/// since an index is not in the order of its table.
const AGGREGATE_PAGES_KIB: i64 = 16 << 10;
/// The same of a direct reader, which keeps them for good.
const DIRECT_READER_PAGES_KIB: i64 = 8 << 10;
/// The same of a writer, as long as it writes: foreign keys and indexes are looked up all over a file.
const WRITER_PAGES_KIB: i64 = 16 << 10;

/// An open connection.
pub(crate) struct Open {
    connection: Connection,
    identity: Identity,
    /// Counts of records, by the connection's data version.
    pub(crate) counts: Counts<u32>,
    pub(super) ways: Ways,
    /// What ends its statements.
    pub(super) limiter: Limiter,
    role: Role,
    keeps_many_pages: Cell<bool>,
    /// What was read of it in this view.
    schema_version: Cell<Option<i64>>,
}

impl Open {
    /// SQLite's number of the structure, which stays the same in a view.
    pub(super) fn schema_version(&self) -> rusqlite::Result<i64> {
        let known = self.schema_version.get();
        if let Some(version) = known.filter(|_| !self.connection.is_autocommit()) {
            return Ok(version);
        }
        let version = discover::schema_version(&self.connection)?;
        self.schema_version.set(Some(version));
        Ok(version)
    }

    /// Keeps more pages than lists and single records need, until they are forgotten.
    pub(super) fn keep_many_pages(&self) -> rusqlite::Result<()> {
        if self.role == Role::Reader && !self.keeps_many_pages.replace(true) {
            keep_pages(&self.connection, AGGREGATE_PAGES_KIB)?;
        }
        Ok(())
    }

    /// Gives back the memory of pages that were read.
    fn forget_pages(&self) -> rusqlite::Result<()> {
        if self.keeps_many_pages.replace(false) {
            keep_pages(&self.connection, READER_PAGES_KIB)?;
        }
        self.connection.release_memory()
    }
}

impl Deref for Open {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Slot {
    pub(crate) fn new(source: Source, role: Role) -> Self {
        Self {
            source,
            role,
            open: None,
            limiter: Limiter::default(),
            generation: 0,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.source.path
    }

    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// The connection, opened when it is not, after a look whether the file is still the same.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection> {
        let same = |open: &Open| {
            Identity::of(&self.source.path).is_ok_and(|identity| identity == open.identity)
        };
        if !self.open.as_ref().is_some_and(same) {
            self.open = None;
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => self.open_connection()?,
        };
        Ok(&mut self.open.insert(open).connection)
    }

    /// Begins a view on the connection, which shows the database as it is when it is first read. SQLite's own error is that
    /// of an open connection.
    pub(crate) fn begin_view(&mut self) -> Result<rusqlite::Result<()>> {
        let begun = self.connection()?.prepare_cached("BEGIN");
        let begun = begun.and_then(|mut begin| begin.execute([]).map(drop));
        if let Some(open) = &self.open {
            open.schema_version.set(None);
        }
        Ok(begun)
    }

    /// Closes the connection, so that the next use opens a new one.
    pub(crate) fn close(&mut self) {
        self.open = None;
    }

    /// The connection as it is, without a look at the file.
    pub(crate) fn current(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// Gives back the memory of pages that were read.
    pub(crate) fn forget_pages(&self) {
        if let Some(open) = &self.open {
            // It is the next statement that says what is wrong with a connection.
            let _ = open.forget_pages();
        }
    }

    /// What ends the statements of this connection.
    pub(crate) fn limiter(&self) -> &Limiter {
        &self.limiter
    }

    fn open_connection(&mut self) -> Result<Open> {
        let path = &self.source.path;
        let identity = Identity::of(path).map_err(|error| missing(path, error))?;
        let connection = self
            .try_open()
            .map_err(|error| fault::translate(error, path))?;
        self.generation = self.generation.wrapping_add(1);
        Ok(Open {
            connection,
            identity,
            counts: Counts::new(),
            ways: Ways::default(),
            limiter: self.limiter.clone(),
            role: self.role,
            keeps_many_pages: Cell::new(false),
            schema_version: Cell::new(None),
        })
    }

    fn try_open(&self) -> rusqlite::Result<Connection> {
        let access = match self.role {
            Role::Reader | Role::DirectReader => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Role::Writer => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let access = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let path = &self.source.path;
        let mut connection = match self.source.untouched && !is_in_use(path) {
            true => {
                let access = access | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(immutable_uri(path), access)?
            }
            false => Connection::open_with_flags(path, access)?,
        };
        connection.busy_handler(match self.role {
            Role::DirectReader => None,
            Role::Reader | Role::Writer => Some(wait_for_lock),
        })?;
        connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        // The first statement that reads the file, so that what is no database is noticed here.
        let samples = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat4'";
        let has_samples: bool = connection.query_row(samples, [], |row| row.get(0))?;
        // With samples of the values SQLite compiles some statements again for each new value, to choose a plan by it; without
        // them the plan is the same. What is short with any plan does without: what is not ends up with a reader.
        let keeps_plans = !has_samples || self.role == Role::DirectReader;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, keeps_plans)?;
        match self.role {
            Role::Reader => read_only(&connection, READER_PAGES_KIB)?,
            Role::DirectReader => read_only(&connection, DIRECT_READER_PAGES_KIB)?,
            Role::Writer => {
                if self.source.set_wal {
                    set_wal(&connection)?;
                }
                connection.pragma_update(None, "synchronous", "full")?;
                connection.pragma_update(None, "foreign_keys", true)?;
                keep_pages(&connection, WRITER_PAGES_KIB)?;
            }
        }
        (self.source.prepare)(&mut connection, &self.limiter)?;
        let limiter = self.limiter.clone();
        let steps = match self.role {
            Role::DirectReader => STEPS_OF_DIRECT_READS,
            Role::Reader | Role::Writer => STEPS_BETWEEN_CHECKS,
        };
        connection.progress_handler(steps, Some(move || limiter.ends_after(steps)))?;
        Ok(connection)
    }
}

/// Whether a program has an SQLite file open for writing: its log is shared, or a transaction is open. A file of which
/// neither is the case can be read as one that does not change; otherwise SQLite would create the log of a file in WAL mode,
/// and could not remove it.
pub(crate) fn is_in_use(path: &Path) -> bool {
    ["-shm", "-journal"].iter().any(|end| {
        let mut beside = path.as_os_str().to_owned();
        beside.push(end);
        fs::exists(Path::new(&beside)).unwrap_or(false)
    })
}

/// The name by which SQLite opens a file as one that does not change.
pub(crate) fn immutable_uri(path: &Path) -> String {
    let path = path.as_os_str().as_encoded_bytes();
    let path = percent_encode(path, ESCAPED_IN_URI);
    format!("file:{path}?immutable=1")
}

/// What of a path is escaped in the name of a file.
const ESCAPED_IN_URI: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/');

/// Refuses writes on a connection, which keeps so many kibibytes of pages.
fn read_only(connection: &Connection, pages_kib: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    keep_pages(connection, pages_kib)
}

fn keep_pages(connection: &Connection, kib: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "cache_size", -kib)
}

#[cfg(test)]
impl Slot {
    /// An open connection to a new file in a folder, with what these statements make.
    pub(crate) fn of_new_file(folder: &Path, sql: &str, role: Role, prepare: Prepare) -> Self {
        let path = folder.join("t.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(sql).unwrap();
        let source = Source {
            path,
            set_wal: false,
            untouched: false,
            prepare,
        };
        let mut slot = Self::new(source, role);
        slot.connection().unwrap();
        slot
    }
}

/// The error for a file that cannot be looked at, with the remedy.
pub(crate) fn missing(path: &Path, error: io::Error) -> Error {
    let file = path.display();
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("{file} does not exist; check the path"),
        io::ErrorKind::PermissionDenied => {
            format!("this user may not read {file}; check its permissions and those of its folder")
        }
        _ => format!("cannot read {file}: {error}"),
    };
    let outage = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Outage::NoFile,
        io::ErrorKind::PermissionDenied => Outage::NotReadable,
        io::ErrorKind::IsADirectory => Outage::NotADatabase,
        _ => Outage::Other,
    };
    Error::unavailable(message)
        .with_outage(outage)
        .with_source(error)
}

/// Tells one file from another that took its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Identity {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        // Opening a pipe would wait for anyone who writes to it.
        if !metadata.is_file() {
            let what = if metadata.is_dir() {
                "a folder"
            } else {
                "no file"
            };
            let message = format!("it is {what}; name a file");
            return Err(io::Error::new(io::ErrorKind::IsADirectory, message));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(Self {
                device: metadata.dev(),
                inode: metadata.ino(),
            })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }
}

/// Puts a database into WAL mode. SQLite does not wait for others that do the same at that moment, so
/// this does.
pub(crate) fn set_wal(connection: &Connection) -> rusqlite::Result<()> {
    let mut tries = 0;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && wait_for_lock(tries) =>
            {
                tries += 1;
            }
            result => return result,
        }
    }
}

/// Pauses before a lock is tried again; false when it was tried long enough.
fn wait_for_lock(tries: i32) -> bool {
    let waited = BUSY_PAUSE.saturating_mul(tries.unsigned_abs());
    std::thread::sleep(BUSY_PAUSE);
    waited < BUSY_TIMEOUT
}
