//! The jobs that wait for a thread of the pool, in the order of their callers' turns.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use crate::admission::turns::{Caller, FairQueue};

type Queue<T> = Arc<Mutex<FairQueue<T>>>;

/// Where jobs go in. Threads end when the last clone is dropped.
pub(super) struct Jobs<T> {
    queue: Queue<T>,
    /// One sign for each job. The channel wakes the threads.
    signs: Sender<()>,
}

/// Where jobs come out.
pub(super) struct Waiting<T> {
    queue: Queue<T>,
    signs: Receiver<()>,
}

/// A queue of jobs.
pub(super) fn queue<T>() -> (Arc<Jobs<T>>, Arc<Waiting<T>>) {
    let queue = Queue::default();
    let (sender, signs) = unbounded();
    let jobs = Jobs {
        queue: Arc::clone(&queue),
        signs: sender,
    };
    (Arc::new(jobs), Arc::new(Waiting { queue, signs }))
}

fn lock<T>(queue: &Queue<T>) -> MutexGuard<'_, FairQueue<T>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Jobs<T> {
    /// How many jobs wait.
    pub(super) fn len(&self) -> usize {
        self.signs.len()
    }

    /// Adds a job of the caller that the task works for. False when all threads have ended.
    pub(super) fn send(&self, job: T) -> bool {
        let caller = Caller::current();
        lock(&self.queue).push(caller, job);
        let sent = self.signs.send(()).is_ok();
        if !sent {
            lock(&self.queue).clear();
        }
        sent
    }
}

impl<T> Waiting<T> {
    /// Waits for the next job; none when no further one can come.
    pub(super) fn next(&self) -> Option<T> {
        self.signs.recv().ok()?;
        lock(&self.queue).pop()
    }

    /// Waits for the next job. Where it takes this long, `rest` is done first.
    pub(super) fn next_after(&self, patience: Duration, rest: impl FnOnce()) -> Option<T> {
        match self.signs.recv_timeout(patience) {
            Ok(()) => lock(&self.queue).pop(),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                rest();
                self.next()
            }
        }
    }

    /// The next job, if one waits.
    pub(super) fn next_now(&self) -> Option<T> {
        self.signs.try_recv().ok()?;
        lock(&self.queue).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_of_one_caller_does_not_wait_for_all_of_another() {
        let (jobs, waiting) = queue();
        let (greedy, other) = (Caller::of("greedy"), Caller::of("other"));
        greedy
            .run(async {
                for number in 0..1_000 {
                    assert!(jobs.send(number));
                }
            })
            .await;
        other.run(async { assert!(jobs.send(-1)) }).await;
        let first: Vec<_> = (0..3).filter_map(|_| waiting.next_now()).collect();
        assert_eq!(first, [0, -1, 1]);
        drop(jobs);
        assert_eq!(std::iter::from_fn(|| waiting.next()).count(), 998);
    }

    #[test]
    fn a_thread_rests_only_where_no_job_comes() {
        let (jobs, waiting) = queue();
        assert!(jobs.send(1));
        let patience = Duration::from_millis(1);
        assert_eq!(
            waiting.next_after(patience, || panic!("a job waits")),
            Some(1)
        );
        let rest = || assert!(jobs.send(2));
        assert_eq!(waiting.next_after(patience, rest), Some(2));
        drop(jobs);
        assert_eq!(
            waiting.next_after(patience, || panic!("none can come")),
            None
        );
    }

    #[test]
    fn a_job_that_no_thread_can_take_is_refused() {
        let (jobs, waiting) = queue();
        drop(waiting);
        assert!(!jobs.send(1));
        assert_eq!(lock(&jobs.queue).pop(), None);
    }
}
