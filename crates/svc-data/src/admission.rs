//! Which statement may run next on a database: a fair share for each caller and each model, and a part that is kept for short
//! statements, so that slow ones do not stop the rest.
//!
//! Statements are distinguished by their shape, which is their text without values. A shape is slow when one of its
//! statements runs for long, or did the last time; a statement that searches texts or reads all rows counts as
//! slow until one was quick.

pub mod turns;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher, Hash},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

#[cfg(doc)]
use crate::ErrorKind;
use crate::{Durations, Error, Result, admission::turns::Caller};

/// From which running time on a statement is slow.
const SLOW: Duration = Duration::from_millis(200);
/// How many shapes are remembered.
const MAX_SHAPES: usize = 1024;
/// For how long a statement that was not short enough for its caller's thread, or a shared connection, is not tried there again.
const LONG_PAUSE: Duration = Duration::from_secs(1);
/// How long it takes at first, and at most, until another connection is tried after the server has refused one.
const GROWTH_PAUSE: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));

/// What a statement is, as far as its turn depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    model: u64,
    shape: u64,
    /// Whether it is likely to read many rows.
    scans: bool,
    /// Whether the service needs it for itself, so that it never counts as slow.
    is_internal: bool,
}

impl Work {
    /// A statement on a model; `shape` is the same for statements that differ in values only.
    pub(crate) fn new(model: &str, shape: impl Hash, scans: bool) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::new();
        Self {
            model: hasher.hash_one(model),
            shape: hasher.hash_one((model, shape)),
            scans,
            is_internal: false,
        }
    }

    /// A statement that the service needs for itself, such as one that reads the structure.
    pub(crate) fn internal(shape: &str) -> Self {
        Self {
            is_internal: true,
            ..Self::new("", shape, false)
        }
    }

    /// Statements of several callers on one connection.
    pub(crate) fn pipeline() -> Self {
        Self {
            is_internal: true,
            ..Self::new("\0pipeline", "", false)
        }
    }

    /// What is the same for statements that differ in values only.
    pub(crate) fn shape(&self) -> u64 {
        self.shape
    }

    /// What is asked before the statement, and is quick whatever that one takes.
    pub(crate) fn question(self) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::new();
        Self {
            shape: hasher.hash_one((self.shape, "question")),
            scans: false,
            ..self
        }
    }
}

/// How many of so many connections or turns may be those of the service itself: none of a single one.
pub(crate) fn third(number: usize) -> usize {
    match number {
        0 | 1 => 0,
        _ => (number / 3).max(1),
    }
}

/// Gives statements their turn.
#[derive(Clone)]
pub(crate) struct Admission(Arc<Mutex<State>>);

struct State {
    /// The most statements at once that were configured.
    size: usize,
    /// The most at once now; fewer than `size` while the server refuses connections.
    allowed: usize,
    /// When one more may be tried, where fewer than `size` are allowed, and how long the pause before that is.
    grow: Option<(Instant, Duration)>,
    /// Whether models have shares, and short statements a part of their own.
    shares: bool,
    /// Whether statements of a shape that is known as quick are neither counted nor limited.
    quick_are_free: bool,
    running: Vec<Running>,
    waiting: VecDeque<Waiting>,
    /// How many turns were given, and which was the last one of each caller that waits for more.
    turns: u64,
    last_turns: HashMap<Caller, u64>,
    /// How long statements of a shape took lately.
    typical: HashMap<u64, Duration>,
    /// When statements of a shape were last too long for the thread of their caller, or for a shared connection.
    long: HashMap<u64, Instant>,
    /// How long statements waited for their turn.
    waits: Arc<Durations>,
}

struct Running {
    work: Work,
    caller: Caller,
    since: Instant,
    /// Whether its shape is slow as far as [ended](State::is_usually_slow) statements tell.
    is_usually_slow: bool,
}

/// The running statements that have taken [`SLOW`] or longer by now.
struct Overdue {
    /// They began by then. `None` where the system's clock began later.
    since: Option<Instant>,
    /// Their shapes; seldom any.
    shapes: Vec<u64>,
}

impl Overdue {
    fn has(&self, running: &Running) -> bool {
        self.since.is_some_and(|since| running.since <= since)
    }
}

struct Waiting {
    work: Work,
    caller: Caller,
    turn: oneshot::Sender<Permit>,
}

/// The permission to run one statement, until it is dropped.
pub(crate) struct Permit {
    admission: Admission,
    work: Work,
    since: Instant,
    /// When the statement itself began.
    begun: Instant,
    is_counted: bool,
    /// How long the statement ran, where that is less than the permit was held.
    ran: Option<Duration>,
}

