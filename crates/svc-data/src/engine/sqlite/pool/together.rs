//! Several connections that read parts of one answer at once. All of them see the same state of the database.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{Caller, Pool, control, guarded, is_over, stopped, timed_out};
use crate::{
    Error, Result,
    admission::Work,
    engine::sqlite::{
        connection::{Open, Role, Slot},
        fault,
        progress::Progress,
    },
};

/// The most connections at once.
const MOST: usize = 8;
/// How often views are opened again, when somebody changed the database meanwhile.
const TRIES: u32 = 3;

/// What one answer is read with.
struct Reading<P, F> {
    parts: Vec<P>,
    work: F,
    deadline: Instant,
    progress: Arc<Progress>,
    /// The part that is read next.
    next: AtomicUsize,
    failure: OnceLock<Error>,
}

/// The one answer of a pool that is read by several connections at a time.
struct Only(Arc<AtomicBool>);

impl Only {
    fn one(taken: &Arc<AtomicBool>) -> Option<Self> {
        let is_free = !taken.swap(true, Ordering::AcqRel);
        is_free.then(|| Self(Arc::clone(taken)))
    }
}

impl Drop for Only {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Pool {
    /// How many connections may read parts of one answer at once.
    pub(crate) fn readers_together(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        self.readers.min(cores).min(MOST)
    }

    /// Runs `work` for each part, several at once, and returns what it returned in the order of the parts. `None` where
    /// longer reads go on or another answer is read so, and where the database is changed again and again.
    pub(crate) async fn read_together<P, T, F>(
        &self,
        turn: Work,
        limit: Duration,
        parts: Vec<P>,
        work: F,
    ) -> Result<Option<Vec<T>>>
    where
        P: Send + Sync + 'static,
        T: Send + 'static,
        F: Fn(&Open, &P) -> Result<T> + Send + Sync + 'static,
    {
        let Some(admission) = self.admission.as_ref().filter(|all| all.is_idle()) else {
            return Ok(None);
        };
        let Some(only) = Only::one(&self.together) else {
            return Ok(None);
        };
        let deadline = Instant::now() + limit;
        let permit = admission.enter(turn, deadline, false).await;
        let permit = permit.map_err(|_| timed_out())?;
        let caller = Caller::default();
        let reading = Reading {
            parts,
            work,
            deadline,
            progress: Arc::clone(&caller.0),
            next: AtomicUsize::new(0),
            failure: OnceLock::new(),
        };
        let slots = (0..self.readers_together())
            .map(|_| Slot::new(self.source.clone(), Role::Reader))
            .collect();
        let watch = Arc::clone(&self.watch);
        let run = move || {
            let _held = (permit, only);
            guarded(|| match same_view(slots, &watch, deadline)? {
                Some(slots) => reading.run(slots).map(Some),
                None => Ok(None),
            })
        };
        tokio::task::spawn_blocking(run)
            .await
            .unwrap_or_else(|_| Err(stopped()))
    }
}

/// Opens a view on each connection. `None` where they are not of the same state of the database.
fn same_view(
    mut slots: Vec<Slot>,
    watch: &Mutex<Slot>,
    deadline: Instant,
) -> Result<Option<Vec<Slot>>> {
    let state = || {
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        super::data_version(&mut watch)
    };
    // Before the views, which are then so close together that few are in vain.
    for slot in &mut slots {
        slot.connection()?;
    }
    for _ in 0..TRIES {
        let before = state()?;
        for slot in &mut slots {
            // Each may have to wait for a lock.
            if is_over(Some(deadline)) {
                return Err(timed_out());
            }
            let begun = slot.begin_view()?.and_then(|()| {
                let read = slot.current().map(Open::schema_version);
                read.transpose().map(drop)
            });
            begun.map_err(|error| fault::translate(error, slot.path()))?;
        }
        if state()? == before {
            return Ok(Some(slots));
        }
        for slot in &mut slots {
            let ended = slot.current().map(|open| control(open, "COMMIT"));
            if !matches!(ended, Some(Ok(()))) {
                slot.close();
            }
        }
    }
    Ok(None)
}

impl<P, F> Reading<P, F> {
    fn run<T>(self, slots: Vec<Slot>) -> Result<Vec<T>>
    where
        P: Sync,
        T: Send,
        F: Fn(&Open, &P) -> Result<T> + Sync,
    {
        self.progress.begin();
        let reading = &self;
        let mut read: Vec<(usize, T)> = thread::scope(|scope| {
            let mut slots = slots.into_iter();
            let own = slots.next();
            // Where the system has no thread left, the others read its parts.
            let others: Vec<_> = slots
                .filter_map(|slot| {
                    let thread = thread::Builder::new().name("sqlite-part".to_owned());
                    thread.spawn_scoped(scope, move || reading.read(&slot)).ok()
                })
                .collect();
            let own = own.map(|slot| reading.read(&slot)).unwrap_or_default();
            let others = others.into_iter().filter_map(|thread| thread.join().ok());
            own.into_iter().chain(others.flatten()).collect()
        });
        if let Some(failure) = self.failure.into_inner() {
            return Err(failure);
        }
        if read.len() < self.parts.len() {
            return Err(stopped());
        }
        read.sort_by_key(|(place, _)| *place);
        Ok(read.into_iter().map(|(_, part)| part).collect())
    }

