//! The place of a session: data host, project and environment.

use serde::Serialize;
use serde_json::Value;

use crate::state::text;

/// The environment of a project at a data host. The tokens of a session are only sent to its own
/// place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SessionPlace {
    pub(crate) api_base_url: String,
    pub(crate) project: String,
    pub(crate) environment: String,
}

impl SessionPlace {
    /// Reads the place of a stored entry. An unreadable place matches no session.
    pub(crate) fn read(mut named: Value) -> Self {
        let mut text = |name| text(&mut named, name).ok().flatten().unwrap_or_default();
        Self {
            api_base_url: text("api_base_url"),
            project: text("project"),
            environment: text("environment"),
        }
    }
}