impl Admission {
    /// At most `size` statements at once, shared fairly.
    pub(crate) fn shared(size: usize) -> Self {
        Self::new(size, true, false)
    }

    /// At most `size` statements at once, in the order in which they come.
    pub(crate) fn in_order(size: usize) -> Self {
        Self::new(size, false, false)
    }

    /// For `size` threads that have a queue of their own: limits the statements that are slow, or not known yet,
    /// so that a thread is left for those that are quick.
    pub(crate) fn for_threads(size: usize) -> Self {
        Self::new(size, true, true)
    }

    fn new(size: usize, shares: bool, quick_are_free: bool) -> Self {
        let size = size.max(1);
        Self(Arc::new(Mutex::new(State {
            size,
            allowed: size,
            grow: None,
            shares,
            quick_are_free,
            running: Vec::with_capacity(size),
            waiting: VecDeque::new(),
            turns: 0,
            last_turns: HashMap::new(),
            typical: HashMap::new(),
            long: HashMap::new(),
            waits: Arc::default(),
        })))
    }

    /// Counts how long statements wait for their turn.
    pub(crate) fn counting(self, waits: &Arc<Durations>) -> Self {
        self.state().waits = Arc::clone(waits);
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the turn of a statement; with `is_next` it is the next one whose turn comes.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when the turn does not come before the deadline.
    pub(crate) async fn enter(
        &self,
        work: Work,
        deadline: Instant,
        is_next: bool,
    ) -> Result<Permit> {
        let (turn, waits) = {
            let now = Instant::now();
            let mut state = self.state();
            if state.quick_are_free && state.is_known_quick(&work) {
                state.waits.observe(Duration::ZERO);
                return Ok(self.permit(work, now, false));
            }
            if state.running.len() >= state.allowed {
                state.grow_when_due(now);
            }
            if state.admits(&work, &state.overdue(now)) {
                state.run(work, Caller::current(), now);
                state.waits.observe(Duration::ZERO);
                return Ok(self.permit(work, now, true));
            }
            let (turn, comes) = oneshot::channel();
            let waiting = Waiting {
                work,
                caller: Caller::current(),
                turn,
            };
            match is_next {
                true => state.waiting.push_front(waiting),
                false => state.waiting.push_back(waiting),
            }
            (comes, Arc::clone(&state.waits))
        };
        let _waiting = waits.begin();
        match tokio::time::timeout_at(deadline.into(), turn).await {
            Ok(Ok(permit)) => Ok(permit),
            // None was free in time.
            _ => Err(Error::unavailable(
                "every connection to the database is busy; allow more, or look for slow statements",
            )),
        }
    }

    /// The turn of the service itself, if it comes at once: nobody waits, and fewer than `most` statements run of this model.
    pub(crate) fn try_enter(&self, work: Work, most: usize) -> Option<Permit> {
        let now = Instant::now();
        let mut state = self.state();
        if state.runs_as_many(&work, most)
            || state
                .waiting
                .iter()
                .any(|waiting| !waiting.turn.is_closed())
        {
            return None;
        }
        if state.running.len() >= state.allowed {
            state.grow_when_due(now);
        }
        (state.running.len() < state.allowed).then(|| {
            state.run(work, Caller::default(), now);
            self.permit(work, now, true)
        })
    }

    fn permit(&self, work: Work, since: Instant, is_counted: bool) -> Permit {
        Permit {
            admission: self.clone(),
            work,
            since,
            begun: since,
            is_counted,
            ran: None,
        }
    }

    /// How long statements waited for their turn.
    pub(crate) fn waits(&self) -> Arc<Durations> {
        Arc::clone(&self.state().waits)
    }

    /// How many statements wait for their turn.
    pub(crate) fn waiting(&self) -> usize {
        let state = self.state();
        let waiting = state.waiting.iter();
        waiting.filter(|waiting| !waiting.turn.is_closed()).count()
    }

    /// Whether no statement that is counted runs or waits.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.state();
        state.running.is_empty() && state.waiting.is_empty()
    }

    /// Whether a statement is so quick that it can be tried on the thread of its caller, without a turn.
    pub(crate) fn is_short(&self, work: &Work) -> bool {
        self.is_shorter(work, SLOW)
    }

    /// Whether a statement usually takes less than this time, and none of its shape was [too long](Self::was_long) lately.
    pub(crate) fn is_shorter(&self, work: &Work, time: Duration) -> bool {
        let state = self.state();
        let since = state.long.get(&work.shape).map(Instant::elapsed);
        let typical = state.typical.get(&work.shape);
        since.is_none_or(|since| since > LONG_PAUSE) && typical.is_some_and(|it| *it < time)
    }

