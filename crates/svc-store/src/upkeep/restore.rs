//! A store that is made of a copy.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use svc_data::DatabaseFile;

use super::backup;
use crate::database::{
    MIGRATIONS, STATE, Store, blocking, files, make_private_dir, private_file, state, sync_dir,
};
use crate::error::{Error, Result};
use crate::open::{KeyPlace, fits};
use crate::secrets::SealKey;

/// The database of the store until it is complete.
const UNFINISHED: &str = "store.db.restoring";
/// What may be in a folder that counts as empty: what a restore that was killed left, and what a file system has.
const LEFT_OVER: [&str; 4] = [
    UNFINISHED,
    "store.db.restoring-journal",
    "store.key.new",
    "lost+found",
];

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
            let folder = Folder::prepare(&dir)?;
            copied.write_into(&file, &dir)?;
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

    /// Writes database and key. The database gets its name last, which makes the folder a store.
    fn write_into(&self, file: &Path, dir: &Path) -> Result<()> {
        let unfinished = dir.join(UNFINISHED);
        let cannot_write = |error| cannot_write(dir, error);
        remove(&unfinished);
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
        if let Some(key) = &self.key {
            KeyPlace::of(dir, None).write(key)?;
        }
        fs::rename(&unfinished, files::database_file(dir))
            .and_then(|()| sync_dir(dir))
            .map_err(cannot_write)
    }
}

/// The folder of a store that is being made. Unless it is [kept](Self::keep), what was made is removed.
struct Folder {
    dir: PathBuf,
    /// The folders that were missing, the deepest first.
    made: Vec<PathBuf>,
    is_kept: bool,
    /// Keeps others who would make a store here waiting.
    _lock: Option<File>,
}

impl Folder {
    fn prepare(dir: &Path) -> Result<Self> {
        if dir.exists() {
            check_empty(dir, &[])?;
        }
        let missing = dir
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let mut folder = Self {
            dir: dir.to_owned(),
            made: missing.map(Path::to_owned).collect(),
            is_kept: false,
            _lock: None,
        };
        make_private_dir(dir).map_err(|error| cannot_write(dir, error))?;
        folder._lock = Some(files::lock(dir)?);
        // Another process may have made a store before it gave the lock away.
        if let Err(error) = check_empty(dir, &["store.lock"]) {
            folder.is_kept = true;
            return Err(error);
        }
        make_private(dir).map_err(|error| cannot_write(dir, error))?;
        Ok(folder)
    }

    fn keep(mut self) {
        self.is_kept = true;
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

/// Refuses a folder that has anything in it but these files.
fn check_empty(dir: &Path, allowed: &[&str]) -> Result<()> {
    let shown = dir.display();
    let entries = fs::read_dir(dir).map_err(|error| {
        let remedy = "choose another folder with --dir";
        Error::unavailable(format!(
            "the folder {shown} cannot be read: {error}; {remedy}"
        ))
        .with_source(error)
    })?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot_write(dir, error))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !LEFT_OVER.contains(&&*name) && !allowed.contains(&&*name) {
            return Err(Error::unavailable(format!(
                "the folder {shown} is not empty: it contains {name}; choose an empty folder with --dir, or move what is \
                 there away"
            )));
        }
    }
    Ok(())
}

/// The version of the store's structure that this program makes.
pub(super) fn latest_version() -> u32 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

fn remove(path: &Path) {
    for ending in ["", "-journal"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        // That it could not be removed changes nothing: the next restore takes its place.
        let _ = fs::remove_file(file);
    }
}

fn cannot_write(dir: &Path, error: io::Error) -> Error {
    let shown = dir.display();
    let message = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge => format!(
            "the disk of {shown} is full; free some space, or choose another folder with --dir"
        ),
        _ => format!(
            "the folder {shown} cannot be written: {error}; choose another folder with --dir, or let the user who runs \
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
