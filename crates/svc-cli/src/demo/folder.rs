//! The folder of the demo: what in it the demo made, and who works in it.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use svc_store::KEY_FILE;

use crate::{
    context::{STORE_FILE, has_store},
    error::Error,
};

/// Marks a folder whose store and shop the demo made, and carries the lock.
const MARKER: &str = "svc-demo.lock";
const SHOP: &str = "shop.db";
const UNFINISHED: &str = "shop.db.unfinished";
/// What the names of journals of writes begin with.
const JOURNAL: &str = "store.writes.";
/// What SQLite puts beside a database, by the end of its name.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// A folder that belongs to the demo.
pub(super) struct Folder {
    dir: PathBuf,
    marker: File,
}

/// Proof that no other demo works in the folder, which keeps other demos and a reset away.
pub(super) struct Locked<'a>(&'a Folder);

impl Folder {
    /// Opens the folder, or makes it; with `reset` after removing what the demo made in it.
    pub(super) fn open(dir: &Path, reset: bool) -> Result<Self, Error> {
        let path = dir.join(MARKER);
        let is_ours = path.is_file();
        if !is_ours && (has_store(dir) && dir.exists() || dir.join(SHOP).exists()) {
            return Err(Error::new(format!(
                "{} contains a store or a {SHOP} that svc demo did not make; choose another folder with --dir",
                dir.display()
            )));
        }
        make_private_dir(dir).map_err(|error| unusable(dir, &error))?;
        let mut marker = File::options();
        let marker = marker.create(true).truncate(false).write(true).open(&path);
        let folder = Self {
            dir: dir.to_owned(),
            marker: marker.map_err(|error| unusable(dir, &error))?,
        };
        if reset && is_ours {
            folder.lock()?.remove_all()?;
        }
        Ok(folder)
    }

    /// The folder itself.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The database of the shop.
    pub(super) fn shop(&self) -> PathBuf {
        self.dir.join(SHOP)
    }

    /// Whether the shop is there, and complete.
    pub(super) fn has_shop(&self) -> Result<bool, Error> {
        let exists = self.shop().try_exists();
        exists.map_err(|error| unusable(&self.dir, &error))
    }

    /// The folder for this demo alone; `None` when another one works or runs in it.
    pub(super) fn try_lock(&self) -> Result<Option<Locked<'_>>, Error> {
        match self.marker.try_lock() {
            Ok(()) => Ok(Some(Locked(self))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(unusable(&self.dir, &error)),
        }
    }

    /// The same; it fails when another demo works in the folder.
    pub(super) fn lock(&self) -> Result<Locked<'_>, Error> {
        self.try_lock()?.ok_or_else(|| {
            Error::new(format!(
                "another svc demo works in {}; stop it first, or choose another folder with --dir",
                self.dir.display()
            ))
        })
    }
}

impl Locked<'_> {
    /// Where the shop is made.
    pub(super) fn unfinished_shop(&self) -> PathBuf {
        self.0.dir.join(UNFINISHED)
    }

    /// Removes what the demo made, and nothing else.
    fn remove_all(&self) -> Result<(), Error> {
        for name in [SHOP, STORE_FILE] {
            remove_database(&self.0.dir.join(name))?;
        }
        remove_database(&self.unfinished_shop())?;
        for name in [KEY_FILE, "store.key.new", "store.lock"] {
            remove(&self.0.dir.join(name))?;
        }
        // The journals of services that ended early.
        let entries = fs::read_dir(&self.0.dir).map_err(|error| unusable(&self.0.dir, &error))?;
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(JOURNAL) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // A lock that stays until the program ends only keeps other demos waiting.
        let _ = self.0.marker.unlock();
    }
}

/// Removes a database and what SQLite put beside it.
pub(super) fn remove_database(path: &Path) -> Result<(), Error> {
    BESIDE.iter().try_for_each(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        remove(Path::new(&name))
    })
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::new(format!(
            "cannot remove {}: {error}; remove it by hand, or choose another folder with --dir",
            path.display()
        ))),
        _ => Ok(()),
    }
}

fn unusable(dir: &Path, error: &io::Error) -> Error {
    Error::new(format!(
        "the demo cannot use the folder {}: {error}; choose one that you may write with --dir",
        dir.display()
    ))
}

fn make_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_removes_what_the_demo_made_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("demo");
        drop(Folder::open(&dir, false).unwrap());
        for name in "shop.db shop.db-wal store.db store.key store.writes.1 mine.txt".split(' ') {
            fs::write(dir.join(name), "x").unwrap();
        }
        let folder = Folder::open(&dir, true).unwrap();
        assert!(!folder.has_shop().unwrap());
        let left = fs::read_dir(&dir).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["mine.txt", MARKER]);
    }

    #[test]
    fn a_store_that_the_demo_did_not_make_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(STORE_FILE), "x").unwrap();
        for reset in [false, true] {
            let error = Folder::open(dir.path(), reset).err().unwrap();
            assert!(error.to_string().contains("did not make"), "{error}");
        }
        assert!(dir.path().join(STORE_FILE).exists());
        assert!(!dir.path().join(MARKER).exists());
    }

    #[test]
    fn a_running_demo_keeps_a_reset_away() {
        let dir = tempfile::tempdir().unwrap();
        let running = Folder::open(dir.path(), false).unwrap();
        let held = running.try_lock().unwrap();
        assert!(held.is_some());
        fs::write(dir.path().join(SHOP), "x").unwrap();
        let error = Folder::open(dir.path(), true).err().unwrap();
        assert!(error.to_string().contains("stop it first"), "{error}");
        assert!(dir.path().join(SHOP).exists());
        let second = Folder::open(dir.path(), false).unwrap();
        assert!(second.try_lock().unwrap().is_none());
        drop(held);
        assert!(second.try_lock().unwrap().is_some());
    }
}
