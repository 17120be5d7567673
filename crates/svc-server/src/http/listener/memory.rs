//! The memory that answers may take while they wait to be read, for the process and for each connection.
//!
//! What is counted is the buffer that a driver or a handler wrote, from the moment the answer is ready until the last
//! byte of it was given to the socket. Small buffers are not counted: the numbers of connections and streams bound them.
//! Answers that are ready and wait for memory are counted apart, up to a share of their own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{sync::Notify, time::timeout};

use super::registry::{Entry, Registry};

/// How many connections that use up their share fit into the memory of the process.
const SHARES: usize = 8;
/// How long an answer that is ready waits for memory.
const PATIENCE: Duration = Duration::from_secs(1);

/// The memory of all answers.
#[derive(Debug)]
pub(crate) struct AnswerMemory {
    limit: usize,
    used: AtomicUsize,
    /// What the answers that wait for memory take.
    waiting: AtomicUsize,
    released: Notify,
    registry: Arc<Registry>,
}

impl AnswerMemory {
    pub(crate) fn new(limit: usize, registry: Arc<Registry>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            released: Notify::new(),
            registry,
        })
    }

    /// How much the answers of one connection may take before its further requests wait, and how much all answers that
    /// wait for memory may take.
    fn share(&self) -> usize {
        self.limit / SHARES
    }

    /// Waits until the unread answers of a connection are less than its share. Whether they are.
    pub(super) async fn has_share(&self, entry: &Entry, patience: Duration) -> bool {
        let is_left = || entry.activity.held.load(Relaxed) < self.share();
        if is_left() {
            return true;
        }
        let wait = async {
            loop {
                let released = self.released.notified();
                if is_left() {
                    return;
                }
                released.await;
            }
        };
        timeout(patience, wait).await.is_ok()
    }

    /// Takes memory for an answer that is ready. Where there is too little, connections whose callers do not read are
    /// closed, and after a moment the answer is given up: at once where too many wait already.
    pub(super) async fn reserve(
        self: &Arc<Self>,
        entry: &Arc<Entry>,
        bytes: usize,
    ) -> Option<Held> {
        if let Some(held) = self.try_reserve(entry, bytes) {
            return Some(held);
        }
        let _waiting = self.wait(bytes)?;
        let wait = async {
            loop {
                let released = self.released.notified();
                if let Some(held) = self.try_reserve(entry, bytes) {
                    return held;
                }
                self.registry.close_stalled();
                released.await;
            }
        };
        timeout(PATIENCE, wait).await.ok()
    }

    /// Counts an answer among those that wait. One may always wait, however large it is.
    fn wait(&self, bytes: usize) -> Option<Waiting<'_>> {
        let add = |waiting: usize| {
            let sum = waiting.checked_add(bytes)?;
            (sum <= self.share() || waiting == 0).then_some(sum)
        };
        self.waiting.fetch_update(Relaxed, Relaxed, add).ok()?;
        Some(Waiting {
            memory: self,
            bytes,
        })
    }

    fn try_reserve(self: &Arc<Self>, entry: &Arc<Entry>, bytes: usize) -> Option<Held> {
        let of_connection = entry.activity.held.load(Relaxed);
        // One answer at a time is always within the share; several beyond it leave half of the memory to others.
        let within_share =
            of_connection == 0 || of_connection.saturating_add(bytes) <= self.share();
        let limit = if within_share {
            self.limit
        } else {
            self.limit / 2
        };
        let add = |used: usize| {
            let sum = used.checked_add(bytes)?;
            // What is larger than all of the memory is answered while nothing else is.
            (sum <= limit || used == 0).then_some(sum)
        };
        self.used.fetch_update(Relaxed, Relaxed, add).ok()?;
        Some(self.count(entry, bytes))
    }

    /// Takes memory for the next part of an answer whose beginning is on its way.
    pub(super) fn take(self: &Arc<Self>, entry: &Arc<Entry>, bytes: usize) -> Held {
        self.used.fetch_add(bytes, Relaxed);
        self.count(entry, bytes)
    }

    fn count(self: &Arc<Self>, entry: &Arc<Entry>, bytes: usize) -> Held {
        entry.activity.held.fetch_add(bytes, Relaxed);
        Held {
            memory: Arc::clone(self),
            entry: Arc::clone(entry),
            bytes,
        }
    }
}

