//! A look at a store that changes nothing, also one that cannot be opened.

mod database;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use svc_data::DatabaseFile;

pub use self::database::DatabaseInspection;
use super::restore::latest_version;
use crate::audit::{self, FoundJournals};
use crate::clock;
use crate::database::{Store, blocking, files};
use crate::error::{Error, Result};
use crate::open::{KeyPlace, known_key};
use crate::secrets::SealKey;

/// How long another process that opens the store is waited for.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// What was found in the folder of a store: [`Store::inspect`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// Whether the database can be read and is not damaged.
    pub integrity: Result<()>,
    /// Whether the database has a log that was not read. The program that wrote it was killed, or the log was copied here.
    pub skips_log: bool,
    /// The version of the store's structure; `None` when it has none or cannot be read.
    pub version: Option<u32>,
    /// The version that this program makes and reads.
    pub known_version: u32,
    /// Whether the key is there and belongs to the store; `None` when the database cannot tell.
    pub key: Option<Result<()>>,
    /// The folder and those of its files that other users may read.
    pub readable_by_others: Vec<PathBuf>,
    /// What the journals of services hold; `None` when a process has kept the folder locked.
    pub journals: Option<Result<FoundJournals>>,
    /// When the newest line of the audit trail was written.
    pub newest_line: Option<Timestamp>,
    /// The bytes of the files in the folder.
    pub bytes: u64,
}

impl Store {
    /// Looks at the store in a folder. Nothing is made or changed, and a service may run on it. `key` is the store's
    /// key; without one it is in the folder.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when there is no such folder or it cannot be read; what is
    /// wrong with the store itself is in the [`Inspection`].
    pub async fn inspect(dir: &Path, key: Option<SealKey>) -> Result<Inspection> {
        let dir = dir.to_owned();
        blocking(move || inspect(&dir, key.as_ref())).await
    }
}

fn inspect(dir: &Path, key: Option<&SealKey>) -> Result<Inspection> {
    let mut readable_by_others = Vec::new();
    let mut bytes = 0;
    let mut look_at = |path: PathBuf| {
        if files::others_may_read(&path) {
            readable_by_others.push(path);
        }
    };
    look_at(dir.to_owned());
    let unreadable = |error: std::io::Error| {
        Error::unavailable(format!(
            "the folder {} cannot be read: {error}; check the path, and that this user may read it",
            dir.display()
        ))
        .with_source(error)
    };
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if entry.file_name().to_string_lossy().starts_with("store.") {
            // A journal may be removed at this moment.
            bytes += entry.metadata().map_or(0, |found| found.len());
            look_at(entry.path());
        }
    }
    let mut found = Inspection {
        integrity: Ok(()),
        skips_log: false,
        version: None,
        known_version: latest_version(),
        key: None,
        readable_by_others,
        journals: journals(dir),
        newest_line: None,
        bytes,
    };
    match DatabaseFile::open(&files::database_file(dir)) {
        Ok(file) => found.look_into(&file, dir, key),
        Err(error) => found.integrity = Err(error.into()),
    }
    Ok(found)
}

impl Inspection {
    fn look_into(&mut self, file: &DatabaseFile, dir: &Path, key: Option<&SealKey>) {
        self.integrity = file.check_integrity().map_err(Error::from);
        self.skips_log = file.skips_log();
        self.version = file.migration().unwrap_or_default();
        if self.version.is_none() {
            return;
        }
        let place = KeyPlace::of(dir, key.cloned());
        let known = file.read(|found| known_key(found, &place));
        self.key = Some(known.map(drop));
        // A version before the trail has no such table.
        let newest = file.read(|found| {
            found.query_one("SELECT date_add FROM audit ORDER BY uid DESC LIMIT 1", &[])
        });
        let time = newest.ok().flatten();
        let time = time.and_then(|row| row.get::<String>("date_add").ok());
        self.newest_line = time.and_then(|time| clock::from_text(&time).ok());
    }
}

/// Reads the journals, under the lock of the folder, which is not made.
fn journals(dir: &Path) -> Option<Result<FoundJournals>> {
    let lock = File::open(files::lock_path(dir)).ok();
    let until = Instant::now() + LOCK_TIMEOUT;
    while let Some(Err(fs::TryLockError::WouldBlock)) = lock.as_ref().map(File::try_lock) {
        if Instant::now() > until {
            return None;
        }
        thread::sleep(LOCK_PAUSE);
    }
    Some(audit::journals(dir))
}
