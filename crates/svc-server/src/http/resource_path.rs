//! Which resource a path names.

use svc_model::{EnvironmentName, ProjectName, ResourceName};

/// A resource in an environment of a project.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResourcePath {
    pub(crate) project: ProjectName,
    pub(crate) environment: EnvironmentName,
    pub(crate) resource: ResourceName,
}

impl ResourcePath {
    /// Whether these are the built-in tools: users and teams.
    pub(crate) fn is_tools(&self) -> bool {
        self.resource.as_str() == ResourceName::TOOLS
    }
}
