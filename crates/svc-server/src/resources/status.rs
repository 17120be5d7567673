//! How a connected database is: whether it can be used, since when, and what its connections do.

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use svc_data::{Outage, PoolUse, Resource};

/// Whether the database of a resource can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResourceState {
    /// It can.
    Up,
    /// It cannot.
    Down,
    /// It was not connected yet.
    Connecting,
}

/// How a resource is. It is written as the answer to the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ResourceStatus {
    pub(crate) state: ResourceState,
    /// Since when, in RFC 3339.
    pub(crate) since: String,
    /// Why it is down, without anything that names this machine or comes from the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    pub(crate) pool: PoolFigures,
    /// How many tables and views it had when its structure was last read; null before.
    pub(crate) models: Option<usize>,
    /// When that was, in RFC 3339.
    pub(crate) structure_read: Option<String>,
}

/// What the connections of a resource do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct PoolFigures {
    /// How many statements run at once, at most.
    pub(crate) size: usize,
    /// How many run.
    pub(crate) used: usize,
    /// How many wait for their turn.
    pub(crate) waiting: usize,
}

impl From<PoolUse> for PoolFigures {
    fn from(pool: PoolUse) -> Self {
        Self {
            size: pool.size,
            used: pool.used,
            waiting: pool.waiting,
        }
    }
}

/// What was last seen of a database.
#[derive(Debug)]
pub(crate) struct Health(Mutex<Seen>);

#[derive(Clone, Copy, Debug)]
struct Seen {
    state: ResourceState,
    since: Timestamp,
    reason: Option<Outage>,
}

impl Health {
    /// That of a database that was not connected yet.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Seen {
            state: ResourceState::Connecting,
            since: Timestamp::now(),
            reason: None,
        }))
    }

    /// Remembers whether the database can be used now, and says whether that is news.
    pub(crate) fn see(&self, outcome: Result<(), Outage>) -> bool {
        let state = match outcome {
            Ok(()) => ResourceState::Up,
            Err(_) => ResourceState::Down,
        };
        let mut seen = self.0.lock();
        let is_news = seen.state != state;
        if is_news {
            seen.since = Timestamp::now();
        }
        seen.state = state;
        seen.reason = outcome.err();
        is_news
    }

    /// How a resource is, with its connections where it was connected once.
    pub(crate) fn status(&self, resource: Option<&Resource>) -> ResourceStatus {
        let Seen {
            state,
            since,
            reason,
        } = *self.0.lock();
        let pool = resource.map(Resource::pool_use);
        ResourceStatus {
            state,
            since: since.to_string(),
            reason: reason.map(|reason| reason.to_string()),
            pool: pool.map(PoolFigures::from).unwrap_or_default(),
            models: resource.map(|resource| resource.structure().models().len()),
            structure_read: resource.map(|resource| resource.structure_read().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_that_of_the_last_change_of_the_state() {
        let health = Health::new();
        let first = health.status(None);
        assert_eq!(first.state, ResourceState::Connecting);
        assert!(health.see(Err(Outage::NothingAnswers)));
        let down = health.status(None);
        assert!(!health.see(Err(Outage::UnknownHost)));
        let still = health.status(None);
        assert_eq!((still.state, &still.since), (down.state, &down.since));
        assert_eq!(still.reason, Some(Outage::UnknownHost.to_string()));
        assert!(health.see(Ok(())));
        assert_eq!(health.status(None).reason, None);
    }

    #[test]
    fn a_status_is_written_as_the_answer() {
        let written = serde_json::to_value(Health::new().status(None)).unwrap();
        assert_eq!(written["state"], "connecting");
        assert_eq!(
            written["pool"],
            serde_json::json!({"size": 0, "used": 0, "waiting": 0})
        );
        assert_eq!(written["models"], serde_json::Value::Null);
        assert_eq!(written.get("reason"), None);
    }
}
