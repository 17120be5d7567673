//! The service itself: its version, its nodes, its settings and its figures, for operators (administration, section 2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::Operation;

/// The service as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Service {
    /// The version of the node that answers.
    pub version: String,
    /// The processes that are this service.
    pub nodes: Vec<Node>,
    /// The settings of the node that answers.
    pub settings: Vec<Setting>,
}

/// A process that is part of the service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Node {
    /// The name of the machine.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// Where it listens: address and port, or the name of the machine and the port where it listens on all addresses.
    pub address: String,
    /// The time since when it runs (RFC 3339).
    pub since: String,
    /// The time at which it was last seen at work (RFC 3339).
    pub last_seen: String,
}

/// A setting that is in effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Setting {
    /// The name of its option, such as `body-limit`.
    pub name: String,
    /// The value; null when it is not set, and when it is a secret.
    pub value: Value,
    /// Whether the value is a secret, which is not shown.
    pub hidden: bool,
    /// Where it was set: `flag`, `variable`, `file` or `default`.
    pub source: String,
}

impl Setting {
    /// A setting that was set there.
    pub fn new(
        name: impl Into<String>,
        value: impl Into<Value>,
        source: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            hidden: false,
            source: source.into(),
        }
    }
}

/// Get the service: `GET {app_base_url}/service/`, 200 with the [`Service`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/service/")]
#[operation(name = "service.get", read, credential = ApiKey, level = Operator, answer = Service)]
#[operation(new = "Gets the service.")]
#[non_exhaustive]
pub struct Get {}

/// Figures of the node that answers, over time. They are in its memory: a restart begins again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metrics {
    /// The name of the machine of the node.
    pub node: String,
    /// Where the node listens.
    pub address: String,
    /// The time since when it takes samples (RFC 3339).
    pub since: String,
    /// How many seconds a sample covers.
    pub seconds: u32,
    /// How many samples are kept at most.
    pub most: u32,
    /// The samples, the oldest first.
    pub samples: Vec<Sample>,
    /// What has been since the last sample.
    pub current: Sample,
}

/// What a node did during a span of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sample {
    /// The end of the span (RFC 3339).
    pub at: String,
    /// The requests that were answered, per second.
    pub requests_per_second: f64,
    /// Those that were answered with a status of 500 or above, per second.
    pub errors_per_second: f64,
    /// How long an answer took on average, in seconds; null without requests.
    pub mean_seconds: Option<f64>,
    /// How many cores were busy with the process; null where the system does not say it.
    pub cpu_cores: Option<f64>,
    /// The memory of the process that was in use at the end; null where the system does not say it.
    pub memory_bytes: Option<u64>,
    /// The connections to databases that were in use at the end.
    pub connections_used: u64,
}

/// Get figures of the service over time: `GET {app_base_url}/service/metrics/`, 200 with the [`Metrics`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/service/metrics/")]
#[operation(name = "service.metrics", read, credential = ApiKey, level = Operator, answer = Metrics)]
#[operation(new = "Gets figures over time.")]
#[non_exhaustive]
pub struct GetMetrics {}
