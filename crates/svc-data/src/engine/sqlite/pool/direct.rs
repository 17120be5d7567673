//! Short reads run on the thread of their caller: handing one to a reader and its answer back takes longer than the
//! read itself.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use super::{VIEW_HELD, control, guarded, spawn};
use crate::{
    ErrorKind, Result,
    engine::sqlite::connection::{Open, Role, Slot, Source},
};

/// How many steps of SQLite's virtual machine a read may take on its caller's thread: about half a millisecond, wherever
/// the system lets other threads run meanwhile.
const MOST_STEPS: u64 = 20_000;
/// How long a read may hold up the other work of its caller's thread, whatever it waits for.
const LONGEST: Duration = Duration::from_millis(5);
/// How soon after the read before a read has to come, so that its view is kept for the next one.
const CLOSE_BY: Duration = Duration::from_micros(200);

/// Connections for the threads of callers.
pub(super) struct Direct {
    connections: Vec<Mutex<Held>>,
    /// Counts what makes a view too old.
    commits: Arc<AtomicU64>,
    /// The thread that ends views which no read follows.
    ender: OnceLock<Thread>,
    /// Whether it knows that there are views.
    is_ending: AtomicBool,
}

/// A connection with its view of the database, where one is held.
struct Held {
    slot: Slot,
    view: Option<View>,
    /// When the last read ended.
    last: Option<Instant>,
}

#[derive(Clone, Copy)]
struct View {
    begun: Instant,
    /// How many commits were counted before it began.
    commits: u64,
}

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
    pub(super) fn start(source: &Source, commits: &Arc<AtomicU64>) -> Result<Arc<Self>> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let held = || Held {
            slot: Slot::new(source.clone(), Role::DirectReader),
            view: None,
            last: None,
        };
        let direct = Arc::new(Self {
            connections: (0..cores).map(|_| Mutex::new(held())).collect(),
            commits: Arc::clone(commits),
            ender: OnceLock::new(),
            is_ending: AtomicBool::new(false),
        });
        let weak = Arc::downgrade(&direct);
        let ender = spawn("sqlite-views", move || end_views(&weak))?;
        direct.ender.get_or_init(|| ender);
        Ok(direct)
    }

    /// Runs `work` now, in a view that has every commit before. It neither waits for a lock nor runs for long.
    pub(super) fn read<T>(&self, work: impl Fn(&Open) -> Result<T>) -> Outcome<T> {
        let Some(mut held) = self.connections.iter().find_map(try_lock) else {
            return Outcome::NotRun;
        };
        // Before the view begins: a commit that is counted here is in the view.
        let commits = self.commits.load(Ordering::Acquire);
        let now = Instant::now();
        let Some(open) = held.open(commits, now) else {
            // A reader says what is wrong.
            return Outcome::NotRun;
        };
        let result = match guarded(|| work(open)) {
            Err(error) if error.kind() == ErrorKind::Timeout => Outcome::TooLong,
            Err(error) if error.kind() == ErrorKind::Unavailable => Outcome::NotRun,
            result => Outcome::Done(result),
        };
        held.rest(now, matches!(result, Outcome::Done(Ok(_))));
        if held.view.is_some() && !self.is_ending.swap(true, Ordering::AcqRel) {
            self.wake_ender();
        }
        result
    }

    fn wake_ender(&self) {
        if let Some(ender) = self.ender.get() {
            ender.unpark();
        }
    }

    /// Ends the views that are held for too long, and says whether others are left.
    fn end_old_views(&self) -> bool {
        // From now on a read that holds a view says so again.
        self.is_ending.store(false, Ordering::Release);
        let mut are_left = false;
        for held in &self.connections {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            match held.view {
                Some(view) if view.begun.elapsed() >= VIEW_HELD => held.end(),
                view => are_left |= view.is_some(),
            }
        }
        self.is_ending.fetch_or(are_left, Ordering::AcqRel);
        are_left
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        self.wake_ender();
    }
}

impl Held {
    /// The connection within a view that has at least so many commits.
    fn open(&mut self, commits: u64, now: Instant) -> Option<&Open> {
        let is_current =
            |view: View| view.commits == commits && now.duration_since(view.begun) < VIEW_HELD;
        if !self.view.is_some_and(is_current) {
            self.end();
            self.slot.limiter().lift();
            let begun = self.slot.begin_view();
            if !begun.is_ok_and(|begun| begun.is_ok()) {
                self.slot.close();
                return None;
            }
            self.view = Some(View {
                begun: now,
                commits,
            });
        }
        self.slot.limiter().set_short(now + LONGEST, MOST_STEPS);
        self.slot.current()
    }

    /// After a read: keeps the view where reads follow close by.
    fn rest(&mut self, begun: Instant, is_well: bool) {
        self.slot.limiter().lift();
        let before = self.last.replace(Instant::now());
        let is_close = before.is_some_and(|before| begun.duration_since(before) < CLOSE_BY);
        if !is_well || !is_close {
            self.end();
        }
    }

    /// Ends the view.
    fn end(&mut self) {
        if self.view.take().is_none() {
            return;
        }
        let ended = self.slot.current().is_some_and(|connection| {
            connection.is_autocommit() || control(connection, "COMMIT").is_ok()
        });
        if !ended {
            self.slot.close();
        }
    }
}

