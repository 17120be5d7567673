//! What callers of a cluster were answered, and when.

use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, Instant},
};

use crate::Answer;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Right,
    /// With 503.
    Unavailable,
    /// Without an answer of a node: the connection broke, or the load balancer says that its own did.
    Broken(String),
    /// With anything else, which must not happen.
    Wrong(String),
}

impl Outcome {
    /// The outcome of a call that this status and check of the answer belong to.
    pub(super) fn of(
        result: &Result<Answer, String>,
        status: u16,
        is_right: impl FnOnce(&Answer) -> bool,
    ) -> Self {
        match result {
            Err(error) => Self::Broken(error.clone()),
            Ok(answer) => match answer.status.as_u16() {
                found if found == status && is_right(answer) => Self::Right,
                503 => Self::Unavailable,
                // A node answers neither here: they are HAProxy's.
                502 | 504 if !answer.body.contains("error_code") => {
                    Self::Broken(format!("{}", answer.status))
                }
                _ => Self::Wrong(format!("{}: {}", answer.status, answer.body)),
            },
        }
    }
}

/// A call and how it ended.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What was called: `create shop`, `page`, and so on.
    pub call: &'static str,
    /// When it was sent.
    pub sent: Instant,
    /// How long it took.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
}

/// What a load was answered, and what was acknowledged.
#[derive(Debug, Default)]
pub struct Report {
    /// All calls.
    pub calls: Vec<Answered>,
    /// Records that were created, by resource: their keys.
    pub records: BTreeMap<String, Vec<i64>>,
    /// Pages that were created: their uids.
    pub pages: Vec<String>,
}

impl Report {
    /// The calls that did not end as they should.
    pub fn failed(&self) -> impl Iterator<Item = &Answered> {
        self.calls
            .iter()
            .filter(|call| call.outcome != Outcome::Right)
    }

    /// What must not have been answered.
    pub fn wrong(&self) -> Vec<&Answered> {
        self.failed()
            .filter(|call| matches!(call.outcome, Outcome::Wrong(_)))
            .collect()
    }

    /// The calls whose connection broke.
    pub fn broken(&self) -> Vec<&Answered> {
        self.failed()
            .filter(|call| matches!(call.outcome, Outcome::Broken(_)))
            .collect()
    }

    /// The time from sending the first call that failed to the answer of the last one.
    pub fn window(&self) -> Duration {
        let begun = self.failed().map(|call| call.sent).min();
        let ended = self.failed().map(|call| call.sent + call.took).max();
        match (begun, ended) {
            (Some(begun), Some(ended)) => ended.duration_since(begun),
            _ => Duration::ZERO,
        }
    }

    /// How long the slowest call took.
    pub fn slowest(&self) -> Duration {
        let times = self.calls.iter().map(|call| call.took);
        times.max().unwrap_or_default()
    }
}

/// A line for each kind of call: how many there were, and how many of them failed.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: BTreeMap<&str, Vec<&Answered>> = BTreeMap::new();
        for call in &self.calls {
            kinds.entry(call.call).or_default().push(call);
        }
        for (kind, calls) in kinds {
            let failed = calls.iter().filter(|call| call.outcome != Outcome::Right);
            let slowest = calls.iter().map(|call| call.took).max();
            writeln!(
                f,
                "{kind}: {} calls, {} failed, the slowest took {:?}",
                calls.len(),
                failed.count(),
                slowest.unwrap_or_default()
            )?;
        }
        let (failed, window) = (self.failed().count(), self.window());
        writeln!(f, "all: {failed} failed, within {window:?}")
    }
}
