//! Connections that short reads of several callers share. Each read is sent without waiting for the answers before it, as in the
//! pipeline mode of libpq, and the server answers in that order: it and the service wake up once for several reads.
//!
//! A read that takes long keeps those behind it waiting. So only reads of a shape that was quick are sent this way, and when a
//! connection gives no answer for a while, all leave it and read again, each on a connection of its own.

use std::{
    collections::HashMap,
    future::pending,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::lease::{ConnectionManager, Lease, gone};
use crate::{
    Durations, Result,
    admission::{Admission, Permit, Work, third},
};

/// A read of a shape that usually takes longer gets a connection of its own.
const SHORT: Duration = Duration::from_millis(5);
/// How long the server may take for three of four reads, when it has the next ones already, and for all on average. With longer ones
/// it is better to let it use several processes. Some are late only because the service itself has much to do.
const QUICK: Duration = Duration::from_micros(250);
const AVERAGE: Duration = Duration::from_millis(1);
/// Of how many answers that is said.
const ANSWERS: u32 = 64;
/// How long a connection may give no answer before it is left.
const PATIENCE: Duration = Duration::from_millis(20);
/// For how long a connection takes further reads; then it goes back to the pool, where others wait for their turn.
const OPEN: Duration = Duration::from_millis(50);
/// How many reads a connection has before further ones are rather done on connections that are free.
const DEPTH: usize = 16;
/// How many it has at most.
const DEEPEST: usize = 256;
/// How many shapes are remembered.
const MAX_SHAPES: usize = 1024;

/// How connections are shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sharing {
    /// Where fewer take further reads, one more is shared.
    open: usize,
    /// How many there are at most, with those that only end what they have; with 0 none is shared.
    most: usize,
    /// How many reads each has before others are rather done on connections that are free.
    depth: usize,
}

impl Sharing {
    /// How connections to a server are shared, of which there are `size`. The server has a process for each: one on this
    /// machine, with so many cores, has half of them for all of its processes.
    pub(super) fn of(size: usize, cores: Option<usize>) -> Self {
        let most = third(size);
        let (open, depth) = match cores.map(|cores| (cores / 2).max(1)) {
            Some(processes) if processes <= most => (processes, DEEPEST),
            _ => (most, DEPTH),
        };
        Self { open, most, depth }
    }
}

/// The connections of a pool that are shared now.
pub(super) struct Pipelines<M: ConnectionManager> {
    shared: Arc<Shared<M>>,
}

struct Shared<M: ConnectionManager> {
    sharing: Sharing,
    state: Mutex<State<M>>,
    admission: Admission,
    /// How long reads waited for their turn.
    waits: Arc<Durations>,
    /// A connection is shared from now on, or one that was full has room again.
    has_room: Notify,
}

struct State<M: ConnectionManager> {
    /// The pipelines, and how many reads each has.
    all: Vec<(Arc<Pipeline<M>>, usize)>,
    /// How long the last few answers took, by shape.
    lately: HashMap<u64, Lately>,
}

#[derive(Default)]
struct Lately {
    answers: u32,
    /// How many of them took more than [`QUICK`].
    long: u32,
    time: Duration,
}

struct Pipeline<M: ConnectionManager> {
    lease: Lease<M>,
    begun: Instant,
    /// How many microseconds after the beginning the last answer came.
    answered: AtomicU64,
    /// How many reads were sent.
    sent: AtomicU64,
    /// The number of the last read that was answered, and of the last one that nobody waited for any more. The server is done with
    /// the latter when a later one is answered.
    whole: AtomicU64,
    left: AtomicU64,
    is_broken: AtomicBool,
}

/// The place of a read on a shared connection.
pub(crate) struct Place<M: ConnectionManager> {
    /// None while it is dropped.
    pipeline: Option<Arc<Pipeline<M>>>,
    shared: Arc<Shared<M>>,
    work: Work,
    /// The number of the read, once it is sent.
    number: AtomicU64,
    is_answered: AtomicBool,
    /// How many microseconds the server took for the answer, if that is known.
    took: AtomicU64,
}

/// Where a read is done.
pub(crate) enum ReadOn<M: ConnectionManager> {
    /// On a connection that other reads share.
    Shared(Place<M>),
    /// On a connection of its own.
    Own(Lease<M>),
}

impl<M: ConnectionManager> Pipelines<M> {
    pub(super) fn new(admission: Admission, sharing: Sharing) -> Self {
        Self {
            shared: Arc::new(Shared {
                sharing,
                state: Mutex::new(State {
                    all: Vec::new(),
                    lately: HashMap::new(),
                }),
                waits: admission.waits(),
                has_room: Notify::new(),
                admission,
            }),
        }
    }

    /// Counts a read that did not wait for its turn.
    pub(super) fn did_not_wait(&self) {
        self.shared.waits.observe(Duration::ZERO);
    }