fn try_lock(held: &Mutex<Held>) -> Option<MutexGuard<'_, Held>> {
    match held.try_lock() {
        Ok(held) => Some(held),
        Err(TryLockError::Poisoned(held)) => Some(held.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The life of the thread that ends views: a view that is held keeps others from changing the file, or from emptying
/// its log.
fn end_views(direct: &Weak<Direct>) {
    while let Some(direct) = direct.upgrade() {
        let are_left = direct.end_old_views();
        drop(direct);
        match are_left {
            true => thread::park_timeout(VIEW_HELD),
            false => thread::park(),
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

    fn open(folder: &tempfile::TempDir) -> (Connection, Arc<Direct>) {
        let path = folder.path().join("t.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)")
            .unwrap();
        let source = Source {
            path,
            set_wal: false,
            untouched: false,
            prepare: Arc::new(functions::register),
        };
        let direct = Direct::start(&source, &Arc::default()).unwrap();
        (connection, direct)
    }

    fn read(direct: &Direct, sql: &str) -> Outcome<i64> {
        direct.read(|open| -> Result<i64, Error> {
            let row = open.query_row(sql, [], |row| row.get(0));
            row.map_err(|error| fault::translate(error, &PathBuf::new()))
        })
    }

    /// How many rows a read sees. On a busy machine one may take too long, or find its connection in use.
    fn count(direct: &Direct) -> i64 {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            match read(direct, COUNT) {
                Outcome::Done(count) => return count.unwrap(),
                Outcome::TooLong | Outcome::NotRun => assert!(Instant::now() < until),
            }
        }
    }

    #[test]
    fn a_read_sees_every_commit_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        for rows in 1..100 {
            connection
                .execute("INSERT INTO t DEFAULT VALUES", [])
                .unwrap();
            assert_eq!(count(&direct), rows);
        }
    }

    #[test]
    fn reads_that_follow_close_by_see_what_was_counted_as_committed() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        connection
            .execute_batch("PRAGMA journal_mode = WAL")
            .unwrap();
        for rows in 1..100 {
            connection
                .execute("INSERT INTO t DEFAULT VALUES", [])
                .unwrap();
            direct.commits.fetch_add(1, Ordering::Release);
            for _ in 0..50 {
                assert_eq!(count(&direct), rows);
            }
        }
    }

    #[test]
    fn a_view_that_no_read_follows_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        let is_held = |held: &Mutex<Held>| held.lock().unwrap().view.is_some();
        let until = Instant::now() + Duration::from_secs(20);
        let mut held = 0;
        while held < 10 {
            assert!(Instant::now() < until);
            assert_eq!(count(&direct), 0);
            held += usize::from(direct.connections.iter().any(is_held));
        }
        while connection.execute_batch("BEGIN EXCLUSIVE").is_err() {
            assert!(Instant::now() < until);
            thread::yield_now();
        }
    }

    #[test]
    fn a_long_read_is_ended_soon_and_leaves_the_connection_usable() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        for _ in 0..3 * direct.connections.len() {
            assert!(matches!(read(&direct, ENDLESS), Outcome::TooLong));
        }
        // No view is held, or this could not be written.
        connection
            .execute("INSERT INTO t DEFAULT VALUES", [])
            .unwrap();
        assert_eq!(count(&direct), 1);
    }

    #[test]
    fn a_locked_database_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, direct) = open(&folder);
        assert_eq!(count(&direct), 0);
        connection.execute_batch("BEGIN EXCLUSIVE").unwrap();
        assert!(matches!(read(&direct, COUNT), Outcome::NotRun));
        connection.execute_batch("COMMIT").unwrap();
        assert_eq!(count(&direct), 0);
    }

    #[test]
    fn a_read_that_panics_is_an_error_of_that_read_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (_connection, direct) = open(&folder);
        let panics = direct.read(|_| -> Result<i64, Error> { panic!("no") });
        assert!(matches!(panics, Outcome::Done(Err(error)) if error.kind() == ErrorKind::Internal));
        assert_eq!(count(&direct), 0);
    }

    #[test]
    fn a_read_is_not_compiled_again_for_each_value() {
        let folder = tempfile::tempdir().unwrap();
        let sql = "CREATE TABLE t (v INTEGER); CREATE INDEX by_v ON t (v);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO t SELECT iif(i < 150, 1, i) FROM n; ANALYZE;";
        for (role, is_again) in [(Role::DirectReader, false), (Role::Reader, true)] {
            let folder = folder.path().join(format!("{role:?}"));
            std::fs::create_dir(&folder).unwrap();
            let slot = Slot::of_new_file(&folder, sql, role, Arc::new(functions::register));
            let open = slot.current().unwrap();
            let samples = "SELECT count(*) > 0 FROM sqlite_stat4";
            assert!(
                open.query_row(samples, [], |row| row.get::<_, bool>(0))
                    .unwrap()
            );
            let mut count = open.prepare("SELECT count(*) FROM t WHERE v > ?1").unwrap();
            for value in [1, 150, 199] {
                let _: i64 = count.query_row([value], |row| row.get(0)).unwrap();
            }
            let again = count.get_status(rusqlite::StatementStatus::RePrepare);
            assert_eq!(again > 0, is_again, "{role:?}: {again}");
        }
    }
}
