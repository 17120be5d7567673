//! The folder of the store and the files in it: who may read them, and what to say when they are not as
//! they must be.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::secrets::SealKey;

const DATABASE_FILE: &str = "store.db";
const KEY_FILE: &str = "store.key";
const LOCK_FILE: &str = "store.lock";

/// Makes the folder where it is missing, and keeps everybody else who opens it waiting until the lock is
/// dropped: two that open a new folder at once must agree on one structure and one key.
pub(crate) fn lock(dir: &Path) -> Result<File> {
    make_private_dir(dir).map_err(|source| unusable(dir, "the folder cannot be made", source))?;
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

/// The path of a database that must be there.
pub(crate) fn existing_database(dir: &Path) -> PathBuf {
    let path = dir.join(DATABASE_FILE);
    warn_when_others_may_read(&path, "the database of the store", "chmod 600");
    path
}

/// Where the database of a store is.
pub(crate) fn database_path(dir: &Path) -> PathBuf {
    dir.join(DATABASE_FILE)
}

/// Where the key of a store is.
pub(crate) fn key_path(dir: &Path) -> PathBuf {
    dir.join(KEY_FILE)
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

/// The key in the folder's key file; `None` when there is no such file.
pub(crate) fn read_key(dir: &Path) -> Result<Option<SealKey>> {
    let path = dir.join(KEY_FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(Error::unavailable(format!(
                "the key file {} cannot be read; let the user who runs this program read it",
                path.display()
            ))
            .with_source(source));
        }
    };
    warn_when_others_may_read(&path, "the key of the store", "chmod 600");
    match SealKey::parse(&text) {
        Ok(key) => Ok(Some(key)),
        Err(_) => Err(Error::unavailable(format!(
            "the key file {} is damaged; restore it from your backup of the store",
            path.display()
        ))),
    }
}

/// Makes a key and its file.
pub(crate) fn write_new_key(dir: &Path) -> Result<SealKey> {
    let key = SealKey::generate()?;
    write_key(dir, &key)?;
    Ok(key)
}

/// Writes the file of a key. It appears whole or not at all.
pub(crate) fn write_key(dir: &Path, key: &SealKey) -> Result<()> {
    let path = dir.join(KEY_FILE);
    // A process that was killed between the two steps may have left this file; nobody uses it.
    let unfinished = dir.join("store.key.new");
    let write = || -> io::Result<()> {
        match fs::remove_file(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = private_file().create_new(true).open(&unfinished)?;
        writeln!(file, "{}", key.expose().expose())?;
        file.sync_all()?;
        fs::rename(&unfinished, &path)?;
        sync_dir(dir)
    };
    write().map_err(|source| unusable(dir, "its key file cannot be written", source))
}

pub(crate) fn key_is_missing(dir: &Path) -> Error {
    Error::unavailable(format!(
        "the key file {} is missing, but the store holds secrets that were sealed with it; restore it from \
         your backup, or give the key that this store was made with",
        dir.join(KEY_FILE).display()
    ))
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

pub(crate) fn key_is_wrong(dir: &Path, given: bool) -> Error {
    let (what, remedy) = if given {
        (
            "the key that was given".to_owned(),
            "give the key that this store was made with",
        )
    } else {
        (
            format!("the key file {}", dir.join(KEY_FILE).display()),
            "restore the one that was made with it",
        )
    };
    let store = dir.join(DATABASE_FILE);
    Error::unavailable(format!(
        "{what} does not belong to the store {}; {remedy}",
        store.display()
    ))
}

fn unusable(dir: &Path, why: &str, source: io::Error) -> Error {
    Error::unavailable(format!(
        "the store's folder {} cannot be used, {why}; choose another folder, or let the user who runs this \
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