    /// Whether a read is so short, as far as is known, that it may share a connection.
    pub(super) fn may_have(&self, work: &Work) -> bool {
        self.shared.sharing.most > 0 && self.shared.admission.is_shorter(work, SHORT)
    }

    /// A place on a connection that is shared, where as many are as may be.
    pub(super) fn join(&self, work: Work) -> Option<Place<M>> {
        let Sharing { open, depth, .. } = self.shared.sharing;
        self.join_one_of(work, open, depth)
    }

    /// A place on any connection that is shared.
    pub(super) fn join_any(&self, work: Work) -> Option<Place<M>> {
        self.join_one_of(work, 1, self.shared.sharing.depth)
    }

    /// A place on the shared connection with the fewest reads, where there are so many, and it has less than `depth`.
    fn join_one_of(&self, work: Work, shared: usize, depth: usize) -> Option<Place<M>> {
        let mut state = self.shared.state();
        let open = state.all.iter_mut().filter(|(it, _)| it.is_open());
        let open: Vec<_> = open.collect();
        if open.len() < shared {
            return None;
        }
        let (pipeline, reads) = open.into_iter().min_by_key(|(_, reads)| *reads)?;
        if *reads >= depth {
            return None;
        }
        *reads += 1;
        let pipeline = Arc::clone(pipeline);
        Some(self.place(pipeline, work))
    }

    /// The permission to use one connection more, if nobody waits for it.
    pub(super) fn enter(&self) -> Option<Permit> {
        let most = self.shared.sharing.most;
        self.shared.admission.try_enter(Work::pipeline(), most)
    }

    /// A place on any connection that is shared, once there is one with room.
    pub(super) async fn join_later(&self, work: Work) -> Place<M> {
        let has_room = &self.shared.has_room;
        loop {
            let mut told = pin!(has_room.notified());
            // From now on nothing is missed.
            told.as_mut().enable();
            let may_have = self.may_have(&work);
            let place = match may_have {
                true => self.join_one_of(work, 1, DEEPEST),
                false => None,
            };
            if (place.is_some() || !may_have) && self.shared.has_room() {
                // For the next one that waits: several places may be free.
                has_room.notify_one();
            }
            match place {
                Some(place) => return place,
                None if may_have => told.await,
                // From now on it waits for its turn alone.
                None => pending().await,
            }
        }
    }

    /// Lets others share the connection that a read has got for itself, unless enough are shared. The read may have
    /// waited for long, and those of its shape may have taken long meanwhile.
    pub(super) fn share_own(&self, mut lease: Lease<M>, work: Work) -> ReadOn<M> {
        let Sharing { open, most, .. } = self.shared.sharing;
        let may_share = self.may_have(&work) && self.shared.open() < open;
        match may_share && lease.share(most) {
            true => ReadOn::Shared(self.begin(lease, work)),
            false => ReadOn::Own(lease),
        }
    }

    /// The first place on a connection that others may share from now on.
    pub(super) fn begin(&self, lease: Lease<M>, work: Work) -> Place<M> {
        let pipeline = Arc::new(Pipeline {
            lease,
            begun: Instant::now(),
            answered: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            whole: AtomicU64::new(0),
            left: AtomicU64::new(0),
            is_broken: AtomicBool::new(false),
        });
        self.shared.state().all.push((Arc::clone(&pipeline), 1));
        self.shared.has_room.notify_waiters();
        self.place(pipeline, work)
    }

    fn place(&self, pipeline: Arc<Pipeline<M>>, work: Work) -> Place<M> {
        Place {
            pipeline: Some(pipeline),
            shared: Arc::clone(&self.shared),
            work,
            number: AtomicU64::new(0),
            is_answered: AtomicBool::new(false),
            took: AtomicU64::new(0),
        }
    }
}

impl<M: ConnectionManager> Shared<M> {
    fn state(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many connections take further reads.
    fn open(&self) -> usize {
        let state = self.state();
        state.all.iter().filter(|(it, _)| it.is_open()).count()
    }

    /// Whether one of them has a place for one.
    fn has_room(&self) -> bool {
        let state = self.state();
        let mut all = state.all.iter();
        all.any(|(it, reads)| *reads < DEEPEST && it.is_open())
    }
}

impl<M: ConnectionManager> State<M> {
    /// Counts how long an answer took. Says whether those of its shape take too long.
    fn are_slow(&mut self, shape: u64, took: Duration) -> bool {
        if self.lately.len() >= MAX_SHAPES {
            self.lately.clear();
        }
        let lately = self.lately.entry(shape).or_default();
        lately.answers += 1;
        lately.long += u32::from(took > QUICK);
        lately.time += took;
        let are_slow = lately.long > ANSWERS / 4 || lately.time > AVERAGE * ANSWERS;
        if are_slow || lately.answers >= ANSWERS {
            self.lately.remove(&shape);
        }
        are_slow
    }
}

impl<M: ConnectionManager> Pipeline<M> {
    fn is_open(&self) -> bool {
        self.is_clean() && self.begun.elapsed() < OPEN
    }

