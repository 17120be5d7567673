//! Which project and which environment a command is about.

use clap::Args;
use svc_model::{EnvironmentName, JsonObject, ProjectName, Scope};

use crate::error::Error;

/// How to see which projects there are.
pub(crate) const PROJECTS: &str = "svc project list shows the projects";
/// How to see which environments there are.
pub(crate) const ENVIRONMENTS: &str =
    "svc project list shows the projects, svc env list --project P the environments of one";
/// How to see which resources there are.
pub(crate) const RESOURCES: &str = "svc resource list --project P --env E shows the resources";

/// A project.
#[derive(Args)]
pub(crate) struct InProject {
    /// Project
    #[arg(long, value_name = "P")]
    pub(crate) project: ProjectName,
}

/// An environment of a project.
#[derive(Args)]
pub(crate) struct InEnvironment {
    /// Project
    #[arg(long, value_name = "P")]
    pub(crate) project: ProjectName,
    /// Environment of the project
    #[arg(long, value_name = "E", default_value = EnvironmentName::PROD)]
    pub(crate) env: EnvironmentName,
}

impl InEnvironment {
    /// The names of the project and the environment.
    pub(crate) fn names(&self) -> Scope {
        Scope::new(&self.project, &self.env)
    }
}

/// A setting for people; an empty one is removed.
pub(crate) fn none_when_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Settings that are given as JSON.
pub(crate) fn read_params(text: &str) -> Result<JsonObject, Error> {
    serde_json::from_str(text).map_err(|error| {
        Error::new(format!(
            "--params: must be a JSON object such as {{\"theme\": \"dark\"}}: {error}"
        ))
    })
}
