//! Short reads run on the thread of their caller: handing one to a reader and its answer back takes longer than the
//! read itself.

use std::{
    sync::{Mutex, TryLockError},
    thread,
    time::{Duration, Instant},
};

use super::{control, guarded};
use crate::{
    ErrorKind, Result,
    engine::sqlite::connection::{Open, Role, Slot, Source},
};

/// How long a read may hold up the other work of its caller's thread.
const LONGEST: Duration = Duration::from_micros(500);

/// Connections for the threads of callers.
pub(super) struct Direct(Vec<Mutex<Slot>>);

/// What became of a read.
pub(super) enum Outcome<T> {
    Done(Result<T>),
    /// It was ended, since it takes longer than it may here.
    TooLong,
    /// No connection is free, or the database is busy.
    NotRun,
}

impl Direct {
    /// A connection for each core; each is opened when it is first needed.
    pub(super) fn new(source: &Source) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let slots = (0..cores).map(|_| Mutex::new(Slot::new(source.clone(), Role::DirectReader)));
        Self(slots.collect())
    }

    /// Runs `work` now, in a view that has every commit before. It neither waits for a lock nor runs for long.
    pub(super) fn read<T>(&self, work: impl Fn(&Open) -> Result<T>) -> Outcome<T> {
        let free = self.0.iter().find_map(|slot| match slot.try_lock() {
            Ok(slot) => Some(slot),
            Err(TryLockError::Poisoned(slot)) => Some(slot.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        let Some(mut slot) = free else {
            return Outcome::NotRun;
        };
        slot.limiter().lift();
        let begun = slot
            .connection()
            .is_ok_and(|connection| control(connection, "BEGIN").is_ok());
        let (true, Some(open)) = (begun, slot.current()) else {
            // A reader says what is wrong.
            slot.close();
            return Outcome::NotRun;
        };
        slot.limiter().set(Some(Instant::now() + LONGEST), None);
        let result = guarded(|| work(open));
        slot.limiter().lift();
        if !open.is_autocommit() && control(open, "COMMIT").is_err() {
            slot.close();
        }
        match result {
            Err(error) if error.kind() == ErrorKind::Timeout => Outcome::TooLong,
            Err(error) if error.kind() == ErrorKind::Unavailable => Outcome::NotRun,
            result => Outcome::Done(result),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{path::PathBuf, sync::Arc};

    use rusqlite::Connection;

    use super::*;
    use crate::{
        Error,
        engine::sqlite::{fault, functions},
    };

    const COUNT: &str = "SELECT count(*) FROM t";
    const ENDLESS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

    fn open(folder: &tempfile::TempDir) -> (Connection, Direct) {
        let path = folder.path().join("t.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)")
            .unwrap();
        let source = Source {
            path,
            set_wal: false,
            prepare: Arc::new(functions::register),
        };
        (connection, Direct::new(&source))
    }

    fn read(direct: &Direct, sql: &str) -> Outcome<i64> {
        direct.read(|open| -> Result<i64, Error> {
            let row = open.query_row(sql, [], |row| row.get(0));
            row.map_err(|error| fault::translate(error, &PathBuf::new()))
        })
    }

    #[test]
    fn a_read_sees_every_commit_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        for count in 1..100 {
            connection
                .execute("INSERT INTO t DEFAULT VALUES", [])
                .unwrap();
            assert!(matches!(read(&direct, COUNT), Outcome::Done(Ok(seen)) if seen == count));
        }
    }

    #[test]
    fn a_long_read_is_ended_soon_and_leaves_the_connection_usable() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        for _ in 0..3 * direct.0.len() {
            assert!(matches!(read(&direct, ENDLESS), Outcome::TooLong));
        }
        // No view is held, or this could not be written.
        connection
            .execute("INSERT INTO t DEFAULT VALUES", [])
            .unwrap();
        assert!(matches!(read(&direct, COUNT), Outcome::Done(Ok(1))));
    }

    #[test]
    fn a_locked_database_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        assert!(matches!(read(&direct, COUNT), Outcome::Done(Ok(0))));
        connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
        assert!(matches!(read(&direct, COUNT), Outcome::NotRun));
        connection.execute_batch("COMMIT").unwrap();
        assert!(matches!(read(&direct, COUNT), Outcome::Done(Ok(0))));
    }

    #[test]
    fn a_read_that_panics_is_an_error_of_that_read_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (_connection, direct) = open(&folder);
        let panics = direct.read(|_| -> Result<i64, Error> { panic!("no") });
        assert!(matches!(panics, Outcome::Done(Err(error)) if error.kind() == ErrorKind::Internal));
        assert!(matches!(read(&direct, COUNT), Outcome::Done(Ok(0))));
    }
}
