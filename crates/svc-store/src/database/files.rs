//! The folder of the store and the files in it: who may read them, and what to say when they are not as
//! they must be.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

const DATABASE_FILE: &str = "store.db";
/// The file of the key in the folder of a store.
pub const KEY_FILE: &str = "store.key";
const LOCK_FILE: &str = "store.lock";

/// Makes the folder where it is missing, and keeps everybody else who opens it waiting until the lock is
/// dropped: two that open a new folder at once must agree on one structure and one key.
pub(crate) fn lock(dir: &Path) -> Result<File> {
    prepare_folder(dir)?;
    let locked = private_file()
        .create(true)
        .open(dir.join(LOCK_FILE))
        .and_then(|file| match file.lock() {
            // Some network filesystems know no locks; then only the very first opening is unguarded.
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            _ => Ok(file),
        });
    locked.map_err(|source| unusable(dir, "files cannot be made in it", source))
}

/// Makes the folder where it is missing.
pub(crate) fn prepare_folder(dir: &Path) -> Result<()> {
    make_private_dir(dir).map_err(|source| unusable(dir, "the folder cannot be made", source))
}

/// The file of the database in a folder.
pub(crate) fn database_file(dir: &Path) -> PathBuf {
    dir.join(DATABASE_FILE)
}

/// Where the key is when nothing else is said.
pub(crate) fn default_key_file(dir: &Path) -> PathBuf {
    dir.join(KEY_FILE)
}

/// Whether there is a database in a folder. Where the folder may not be read, opening it says so.
pub(crate) fn has_database(dir: &Path) -> bool {
    !matches!(database_file(dir).try_exists(), Ok(false))
}

/// The path of a database that must be there.
pub(crate) fn existing_database(dir: &Path) -> PathBuf {
    let path = dir.join(DATABASE_FILE);
    warn_when_others_may_read(&path, "the database of the store", "chmod 600");
    path
}

/// Where the lock of a store is.
pub(crate) fn lock_path(dir: &Path) -> PathBuf {
    dir.join(LOCK_FILE)
}

/// Whether the folder has a key file.
pub(crate) fn has_key(dir: &Path) -> Result<bool> {
    let found = dir.join(KEY_FILE).try_exists();
    found.map_err(|source| unusable(dir, "its key file cannot be reached", source))
}

/// Makes an empty database file where it is missing, closed to other users. Gives its path.
pub(crate) fn prepare_database(dir: &Path) -> Result<PathBuf> {
    let path = dir.join(DATABASE_FILE);
    // An existing file must not be opened here: closing it would drop the locks that SQLite has on it
    // elsewhere in this process.
    match private_file().create_new(true).open(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match fs::metadata(&path) {
            Ok(found) if found.is_file() => {
                warn_when_others_may_read(&path, "the database of the store", "chmod 600");
                Ok(path)
            }
            Ok(_) => Err(Error::unavailable(format!(
                "{} is not a file; choose another folder for the store, or move it away",
                path.display()
            ))),
            Err(source) => Err(unusable(dir, "its database cannot be reached", source)),
        },
        Err(source) => Err(unusable(dir, "files cannot be made in it", source)),
    }
}

pub(crate) fn database_is_missing(dir: &Path) -> Error {
    let (database, key) = (dir.join(DATABASE_FILE), dir.join(KEY_FILE));
    Error::unavailable(format!(
        "the store {} is missing or empty, but its key {} is there; restore the store from your backup, or move the \
         key away to begin with an empty store",
        database.display(),
        key.display()
    ))
}

fn unusable(dir: &Path, why: &str, source: io::Error) -> Error {
    Error::unavailable(format!(
        "the folder {} cannot be used, {why}; choose another folder, or let the user who runs this \
         program write there: {source}",
        dir.display()
    ))
    .with_source(source)
}

#[cfg(unix)]
pub(crate) fn make_private_dir(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
}

#[cfg(not(unix))]
pub(crate) fn make_private_dir(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)
}

/// How files are opened that only their owner may read.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

/// A renamed file survives a power cut only when its folder was written too.
#[cfg(unix)]
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_dir(_dir: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn warn_when_others_may_read(path: &Path, what: &str, remedy: &str) {
    if others_may_read(path) {
        tracing::warn!(
            path = %path.display(),
            "other users of this machine may read {what}; remove their rights ({remedy})"
        );
    }
}

#[cfg(unix)]
pub(crate) fn others_may_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub(crate) fn others_may_read(_path: &Path) -> bool {
    false
}
