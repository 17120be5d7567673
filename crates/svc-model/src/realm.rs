//! The realm of people who sign in: an environment with its users, or the service with its accounts.

use crate::{
    EnvironmentName, ProjectName, Scope,
    wire::{PathArguments, PathPart},
};

/// Who signs in: the users of an environment (wire contract, section 9), or the accounts of the service, which are the people
/// who build and run applications.
///
/// ```
/// use svc_model::{Realm, Scope};
///
/// let users = Realm::from(("demo", "prod"));
/// assert_eq!(users.scope(), Some(&Scope::new("demo", "prod")));
/// assert_eq!(Realm::Service.scope(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Realm {
    /// The users of an environment.
    Environment(Scope),
    /// The accounts of the service.
    Service,
}

impl Realm {
    /// The environment; `None` for the accounts of the service.
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Self::Environment(scope) => Some(scope),
            Self::Service => None,
        }
    }
}

impl From<Scope> for Realm {
    fn from(scope: Scope) -> Self {
        Self::Environment(scope)
    }
}

impl From<&Scope> for Realm {
    fn from(scope: &Scope) -> Self {
        Self::Environment(scope.clone())
    }
}

impl From<&Self> for Realm {
    fn from(realm: &Self) -> Self {
        realm.clone()
    }
}

impl<P: Into<ProjectName>, E: Into<EnvironmentName>> From<(P, E)> for Realm {
    fn from(names: (P, E)) -> Self {
        Self::Environment(names.into())
    }
}

impl PathPart for Realm {
    fn push_to<'a>(&'a self, arguments: &mut PathArguments<'a>) {
        if let Self::Environment(scope) = self {
            scope.push_to(arguments);
        }
    }

    /// A path without further values is one of the service.
    fn take_from(segments: &mut impl Iterator<Item = String>) -> Option<Self> {
        let Some(project) = segments.next() else {
            return Some(Self::Service);
        };
        let scope = Scope::new(project, segments.next()?);
        Some(Self::Environment(scope))
    }
}