/// An answer that waits for memory.
struct Waiting<'a> {
    memory: &'a AnswerMemory,
    bytes: usize,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.memory.waiting.fetch_sub(self.bytes, Relaxed);
    }
}

/// Memory that is taken; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    memory: Arc<AnswerMemory>,
    entry: Arc<Entry>,
    bytes: usize,
}

impl Held {
    /// Splits off what a buffer of the answer takes.
    pub(super) fn split(&mut self, bytes: usize) -> Self {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Self {
            memory: Arc::clone(&self.memory),
            entry: Arc::clone(&self.entry),
            bytes,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.entry.activity.held.fetch_sub(self.bytes, Relaxed);
            self.memory.used.fetch_sub(self.bytes, Relaxed);
            self.memory.released.notify_waiters();
        }
    }
}

/// A buffer with what it takes and what is to be done when its last byte is gone.
pub(super) struct Counted<T> {
    pub(super) bytes: Bytes,
    pub(super) _held: Held,
    pub(super) _at_end: T,
}

impl<T> AsRef<[u8]> for Counted<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::{Config, http::listener::registry::Admission};

    fn memory(limit: usize) -> (Arc<AnswerMemory>, impl Fn() -> Admission) {
        let registry = Registry::new(&Config::default());
        let admit = Arc::clone(&registry);
        let open = move || admit.admit(IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        (AnswerMemory::new(limit, registry), open)
    }

    #[tokio::test(start_paused = true)]
    async fn one_connection_leaves_half_of_the_memory_to_others() {
        let (memory, open) = memory(1_000);
        let (greedy, other) = (open(), open());
        let mut held = Vec::new();
        while let Some(more) = memory.try_reserve(&greedy.entry, 100) {
            held.push(more);
        }
        assert_eq!(held.len(), 5);
        assert!(
            !memory
                .has_share(&greedy.entry, Duration::from_secs(9))
                .await
        );
        assert!(memory.has_share(&other.entry, Duration::ZERO).await);
        let begun = tokio::time::Instant::now();
        assert!(memory.reserve(&greedy.entry, 100).await.is_none());
        assert_eq!(begun.elapsed(), PATIENCE);
        let large = memory.reserve(&other.entry, 500).await;
        assert!(large.is_some() && begun.elapsed() == PATIENCE);
        assert!(memory.try_reserve(&open().entry, 1).is_none());
        drop((held, large));
        assert_eq!(memory.used.load(Relaxed), 0);
        assert_eq!(greedy.entry.activity.held.load(Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn answers_that_wait_for_memory_are_bounded_too() {
        let (memory, open) = memory(1_000);
        let (holder, other) = (open(), open());
        let held = memory.try_reserve(&holder.entry, 1_000).unwrap();
        let begun = tokio::time::Instant::now();
        let waits = |bytes| {
            let (memory, entry) = (Arc::clone(&memory), Arc::clone(&other.entry));
            tokio::spawn(async move { memory.reserve(&entry, bytes).await.is_some() })
        };
        let waiting = [waits(60), waits(60)];
        tokio::task::yield_now().await;
        assert!(memory.reserve(&other.entry, 60).await.is_none());
        assert_eq!(begun.elapsed(), Duration::ZERO);
        drop(held);
        for answer in waiting {
            assert!(answer.await.unwrap());
        }
        assert_eq!(memory.waiting.load(Relaxed), 0);
        let held = memory.try_reserve(&holder.entry, 1_000).unwrap();
        let large = waits(900);
        tokio::task::yield_now().await;
        drop(held);
        assert!(large.await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_larger_than_the_memory_is_given_while_there_is_no_other() {
        let (memory, open) = memory(1_000);
        let admission = open();
        let small = memory.try_reserve(&admission.entry, 1);
        assert!(memory.try_reserve(&admission.entry, 5_000).is_none());
        drop(small);
        assert!(memory.try_reserve(&admission.entry, 5_000).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_gets_the_memory_of_a_connection_whose_caller_does_not_read() {
        let (memory, open) = memory(1_000);
        let (stalled, new) = (open(), open());
        let held = memory.try_reserve(&stalled.entry, 1_000).unwrap();
        stalled.entry.activity.begin_request();
        stalled.entry.activity.begin_sending();
        let task = tokio::spawn(async move {
            let _held = held;
            std::future::pending::<()>().await;
        });
        stalled.entry.served_by(task.abort_handle());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(memory.reserve(&new.entry, 1_000).await.is_some());
    }
}