    /// Says that a statement was too long for the thread of its caller, or for a connection that it shared.
    pub(crate) fn was_long(&self, work: &Work) {
        let mut state = self.state();
        if state.long.len() >= MAX_SHAPES {
            state.long.clear();
        }
        state.long.insert(work.shape, Instant::now());
    }

    /// Allows no more statements at once than there are connections, since the server has refused one. Another one
    /// is tried later.
    pub(crate) fn shrink(&self, connections: usize) {
        let mut state = self.state();
        let (first, longest) = GROWTH_PAUSE;
        let pause = state
            .grow
            .map_or(first, |(_, pause)| (pause * 2).min(longest));
        state.allowed = connections.clamp(1, state.size);
        state.grow = (state.allowed < state.size).then(|| (Instant::now() + pause, pause));
    }

    /// Lets the number of connections grow again, since the server has accepted one.
    pub(crate) fn accepted(&self) {
        let mut state = self.state();
        if state.grow.is_some() {
            state.grow = Some((Instant::now(), GROWTH_PAUSE.0));
        }
    }

    /// Gives turns to those who wait, after a statement has ended.
    fn hand_on(&self) {
        loop {
            let now = Instant::now();
            let (waiting, permit) = {
                let mut state = self.state();
                let Some(waiting) = state.next(now) else {
                    return;
                };
                let work = waiting.work;
                state.run(work, waiting.caller, now);
                (waiting, self.permit(work, now, true))
            };
            if let Err(mut permit) = waiting.turn.send(permit) {
                // The caller has left.
                permit.is_counted = false;
                self.state().remove(&permit.work, permit.since);
            }
        }
    }
}

impl State {
    fn is_known_quick(&self, work: &Work) -> bool {
        let known = self.typical.get(&work.shape);
        known.is_some_and(|typical| *typical < SLOW)
    }

    /// Whether as many statements run of this model as may, or as many as may in so few turns as there are now.
    fn runs_as_many(&self, work: &Work, most: usize) -> bool {
        let of_model = |running: &&Running| running.work.model == work.model;
        self.running.iter().filter(of_model).count() >= most.min(third(self.allowed))
    }

    fn run(&mut self, work: Work, caller: Caller, now: Instant) {
        self.running.push(Running {
            work,
            caller,
            since: now,
            is_usually_slow: self.is_usually_slow(&work),
        });
    }

    fn overdue(&self, now: Instant) -> Overdue {
        let mut overdue = Overdue {
            since: now.checked_sub(SLOW),
            shapes: Vec::new(),
        };
        for running in &self.running {
            if overdue.has(running) && !running.work.is_internal {
                overdue.shapes.push(running.work.shape);
            }
        }
        overdue
    }

    /// Whether the shape of a statement is slow as far as those that have ended tell.
    fn is_usually_slow(&self, work: &Work) -> bool {
        match self.typical.get(&work.shape) {
            _ if work.is_internal => false,
            Some(typical) => *typical >= SLOW,
            None => work.scans,
        }
    }

    /// Whether a statement may run now.
    fn admits(&self, work: &Work, overdue: &Overdue) -> bool {
        let running = self.running.len();
        if running >= self.allowed {
            return false;
        }
        if !self.shares || self.allowed < 2 {
            return true;
        }
        // Three of ten are kept for short statements.
        let kept = (self.allowed * 3).div_ceil(10);
        if self.quick_are_free {
            return running < (self.allowed - kept).max(1);
        }
        // A model never has more than are left for all others: it gets half of what is free, the next one half of
        // the rest, and so on. Whether a table is locked is known only after its statements have waited for long.
        let of_model = |running: &&Running| running.work.model == work.model;
        let (share, free) = (
            self.running.iter().filter(of_model).count(),
            self.allowed - running,
        );
        let slow = |running: &&Running| {
            let is_overdue = overdue.has(running) || overdue.shapes.contains(&running.work.shape);
            is_overdue || running.is_usually_slow
        };
        let is_slow = overdue.shapes.contains(&work.shape) || self.is_usually_slow(work);
        if share >= free {
            // The slow statements of a model do not hold up its short ones, while a connection is left for others.
            let short = |running: &&Running| of_model(running) && !slow(running);
            return !is_slow && free > 1 && self.running.iter().filter(short).count() < free;
        }
        // A model whose statements are always slow is not stopped by those of others alone.
        !is_slow
            || share == 0 && free > 1
            || self.running.iter().filter(slow).count() < (self.allowed - kept).max(1)
    }

