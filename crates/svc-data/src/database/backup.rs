//! Copies of a database, while it is in use.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection as SqliteConnection, OpenFlags,
    backup::{Backup, StepResult},
};

use super::{
    Connection, Database, DatabaseFile,
    new_file::{cannot_create, private_file},
    upkeep,
};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Error, Result,
    engine::sqlite::{connection::missing, fault, session::Session},
};

/// What the name of a copy ends with until it is complete.
const UNFINISHED: &str = ".partial";
/// How many pages are copied by one call.
const PAGES_AT_ONCE: i32 = 1_024;
/// How long a lock of another program is waited for.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

impl Database {
    /// Writes a complete copy into a new file (mode 0600), while the database is in use.
    ///
    /// # Errors
    /// As [`backup_with`](Self::backup_with).
    pub async fn backup_to(&self, path: &Path) -> Result<()> {
        self.backup_with(path, |_| Ok(())).await
    }

    /// Writes a complete copy into a new file (mode 0600), while the database is in use. The copy has all that was committed
    /// before this call. `finish` may change it before it is checked for damage and gets its name; what it deletes is
    /// overwritten with zeroes.
    ///
    /// Dropping the future ends the copy. The file appears whole or not at all. Until then it is beside its place, with the ending `.partial`; what a
    /// process left there that was killed is replaced.
    ///
    /// # Errors
    /// What `finish` returns; [`ErrorKind::Unavailable`] when the file exists already or cannot be written, and for a
    /// database on a server.
    pub async fn backup_with(
        &self,
        path: &Path,
        finish: impl FnOnce(&mut dyn Connection) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let target = std::path::absolute(path).map_err(|error| missing(path, error))?;
        let source = self.file()?.path.clone();
        let cancel = CancelOnDrop::default();
        let is_cancelled = Arc::clone(&cancel.0);
        tokio::task::spawn_blocking(move || {
            // Before the work; that it did not appear in the meantime is certain only when it gets its name.
            if fs::symlink_metadata(&target).is_ok() {
                return Err(exists(&target));
            }
            let unfinished = Unfinished::create(&target)?;
            copy(&source, &unfinished.path, &target, &is_cancelled)?;
            complete(&unfinished.path, &target, finish)?;
            fs::File::open(&unfinished.path)
                .and_then(|file| file.sync_all())
                .map_err(|error| cannot_create(&target, error))?;
            DatabaseFile::open(&unfinished.path)?.check_integrity()?;
            unfinished.give_name(&target)
        })
        .await
        .unwrap_or_else(|_| Err(Error::internal("the copy of the database panicked")))
    }
}

/// Ends a copy that nobody waits for any more.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Copies what the database has at this moment.
fn copy(source: &Path, unfinished: &Path, target: &Path, is_cancelled: &AtomicBool) -> Result<()> {
    let from = upkeep::open(source, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| fault::translate(error, source))?;
    // A view that stays as it is; otherwise each write would make the copy begin again.
    from.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")
        .map_err(|error| fault::translate(error, source))?;
    let translate = |error| fault::translate(error, target);
    let mut to = SqliteConnection::open(unfinished).map_err(translate)?;
    // It is of no use until it is complete, and is on the disk before it gets its name.
    to.execute_batch("PRAGMA journal_mode = off; PRAGMA synchronous = off")
        .map_err(translate)?;
    let backup = Backup::new(&from, &mut to).map_err(translate)?;
    let mut until = Instant::now() + LOCK_TIMEOUT;
    loop {
        if is_cancelled.load(Ordering::Relaxed) {
            return Err(Error::unavailable("the copy was given up"));
        }
        match backup.step(PAGES_AT_ONCE).map_err(translate)? {
            StepResult::Done => break,
            StepResult::More => until = Instant::now() + LOCK_TIMEOUT,
            _ if Instant::now() < until => thread::sleep(LOCK_PAUSE),
            _ => {
                return Err(Error::unavailable(format!(
                    "the copy {} cannot go on: a database is locked by another program; end its transaction and try again",
                    target.display()
                )));
            }
        }
    }
    drop(backup);
    to.close().map_err(|(_, error)| translate(error))
}

/// Makes the copy a database that needs no other file, and lets `finish` change it.
fn complete(
    unfinished: &Path,
    target: &Path,
    finish: impl FnOnce(&mut dyn Connection) -> Result<()>,
) -> Result<()> {
    let translate = |error| fault::translate(error, target);
    let copy = SqliteConnection::open(unfinished).map_err(translate)?;
    // Without shared memory beside it.
    copy.execute_batch("PRAGMA locking_mode = exclusive; PRAGMA journal_mode = delete; PRAGMA secure_delete = on; BEGIN")
        .map_err(translate)?;
    finish(&mut Session::new(&copy, target))?;
    copy.execute_batch("COMMIT").map_err(translate)?;
    copy.close().map_err(|(_, error)| translate(error))
}