    /// Whether nothing runs on the connection that nobody waits for.
    fn is_clean(&self) -> bool {
        let [left, whole] = [&self.left, &self.whole].map(|number| number.load(Ordering::Relaxed));
        !self.is_broken.load(Ordering::Relaxed) && left <= whole
    }

    /// For how many microseconds it is shared.
    fn age(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

impl<M: ConnectionManager> Place<M> {
    fn pipeline(&self) -> Result<&Pipeline<M>> {
        self.pipeline.as_deref().ok_or_else(gone)
    }

    /// The connection. What is done with it must be reads that need no transaction.
    pub(crate) fn lease(&self) -> Result<&Lease<M>> {
        Ok(&self.pipeline()?.lease)
    }

    /// What a read on the connection answers. `None` where it fails or has to wait for others: then it is done again, on a
    /// connection of its own.
    pub(crate) async fn answer<T>(&self, read: impl Future<Output = Result<T>>) -> Option<T> {
        let pipeline = self.pipeline().ok()?;
        let begun = pipeline.age();
        let number = pipeline.sent.fetch_add(1, Ordering::Relaxed) + 1;
        self.number.store(number, Ordering::Relaxed);
        let mut read = pin!(read);
        let mut since = begun;
        let answer = loop {
            let until = pipeline.begun + Duration::from_micros(since) + PATIENCE;
            match tokio::time::timeout_at(until, read.as_mut()).await {
                Ok(answer) => break answer,
                Err(_) => {
                    let answered = pipeline.answered.load(Ordering::Relaxed);
                    if answered <= since {
                        self.shared.admission.was_long(&self.work);
                        return None;
                    }
                    since = answered;
                }
            }
        };
        if answer.as_ref().is_err_and(M::breaks_the_connection) {
            pipeline.is_broken.store(true, Ordering::Relaxed);
        }
        self.is_answered.store(true, Ordering::Relaxed);
        pipeline.whole.fetch_max(number, Ordering::Relaxed);
        if pipeline.left.load(Ordering::Relaxed) > 0 {
            // It may be clean again.
            self.shared.has_room.notify_one();
        }
        let now = pipeline.age();
        let before = pipeline.answered.fetch_max(now, Ordering::Relaxed);
        let took = time_of_server(begun, before, now);
        self.took.store(took, Ordering::Relaxed);
        answer.ok()
    }
}

/// How long the server took for a read, from when it was sent, when the one before was answered, and when it was, in microseconds. For one
/// that had the connection for itself that is not known, since its way to the server counts too: it is 0, unless that would be long.
fn time_of_server(sent: u64, before: u64, now: u64) -> u64 {
    let took = now.saturating_sub(sent.max(before));
    match before > sent || Duration::from_micros(took) > SHORT {
        true => took.max(1),
        false => 0,
    }
}

impl<M: ConnectionManager> Drop for Place<M> {
    fn drop(&mut self) {
        let Some(pipeline) = self.pipeline.take() else {
            return;
        };
        if !self.is_answered.load(Ordering::Relaxed) {
            let number = self.number.load(Ordering::Relaxed);
            pipeline.left.fetch_max(number, Ordering::Relaxed);
            // A later one was answered before: this one was sent behind it, since it was prepared first, and may still run.
            if number > 0 && pipeline.whole.load(Ordering::Relaxed) > number {
                pipeline.is_broken.store(true, Ordering::Relaxed);
            }
        }
        let took = self.took.load(Ordering::Relaxed);
        let (empty, are_slow) = {
            let mut state = self.shared.state();
            let at = state
                .all
                .iter()
                .position(|(it, _)| Arc::ptr_eq(it, &pipeline));
            // Within the lock, so that the last one has the pipeline for itself.
            drop(pipeline);
            let is_last = at.and_then(|at| state.all.get_mut(at)).is_some_and(|it| {
                if it.1 == DEEPEST {
                    self.shared.has_room.notify_one();
                }
                it.1 -= 1;
                it.1 == 0
            });
            let empty = at.filter(|_| is_last).map(|at| state.all.remove(at).0);
            let took = Duration::from_micros(took);
            let are_slow = !took.is_zero() && state.are_slow(self.work.shape(), took);
            (empty, are_slow)
        };
        if are_slow {
            self.shared.admission.was_long(&self.work);
        }
        // A connection on which something may still run is closed instead.
        if let Some(pipeline) = empty.and_then(Arc::into_inner)
            && pipeline.is_clean()
        {
            let _ = pipeline.lease.give_back(Ok(()));
        }
    }
}

#[cfg(test)]
mod tests;
