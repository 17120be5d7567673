//! The service itself, for operators (administration, section 2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::Operation;

/// The service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Service {
    /// The version of the program.
    pub version: String,
    /// The processes that serve.
    pub nodes: Vec<Node>,
    /// The settings in effect.
    pub settings: Vec<Setting>,
}

/// A process that serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Node {
    /// The name.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The address of the application host.
    pub address: String,
    /// When it began (RFC 3339).
    pub since: String,
    /// When it was last seen (RFC 3339).
    pub last_seen: String,
}

/// A setting in effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Setting {
    /// The name of the option.
    pub name: String,
    /// The value; null where it is secret.
    pub value: Value,
    /// Where it was set: `default`, `flag`, `variable` or `file`.
    pub source: String,
}

/// Get the service: `GET {app_base_url}/service/`, 200 with the [`Service`].
#[derive(Clone, Debug, Default, Operation)]
#[operation(GET Application "/service/")]
#[operation(name = "service.get", read, credential = ApiKey, level = Operator, answer = Service)]
#[operation(new = "Gets the service.")]
#[non_exhaustive]
pub struct Get {}
