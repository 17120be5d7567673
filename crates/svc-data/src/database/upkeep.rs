//! Care of the file itself: whether it is whole, and that all of it is in one file. A server takes care of its own.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::Database;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Error, Result,
    engine::sqlite::{
        connection::set_wal,
        fault::{self, Fault},
        session::Session,
    },
};

/// Free pages that are not worth the work.
const FEW_PAGES: i64 = 1_024;
/// Which part of the file must be free before it is made smaller.
const FREE_SHARE: i64 = 10;
/// How many pages are given back in one transaction.
const PAGES_AT_ONCE: u32 = 1_000;
/// Analyses tables (2) of the whole database (65536), from some rows of each (16).
const ANALYZE: &str = "PRAGMA optimize(65554)";
/// How long it waits for the locks of other programs.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

impl Database {
    /// Reads every page of the file and checks its form (`PRAGMA quick_check`). It does not check that an index
    /// has the content of its table. It reads on a connection of its own, so that no caller waits for it.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the file is damaged or cannot be read.
    pub async fn check_integrity(&self) -> Result<()> {
        if self.is_on_server() {
            return Ok(());
        }
        self.on_own_connection(OpenFlags::SQLITE_OPEN_READ_ONLY, |session| {
            Ok(check("PRAGMA quick_check(1)", session)?)
        })
        .await
    }

    /// Moves the content of the write-ahead log into the file and empties the log, so that the file alone is complete.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when another program uses the log for longer than some seconds, and when the file
    /// cannot be written.
    pub async fn checkpoint(&self) -> Result<()> {
        if self.is_on_server() {
            return Ok(());
        }
        self.on_own_connection(OpenFlags::SQLITE_OPEN_READ_WRITE, |session| {
            let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
            match session.query_row(checkpoint, [], |row| row.get(0))? {
                false => Ok(()),
                true => Err(Error::unavailable(format!(
                    "the log of {} is in use by another program; copy it together with its -wal file",
                    session.path.display()
                ))
                .into()),
            }
        })
        .await
    }

    /// Gives pages that deletions have freed back to the file system, where they are a good part of the file. Others
    /// write in between. A file of a program before this call was made for it keeps its size.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the file cannot be written.
    pub async fn shrink(&self) -> Result<()> {
        if self.is_on_server() {
            return Ok(());
        }
        self.on_own_connection(OpenFlags::SQLITE_OPEN_READ_WRITE, |session| {
            Ok(give_back_free_pages(&session)?)
        })
        .await
    }

    /// Updates SQLite's statistics of tables and indexes, by which it chooses among indexes: of tables that have grown much
    /// since, from some rows of each. A server does so by itself.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the file cannot be written.
    pub async fn analyze(&self) -> Result<()> {
        if self.is_on_server() {
            return Ok(());
        }
        self.on_own_connection(OpenFlags::SQLITE_OPEN_READ_WRITE, |session| {
            Ok(analyze(&session)?)
        })
        .await
    }

    async fn on_own_connection(
        &self,
        access: OpenFlags,
        work: impl FnOnce(Session<'_>) -> Result<(), Fault> + Send + 'static,
    ) -> Result<()> {
        let path = self.file()?.path.clone();
        tokio::task::spawn_blocking(move || {
            let connection = open(&path, access).map_err(|error| fault::translate(error, &path))?;
            let session = Session::new(&connection, &path);
            session.translate(work(session))
        })
        .await
        .unwrap_or_else(|_| Err(Error::internal("the care of the database panicked")))
    }
}

/// Checks a file with this statement, which answers `ok` or what is wrong.
pub(super) fn check(statement: &str, session: Session<'_>) -> Result<()> {
    let found = session.query_row(statement, [], |row| row.get::<_, String>(0));
    let found = session.translate(found)?;
    if found == "ok" {
        return Ok(());
    }
    let (file, found) = (session.path.display(), found.lines().next());
    let found = found.unwrap_or_default();
    let message = format!("{file} is damaged ({found}); restore a backup");
    Err(Error::unavailable(message).with_source(fault::damaged()))
}

/// Opens a connection beside those of the pool.
pub(super) fn open(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let access = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, access)?;
    connection.busy_timeout(LOCK_TIMEOUT)?;
    Ok(connection)
}

/// Prepares a file that is still empty for [`Database::shrink`].
pub(super) fn let_shrink(path: &Path) -> Result<()> {
    let is_empty = std::fs::metadata(path).is_ok_and(|found| found.len() == 0);
    if !is_empty {
        return Ok(());
    }
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|connection| {
            connection.pragma_update(None, "auto_vacuum", "incremental")?;
            // Writes the first page, which keeps the setting.
            set_wal(&connection)
        })
        .map_err(|error| fault::translate(error, path))
}

fn analyze(connection: &Connection) -> rusqlite::Result<()> {
    // As one step, so that none of it is left undone.
    let change = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let before = statistics(&change)?;
    change.execute_batch(ANALYZE)?;
    if statistics(&change)? == before {
        return change.rollback();
    }
    // Other connections read the statistics when they read the schema, which a change of it makes them do.
    change.execute_batch("CREATE VIEW svc_analyzed AS SELECT 1; DROP VIEW svc_analyzed")?;
    change.commit()
}

