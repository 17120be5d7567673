//! A file of SQLite that is looked at, and stays as it is.

use std::path::{Path, PathBuf};

use rusqlite::{Connection as SqliteConnection, OpenFlags};

use super::{Connection, upkeep};
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Error, Result,
    engine::sqlite::{
        connection::{immutable_uri, is_in_use, missing},
        fault,
        session::Session,
    },
};

/// A file of SQLite that is looked at. It is not changed, and no file is made beside it.
#[derive(Debug)]
pub struct DatabaseFile {
    connection: SqliteConnection,
    path: PathBuf,
    skips_log: bool,
}

impl DatabaseFile {
    /// Opens a file that exists. Call it where a thread may block, as everything here.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with the file and a remedy when it cannot be read, or is no database.
    pub fn open(path: &Path) -> Result<Self> {
        let found = std::fs::metadata(path).map_err(|error| missing(path, error))?;
        if !found.is_file() {
            return Err(Error::unavailable(format!(
                "{} is not a file; name the file of a database",
                path.display()
            )));
        }
        let translate = |error| fault::translate(error, path);
        let access = OpenFlags::SQLITE_OPEN_READ_ONLY;
        // Otherwise SQLite would make the files of a log, and could not remove them.
        let immutable = !is_in_use(path);
        let connection = match immutable {
            true => upkeep::open(
                Path::new(&immutable_uri(path)),
                access | OpenFlags::SQLITE_OPEN_URI,
            ),
            false => upkeep::open(path, access),
        }
        .map_err(translate)?;
        // The first statement that reads the file, so that what is no database is found here.
        connection
            .execute_batch("SELECT count(*) FROM sqlite_schema")
            .map_err(translate)?;
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let has_log = std::fs::metadata(log).is_ok_and(|found| found.len() > 0);
        Ok(Self {
            connection,
            path: path.to_owned(),
            skips_log: immutable && has_log,
        })
    }

    /// Whether there is a log beside the file that was not read, since SQLite would have to make another file for it.
    #[must_use]
    pub fn skips_log(&self) -> bool {
        self.skips_log
    }

    /// Runs `f` on the file. A statement that writes fails.
    ///
    /// # Errors
    /// What `f` returns.
    pub fn read<T, E>(&self, f: impl FnOnce(&mut dyn Connection) -> Result<T, E>) -> Result<T, E> {
        f(&mut Session::new(&self.connection, &self.path))
    }

    /// Reads all of the file, and checks its form and that each index has the content of its table (`PRAGMA
    /// integrity_check`).
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when it is damaged or cannot be read.
    pub fn check_integrity(&self) -> Result<()> {
        upkeep::check(
            "PRAGMA integrity_check(1)",
            Session::new(&self.connection, &self.path),
        )
    }

    /// The number of the last migration that was applied; `None` when there was none.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the file cannot be read.
    pub fn migration(&self) -> Result<Option<u32>> {
        let session = Session::new(&self.connection, &self.path);
        let number = |sql: &str| session.query_row(sql, [], |row| row.get::<_, Option<u32>>(0));
        let table = "SELECT count(*) FROM sqlite_schema WHERE name = 'refinery_schema_history'";
        match session.translate(number(table))? {
            Some(1) => {
                session.translate(number("SELECT max(version) FROM refinery_schema_history"))
            }
            _ => Ok(None),
        }
    }

    /// Changes a file that nobody has open, in one transaction and without a file beside it afterwards. What is deleted is
    /// overwritten with zeroes. The change is not on the disk until the file is synced.
    ///
    /// # Errors
    /// What `f` returns, and [`ErrorKind::Unavailable`] when the file cannot be written.
    pub fn change(path: &Path, f: impl FnOnce(&mut dyn Connection) -> Result<()>) -> Result<()> {
        let translate = |error| fault::translate(error, path);
        let connection =
            upkeep::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(translate)?;
        // Exclusive before the log is looked at: then there is no shared memory beside the file.
        connection
            .execute_batch(
                "PRAGMA locking_mode = exclusive; PRAGMA journal_mode = delete; PRAGMA secure_delete = on; \
                 BEGIN IMMEDIATE",
            )
            .map_err(translate)?;
        f(&mut Session::new(&connection, path))?;
        connection.execute_batch("COMMIT").map_err(translate)?;
        connection.close().map_err(|(_, error)| translate(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Migration};

    #[tokio::test]
    async fn a_file_that_is_looked_at_stays_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        let steps = [Migration {
            version: 1,
            name: "first",
            sql: "CREATE TABLE t (a TEXT)",
        }];
        drop(Database::open_sqlite(&path, &steps).await.unwrap());
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.path().join(format!("t.db{ending}")));
        }
        let before = std::fs::read(&path).unwrap();
        let file = DatabaseFile::open(&path).unwrap();
        file.check_integrity().unwrap();
        assert_eq!(file.migration().unwrap(), Some(1));
        let refused: Result<u64> =
            file.read(|connection| connection.execute("INSERT INTO t VALUES ('x')", &[]));
        assert!(refused.is_err());
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_database_is_said_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "x".repeat(5_000)).unwrap();
        let error = DatabaseFile::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("notes.txt is not an SQLite database"),
            "{error}"
        );
        assert!(DatabaseFile::open(folder.path()).is_err());
    }
}
