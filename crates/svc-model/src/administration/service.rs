//! The service itself: its version, its nodes and its settings, for operators (administration, section 2).

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
    /// Where it listens.
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
