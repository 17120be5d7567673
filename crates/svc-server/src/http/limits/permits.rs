//! How many requests are worked on at once, how many of them for one caller, and how many without a credential.
//!
//! A permit is held while the service works, never while it waits for a caller: neither while a body arrives nor while
//! an answer is read.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use svc_data::turns::{Caller, FairQueue};
use svc_model::wire::BoxFuture;
use tokio::sync::oneshot;

use crate::Config;

/// The permits of all requests.
#[derive(Clone, Debug)]
pub(crate) struct Permits {
    all: Arc<Turns>,
    anonymous: Arc<Turns>,
}

/// The right to be worked on; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _all: Turn,
    _anonymous: Option<Turn>,
}

impl Permits {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            all: Turns::new(config.max_requests),
            anonymous: Turns::new(config.max_anonymous_requests),
        }
    }

    /// Waits for a permit. Requests without a credential wait for one of theirs first, so that those with one are not
    /// behind all of them.
    pub(crate) async fn acquire(&self, caller: Caller, is_anonymous: bool) -> Permit {
        let anonymous = match is_anonymous {
            true => Some(self.anonymous.acquire(caller).await),
            false => None,
        };
        Permit {
            _all: self.all.acquire(caller).await,
            _anonymous: anonymous,
        }
    }
}

/// A number of turns. Callers that wait for one get it by turns, and one caller never has all.
#[derive(Debug)]
struct Turns {
    /// The most of one caller.
    share: usize,
    state: Mutex<TurnsState>,
}

#[derive(Debug)]
struct TurnsState {
    free: usize,
    /// How many each caller has.
    held: HashMap<Caller, usize>,
    waiting: FairQueue<oneshot::Sender<Turn>>,
}

/// A turn; given back when it is dropped.
#[derive(Debug)]
struct Turn {
    /// Where it is given back; nothing when it never was given.
    turns: Option<Arc<Turns>>,
    caller: Caller,
}

impl Turns {
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Self {
            // A quarter is left to others, once there are enough for that.
            share: count - count / 4,
            state: Mutex::new(TurnsState {
                free: count,
                held: HashMap::new(),
                waiting: FairQueue::default(),
            }),
        })
    }

    fn turn(self: &Arc<Self>, caller: Caller) -> Turn {
        Turn {
            turns: Some(Arc::clone(self)),
            caller,
        }
    }

    async fn acquire(self: &Arc<Self>, caller: Caller) -> Turn {
        loop {
            let turn = {
                let mut state = self.state.lock();
                if state.take(caller, self.share) {
                    return self.turn(caller);
                }
                let (turn, comes) = oneshot::channel();
                state.waiting.push(caller, turn);
                comes
            };
            // The sender is kept until it is used.
            if let Ok(turn) = turn.await {
                return turn;
            }
        }
    }

    fn give_back(self: &Arc<Self>, caller: Caller) {
        let mut state = self.state.lock();
        state.put(caller);
        while state.free > 0 {
            let TurnsState { held, waiting, .. } = &mut *state;
            let may_go_on = |caller| held.get(&caller).is_none_or(|count| *count < self.share);
            let Some((caller, waiting)) = waiting.pop_of(may_go_on) else {
                return;
            };
            if state.take(caller, self.share)
                && let Err(mut turn) = waiting.send(self.turn(caller))
            {
                // The caller has left.
                turn.turns = None;
                state.put(caller);
            }
        }
    }
}

impl TurnsState {
    /// Takes a turn for a caller, if there is one and the caller has fewer than its share.
    fn take(&mut self, caller: Caller, share: usize) -> bool {
        if self.free == 0 {
            return false;
        }
        let held = self.held.entry(caller).or_default();
        if *held >= share {
            return false;
        }
        *held += 1;
        self.free -= 1;
        true
    }

    fn put(&mut self, caller: Caller) {
        self.free += 1;
        if let Some(held) = self.held.get_mut(&caller) {
            *held -= 1;
            if *held == 0 {
                self.held.remove(&caller);
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.turns.take() {
            turns.give_back(self.caller);
        }
    }
}

/// The permit of a request with a body, which is given back while the body arrives.
#[derive(Debug)]
pub(crate) struct Slot {
    permits: Permits,
    caller: Caller,
    is_anonymous: bool,
    permit: Mutex<Option<Permit>>,
}

impl Slot {
    pub(crate) fn new(
        permits: &Permits,
        caller: Caller,
        is_anonymous: bool,
        permit: Permit,
    ) -> Arc<Self> {
        Arc::new(Self {
            permits: permits.clone(),
            caller,
            is_anonymous,
            permit: Mutex::new(Some(permit)),
        })
    }

    /// Gives the permit back.
    pub(crate) fn leave(&self) {
        self.set(None);
    }

    /// The next permit for the same request.
    pub(crate) fn permit_again(&self) -> BoxFuture<'static, Permit> {
        let (permits, caller, is_anonymous) =
            (self.permits.clone(), self.caller, self.is_anonymous);
        Box::pin(async move { permits.acquire(caller, is_anonymous).await })
    }

    /// Goes on with this permit.
    pub(crate) fn enter(&self, permit: Permit) {
        self.set(Some(permit));
    }

    fn set(&self, permit: Option<Permit>) {
        *self.permit.lock() = permit;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_without_a_credential_leave_permits_to_those_with_one() {
        let permits = Permits::new(&Config {
            max_requests: 3,
            max_anonymous_requests: 2,
            ..Config::default()
        });
        let soon = |is_anonymous| {
            let acquire = permits.acquire(Caller::of("one"), is_anonymous);
            tokio::time::timeout(Duration::from_secs(1), acquire)
        };
        let anonymous = [soon(true).await.unwrap(), soon(true).await.unwrap()];
        assert!(soon(true).await.is_err());
        let known = soon(false).await.unwrap();
        assert!(soon(false).await.is_err());
        drop((anonymous, known));
        assert!(soon(true).await.is_ok());
    }

    /// A permit, if it is given at once.
    async fn at_once(permits: &Permits, caller: &str) -> Option<Permit> {
        let acquire = permits.acquire(Caller::of(caller), false);
        tokio::time::timeout(Duration::ZERO, acquire).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn one_caller_leaves_permits_to_others() {
        let permits = Permits::new(&Config {
            max_requests: 8,
            ..Config::default()
        });
        let mut greedy = Vec::new();
        while let Some(permit) = at_once(&permits, "greedy").await {
            greedy.push(permit);
        }
        assert_eq!(greedy.len(), 6);
        let others = [at_once(&permits, "a").await, at_once(&permits, "b").await];
        assert!(others.iter().all(Option::is_some));
        assert!(at_once(&permits, "c").await.is_none());
        drop((greedy, others));
        let state = permits.all.state.lock();
        assert_eq!(state.free, 8);
        assert!(state.held.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn callers_that_wait_have_their_turns_one_after_the_other() {
        let permits = Permits::new(&Config {
            max_requests: 1,
            ..Config::default()
        });
        let held = at_once(&permits, "greedy").await.unwrap();
        let (done, mut order) = tokio::sync::mpsc::unbounded_channel();
        for (caller, count) in [("greedy", 100), ("other", 1)] {
            for _ in 0..count {
                let (permits, done) = (permits.clone(), done.clone());
                tokio::spawn(async move {
                    let _permit = permits.acquire(Caller::of(caller), false).await;
                    done.send(caller)
                });
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(held);
        let mut place = 0;
        while order.recv().await != Some("other") {
            place += 1;
        }
        assert!(place <= 1, "{place} others were before it");
    }
}
