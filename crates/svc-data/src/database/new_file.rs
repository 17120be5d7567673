//! A file of SQLite before it is opened: whether there is one, and making one that only this user can read.

use std::{fs, io, path::Path};

use rusqlite::OpenFlags;

use super::upkeep;
use crate::{
    Error, FileFault, Result,
    engine::sqlite::{connection::missing, fault},
};

/// Refuses a file that is missing or has no structure yet.
pub(super) fn check_structure_exists(path: &Path) -> Result<()> {
    let empty = || {
        Error::unavailable(format!("{} is missing or empty", path.display()))
            .with_source(FileFault::Empty)
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(empty()),
        Err(error) => return Err(missing(path, error)),
        Ok(found) if found.is_file() && found.len() == 0 => return Err(empty()),
        Ok(_) => {}
    }
    let tables = upkeep::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|connection| {
        let count = "SELECT count(*) FROM sqlite_schema";
        connection.query_row(count, [], |row| row.get::<_, i64>(0))
    });
    match tables.map_err(|error| fault::translate(error, path))? {
        0 => Err(empty()),
        _ => Ok(()),
    }
}

/// Makes the file where there is none. Only this user can read it.
///
/// One that exists is left alone: closing it would end the locks that SQLite holds on it in this process.
pub(super) fn create(path: &Path) -> Result<()> {
    match private_file().create_new(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(cannot_create(path, error))
        }
        _ => Ok(()),
    }
}

/// Makes a new file, which only this user can read; refuses where there is one already.
pub(super) fn create_new(path: &Path) -> Result<()> {
    let made = private_file().create_new(true).open(path);
    made.map(drop).map_err(|error| cannot_create(path, error))
}

/// How a file is opened that only this user can read.
pub(super) fn private_file() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// Why a file cannot be made, and what helps.
pub(super) fn cannot_create(path: &Path, error: io::Error) -> Error {
    let file = path.display();
    let message = match error.kind() {
        io::ErrorKind::NotFound => {
            format!("cannot create {file}: its folder does not exist; create it first")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => format!(
            "cannot write {file}: this user may not; check the permissions of the file and of its folder"
        ),
        io::ErrorKind::AlreadyExists => format!("{file} exists already; choose another name"),
        io::ErrorKind::IsADirectory => format!("{file} is a folder; name a file"),
        io::ErrorKind::StorageFull => format!("the disk of {file} is full; free some space"),
        _ => format!("cannot write {file}: {error}"),
    };
    Error::unavailable(message).with_source(error)
}
