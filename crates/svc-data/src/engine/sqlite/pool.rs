//! Threads that own the connections to one SQLite file: several readers, and one writer that commits
//! waiting writes together. Jobs go in as closures, answers come back when they are true.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, Thread},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::{
    connection::{Open, Role, Slot, Source},
    fault,
    progress::Progress,
};
use crate::{
    Durations, Error, Result,
    admission::{Admission, Work},
    engine::PoolUse,
    record::Note,
};

mod direct;
mod jobs;
mod reader;
mod together;
mod writer;

use direct::{Direct, Outcome};
use jobs::Jobs;
use reader::ReadJob;
use writer::{Write, WriteJob};

/// How long one view of the database is held while more reads come.
const VIEW_HELD: Duration = Duration::from_millis(2);
/// How long a reader or writer without work keeps the pages that it has read.
const PAGES_KEPT: Duration = Duration::from_secs(10);

/// What a pool is made with.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) source: Source,
    pub(crate) readers: usize,
    /// A pool without a writer refuses writes.
    pub(crate) writable: bool,
    /// Counts how long reads wait for their turn.
    pub(crate) waits: Arc<Durations>,
}

/// The threads of one file. They end when the last clone is gone.
#[derive(Clone)]
pub(crate) struct Pool {
    /// Counts what makes a held view too old.
    commits: Arc<AtomicU64>,
    reads: Arc<Jobs<ReadJob>>,
    /// Gives reads their turn, where there are several readers.
    admission: Option<Admission>,
    writes: Option<Arc<Jobs<Box<dyn WriteJob>>>>,
    watch: Arc<Mutex<Slot>>,
    /// The connection that looks whether the file is there, without waiting for locks; opened when it is first needed.
    ping: Arc<tokio::sync::Mutex<Slot>>,
    source: Source,
    readers: usize,
    /// Whether an answer is read by several connections at once.
    together: Arc<AtomicBool>,
    /// Closes when the threads have ended, with their connections.
    closed: Arc<Mutex<Option<mpsc::Receiver<()>>>>,
    /// How many readers are at work.
    busy: Arc<AtomicUsize>,
    /// Runs short reads where their caller is.
    direct: Option<Arc<Direct>>,
}

impl Pool {
    /// Opens the file with one reader to see that it can be used, then starts the threads.
    pub(crate) fn start(options: Options) -> Result<Self> {
        let (source, readers, waits) = (options.source, options.readers, options.waits);
        let commits = Arc::new(AtomicU64::new(0));
        let (open, closed) = mpsc::channel(1);
        // The writer first: it may have to recover the journal of a program that was killed.
        let writes = if options.writable {
            let mut slot = Slot::new(source.clone(), Role::Writer);
            slot.connection()?;
            let (sender, jobs) = jobs::queue();
            let commits = Arc::clone(&commits);
            let open = open.clone();
            spawn("sqlite-writer", move || {
                writer::run(&mut slot, &jobs, &commits);
                slot.close();
                drop(open);
            })?;
            Some(sender)
        } else {
            None
        };
        let mut watch = Slot::new(source.clone(), Role::Reader);
        watch.connection()?;
        let direct = (readers > 1).then(|| Direct::start(&source, &commits));
        let (reads, jobs) = jobs::queue();
        let busy = Arc::<AtomicUsize>::default();
        for number in 1..=readers.max(1) {
            let mut slot = Slot::new(source.clone(), Role::Reader);
            let jobs = Arc::clone(&jobs);
            let commits = Arc::clone(&commits);
            let (busy, open) = (Arc::clone(&busy), open.clone());
            spawn(&format!("sqlite-reader-{number}"), move || {
                reader::run(&mut slot, &jobs, &commits, &busy);
                slot.close();
                drop(open);
            })?;
        }
        Ok(Self {
            commits,
            reads,
            admission: (readers > 1).then(|| Admission::for_threads(readers).counting(&waits)),
            writes,
            watch: Arc::new(Mutex::new(watch)),
            ping: Arc::new(tokio::sync::Mutex::new(Slot::new(
                source.clone(),
                Role::DirectReader,
            ))),
            source,
            readers,
            together: Arc::default(),
            closed: Arc::new(Mutex::new(Some(closed))),
            busy,
            direct: direct.transpose()?,
        })
    }

