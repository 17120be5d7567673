//! The processes that are this service together with this one: each says every few seconds that it lives, in the store on a
//! server that they share. They ask each other what only one of them knows.

pub(crate) mod questions;
pub(crate) mod rate_limits;

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use svc_store::{Node, Store};
use tokio::{
    sync::{Notify, watch},
    time::{MissedTickBehavior, interval, timeout},
};
use uuid::Uuid;

use super::State;

/// How often a node says that it lives.
const BEAT_EVERY: Duration = Duration::from_secs(2);
/// After how long a node that says nothing does not count.
const SILENT: Duration = Duration::from_secs(7);
/// After how long it is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(60);
/// How long the last word may take.
const LAST_WORD: Duration = Duration::from_secs(2);

/// What this process knows of the others.
#[derive(Debug)]
pub(crate) struct Nodes {
    /// What this node is known by.
    uid: Uuid,
    seen: Mutex<HashMap<Uuid, Seen>>,
    /// How many live, this one among them.
    living: AtomicU32,
    /// Held by the one who asks the others something.
    asks: tokio::sync::Mutex<()>,
    /// That others may ask something.
    asked: Notify,
}

#[derive(Debug)]
struct Seen {
    node: Node,
    /// When its beat was last another one, by the clock of this process.
    at: Instant,
}

impl Default for Nodes {
    fn default() -> Self {
        Self {
            uid: Uuid::now_v7(),
            asks: tokio::sync::Mutex::default(),
            asked: Notify::new(),
            seen: Mutex::default(),
            living: AtomicU32::new(1),
        }
    }
}

impl Nodes {
    /// What this node is known by.
    pub(crate) fn uid(&self) -> Uuid {
        self.uid
    }

    /// Another node may ask something.
    pub(crate) fn wake(&self) {
        self.asked.notify_one();
    }

    /// How many nodes are this service, this one among them: by so much each of them divides what all may do together.
    pub(crate) fn count(&self) -> u32 {
        self.living.load(Ordering::Relaxed)
    }

    /// The other nodes that live.
    fn others(&self) -> Vec<Uuid> {
        let living = self.living().into_iter().map(|node| node.uid);
        living.filter(|&uid| uid != self.uid).collect()
    }

    /// The nodes that live, as they said themselves.
    pub(crate) fn living(&self) -> Vec<Node> {
        let now = Instant::now();
        let seen = self.seen.lock();
        let living = seen.values().filter(|seen| seen.lives(now));
        let mut living: Vec<Node> = living.map(|seen| seen.node.clone()).collect();
        living.sort_by(|a, b| (&a.name, &a.address).cmp(&(&b.name, &b.address)));
        living
    }

    /// Takes over what the store says of all nodes.
    fn take(&self, nodes: Vec<Node>, now: Instant) {
        let mut seen = self.seen.lock();
        let known = std::mem::take(&mut *seen);
        for node in nodes {
            let at = match known.get(&node.uid) {
                Some(known) if known.node.beat == node.beat => known.at,
                _ => now,
            };
            seen.insert(node.uid, Seen { node, at });
        }
        let living = seen.values().filter(|seen| seen.lives(now)).count();
        let living = u32::try_from(living).unwrap_or(u32::MAX).max(1);
        if self.living.swap(living, Ordering::Relaxed) != living {
            tracing::info!(
                nodes = living,
                "the number of nodes of this service has changed"
            );
        }
    }

    /// Those that have said nothing for long.
    fn forgotten(&self, now: Instant) -> Vec<Uuid> {
        let seen = self.seen.lock();
        let silent = seen.values().filter(|seen| seen.silence(now) > FORGOTTEN);
        silent.map(|seen| seen.node.uid).collect()
    }
}

impl Seen {
    fn silence(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.at)
    }

    fn lives(&self, now: Instant) -> bool {
        self.silence(now) < SILENT
    }
}

/// Says that this node lives, and answers the others, until it ends.
pub(crate) async fn run(state: &State, node: Node, mut stopped: watch::Receiver<bool>) {
    let store: &Store = &state.store;
    let mut ticks = interval(BEAT_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let is_asked = tokio::select! {
            _ = ticks.tick() => false,
            () = state.nodes.asked.notified() => true,
            _ = stopped.wait_for(|&stop| stop) => break,
        };
        if is_asked {
            questions::answer(state).await;
            continue;
        }
        let gone = state.nodes.forgotten(Instant::now());
        match store.nodes().beat(&node, gone).await {
            Ok(nodes) => {
                state.nodes.take(nodes, Instant::now());
                state.throttle.share_among(state.nodes.count());
            }
            Err(error) => tracing::debug!(%error, "the other nodes cannot be asked for"),
        }
    }
    // The others notice by themselves after a while.
    let _ = timeout(LAST_WORD, store.nodes().remove(node.uid)).await;
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_node_lives_as_long_as_its_beat_goes_on_whatever_its_clock_says() {
        let nodes = Nodes::default();
        let mut clock = Timestamp::now();
        clock -= jiff::SignedDuration::from_hours(1);
        let mut one = Node::new(Uuid::now_v7(), "a", "1", "a:1", clock);
        let two = Node::new(Uuid::now_v7(), "b", "1", "b:1", clock);
        let begun = Instant::now();
        nodes.take(vec![one.clone(), two.clone()], begun);
        assert_eq!(nodes.count(), 2);
        one.beat += 1;
        let gone = two.uid;
        nodes.take(vec![one, two], begun + SILENT);
        assert_eq!(nodes.count(), 1);
        assert_eq!(nodes.forgotten(begun + SILENT), Vec::<Uuid>::new());
        let late = begun + FORGOTTEN + Duration::from_secs(1);
        assert_eq!(nodes.forgotten(late), [gone]);
    }
}