/// What is known of the tables and indexes.
fn statistics(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let known = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'";
    if connection.query_row(known, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(None);
    }
    let found = "SELECT group_concat(concat_ws(' ', tbl, idx, stat)) FROM sqlite_stat1";
    connection.query_row(found, [], |row| row.get(0))
}

fn give_back_free_pages(connection: &Connection) -> rusqlite::Result<()> {
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let (all, mut free) = (
        number("PRAGMA page_count")?,
        number("PRAGMA freelist_count")?,
    );
    if free < FEW_PAGES || free < all / FREE_SHARE {
        return Ok(());
    }
    while free > 0 {
        // The statement does its work row by row.
        let mut statement =
            connection.prepare_cached(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        drop(rows);
        let left = number("PRAGMA freelist_count")?;
        if left >= free {
            break;
        }
        free = left;
    }
    // The file gets shorter when the log is moved into it. Where others read, that happens later.
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{FileFault, Migration};

    const MIGRATIONS: &[Migration] = &[Migration {
        version: 1,
        name: "notes",
        sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
    }];

    async fn filled(path: &Path) -> Database {
        let database = Database::open_sqlite(path, MIGRATIONS).await.unwrap();
        database
            .write(|connection| {
                for _ in 0..200 {
                    connection.execute(
                        "INSERT INTO notes (text) VALUES (?1)",
                        &["x".repeat(1_000).into()],
                    )?;
                }
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
        database
    }

    #[tokio::test]
    async fn after_a_checkpoint_the_file_alone_holds_every_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let database = filled(&path).await;
        database.checkpoint().await.unwrap();
        let copy = folder.path().join("copy.db");
        fs::copy(&path, &copy).unwrap();
        let count: i64 = Connection::open(&copy)
            .unwrap()
            .query_row("SELECT count(*) FROM notes", [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, 200);
    }

    #[tokio::test]
    async fn a_file_shrinks_after_much_was_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let database = Database::open_sqlite(&path, MIGRATIONS).await.unwrap();
        for text in ["x".repeat(20_000_000), "kept".to_owned()] {
            let insert = database.write(move |connection| {
                connection.execute("INSERT INTO notes (text) VALUES (?1)", &[text.into()])
            });
            insert.await.unwrap();
        }
        database.checkpoint().await.unwrap();
        let size = || fs::metadata(&path).unwrap().len();
        assert!(size() > 20_000_000);
        database
            .write(|connection| connection.execute("DELETE FROM notes WHERE id = 1", &[]))
            .await
            .unwrap();
        database.shrink().await.unwrap();
        assert!(size() < 1_000_000, "{}", size());
        database.check_integrity().await.unwrap();
        let kept = database.read(|connection| connection.query("SELECT id FROM notes", &[]));
        assert_eq!(kept.await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn the_index_that_finds_a_row_is_chosen_once_a_table_was_analyzed() {
        const INDEXED: &[Migration] = &[Migration {
            version: 1,
            name: "notes",
            sql: "CREATE TABLE notes (uid TEXT NOT NULL PRIMARY KEY, of TEXT NOT NULL, text TEXT NOT NULL);
                CREATE INDEX newest ON notes (of, uid); CREATE INDEX texts ON notes (of, text)",
        }];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let database = Database::open_sqlite(&path, INDEXED).await.unwrap();
        let uses = async |index: &str, text: &str| {
            let plan = format!(
                "EXPLAIN QUERY PLAN SELECT * FROM notes WHERE of = 'a' AND text = '{text}' ORDER BY uid LIMIT 5"
            );
            let rows = database.read(move |connection| {
                // Unlike a plan, a statement that runs notices that the schema has changed.
                connection.query("SELECT 1 FROM notes LIMIT 1", &[])?;
                connection.query(&plan, &[])
            });
            let rows = rows.await.unwrap();
            let details = rows.iter().map(|row| row.get::<String>("detail").unwrap());
            let details = details.collect::<Vec<_>>().join(" ");
            assert!(details.contains(index), "{details}");
        };
        database.analyze().await.unwrap();
        uses("newest", "x1").await;
        database
            .write(|connection| {
                let insert = "INSERT INTO notes WITH RECURSIVE n(i) AS \
                    (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT hex(i), 'a', 'x' || i FROM n";
                connection.execute(insert, &[])
            })
            .await
            .unwrap();
        database.analyze().await.unwrap();
        uses("texts", "x2").await;
        // Nothing has changed since, so that no connection reads the schema again.
        let schema = || {
            Connection::open(&path)
                .unwrap()
                .pragma_query_value(None, "schema_version", |row| row.get::<_, i64>(0))
        };
        let before = schema();
        database.analyze().await.unwrap();
        assert_eq!(schema(), before);
        uses("texts", "x3").await;
    }

    #[tokio::test]
    async fn a_damaged_page_is_found_and_a_whole_file_is_not_blamed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let database = filled(&path).await;
        database.check_integrity().await.unwrap();
        database.checkpoint().await.unwrap();
        drop(database);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2 / 4096 * 4096;
        bytes[middle..middle + 4096].fill(0xff);
        fs::write(&path, bytes).unwrap();
        let database = Database::open_sqlite(&path, MIGRATIONS).await.unwrap();
        let error = database.check_integrity().await.unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Unavailable);
        assert_eq!(error.file_fault(), Some(FileFault::Damaged), "{error}");
        assert!(error.to_string().contains("restore a backup"), "{error}");
    }
}
