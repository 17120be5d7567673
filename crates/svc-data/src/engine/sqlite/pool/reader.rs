//! A reader: serves the reads that wait with one view of the database, as long as it is current.

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{control, is_over, jobs::Waiting, stopped, timed_out};
use crate::{
    Error,
    engine::sqlite::{
        connection::{Open, Slot},
        fault,
    },
};

/// How long a reader holds one view of the database while more reads wait.
const VIEW_HELD: Duration = Duration::from_millis(2);

/// A read that waits.
pub(super) struct ReadJob {
    pub(super) deadline: Option<Instant>,
    pub(super) progress: Arc<Progress>,
    pub(super) run: Box<Run>,
}

/// What a reader and its caller know of each other.
#[derive(Default)]
pub(crate) struct Progress {
    /// Whether nobody waits for the answer any more.
    abandoned: AtomicBool,
    /// In microseconds since a moment of this process, when the read began; 0 before.
    began: AtomicU64,
}

impl Progress {
    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    pub(super) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    fn begin(&self) {
        self.began.store(micros(), Ordering::Release);
    }

    /// How long the read has been running; none before it has begun.
    pub(super) fn ran(&self) -> Option<Duration> {
        match self.began.load(Ordering::Acquire) {
            0 => None,
            began => Some(Duration::from_micros(micros().saturating_sub(began))),
        }
    }
}

/// The time since the first call, and a microsecond.
fn micros() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_micros()).map_or(u64::MAX, |micros| micros + 1)
}

/// What a read does with the connection, or with the error that there is none.
pub(super) type Run = dyn FnOnce(Result<&Open, Error>) + Send;

/// The life of a reader. Opening a view for every read would not scale with the number of readers.
pub(super) fn run(slot: &mut Slot, jobs: &Waiting<ReadJob>, commits: &AtomicU64) {
    let mut next = jobs.next();
    while let Some(job) = next.take() {
        next = read_in_one_view(slot, job, jobs, commits).or_else(|| jobs.next());
    }
}

/// Runs `job` and those that wait behind it; gives back one that needs a newer view.
fn read_in_one_view(
    slot: &mut Slot,
    job: ReadJob,
    jobs: &Waiting<ReadJob>,
    commits: &AtomicU64,
) -> Option<ReadJob> {
    if job.progress.is_abandoned() {
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
        if !job.progress.is_abandoned() {
            if is_over(job.deadline) {
                (job.run)(Err(timed_out()));
            } else {
                job.progress.begin();
                slot.limiter().set(job.deadline, Some(job.progress));
                (job.run)(slot.current().ok_or_else(stopped));
            }
        }
        if Instant::now() >= until {
            break;
        }
        next = jobs.next_now();
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
