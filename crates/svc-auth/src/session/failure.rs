//! A failure that is returned to many callers.

use std::sync::Arc;

use svc_model::wire::BoxError;

use crate::{AuthError, AuthErrorKind};

/// The reason why a flight failed. It is cheap to clone, since all waiting callers get a copy.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    kind: AuthErrorKind,
    message: &'static str,
    source: Option<Arc<BoxError>>,
}

impl Failure {
    /// A failure after which trying again later may succeed.
    pub(super) fn transient(message: &'static str, source: impl Into<BoxError>) -> Self {
        Self {
            kind: AuthErrorKind::Transient,
            message,
            source: Some(Arc::new(source.into())),
        }
    }

    /// A failure that only an action of the user can resolve.
    pub(super) fn permanent(message: &'static str, source: impl Into<BoxError>) -> Self {
        Self {
            kind: AuthErrorKind::Permanent,
            ..Self::transient(message, source)
        }
    }

    pub(super) fn to_error(&self) -> AuthError {
        let error = match self.kind {
            AuthErrorKind::Transient => AuthError::transient(self.message),
            AuthErrorKind::Permanent => AuthError::new(self.message),
        };
        match &self.source {
            Some(source) => error.with_source(Shared(Arc::clone(source))),
            None => error,
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Shared(Arc<BoxError>);
