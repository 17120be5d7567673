//! Which project and which environment a command is about.

use clap::Args;
use svc_model::{EnvironmentName, ProjectName};

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