    /// Reads one part after the other, as long as there are any.
    fn read<T>(&self, slot: &Slot) -> Vec<(usize, T)>
    where
        F: Fn(&Open, &P) -> Result<T>,
    {
        let mut read = Vec::new();
        let Some(open) = slot.current() else {
            return read;
        };
        slot.limiter()
            .set(Some(self.deadline), Some(Arc::clone(&self.progress)));
        while self.failure.get().is_none() {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = self.parts.get(place) else {
                break;
            };
            match guarded(|| (self.work)(open, part)) {
                Ok(part) => read.push((place, part)),
                Err(error) => {
                    // The first failure ends what the others do, and is the one that is told.
                    let _ = self.failure.set(error);
                    self.progress.abandon();
                }
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::engine::sqlite::{connection::Source, pool::Options};

    fn pool(folder: &std::path::Path) -> Pool {
        let path = folder.join("t.db");
        let sql =
            "PRAGMA journal_mode = wal; CREATE TABLE t (v INTEGER); INSERT INTO t VALUES (0);";
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let source = Source {
            path,
            set_wal: true,
            untouched: false,
            prepare: Arc::new(|_, _| Ok(())),
        };
        let options = Options {
            source,
            readers: 2,
            writable: true,
            waits: Arc::default(),
        };
        Pool::start(options).unwrap()
    }

    fn turn() -> Work {
        Work::new("t", "together", true)
    }

    fn value(open: &Open) -> Result<i64> {
        let read = open.query_row("SELECT v FROM t", [], |row| row.get(0));
        read.map_err(|error| Error::internal(error.to_string()))
    }

    const LIMIT: Duration = Duration::from_secs(20);

    #[tokio::test(flavor = "multi_thread")]
    async fn all_parts_see_the_same_state_while_others_write() {
        let folder = tempfile::tempdir().unwrap();
        let pool = pool(folder.path());
        let done = Arc::new(AtomicBool::new(false));
        let writer = thread::spawn({
            let (path, done) = (folder.path().join("t.db"), Arc::clone(&done));
            move || {
                let writer = Connection::open(path).unwrap();
                writer.busy_timeout(LIMIT).unwrap();
                while !done.load(Ordering::Relaxed) {
                    writer.execute("UPDATE t SET v = v + 1", []).unwrap();
                    thread::yield_now();
                }
            }
        });
        let (mut read, until) = (0, Instant::now() + LIMIT);
        while read < 20 {
            assert!(Instant::now() < until, "{read} answers");
            let parts = (0..64).collect();
            let values = pool
                .read_together(turn(), LIMIT, parts, |open, _: &i32| value(open))
                .await
                .unwrap();
            let Some(values) = values else { continue };
            assert_eq!(values.len(), 64);
            assert!(values.windows(2).all(|two| two[0] == two[1]), "{values:?}");
            read += 1;
        }
        done.store(true, Ordering::Relaxed);
        writer.join().unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn parts_come_in_their_order_and_one_that_fails_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let pool = pool(folder.path());
        let numbers = pool
            .read_together(turn(), LIMIT, (0..100).collect(), |_, part: &i32| Ok(*part))
            .await;
        assert_eq!(numbers.unwrap(), Some((0..100).collect()));
        for panics in [false, true] {
            let failed = pool
                .read_together(
                    turn(),
                    LIMIT,
                    (0..100).collect(),
                    move |open, part: &i32| match part {
                        7 if panics => panic!("the seventh"),
                        7 => Err(Error::invalid("the seventh")),
                        _ => value(open),
                    },
                )
                .await;
            let message = failed.unwrap_err().to_string();
            assert!(message.contains("the seventh"), "{message}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn one_answer_at_a_time_is_read_together_and_none_beside_longer_reads() {
        let folder = tempfile::tempdir().unwrap();
        let pool = pool(folder.path());
        let read = || pool.read_together(turn(), LIMIT, vec![0], |open, _: &i32| value(open));
        let only = Only::one(&pool.together);
        assert_eq!(read().await.unwrap(), None);
        drop(only);
        let admission = pool.admission.as_ref().unwrap();
        let longer = Work::new("t", "longer", true);
        let permit = admission.enter(longer, Instant::now() + LIMIT, false).await;
        assert_eq!(read().await.unwrap(), None);
        drop(permit);
        assert_eq!(read().await.unwrap(), Some(vec![0]));
    }
}