    /// Of the statements that may run now, one of the caller with the fewest running; of these one of the caller whose
    /// last turn was longest ago; of these one of the model with the fewest running; of these the first.
    fn next(&mut self, now: Instant) -> Option<Waiting> {
        if self.waiting.is_empty() {
            return None;
        }
        self.waiting.retain(|waiting| !waiting.turn.is_closed());
        if self.last_turns.len() > self.waiting.len() {
            let waiting: HashSet<Caller> = self.waiting.iter().map(|it| it.caller).collect();
            self.last_turns.retain(|caller, _| waiting.contains(caller));
        }
        if self.running.len() >= self.allowed {
            self.grow_when_due(now);
        }
        if self.running.len() >= self.allowed {
            return None;
        }
        let overdue = self.overdue(now);
        let mut best: Option<((usize, u64, usize), usize)> = None;
        for (place, waiting) in self.waiting.iter().enumerate() {
            let caller = waiting.caller;
            let of_caller = |running: &&Running| running.caller == caller;
            let of_model = |running: &&Running| running.work.model == waiting.work.model;
            let share = (
                self.running.iter().filter(of_caller).count(),
                self.last_turns.get(&caller).copied().unwrap_or_default(),
                match self.shares {
                    true => self.running.iter().filter(of_model).count(),
                    false => 0,
                },
            );
            if best.is_none_or(|(fewest, _)| share < fewest) && self.admits(&waiting.work, &overdue)
            {
                best = Some((share, place));
                if share == (0, 0, 0) {
                    break;
                }
            }
        }
        let next = best.and_then(|(_, place)| self.waiting.remove(place))?;
        self.turns += 1;
        match self.waiting.iter().any(|other| other.caller == next.caller) {
            true => self.last_turns.insert(next.caller, self.turns),
            false => self.last_turns.remove(&next.caller),
        };
        Some(next)
    }

    fn grow_when_due(&mut self, now: Instant) {
        if let Some((at, pause)) = self.grow
            && now >= at
        {
            self.allowed += 1;
            self.grow = (self.allowed < self.size).then_some((now + pause, pause));
        }
    }

    /// Where a statement is among those that run.
    fn position(&self, work: &Work, since: Instant) -> Option<usize> {
        let is_it = |running: &Running| running.work.shape == work.shape && running.since == since;
        self.running.iter().position(is_it)
    }

    fn remove(&mut self, work: &Work, since: Instant) {
        if let Some(position) = self.position(work, since) {
            self.running.swap_remove(position);
        }
    }

    /// Remembers how long a statement took, as a moving average, so that one late answer does not make a shape slow.
    fn remember(&mut self, work: &Work, took: Duration) {
        let known = self.typical.get(&work.shape).copied();
        if known.is_none() && self.typical.len() >= MAX_SHAPES {
            self.typical.clear();
            for running in &mut self.running {
                running.is_usually_slow = running.work.scans && !running.work.is_internal;
            }
        }
        let first = if work.scans { took } else { Duration::ZERO };
        let typical = (known.unwrap_or(first) * 3 + took) / 4;
        self.typical.insert(work.shape, typical);
        let was_slow = known.map_or(work.scans, |known| known >= SLOW);
        if was_slow != (typical >= SLOW) && !work.is_internal {
            let alike = self.running.iter_mut();
            for running in alike.filter(|running| running.work.shape == work.shape) {
                running.is_usually_slow = typical >= SLOW;
            }
        }
    }
}

impl Permit {
    /// Says that the statement begins now, after its connection was made.
    pub(crate) fn begin(&mut self) {
        self.begun = Instant::now();
    }

    /// Says how long the statement ran itself, without the time that it waited for a thread.
    pub(crate) fn ran(&mut self, time: Duration) {
        self.ran = Some(time);
    }

    /// Passes the permission on to work of the service itself, unless `most` statements run of that model. Says whether it did.
    pub(crate) fn pass_to(&mut self, work: Work, most: usize) -> bool {
        {
            let mut state = self.admission.state();
            if !self.is_counted || state.runs_as_many(&work, most) {
                return false;
            }
            let position = state.position(&self.work, self.since);
            let Some(running) = position.and_then(|it| state.running.get_mut(it)) else {
                return false;
            };
            running.work = work;
            running.caller = Caller::default();
            running.is_usually_slow = false;
        }
        self.work = work;
        // One more of its model and its caller may run.
        self.admission.hand_on();
        true
    }

    /// Ends the permission of a statement that did not run.
    pub(crate) fn unused(mut self) {
        self.ran = Some(Duration::MAX);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let took = self.ran.unwrap_or_else(|| self.begun.elapsed());
        if !self.is_counted && took < SLOW {
            // Its shape was known as quick, and still is.
            return;
        }
        {
            let mut state = self.admission.state();
            if took != Duration::MAX {
                state.remember(&self.work, took);
            }
            if self.is_counted {
                state.remove(&self.work, self.since);
            }
        }
        if self.is_counted {
            self.admission.hand_on();
        }
    }
}

#[cfg(test)]
mod tests;
