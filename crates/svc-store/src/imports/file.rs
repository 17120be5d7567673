//! The files of imports, in a folder of the store.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use uuid::Uuid;

use super::Imports;
use crate::database::{make_private_dir, private_file, sync_dir};

/// The folder of the files, within that of the store.
const FOLDER: &str = "imports";

impl Imports<'_> {
    /// Makes the file of an import, which only the owner of the process may read.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create_file(&self, uid: Uuid) -> io::Result<File> {
        let folder = self.folder();
        make_private_dir(&folder)?;
        let file = private_file().create_new(true).open(self.path(uid))?;
        sync_dir(&folder)?;
        Ok(file)
    }

    /// Opens the file of an import, to read it.
    ///
    /// # Errors
    /// When it is not there.
    pub fn open_file(&self, uid: Uuid) -> io::Result<File> {
        File::open(self.path(uid))
    }

    /// Removes the file of an import, where there is one.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_file(&self, uid: Uuid) -> io::Result<()> {
        match fs::remove_file(self.path(uid)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn folder(&self) -> PathBuf {
        self.store.dir().join(FOLDER)
    }

    fn path(&self, uid: Uuid) -> PathBuf {
        self.folder().join(uid.to_string())
    }
}
