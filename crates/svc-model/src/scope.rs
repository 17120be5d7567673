//! The scope of an operation: an environment of a project.

use crate::{
    EnvironmentName, ProjectName,
    wire::{PathArguments, PathPart},
};

/// An environment of a project: the first two names of most paths (specification, section 1).
///
/// ```
/// use svc_model::Scope;
///
/// let scope = Scope::new("demo", "prod");
/// assert_eq!(Scope::from(("demo", "prod")), scope);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Scope {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
}

impl Scope {
    /// The scope of this project and environment.
    pub fn new(project: impl Into<ProjectName>, environment: impl Into<EnvironmentName>) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
        }
    }
}

impl<P: Into<ProjectName>, E: Into<EnvironmentName>> From<(P, E)> for Scope {
    fn from((project, environment): (P, E)) -> Self {
        Self::new(project, environment)
    }
}

impl From<&Self> for Scope {
    fn from(scope: &Self) -> Self {
        scope.clone()
    }
}

impl PathPart for Scope {
    fn push_to<'a>(&'a self, arguments: &mut PathArguments<'a>) {
        arguments.push(self.project.as_str());
        arguments.push(self.environment.as_str());
    }

    fn take_from(segments: &mut impl Iterator<Item = String>) -> Option<Self> {
        Some(Self {
            project: PathPart::take_from(segments)?,
            environment: PathPart::take_from(segments)?,
        })
    }
}
