//! A reader: serves the reads that wait with one view of the database, as long as it is current.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Instant,
};

use super::{PAGES_KEPT, VIEW_HELD, control, is_over, jobs::Waiting, stopped, timed_out};
use crate::{
    Result,
    engine::sqlite::progress::Progress,
    engine::sqlite::{
        connection::{Open, Slot},
        fault,
    },
};

/// A read that waits.
pub(super) struct ReadJob {
    pub(super) deadline: Option<Instant>,
    pub(super) progress: Arc<Progress>,
    pub(super) run: Box<Run>,
}

/// What a read does with the connection, or with the error that there is none.
pub(super) type Run = dyn FnOnce(Result<&Open>) + Send;

/// The life of a reader. Opening a view for every read would not scale with the number of readers.
pub(super) fn run(
    slot: &mut Slot,
    jobs: &Waiting<ReadJob>,
    commits: &AtomicU64,
    busy: &AtomicUsize,
) {
    let mut next = jobs.next();
    while let Some(job) = next.take() {
        busy.fetch_add(1, Ordering::Relaxed);
        next = read_in_one_view(slot, job, jobs, commits);
        busy.fetch_sub(1, Ordering::Relaxed);
        next = next.or_else(|| jobs.next_after(PAGES_KEPT, || slot.forget_pages()));
    }
}

/// Runs `job` and those that wait behind it; returns one that needs a newer view.
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
    match slot.begin_view() {
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
