//! A store that is made of a copy.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use svc_data::DatabaseFile;

use super::backup;
use super::folder::Folder;
use crate::database::{MIGRATIONS, STATE, Store, blocking, private_file, state};
use crate::error::{Error, Result};
use crate::open::fits;
use crate::secrets::SealKey;

/// What was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// The version of the store's structure. One that is older than that of this program is brought to it when the store is
    /// opened.
    pub version: u32,
    /// Whether the key was in the copy.
    pub had_key: bool,
}

impl Store {
    /// Makes a store in an empty or missing folder of a copy, which is checked for damage before and after. `key` is
    /// the store's key, for a copy that does not have it.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) with a remedy: the copy cannot be read, is damaged, of a
    /// later version, or no copy of a store; the key is missing or does not fit; the folder is not empty or cannot be
    /// written. Nothing is left in the folder then.
    pub async fn restore(file: &Path, dir: &Path, key: Option<SealKey>) -> Result<Restored> {
        let (file, dir) = (file.to_owned(), dir.to_owned());
        blocking(move || {
            let copied = Copied::examine(&file, key)?;
            let folder = Folder::prepare(&dir, "--dir")?;
            copied.write_into(&file, &folder)?;
            folder.keep();
            Ok(copied.restored)
        })
        .await
    }
}

/// A copy that was found to be good.
struct Copied {
    /// `None` when the store had not sealed anything yet.
    key: Option<SealKey>,
    restored: Restored,
}

impl Copied {
    fn examine(path: &Path, given: Option<SealKey>) -> Result<Self> {
        let shown = path.display();
        let file = DatabaseFile::open(path)?;
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if fs::metadata(log).is_ok_and(|log| log.len() > 0) {
            return Err(Error::unavailable(format!(
                "{shown} has a log beside it: it is the database of a store and no backup; make one with svc backup"
            )));
        }
        file.check_integrity()?;
        let no_store = || {
            Error::unavailable(format!(
                "{shown} is a database, but no backup of a store; name a file that svc backup has written"
            ))
        };
        let version = file.migration()?.ok_or_else(no_store)?;
        let table = "SELECT name FROM sqlite_schema WHERE name = 'store_state'";
        if file.read(|found| found.query_one(table, &[]))?.is_none() {
            return Err(no_store());
        }
        let known = latest_version();
        if version > known {
            return Err(Error::unavailable(format!(
                "{shown} is of a later version: its structure has version {version}, and svc {} knows versions up to {known}; \
                 restore it with the version of svc that wrote it, or a later one",
                env!("CARGO_PKG_VERSION")
            )));
        }
        let (inside, seal_check) = file.read(|found| -> Result<_> {
            let state = state(found.query_one(STATE, &[])?)?;
            let seal_check = state.get::<Option<String>>("seal_check")?;
            // A key that was given makes up for a damaged one.
            let inside = match (backup::key_in(found), &given) {
                (Err(_), Some(_)) => None,
                (inside, _) => inside?,
            };
            Ok((inside, seal_check))
        })?;
        let had_key = inside.is_some();
        let is_given = given.is_some();
        let key = given.or(inside);
        match (&seal_check, &key) {
            (None, _) => {}
            (Some(_), None) => {
                return Err(Error::unavailable(format!(
                    "{shown} does not contain the key of its store; give a copy of the file store.key with --key-file"
                )));
            }
            (Some(check), Some(key)) if fits(key, check) => {}
            (Some(_), Some(_)) => {
                let whose = match is_given {
                    true => "the key that was given",
                    false => "the key in it",
                };
                return Err(Error::unavailable(format!(
                    "{whose} does not belong to the store in {shown}; give the key that this store was made with, with --key-file"
                )));
            }
        }
        let restored = Restored { version, had_key };
        Ok(Self { key, restored })
    }

    /// Writes database and key.
    fn write_into(&self, file: &Path, folder: &Folder) -> Result<()> {
        let unfinished = folder.unfinished();
        let cannot_write = |error| folder.cannot_write(error);
        let write = || -> io::Result<()> {
            let mut to = private_file().create_new(true).open(&unfinished)?;
            io::copy(&mut File::open(file)?, &mut to)?;
            to.sync_all()
        };
        write().map_err(cannot_write)?;
        DatabaseFile::change(&unfinished, |copy| backup::set_key(copy, None))?;
        File::open(&unfinished)
            .and_then(|file| file.sync_all())
            .map_err(cannot_write)?;
        DatabaseFile::open(&unfinished)?.check_integrity()?;
        folder.complete(self.key.as_ref())
    }
}

/// The version of the store's structure that this program makes.
pub(super) fn latest_version() -> u32 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}
