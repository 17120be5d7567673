//! Turns by caller: among the waiting calls, the first of each caller comes before the second of any, so that no caller
//! waits for all calls of another one.

use std::{
    collections::{HashMap, VecDeque, hash_map::RandomState},
    hash::{BuildHasher as _, Hash},
    sync::LazyLock,
};

tokio::task_local! {
    static CALLER: Caller;
}

/// The caller on whose behalf something is done. The default is the service itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caller(u64);

impl Caller {
    /// The caller that is distinguished from others by this. It differs from process to process, so that no caller
    /// can choose to share the turns of another.
    pub fn of(identity: impl Hash) -> Self {
        static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Self(KEYS.hash_one(identity))
    }

    /// The caller that the running task works for.
    pub fn current() -> Self {
        CALLER.try_with(|caller| *caller).unwrap_or_default()
    }

    /// Runs a future on behalf of this caller. A task that it spawns works for the service, unless it gets the caller.
    pub fn run<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CALLER.scope(self, work)
    }
}

/// What waits, in the order in which callers have their turns.
#[derive(Debug)]
pub struct FairQueue<T> {
    /// Never an empty one.
    waiting: HashMap<Caller, VecDeque<T>>,
    /// The callers of `waiting`; the first one is next.
    turns: VecDeque<Caller>,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self {
            waiting: HashMap::new(),
            turns: VecDeque::new(),
        }
    }
}

impl<T> FairQueue<T> {
    /// Adds what a caller waits for, behind what the same caller waits for already.
    pub fn push(&mut self, caller: Caller, item: T) {
        let of_caller = self.waiting.entry(caller).or_insert_with(|| {
            self.turns.push_back(caller);
            VecDeque::new()
        });
        of_caller.push_back(item);
    }

    /// Takes out what is next.
    pub fn pop(&mut self) -> Option<T> {
        self.pop_of(|_| true).map(|(_, item)| item)
    }

    /// Takes out what is next of the callers that may go on. It takes time for each one before that may not.
    pub fn pop_of(&mut self, may_go_on: impl Fn(Caller) -> bool) -> Option<(Caller, T)> {
        let place = self.turns.iter().position(|caller| may_go_on(*caller))?;
        let caller = self.turns.remove(place)?;
        let of_caller = self.waiting.get_mut(&caller)?;
        let item = of_caller.pop_front()?;
        if of_caller.is_empty() {
            self.waiting.remove(&caller);
        } else {
            self.turns.push_back(caller);
        }
        Some((caller, item))
    }

    /// Throws everything away.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.turns.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_caller_comes_before_the_second_of_any() {
        let [a, b, c] = ["a", "b", "c"].map(Caller::of);
        let mut queue = FairQueue::default();
        for (caller, item) in [
            (a, "a1"),
            (a, "a2"),
            (a, "a3"),
            (b, "b1"),
            (c, "c1"),
            (b, "b2"),
        ] {
            queue.push(caller, item);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
        queue.push(a, "a4");
        queue.push(b, "b3");
        assert_eq!(queue.pop_of(|caller| caller != a), Some((b, "b3")));
        assert_eq!(queue.pop_of(|caller| caller != a), None);
        assert_eq!(queue.pop(), Some("a4"));
        assert!(queue.waiting.is_empty() && queue.turns.is_empty());
    }

    #[tokio::test]
    async fn a_task_works_for_the_caller_that_it_was_given() {
        let caller = Caller::of(7);
        assert_eq!(caller, Caller::of(7));
        assert_ne!(caller, Caller::of(8));
        assert_eq!(Caller::current(), Caller::default());
        caller
            .run(async {
                assert_eq!(Caller::current(), caller);
                let spawned = tokio::spawn(async { Caller::current() });
                assert_eq!(spawned.await.unwrap(), Caller::default());
            })
            .await;
    }
}
