//! The files of imports, in a folder of the store.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use uuid::Uuid;

use super::Imports;
use crate::database::{make_private_dir, private_file, sync_dir};
use crate::error::Result;

/// The folder of the files, within that of the store.
const FOLDER: &str = "imports";
/// After which pause nothing more of a file arrives.
const ARRIVES_FOR: Duration = Duration::from_secs(24 * 3_600);

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

    /// Whether this machine has the file of an import. Where others have the same store open, they have files of their own.
    pub(super) fn has_file(&self, uid: Uuid) -> bool {
        !self.store.is_on_server() || self.path(uid).exists()
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

    /// How many bytes there is room for beside the files that are there; `None` where the system does not tell.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        #[cfg(unix)]
        {
            let disk = rustix::fs::statvfs(self.store.dir()).ok()?;
            disk.f_bavail.checked_mul(disk.f_frsize)
        }
        #[cfg(not(unix))]
        None
    }

    /// Removes the files of imports that the store does not know: the service ended while they arrived. Those that were
    /// written today are left, since they may still arrive.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn remove_lost_files(&self) -> Result<()> {
        let Ok(entries) = fs::read_dir(self.folder()) else {
            return Ok(());
        };
        let oldest = SystemTime::now().checked_sub(ARRIVES_FOR);
        // One that still arrives is written again and again.
        let is_old = |entry: &fs::DirEntry| {
            let written = entry.metadata().and_then(|metadata| metadata.modified());
            written.is_ok_and(|written| oldest.is_some_and(|oldest| written < oldest))
        };
        let names = entries
            .flatten()
            .filter(is_old)
            .map(|entry| entry.file_name());
        let uids = names.filter_map(|name| name.to_str()?.parse::<Uuid>().ok());
        for uid in uids.collect::<Vec<_>>() {
            if self.find(uid).await?.is_none() {
                // The next time will do as well.
                let _ = self.remove_file(uid);
            }
        }
        Ok(())
    }

    fn folder(&self) -> PathBuf {
        self.store.dir().join(FOLDER)
    }

    fn path(&self, uid: Uuid) -> PathBuf {
        self.folder().join(uid.to_string())
    }
}
