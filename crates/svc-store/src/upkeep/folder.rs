//! The folder of a store that is being made.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::database::{files, make_private_dir, sync_dir};
use crate::error::{Error, Result};
use crate::open::KeyPlace;
use crate::secrets::SealKey;

/// The database of the store until it is complete.
const UNFINISHED: &str = "store.db.restoring";
/// What may be in a folder that counts as empty: what a program left that was killed before the store was complete, and what
/// a file system has.
const LEFT_OVER: [&str; 7] = [
    UNFINISHED,
    "store.db.restoring-journal",
    "store.db.restoring-wal",
    "store.db.restoring-shm",
    "store.key.new",
    "store.lock",
    "lost+found",
];

/// The folder of a store that is being made. Unless it is [kept](Self::keep), what was made is removed.
pub(super) struct Folder {
    dir: PathBuf,
    /// The option that names the folder.
    option: &'static str,
    /// The folders that were missing, the deepest first.
    made: Vec<PathBuf>,
    is_kept: bool,
    /// Keeps others who would make a store here waiting.
    _lock: Option<File>,
}

impl Folder {
    /// Makes the folder where it is missing, and locks it.
    pub(super) fn prepare(dir: &Path, option: &'static str) -> Result<Self> {
        if dir.exists() {
            check_empty(dir, option)?;
        }
        let missing = dir
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let mut folder = Self {
            dir: dir.to_owned(),
            option,
            made: missing.map(Path::to_owned).collect(),
            is_kept: false,
            _lock: None,
        };
        make_private_dir(dir).map_err(|error| folder.cannot_write(error))?;
        folder._lock = Some(files::lock(dir)?);
        // Another process may have made a store before it gave the lock away.
        if let Err(error) = check_empty(dir, option) {
            folder.is_kept = true;
            return Err(error);
        }
        make_private(dir).map_err(|error| folder.cannot_write(error))?;
        remove(&folder.unfinished());
        Ok(folder)
    }

    /// Where the database is until it is complete.
    pub(super) fn unfinished(&self) -> PathBuf {
        self.dir.join(UNFINISHED)
    }

    /// Writes the key, where it is to be there, and gives the database its name last, which makes the folder a store.
    pub(super) fn complete(&self, key: Option<&SealKey>) -> Result<()> {
        let dir = &self.dir;
        if let Some(key) = key {
            KeyPlace::of(dir, None).write(key)?;
        }
        fs::rename(self.unfinished(), files::database_file(dir))
            .and_then(|()| sync_dir(dir))
            .map_err(|error| self.cannot_write(error))
    }

    pub(super) fn keep(mut self) {
        self.is_kept = true;
    }

    /// Why something cannot be written there.
    pub(super) fn cannot_write(&self, error: io::Error) -> Error {
        cannot_write(&self.dir, self.option, error)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        for path in [
            self.dir.join(UNFINISHED),
            files::database_file(&self.dir),
            files::default_key_file(&self.dir),
            files::lock_path(&self.dir),
        ] {
            remove(&path);
        }
        for folder in &self.made {
            // One that others have put something into stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Refuses a folder that has anything in it.
fn check_empty(dir: &Path, option: &str) -> Result<()> {
    let shown = dir.display();
    let entries = fs::read_dir(dir).map_err(|error| {
        Error::unavailable(format!(
            "the folder {shown} cannot be read: {error}; choose another folder with {option}"
        ))
        .with_source(error)
    })?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot_write(dir, option, error))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !LEFT_OVER.contains(&&*name) {
            return Err(Error::unavailable(format!(
                "the folder {shown} is not empty: it contains {name}; choose an empty folder with {option}, or move what is \
                 there away"
            )));
        }
    }
    Ok(())
}

fn remove(path: &Path) {
    for ending in ["", "-journal", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        // That it could not be removed changes nothing: the next store there takes its place.
        let _ = fs::remove_file(file);
    }
}

fn cannot_write(dir: &Path, option: &str, error: io::Error) -> Error {
    let shown = dir.display();
    let message = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge => format!(
            "the disk of {shown} is full; free some space, or choose another folder with {option}"
        ),
        _ => format!(
            "the folder {shown} cannot be written: {error}; choose another folder with {option}, or let the user who runs \
             this program write there"
        ),
    };
    Error::unavailable(message).with_source(error)
}

#[cfg(unix)]
fn make_private(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(_dir: &Path) -> io::Result<()> {
    Ok(())
}