    /// Completes when the threads have closed their connections, once the pool is dropped; it can be waited for once.
    pub(crate) fn closed(&self) -> Option<impl Future<Output = ()> + Send + 'static> {
        let mut closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut closed = closed.take()?;
        Some(async move { while closed.recv().await.is_some() {} })
    }

    /// What the readers do at this moment.
    pub(crate) fn pool_use(&self) -> PoolUse {
        let waiting = self.admission.as_ref().map_or(0, Admission::waiting);
        let waiting = waiting + self.reads.len();
        PoolUse::new(self.readers, self.busy.load(Ordering::Relaxed), waiting)
    }

    /// Lets the reads that follow begin with a new view, and so see what other programs have done.
    pub(crate) fn renew_views(&self) {
        self.commits.fetch_add(1, Ordering::Release);
    }

    /// Runs `work` on a reader. It sees every write that was answered before this call.
    pub(crate) async fn read<T, E, F>(&self, limit: Option<Duration>, work: F) -> Result<T, E>
    where
        F: FnOnce(&Open) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.read_until(limit.map(|limit| Instant::now() + limit), work)
            .await
            .0
    }

    /// Runs `work` here when it is known as quick, without changing the thread, and otherwise on a reader when its turn
    /// has come. If it takes long here, it is ended with an error of kind [`ErrorKind::Timeout`](crate::ErrorKind::Timeout),
    /// which it must return, and run again on a reader.
    pub(crate) async fn read_soon<T, F>(&self, turn: Work, limit: Duration, work: F) -> Result<T>
    where
        F: Fn(&Open) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        if let (Some(admission), Some(direct)) = (&self.admission, &self.direct)
            && admission.is_short(&turn)
        {
            match direct.read(&work) {
                Outcome::Done(result) => return result,
                Outcome::TooLong => admission.was_long(&turn),
                Outcome::NotRun => {}
            }
        }
        self.read_in_turn(turn, limit, work).await
    }

    /// Runs `work` on a reader when its turn has come. Slow work leaves a reader to what is quick.
    pub(crate) async fn read_in_turn<T, F>(&self, turn: Work, limit: Duration, work: F) -> Result<T>
    where
        F: FnOnce(&Open) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let deadline = Instant::now() + limit;
        let Some(admission) = &self.admission else {
            return self.read_until(Some(deadline), work).await.0;
        };
        let permit = admission.enter(turn, deadline, false).await;
        let mut permit = permit.map_err(|_| timed_out())?;
        let (result, ran) = self.read_until(Some(deadline), work).await;
        match ran {
            Some(ran) => permit.ran(ran),
            None => permit.unused(),
        }
        result
    }

    /// Runs `work` on a reader, and says how long it ran where it did.
    async fn read_until<T, E, F>(
        &self,
        deadline: Option<Instant>,
        work: F,
    ) -> (Result<T, E>, Option<Duration>)
    where
        F: FnOnce(&Open) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let caller = Caller::default();
        let job = ReadJob {
            deadline,
            progress: Arc::clone(&caller.0),
            run: Box::new(move |connection| {
                let result = match connection {
                    Ok(connection) => guarded(|| work(connection)),
                    Err(error) => Err(error.into()),
                };
                // The caller may have left; then nobody needs the answer.
                let _ = answer.send(result);
            }),
        };
        if !self.reads.send(job) {
            return (Err(stopped().into()), None);
        }
        let result = answered.await;
        let result = result.unwrap_or_else(|_| Err(stopped().into()));
        (result, caller.0.ran())
    }

    /// Runs `work` in a transaction on the writer and answers after the commit.
    ///
    /// It is run again when a neighbour in the same transaction took its changes away.
    pub(crate) async fn write<T, E, F>(
        &self,
        limit: Option<Duration>,
        note: Note,
        work: F,
    ) -> Result<T, E>
    where
        F: FnMut(&Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.write_for(None, limit, note, work).await
    }

    /// The same without a note, and the statement that runs is ended when this is dropped.
    pub(crate) async fn write_while_awaited<T, E, F>(
        &self,
        limit: Option<Duration>,
        work: F,
    ) -> Result<T, E>
    where
        F: FnMut(&Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let caller = Caller::default();
        self.write_for(Some(&caller), limit, None, work).await
    }

    async fn write_for<T, E, F>(
        &self,
        caller: Option<&Caller>,
        limit: Option<Duration>,
        note: Note,
        work: F,
    ) -> Result<T, E>
    where
        F: FnMut(&Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let Some(writes) = &self.writes else {
            return Err(Error::invalid("this resource is connected read-only").into());
        };
        let (answer, answered) = oneshot::channel();
        let deadline = limit.map(|limit| Instant::now() + limit);
        let progress = caller.map(|caller| Arc::clone(&caller.0));
        let job = Write::new(deadline, progress, note, work, answer);
        if !writes.send(Box::new(job)) {
            return Err(stopped().into());
        }
        answered.await.unwrap_or_else(|_| Err(stopped().into()))
    }

    /// Looks whether the file is there and can be read, without waiting for locks.
    pub(crate) async fn ping(&self) -> Result<()> {
        // While the file system does not answer, others wait here, and no thread for each of them.
        let mut slot = Arc::clone(&self.ping).lock_owned().await;
        let read = move || data_version(&mut slot).map(drop);
        tokio::task::spawn_blocking(read)
            .await
            .unwrap_or_else(|_| Err(stopped()))
    }

    /// A number that moves whenever anybody, this process included, has committed a change.
    pub(crate) async fn change_counter(&self) -> Result<u64> {
        let watch = Arc::clone(&self.watch);
        let read = move || data_version(&mut watch.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(read)
            .await
            .unwrap_or_else(|_| Err(stopped()))
    }
}

/// A number that moves whenever another connection has committed a change.
fn data_version(slot: &mut Slot) -> Result<u64> {
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
}

/// Starts a thread of the pool.
fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<Thread> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(body);
    let spawned = spawned.map_err(|error| {
        Error::unavailable("cannot start a thread for the database; raise the limit of processes")
            .with_source(error)
    })?;
    Ok(spawned.thread().clone())
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

/// Lets the reader know when its caller has left, so that it ends the statement.
#[derive(Default)]
struct Caller(Arc<Progress>);

impl Drop for Caller {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|at| Instant::now() >= at)
}

fn timed_out() -> Error {
    Error::timeout("the database was too busy to begin within the time limit")
}

/// Runs a statement that controls the transaction.
pub(crate) fn control(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}
