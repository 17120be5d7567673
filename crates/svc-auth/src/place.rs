//! Where a session belongs.

use serde::Serialize;
use serde_json::Value;

use crate::state::text;

/// The environment of a project at a data host, to which the tokens of a session are sent and to no
/// other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SessionPlace {
    pub(crate) api_base_url: String,
    pub(crate) project: String,
    pub(crate) environment: String,
}

impl SessionPlace {
    /// The place that a stored entry names. One that cannot be read is that of no session.
    pub(crate) fn read(mut named: Value) -> Self {
        let mut text = |name| text(&mut named, name).ok().flatten().unwrap_or_default();
        Self {
            api_base_url: text("api_base_url"),
            project: text("project"),
            environment: text("environment"),
        }
    }
}