/// A copy that is not complete; it is removed when it is dropped.
struct Unfinished {
    path: PathBuf,
    /// Its lock says that it is being written.
    _file: fs::File,
}

impl Unfinished {
    fn create(target: &Path) -> Result<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(UNFINISHED);
        let path = PathBuf::from(path);
        if let Ok(left) = fs::File::open(&path) {
            if !lock(&left) {
                return Err(being_written(target));
            }
            remove(&path);
        }
        let made = private_file().create_new(true).open(&path);
        let file = made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => being_written(target),
            _ => cannot_create(target, error),
        })?;
        match lock(&file) {
            true => Ok(Self { path, _file: file }),
            false => Err(being_written(target)),
        }
    }

    /// Gives the copy its name, unless that is taken.
    fn give_name(self, target: &Path) -> Result<()> {
        let named = match fs::hard_link(&self.path, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(exists(target));
            }
            // Some file systems have no second names.
            Err(_) if fs::symlink_metadata(target).is_err() => fs::rename(&self.path, target),
            other => other,
        };
        named
            .and_then(|()| sync_folder(target))
            .map_err(|error| cannot_create(target, error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a copy that is of no use, with what SQLite may have put beside it; that it could not be removed changes nothing.
fn remove(path: &Path) {
    for ending in ["", "-journal", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        let _ = fs::remove_file(file);
    }
}

/// Locks a file against other copies; SQLite has locks of another kind. Says whether nobody else has it.
#[cfg(unix)]
fn lock(file: &fs::File) -> bool {
    !matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
}

/// A lock would keep SQLite out, too.
#[cfg(not(unix))]
fn lock(_file: &fs::File) -> bool {
    true
}

/// A name survives a power cut only when its folder was written, too.
#[cfg(unix)]
fn sync_folder(file: &Path) -> io::Result<()> {
    fs::File::open(file.parent().unwrap_or(file))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_file: &Path) -> io::Result<()> {
    Ok(())
}

fn exists(target: &Path) -> Error {
    cannot_create(target, io::Error::from(io::ErrorKind::AlreadyExists))
}

fn being_written(target: &Path) -> Error {
    Error::unavailable(format!(
        "{} is being written by another process; choose another name, or wait for it",
        target.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn database(folder: &Path) -> Database {
        let database = Database::open_sqlite(&folder.join("t.db"), &[])
            .await
            .unwrap();
        let made: Result<()> = database
            .write(|connection| {
                connection.execute("CREATE TABLE t (a TEXT)", &[])?;
                connection.execute("INSERT INTO t VALUES ('kept')", &[])?;
                Ok(())
            })
            .await;
        made.unwrap();
        database
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with("t.db")).collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn a_copy_is_one_file_and_what_a_killed_process_left_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(folder.path()).await;
        fs::write(folder.path().join("copy.db.partial"), "half").unwrap();
        let copy = folder.path().join("copy.db");
        database.backup_to(&copy).await.unwrap();
        let file = DatabaseFile::open(&copy).unwrap();
        let rows = file.read(|connection| connection.query("SELECT a FROM t", &[]));
        assert_eq!(rows.unwrap()[0].get::<String>("a").unwrap(), "kept");
        assert_eq!(names(folder.path()), ["copy.db"]);
        let error = database.backup_to(&copy).await.unwrap_err();
        assert!(error.to_string().contains("exists already"), "{error}");
    }

    #[tokio::test]
    async fn a_copy_that_fails_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(folder.path()).await;
        let copy = folder.path().join("copy.db");
        let failed = database
            .backup_with(&copy, |_| Err(Error::unavailable("no")))
            .await;
        assert_eq!(failed.unwrap_err().to_string(), "no");
        assert_eq!(names(folder.path()), [""; 0]);
        let nowhere = folder.path().join("no/copy.db");
        let error = database.backup_to(&nowhere).await.unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
    }

    #[tokio::test]
    #[cfg(unix)]
    async fn two_processes_do_not_write_the_same_copy() {
        let folder = tempfile::tempdir().unwrap();
        let database = database(folder.path()).await;
        let copy = folder.path().join("copy.db");
        let other = Unfinished::create(&copy).unwrap();
        let error = database.backup_to(&copy).await.unwrap_err();
        assert!(error.to_string().contains("being written"), "{error}");
        drop(other);
        database.backup_to(&copy).await.unwrap();
    }
}
