//! One failure that many callers are told of.

use std::sync::Arc;

use svc_model::wire::BoxError;

use crate::{AuthError, AuthErrorKind};

/// Why a flight brought nothing. It is cheap to clone, as everybody who waited is told.
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

    /// A failure that somebody has to do something about.
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
