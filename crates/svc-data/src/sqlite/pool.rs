//! Threads that own the connections to one SQLite file: several readers, and one writer that commits
//! waiting writes together. Jobs go in as closures, answers come back when they are true.

use std::{
    any::Any,
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{
    connection::{Role, Slot, Source},
    fault,
};
use crate::{Error, ErrorKind};

/// How many writes are committed together at most.
const GROUP: usize = 128;
/// How long a reader holds one view of the database while more reads wait.
const VIEW_HELD: Duration = Duration::from_millis(2);

/// What a pool is made with.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) source: Source,
    pub(crate) readers: usize,
    /// A pool without a writer refuses writes.
    pub(crate) writable: bool,
}

/// The threads of one file. They end when the last clone is gone.
#[derive(Clone)]
pub(crate) struct Pool {
    /// Counts what makes a held view too old.
    commits: Arc<AtomicU64>,
    reads: Sender<ReadJob>,
    writes: Option<Sender<Box<dyn WriteJob>>>,
    watch: Arc<Mutex<Slot>>,
}

impl Pool {
    /// Opens the file with one reader to see that it can be used, then starts the threads.
    pub(crate) fn start(options: Options) -> Result<Self, Error> {
        let Options {
            source,
            readers,
            writable,
        } = options;
        let commits = Arc::new(AtomicU64::new(0));
        let spawn = |name: String, body: Box<dyn FnOnce() + Send>| {
            thread::Builder::new()
                .name(name)
                .spawn(body)
                .map(drop)
                .map_err(|error| {
                    Error::new(
                        ErrorKind::Unavailable,
                        "cannot start a thread for the database; raise the limit of processes",
                    )
                    .with_source(error)
                })
        };

        // The writer first: it may have to recover the journal of a program that was killed.
        let writes = if writable {
            let mut slot = Slot::new(source.clone(), Role::Writer);
            slot.connection()?;
            let (sender, jobs) = unbounded();
            let commits = Arc::clone(&commits);
            spawn(
                "sqlite-writer".to_owned(),
                Box::new(move || write_all(&mut slot, &jobs, &commits)),
            )?;
            Some(sender)
        } else {
            None
        };
        let mut watch = Slot::new(source.clone(), Role::Reader);
        watch.connection()?;
        let (reads, jobs) = unbounded();
        for number in 1..=readers.max(1) {
            let mut slot = Slot::new(source.clone(), Role::Reader);
            let jobs = jobs.clone();
            let commits = Arc::clone(&commits);
            spawn(
                format!("sqlite-reader-{number}"),
                Box::new(move || read_all(&mut slot, &jobs, &commits)),
            )?;
        }
        Ok(Self {
            commits,
            reads,
            writes,
            watch: Arc::new(Mutex::new(watch)),
        })
    }

    /// Lets the reads that follow begin with a new view, and so see what other programs have done.
    pub(crate) fn renew_views(&self) {
        self.commits.fetch_add(1, Ordering::Release);
    }

    /// Runs `work` on a reader. It sees every write that was answered before this call.
    pub(crate) async fn read<T, E, F>(&self, limit: Option<Duration>, work: F) -> Result<T, E>
    where
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let abandoned = Abandoned::default();
        let job = ReadJob {
            deadline: limit.map(|limit| Instant::now() + limit),
            abandoned: Arc::clone(&abandoned.0),
            run: Box::new(move |connection| {
                let result = match connection {
                    Ok(connection) => guarded(|| work(connection)),
                    Err(error) => Err(error.into()),
                };
                // The caller may have left; then nobody needs the answer.
                let _ = answer.send(result);
            }),
        };
        if self.reads.send(job).is_err() {
            return Err(stopped().into());
        }
        let result = answered.await;
        drop(abandoned);
        result.unwrap_or_else(|_| Err(stopped().into()))
    }

    /// Runs `work` in a transaction on the writer and answers after the commit.
    ///
    /// It is run again when a neighbour in the same transaction took its changes away.
    pub(crate) async fn write<T, E, F>(&self, limit: Option<Duration>, work: F) -> Result<T, E>
    where
        F: FnMut(&Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let Some(writes) = &self.writes else {
            return Err(Error::invalid("this resource is connected read-only").into());
        };
        let (answer, answered) = oneshot::channel();
        let job = Write {
            deadline: limit.map(|limit| Instant::now() + limit),
            work,
            result: None,
            answer,
        };
        if writes.send(Box::new(job)).is_err() {
            return Err(stopped().into());
        }
        answered.await.unwrap_or_else(|_| Err(stopped().into()))
    }

    /// A number that moves whenever anybody, this process included, has committed a change.
    pub(crate) async fn change_counter(&self) -> Result<u64, Error> {
        let watch = Arc::clone(&self.watch);
        tokio::task::spawn_blocking(move || {
            let mut slot = watch.lock().unwrap_or_else(PoisonError::into_inner);
            let read = slot.connection().map(|connection| {
                connection.query_row("PRAGMA data_version", [], |row| row.get::<_, u32>(0))
            })?;
            match read {
                // The version counts per connection, so a new connection starts a new range.
                Ok(version) => Ok(u64::from(slot.generation()) << 32 | u64::from(version)),
                Err(error) => {
                    slot.close();
                    Err(fault::translate(error, slot.path()))
                }
            }
        })
        .await
        .unwrap_or_else(|_| Err(stopped()))
    }
}

