//! The writer: gathers the writes that wait into one transaction, without letting one fail for another.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{PAGES_KEPT, control, guarded, is_over, jobs::Waiting, stopped, timed_out};
use crate::{
    CommitNote, Error, ErrorKind, Result,
    engine::sqlite::{connection::Slot, fault, progress::Progress},
    record::Note,
};

/// How many writes are committed together at most.
const GROUP: usize = 128;

/// A write that waits.
pub(super) trait WriteJob: Send {
    /// Whether no caller waits for the answer any more.
    fn is_abandoned(&self) -> bool;
    fn deadline(&self) -> Option<Instant>;
    /// What tells that its caller has left, where that ends it.
    fn progress(&self) -> Option<Arc<Progress>>;
    /// The note of it that is on the disk when it is.
    fn note(&self) -> Option<&dyn CommitNote>;
    /// Does the work; true when its changes are to be kept.
    fn run(&mut self, connection: &Connection) -> bool;
    /// Replaces the result by an error.
    fn fail(&mut self, error: Error);
    /// Sends the result.
    fn answer(self: Box<Self>);
}

/// The work of a caller and the way back to them.
pub(super) struct Write<T, E, F> {
    deadline: Option<Instant>,
    progress: Option<Arc<Progress>>,
    note: Note,
    work: F,
    result: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Write<T, E, F> {
    pub(super) fn new(
        deadline: Option<Instant>,
        progress: Option<Arc<Progress>>,
        note: Note,
        work: F,
        answer: oneshot::Sender<Result<T, E>>,
    ) -> Self {
        Self {
            deadline,
            progress,
            note,
            work,
            result: None,
            answer,
        }
    }
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

    fn progress(&self) -> Option<Arc<Progress>> {
        self.progress.clone()
    }

    fn note(&self) -> Option<&dyn CommitNote> {
        self.note.as_deref()
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

/// The loop of the writer: takes the waiting writes and commits them together.
pub(super) fn run(slot: &mut Slot, jobs: &Waiting<Box<dyn WriteJob>>, commits: &AtomicU64) {
    let mut next = jobs.next();
    while let Some(first) = next.take() {
        let mut waiting = VecDeque::from([first]);
        while waiting.len() < GROUP {
            match jobs.next_now() {
                Some(job) => waiting.push_back(job),
                None => break,
            }
        }
        write_waiting(slot, waiting, commits);
        next = jobs.next_after(PAGES_KEPT, || slot.forget_pages());
    }
}

/// What became of one job inside a transaction.
enum Outcome {
    /// Its changes wait for the commit.
    Kept,
    /// Its changes were taken back; those of the others stay.
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
        if let Err(error) = begin(slot) {
            for job in group {
                refuse(job, error.clone());
            }
            continue;
        }
        let shared = group.len() > 1;
        // Those that failed are answered with the others: what they met may be taken back yet.
        let mut done = Vec::with_capacity(group.len());
        let mut any_kept = false;
        let mut culprit = None;
        while let Some(mut job) = group.pop_front() {
            if is_over(job.deadline()) {
                refuse(job, timed_out());
                continue;
            }
            match run_one(slot, job.as_mut(), shared) {
                Outcome::Kept => any_kept = true,
                Outcome::Undone => {}
                Outcome::AllUndone => {
                    culprit = Some(job);
                    break;
                }
            }
            done.push(job);
        }
        if let Some(culprit) = culprit {
            rollback(slot);
            culprit.answer();
            // The others did nothing wrong: they are run again without it.
            for job in group.into_iter().rev().chain(done.into_iter().rev()) {
                waiting.push_front(job);
            }
            continue;
        }
        if !any_kept {
            rollback(slot);
            done.into_iter().for_each(|job| job.answer());
            continue;
        }
        if let Some(note) = done.iter().find_map(|job| job.note()) {
            note.sync();
        }
        match commit(slot) {
            Ok(()) => {
                commits.fetch_add(1, Ordering::Release);
                done.into_iter().for_each(|job| job.answer());
            }
            Err(error) => {
                rollback(slot);
                if done.len() > 1 && error.kind() == ErrorKind::Constraint {
                    alone = true;
                    for job in done.into_iter().rev() {
                        waiting.push_front(job);
                    }
                } else {
                    for job in done {
                        refuse(job, error.clone());
                    }
                }
            }
        }
    }
}

fn begin(slot: &mut Slot) -> Result<()> {
    slot.limiter().lift();
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

fn commit(slot: &mut Slot) -> Result<()> {
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
    slot.limiter().set(job.deadline(), job.progress());
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
