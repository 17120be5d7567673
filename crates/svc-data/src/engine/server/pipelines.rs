//! Connections that short reads of several callers share. Each read is sent without waiting for the answers before it, as in the
//! pipeline mode of libpq, and the server answers in that order: it and the service wake up once for several reads.
//!
//! A read that takes long keeps those behind it waiting. So only reads of a shape that was quick are sent this way, and when a
//! connection gives no answer for a while, all leave it and read again, each on a connection of its own.

use std::{
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use super::connections::{ConnectionManager, Lease, gone};
use crate::Result;

/// A read of a shape that usually takes longer gets a connection of its own.
pub(super) const SHORT: Duration = Duration::from_millis(5);
/// How long a connection may give no answer before it is left.
const PATIENCE: Duration = Duration::from_millis(20);
/// For how long a connection takes further reads; then it goes back to the pool, where others wait for their turn.
const OPEN: Duration = Duration::from_millis(50);
/// How many reads a connection has at most at once.
const DEPTH: usize = 16;

/// The connections of a pool that are shared now.
pub(super) struct Pipelines<M: ConnectionManager> {
    all: List<M>,
    /// How many connections are used before reads share them: a server has a process for each, and answers on as many cores.
    enough: usize,
}

type List<M> = Arc<Mutex<Vec<Shared<M>>>>;

struct Shared<M: ConnectionManager> {
    pipeline: Arc<Pipeline<M>>,
    /// How many wait for an answer.
    reads: usize,
}

struct Pipeline<M: ConnectionManager> {
    lease: Lease<M>,
    begun: Instant,
    /// How many microseconds after the beginning the last answer came.
    answered: AtomicU64,
    /// Whether a read was left that may still run, or the connection broke.
    is_left: AtomicBool,
}

/// The place of a read on a shared connection.
pub(crate) struct Place<M: ConnectionManager> {
    /// None while it is dropped.
    pipeline: Option<Arc<Pipeline<M>>>,
    all: List<M>,
    is_answered: AtomicBool,
}

impl<M: ConnectionManager> Pipelines<M> {
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            all: List::default(),
            enough: (cores / 2).max(1),
        }
    }

    /// A place on a connection that is shared already, unless another connection is better.
    pub(super) fn join(&self) -> Option<Place<M>> {
        let mut all = lock(&self.all);
        let mut open: Vec<_> = all.iter_mut().filter(|it| it.pipeline.is_open()).collect();
        if open.len() < self.enough {
            return None;
        }
        // The others run empty, and go back to the pool, while the first ones are enough.
        let (first, others) = open.split_at_mut(self.enough);
        let best = first.iter_mut().min_by_key(|it| it.reads);
        let best = best.filter(|it| it.reads < DEPTH);
        let shared = best.or_else(|| others.iter_mut().find(|it| it.reads < DEPTH))?;
        shared.reads += 1;
        let pipeline = Arc::clone(&shared.pipeline);
        Some(self.place(pipeline))
    }

    /// The first place on a connection that others may share from now on.
    pub(super) fn begin(&self, lease: Lease<M>) -> Place<M> {
        let pipeline = Arc::new(Pipeline {
            lease,
            begun: Instant::now(),
            answered: AtomicU64::new(0),
            is_left: AtomicBool::new(false),
        });
        lock(&self.all).push(Shared {
            pipeline: Arc::clone(&pipeline),
            reads: 1,
        });
        self.place(pipeline)
    }

    fn place(&self, pipeline: Arc<Pipeline<M>>) -> Place<M> {
        Place {
            pipeline: Some(pipeline),
            all: Arc::clone(&self.all),
            is_answered: AtomicBool::new(false),
        }
    }
}

fn lock<M: ConnectionManager>(all: &List<M>) -> MutexGuard<'_, Vec<Shared<M>>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: ConnectionManager> Pipeline<M> {
    fn is_open(&self) -> bool {
        !self.is_left.load(Ordering::Relaxed) && self.begun.elapsed() < OPEN
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
        let mut since = pipeline.age();
        let mut read = pin!(read);
        loop {
            let until = pipeline.begun + Duration::from_micros(since) + PATIENCE;
            let answer = tokio::time::timeout_at(until, read.as_mut()).await;
            if let Ok(answer) = answer {
                pipeline
                    .answered
                    .fetch_max(pipeline.age(), Ordering::Relaxed);
                let is_whole = !answer.as_ref().is_err_and(M::breaks_the_connection);
                self.is_answered.store(is_whole, Ordering::Relaxed);
                return answer.ok();
            }
            let answered = pipeline.answered.load(Ordering::Relaxed);
            if answered <= since {
                return None;
            }
            since = answered;
        }
    }
}