fn stopped() -> Error {
    Error::internal("the thread of the database has ended")
}

/// Runs code of a caller and turns a panic into an error.
fn guarded<T, E: From<Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::internal(panic_text(panic.as_ref())).into()))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("a job on the database panicked: {text}")
}

/// Tells the reader that its caller left, so that it ends the statement.
#[derive(Default)]
struct Abandoned(Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

// ---- Readers ----

struct ReadJob {
    deadline: Option<Instant>,
    abandoned: Arc<AtomicBool>,
    run: Box<Run>,
}

type Run = dyn FnOnce(Result<&Connection, Error>) + Send;

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|at| Instant::now() >= at)
}

fn timed_out() -> Error {
    Error::new(
        ErrorKind::Timeout,
        "the database was too busy to begin within the time limit",
    )
}

/// The life of a reader: one view of the database serves the reads that wait, as long as it is
/// current. Opening a view for every read does not scale with the number of readers.
fn read_all(slot: &mut Slot, jobs: &Receiver<ReadJob>, commits: &AtomicU64) {
    let mut next = jobs.recv().ok();
    while let Some(job) = next.take() {
        next = read_in_one_view(slot, job, jobs, commits).or_else(|| jobs.recv().ok());
    }
}

/// Runs `job` and those that wait behind it; gives back one that needs a newer view.
fn read_in_one_view(
    slot: &mut Slot,
    job: ReadJob,
    jobs: &Receiver<ReadJob>,
    commits: &AtomicU64,
) -> Option<ReadJob> {
    if job.abandoned.load(Ordering::Relaxed) {
        return None;
    }
    if is_over(job.deadline) {
        (job.run)(Err(timed_out()));
        return None;
    }
    // Before the view begins: a commit that is counted here is in the view.
    let seen = commits.load(Ordering::Acquire);
    let until = Instant::now() + VIEW_HELD;
    slot.limiter().lift();
    let begun = slot
        .connection()
        .map(|connection| control(connection, "BEGIN"));
    match begun {
        Err(error) => {
            (job.run)(Err(error));
            return None;
        }
        Ok(Err(error)) => {
            slot.close();
            (job.run)(Err(fault::translate(error, slot.path())));
            return None;
        }
        Ok(Ok(())) => {}
    }
    let mut next = Some(job);
    let mut newer = None;
    while let Some(job) = next.take() {
        if !job.abandoned.load(Ordering::Relaxed) {
            if is_over(job.deadline) {
                (job.run)(Err(timed_out()));
            } else {
                slot.limiter().set(job.deadline, Some(job.abandoned));
                (job.run)(slot.current().ok_or_else(stopped));
            }
        }
        if Instant::now() >= until {
            break;
        }
        next = jobs.try_recv().ok();
        if next.is_some() && commits.load(Ordering::Acquire) != seen {
            newer = next.take();
        }
    }
    slot.limiter().lift();
    let ended = slot.current().is_some_and(|connection| {
        connection.is_autocommit() || control(connection, "COMMIT").is_ok()
    });
    if !ended {
        slot.close();
    }
    newer
}

// ---- The writer ----

trait WriteJob: Send {
    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;
    fn deadline(&self) -> Option<Instant>;
    /// Does the work; true when its changes are to be kept.
    fn run(&mut self, connection: &Connection) -> bool;
    /// Replaces the result by an error.
    fn fail(&mut self, error: Error);
    /// Sends the result.
    fn answer(self: Box<Self>);
}

