//! The one error of this crate. As in `svc-data` it has two texts: `Display` is for the administrator
//! at the machine and may name paths, [`Error::public_message`] and [`Error::invalid`] are for an HTTP
//! client and never do. Neither ever holds a secret.

use std::error::Error as StdError;
use std::fmt;

use svc_data::{ConstraintKind, FileFault};
use svc_model::Invalid;

/// The result of a function of the store.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the store.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    invalid: Option<Box<Invalid>>,
    cause: Cause,
}

// The message of a cause is the error's own, so that the chain goes on behind it.
#[derive(Debug, thiserror::Error)]
enum Cause {
    /// Found here; the text is for the administrator unless the kind says that the caller is wrong.
    #[error("{message}")]
    Own {
        message: String,
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
    /// Found by the database, whose message is used as it is.
    #[error(transparent)]
    Database(svc_data::Error),
}

/// The coarse kinds of [`Error`]; they decide the HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// What the caller gave is wrong (400); [`Error::invalid`] says where.
    Invalid,
    /// Nothing of that name or identifier exists (404).
    NotFound,
    /// The thing changed since the caller read it (412).
    PreconditionFailed,
    /// The store cannot be used now: missing, unwritable, locked, of a newer version, wrong key (503).
    Unavailable,
    /// The store did not answer in time (504).
    Timeout,
    /// There are more requests than can be served at once (429); worth trying again in a moment.
    Busy,
    /// A fault of ours, or a damaged store (500).
    Internal,
}

impl Error {
    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong, by field, for [`ErrorKind::Invalid`]; `None` for other kinds.
    pub fn invalid(&self) -> Option<&Invalid> {
        self.invalid.as_deref()
    }

    /// What is wrong with the store's file, where that is known.
    pub fn file_fault(&self) -> Option<FileFault> {
        match &self.cause {
            Cause::Database(error) => error.file_fault(),
            Cause::Own { source, .. } => source
                .as_ref()?
                .downcast_ref::<svc_data::Error>()?
                .file_fault(),
        }
    }

    /// A sentence that may leave the service: it names no path, no SQL and no cause.
    pub fn public_message(&self) -> &str {
        match (self.kind, &self.cause) {
            (ErrorKind::Invalid | ErrorKind::NotFound, Cause::Own { message, .. }) => message,
            (ErrorKind::Invalid, _) => "the request is wrong",
            (ErrorKind::NotFound, _) => "not found",
            (ErrorKind::PreconditionFailed, _) => {
                "it was changed since it was read; read it again and repeat the change"
            }
            (ErrorKind::Unavailable, _) => "the service cannot reach its store right now",
            (ErrorKind::Timeout, _) => "the service's store took too long to answer",
            (ErrorKind::Busy, _) => "too much is asked at once; try again in a moment",
            (ErrorKind::Internal, _) => "internal error",
        }
    }

    /// One field is wrong.
    pub(crate) fn invalid_field(field: &str, message: impl Into<String>) -> Self {
        Invalid::field(field, message).into()
    }

    /// The request as a whole is wrong.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Invalid::general(message).into()
    }

    /// Nothing of that name exists. The message is for the client too.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub(crate) fn precondition_failed() -> Self {
        Self::new(
            ErrorKind::PreconditionFailed,
            "it was changed since it was read",
        )
    }

    /// The store cannot be used; the message, with its remedy, is for the administrator only.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// There are more requests than can be served at once.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Busy, message)
    }

    /// A fault of ours or a damaged store; the message is for the log only.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Keeps the cause for the log.
    pub(crate) fn with_source(mut self, cause: impl StdError + Send + Sync + 'static) -> Self {
        if let Cause::Own { source, .. } = &mut self.cause {
            *source = Some(Box::new(cause));
        }
        self
    }

    /// The same for one more caller.
    pub(crate) fn copied(&self) -> Self {
        Self {
            kind: self.kind,
            invalid: self.invalid.clone(),
            cause: match &self.cause {
                Cause::Own { message, .. } => Cause::Own {
                    message: message.clone(),
                    source: None,
                },
                Cause::Database(error) => Cause::Database(error.clone()),
            },
        }
    }

    /// A fault of ours or a damaged store, made of its cause.
    pub(crate) fn caused<E>(message: &'static str) -> impl FnOnce(E) -> Self
    where
        E: StdError + Send + Sync + 'static,
    {
        move |cause| Self::internal(message).with_source(cause)
    }

    /// A field error in place of a write that failed because a value that must be unique is taken.
    pub(crate) fn if_taken(self, field: &str, message: impl Into<String>) -> Self {
        match self.is_taken() {
            true => Self::invalid_field(field, message),
            false => self,
        }
    }

    /// Whether it was found here, and not by the database.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.cause, Cause::Own { .. })
    }

    /// Whether a write failed because a value that must be unique is taken.
    pub(crate) fn is_taken(&self) -> bool {
        let Cause::Database(error) = &self.cause else {
            return false;
        };
        let constraint = error.constraint();
        constraint.is_some_and(|constraint| constraint.kind == ConstraintKind::Unique)
    }

    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let cause = Cause::Own {
            message: message.into(),
            source: None,
        };
        Self {
            kind,
            invalid: None,
            cause,
        }
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        let mut error = Self::new(ErrorKind::Invalid, invalid.to_string());
        error.invalid = Some(Box::new(invalid));
        error
    }
}

impl From<svc_data::Error> for Error {
    fn from(error: svc_data::Error) -> Self {
        let kind = match error.kind() {
            svc_data::ErrorKind::Unavailable => ErrorKind::Unavailable,
            svc_data::ErrorKind::Timeout => ErrorKind::Timeout,
            // The store's own statements are never wrong because of the caller: whatever is the caller's
            // fault was said before.
            _ => ErrorKind::Internal,
        };
        Self {
            kind,
            invalid: None,
            cause: Cause::Database(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_learns_no_path_and_an_administrator_does() {
        let error = Error::unavailable("cannot write /srv/svc/store.db; check its owner")
            .with_source(std::io::Error::other("permission denied"));
        assert_eq!(
            error.to_string(),
            "cannot write /srv/svc/store.db; check its owner"
        );
        assert_eq!(error.source().unwrap().to_string(), "permission denied");
        assert_eq!(
            error.public_message(),
            "the service cannot reach its store right now"
        );
    }

    #[test]
    fn a_failure_of_the_database_keeps_its_text_from_the_client() {
        let cause = svc_data::Error::new(
            svc_data::ErrorKind::Unavailable,
            "cannot open /srv/svc/store.db",
        );
        let error = Error::from(cause);
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains("/srv/svc/store.db"));
        assert!(!error.public_message().contains("/srv"));
        let error = Error::from(svc_data::Error::invalid("no such table: pages"));
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert_eq!(error.public_message(), "internal error");
    }

    #[test]
    fn field_errors_name_every_field() {
        let mut invalid = Invalid::field("name", "must be text or null");
        invalid.push_field("params", "must be text that holds JSON");
        let error = Error::from(invalid.clone());
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(error.invalid(), Some(&invalid));
        assert!(error.public_message().contains("must be text or null"));
        assert!(
            error
                .public_message()
                .contains("must be text that holds JSON")
        );
    }
}