impl<M: ConnectionManager> Drop for Place<M> {
    fn drop(&mut self) {
        let Some(pipeline) = self.pipeline.take() else {
            return;
        };
        if !self.is_answered.load(Ordering::Relaxed) {
            pipeline.is_left.store(true, Ordering::Relaxed);
        }
        let empty = {
            let mut all = lock(&self.all);
            let is_it = |shared: &Shared<M>| Arc::ptr_eq(&shared.pipeline, &pipeline);
            let at = all.iter().position(is_it);
            // Within the lock, so that the last one has the pipeline for itself.
            drop(pipeline);
            let Some((at, shared)) = at.and_then(|at| Some((at, all.get_mut(at)?))) else {
                return;
            };
            shared.reads -= 1;
            (shared.reads == 0).then(|| all.remove(at).pipeline)
        };
        // A connection on which something may still run is closed instead.
        if let Some(pipeline) = empty.and_then(Arc::into_inner)
            && !pipeline.is_left.into_inner()
        {
            let _ = pipeline.lease.give_back(Ok(()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, sync::atomic::AtomicUsize};

    use deadpool::managed::{Manager, Metrics, Pool, RecycleResult};

    use super::{
        super::connections::{Connections, Faults},
        *,
    };
    use crate::{
        Error, Model,
        admission::{Admission, Work},
    };

    /// Makes connections that do nothing, and counts those that are closed.
    struct Fake;

    impl Manager for Fake {
        type Type = ();
        type Error = Error;

        async fn create(&self) -> Result<()> {
            Ok(())
        }

        async fn recycle(&self, _: &mut (), _: &Metrics) -> RecycleResult<Error> {
            Ok(())
        }
    }

    impl Faults for Fake {
        fn unreachable(error: Error) -> Error {
            error
        }

        fn is_full(_: &Error) -> bool {
            false
        }

        fn breaks_the_connection(error: &Error) -> bool {
            error.kind() == crate::ErrorKind::Timeout
        }

        fn explain(_: &Model, error: Error, _: bool) -> Error {
            error
        }
    }

    impl ConnectionManager for Fake {
        type Ender = Arc<AtomicUsize>;

        async fn ping(_: &mut ()) -> Result<()> {
            Ok(())
        }

        fn end(_: (), closed: Self::Ender) {
            closed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A pool whose reads share `enough` connections, and how many connections were closed.
    fn pool(enough: usize) -> (Connections<Fake>, Pipelines<Fake>, Arc<AtomicUsize>) {
        let closed = Arc::<AtomicUsize>::default();
        let admission = Admission::shared(10);
        let pool = Connections::new(Pool::builder(Fake), 10, admission, Arc::clone(&closed));
        let pipelines = Pipelines {
            all: List::default(),
            enough,
        };
        (pool.unwrap(), pipelines, closed)
    }

    async fn begin(pool: &Connections<Fake>, pipelines: &Pipelines<Fake>) -> Place<Fake> {
        let deadline = std::time::Instant::now() + Duration::from_secs(30);
        let lease = pool.get(Work::internal("pipeline"), deadline, pool).await;
        pipelines.begin(lease.unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn reads_share_the_first_connections_and_give_them_back() {
        let (pool, pipelines, closed) = pool(2);
        assert!(pipelines.join().is_none());
        let first = begin(&pool, &pipelines).await;
        assert!(pipelines.join().is_none(), "another connection is better");
        let mut places = vec![begin(&pool, &pipelines).await, first];
        for _ in 2..2 * DEPTH {
            places.push(pipelines.join().unwrap());
        }
        let reads = |pipelines: &Pipelines<Fake>| -> Vec<usize> {
            lock(&pipelines.all)
                .iter()
                .map(|shared| shared.reads)
                .collect()
        };
        assert_eq!(reads(&pipelines), [DEPTH, DEPTH]);
        assert!(pipelines.join().is_none(), "both have enough to do");
        for place in places {
            assert_eq!(place.answer(async { Ok(7) }).await, Some(7));
        }
        assert!(reads(&pipelines).is_empty());
        assert_eq!(
            (closed.load(Ordering::Relaxed), pool.pool_use().used),
            (0, 0)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_gives_no_answer_is_left_by_all_and_closed() {
        let (pool, pipelines, closed) = pool(1);
        let slow = begin(&pool, &pipelines).await;
        let behind = pipelines.join().unwrap();
        let answers = tokio::join!(
            slow.answer(pending::<Result<()>>()),
            behind.answer(pending::<Result<()>>())
        );
        assert_eq!(answers, (None, None));
        drop(slow);
        assert!(pipelines.join().is_none(), "nobody waits behind it");
        assert_eq!(closed.load(Ordering::Relaxed), 0, "one is still there");
        drop(behind);
        assert_eq!(closed.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_waits_for_others_as_long_as_these_are_answered() {
        let (pool, pipelines, closed) = pool(1);
        let last = begin(&pool, &pipelines).await;
        let answered = async {
            let mut read = 0;
            while read < 4 {
                // It takes no more for some time.
                let Some(other) = pipelines.join() else {
                    break;
                };
                let pause = tokio::time::sleep(PATIENCE * 3 / 4);
                let answer = other.answer(async {
                    pause.await;
                    Ok(())
                });
                assert_eq!(answer.await, Some(()));
                read += 1;
            }
            Ok(read)
        };
        let answer = last.answer(answered).await;
        assert!(answer.is_some_and(|read| read > 1), "{answer:?}");
        drop(last);
        assert_eq!(closed.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn only_an_error_that_breaks_a_connection_closes_it() {
        let (pool, pipelines, closed) = pool(1);
        let place = begin(&pool, &pipelines).await;
        let refused = async { Err::<(), _>(Error::invalid("no")) };
        assert_eq!(place.answer(refused).await, None);
        drop(place);
        assert_eq!(
            (closed.load(Ordering::Relaxed), pool.pool_use().used),
            (0, 0)
        );
        let place = begin(&pool, &pipelines).await;
        let broken = async { Err::<(), _>(Error::timeout("no answer")) };
        assert_eq!(place.answer(broken).await, None);
        drop(place);
        assert_eq!(closed.load(Ordering::Relaxed), 1);
    }
}
