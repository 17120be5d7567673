//! Which resource a path names.

use svc_model::{ResourceName, Scope};

/// A resource in an environment of a project.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResourcePath {
    pub(crate) scope: Scope,
    pub(crate) resource: ResourceName,
}

impl ResourcePath {
    /// Whether these are the built-in tools: users and teams.
    pub(crate) fn is_tools(&self) -> bool {
        self.resource.as_str() == ResourceName::TOOLS
    }
}
