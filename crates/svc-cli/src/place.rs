//! Which project and which environment a command is about.

use clap::Args;
use svc_model::{EnvironmentName, ProjectName};

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