struct Write<T, E, F> {
    deadline: Option<Instant>,
    work: F,
    result: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> WriteJob for Write<T, E, F>
where
    F: FnMut(&Connection) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn is_abandoned(&self) -> bool {
        // One that has run once belongs to a caller who was there when it began.
        self.result.is_none() && self.answer.is_closed()
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn run(&mut self, connection: &Connection) -> bool {
        let result = guarded(|| (self.work)(connection));
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn fail(&mut self, error: Error) {
        self.result = Some(Err(error.into()));
    }

    fn answer(self: Box<Self>) {
        let result = self.result.unwrap_or_else(|| Err(stopped().into()));
        // The caller may have left; the change stays.
        let _ = self.answer.send(result);
    }
}

fn refuse(mut job: Box<dyn WriteJob>, error: Error) {
    job.fail(error);
    job.answer();
}

/// The life of the writer: takes what waits, commits it together.
fn write_all(slot: &mut Slot, jobs: &Receiver<Box<dyn WriteJob>>, commits: &AtomicU64) {
    while let Ok(first) = jobs.recv() {
        let mut waiting = VecDeque::from([first]);
        while waiting.len() < GROUP {
            match jobs.try_recv() {
                Ok(job) => waiting.push_back(job),
                Err(_) => break,
            }
        }
        write_waiting(slot, waiting, commits);
    }
}

/// What became of one job inside a transaction.
enum Outcome {
    /// Its changes wait for the commit.
    Kept,
    /// Its changes were taken back; those of the others stand.
    Undone,
    /// The database took back the whole transaction.
    AllUndone,
}

fn write_waiting(slot: &mut Slot, mut waiting: VecDeque<Box<dyn WriteJob>>, commits: &AtomicU64) {
    // After a commit failed on a rule, each write gets a transaction of its own, to find the one at fault.
    let mut alone = false;
    while !waiting.is_empty() {
        let size = if alone { 1 } else { waiting.len() };
        let mut group: VecDeque<_> = waiting.drain(..size).collect();
        group.retain(|job| !job.is_abandoned());
        if group.is_empty() {
            continue;
        }
        slot.limiter().lift();
        if let Err(error) = begin(slot) {
            for job in group {
                refuse(job, error.clone());
            }
            continue;
        }
        let shared = group.len() > 1;
        let mut kept = Vec::with_capacity(group.len());
        let mut all_undone = false;
        while let Some(mut job) = group.pop_front() {
            if is_over(job.deadline()) {
                refuse(job, timed_out());
                continue;
            }
            match run_one(slot, job.as_mut(), shared) {
                Outcome::Kept => kept.push(job),
                Outcome::Undone => job.answer(),
                Outcome::AllUndone => {
                    job.answer();
                    all_undone = true;
                    break;
                }
            }
        }
        if all_undone {
            rollback(slot);
            // The others did nothing wrong: they are run again without the one that did.
            for job in group.into_iter().rev().chain(kept.into_iter().rev()) {
                waiting.push_front(job);
            }
            continue;
        }
        if kept.is_empty() {
            rollback(slot);
            continue;
        }
        match commit(slot) {
            Ok(()) => {
                commits.fetch_add(1, Ordering::Release);
                kept.into_iter().for_each(|job| job.answer());
            }
            Err(error) => {
                rollback(slot);
                if kept.len() > 1 && error.kind() == ErrorKind::Constraint {
                    alone = true;
                    for job in kept.into_iter().rev() {
                        waiting.push_front(job);
                    }
                } else {
                    for job in kept {
                        refuse(job, error.clone());
                    }
                }
            }
        }
    }
}

fn begin(slot: &mut Slot) -> Result<(), Error> {
    let path = slot.path().to_owned();
    match control(slot.connection()?, "BEGIN IMMEDIATE") {
        Ok(()) => Ok(()),
        Err(error) => {
            if fault::spoils_the_connection(&error) {
                slot.close();
            }
            Err(fault::translate(error, &path))
        }
    }
}

fn commit(slot: &mut Slot) -> Result<(), Error> {
    slot.limiter().lift();
    let connection = slot.current().ok_or_else(stopped)?;
    control(connection, "COMMIT").map_err(|error| fault::translate(error, slot.path()))
}

fn rollback(slot: &mut Slot) {
    slot.limiter().lift();
    let clean = slot.current().is_some_and(|connection| {
        connection.is_autocommit() || control(connection, "ROLLBACK").is_ok()
    });
    if !clean {
        slot.close();
    }
}

/// Runs a statement that controls the transaction.
fn control(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

/// Runs one job, in a savepoint when others share the transaction.
fn run_one(slot: &Slot, job: &mut dyn WriteJob, shared: bool) -> Outcome {
    let Some(connection) = slot.current() else {
        job.fail(stopped());
        return Outcome::AllUndone;
    };
    if shared && let Err(error) = control(connection, "SAVEPOINT job") {
        job.fail(fault::translate(error, slot.path()));
        return Outcome::AllUndone;
    }
    slot.limiter().set(job.deadline(), None);
    let keep = job.run(connection);
    slot.limiter().lift();
    if connection.is_autocommit() {
        // An interrupted write, a full disk or RAISE(ROLLBACK) ends the whole transaction.
        if keep {
            job.fail(Error::internal("the transaction ended inside a job"));
        }
        return Outcome::AllUndone;
    }
    let ended = match (shared, keep) {
        (false, _) => Ok(()),
        (true, true) => control(connection, "RELEASE job"),
        (true, false) => {
            control(connection, "ROLLBACK TO job").and_then(|()| control(connection, "RELEASE job"))
        }
    };
    match ended {
        Ok(()) if keep => Outcome::Kept,
        Ok(()) => Outcome::Undone,
        Err(error) => {
            job.fail(fault::translate(error, slot.path()));
            Outcome::AllUndone
        }
    }
}
