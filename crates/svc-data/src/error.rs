//! What can go wrong with a connected database, as one error type.
//!
//! Every error has two faces: [`Display`](fmt::Display) is for the administrator of the service and
//! may name files, [`Error::messages`] and [`Error::public_message`] are for a client and never do.

mod outage;

use std::{error, fmt, sync::Arc};

use svc_model::Invalid;
#[cfg(doc)]
use svc_model::NON_FIELD_ERRORS;

pub use self::outage::Outage;

/// The result of an operation on a database.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation on a database failed. Cheap to clone.
#[derive(Clone)]
pub struct Error(Box<Repr>);

#[derive(Clone)]
struct Repr {
    kind: ErrorKind,
    message: String,
    invalid: Invalid,
    codes: Vec<(String, ErrorCode)>,
    constraint: Option<Constraint>,
    outage: Option<Outage>,
    source: Option<Arc<dyn error::Error + Send + Sync>>,
}

/// What sort of failure it was; decides the HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong (400); [`Error::messages`] says where.
    Invalid,
    /// A rule of the database refused the write; only [`Database`](crate::Database) returns it,
    /// records answer [`ErrorKind::Invalid`]. [`Error::constraint`] says which rule.
    Constraint,
    /// No such model or record (404).
    NotFound,
    /// The record is not the one that the caller last saw (412).
    PreconditionFailed,
    /// The database cannot be reached, opened or locked (503).
    Unavailable,
    /// The database took longer than it may (504).
    Timeout,
    /// A statement names something that the database does not have; only
    /// [`Database`](crate::Database) returns it, a [`Resource`](crate::Resource) reads the structure again.
    StructureChanged,
    /// A fault of this service or a damaged database (500).
    Internal,
}

/// The rule of a database that refused a write.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Constraint {
    /// Which sort of rule it is.
    pub kind: ConstraintKind,
    /// The table the rule belongs to, where the database says.
    pub table: Option<String>,
    /// The model that it belongs to, where that is another one than was written: its records refer to the record.
    pub model: Option<String>,
    /// What the database calls it; `None` where it has no name, and where it belongs to a table that is no model.
    pub name: Option<String>,
    /// The columns it is about, where the database says; an index or a CHECK may have none.
    pub columns: Vec<String>,
    /// The text the database gave: the name of a CHECK, or what a trigger raised.
    pub text: String,
}

impl Constraint {
    /// A rule of which nothing else is known.
    pub(crate) fn new(kind: ConstraintKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            table: None,
            model: None,
            name: None,
            columns: Vec::new(),
            text: text.into(),
        }
    }
}

/// The sorts of rules that can refuse a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConstraintKind {
    /// UNIQUE or PRIMARY KEY.
    Unique,
    /// NOT NULL.
    NotNull,
    /// CHECK.
    Check,
    /// FOREIGN KEY.
    ForeignKey,
    /// The value is not of the type the column insists on.
    Type,
    /// The value is longer than the column accepts.
    TooLong,
    /// The number or time is outside of what the column accepts.
    OutOfRange,
    /// A trigger refused.
    Trigger,
    /// Any other rule.
    Other,
}

/// Why a value was refused, in a word for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A record with the same value exists.
    Unique,
    /// There is no such related record, or other records refer to this one.
    ForeignKey,
    /// The field may not be null.
    NotNull,
    /// A CHECK of the database does not allow it.
    Check,
    /// The field has to be given.
    Required,
    /// The value is not one of the field's type.
    Invalid,
    /// The value is too long.
    TooLong,
    /// The value is too small or too large.
    OutOfRange,
    /// There is no such field.
    UnknownField,
    /// The field cannot be written.
    ReadOnly,
}

impl ErrorCode {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unique => "unique",
            Self::ForeignKey => "foreign_key",
            Self::NotNull => "not_null",
            Self::Check => "check",
            Self::Required => "required",
            Self::Invalid => "invalid",
            Self::TooLong => "too_long",
            Self::OutOfRange => "out_of_range",
            Self::UnknownField => "unknown_field",
            Self::ReadOnly => "read_only",
        }
    }
}

impl ConstraintKind {
    /// The code of values that it refuses.
    pub(crate) fn code(self) -> ErrorCode {
        match self {
            Self::Unique => ErrorCode::Unique,
            Self::NotNull => ErrorCode::NotNull,
            Self::Check => ErrorCode::Check,
            Self::ForeignKey => ErrorCode::ForeignKey,
            Self::TooLong => ErrorCode::TooLong,
            Self::OutOfRange => ErrorCode::OutOfRange,
            Self::Type | Self::Trigger | Self::Other => ErrorCode::Invalid,
        }
    }
}

/// What is wrong with the file of an SQLite database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// Its disk is full.
    #[error("its disk is full")]
    Full,
    /// It is damaged, or is no database.
    #[error("it is damaged")]
    Damaged,
    /// Another program has locked it.
    #[error("another program has locked it")]
    Locked,
    /// This process may not write it.
    #[error("it may not be written")]
    NotWritable,
    /// It cannot be opened, read or written.
    #[error("it cannot be opened, read or written")]
    Unreadable,
    /// It is missing, or has no structure yet.
    #[error("it is missing or empty")]
    Empty,
}

impl Error {
    /// An error of a kind with a message for the administrator of the service.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Repr {
            kind,
            message: message.into(),
            invalid: Invalid::new(),
            codes: Vec::new(),
            constraint: None,
            outage: None,
            source: None,
        }))
    }

    /// The request as a whole is wrong. The message is for the client.
    pub fn invalid(message: impl Into<String>) -> Self {
        Invalid::general(message).into()
    }

    /// One field is wrong. The message is for the client.
    pub fn invalid_field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Invalid::field(field, message).into()
    }

    /// Something is missing. The message is for the client.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// The database cannot be used. The message is for the administrator.
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// The database took too long.
    pub(crate) fn timeout(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Timeout, message)
    }

    /// The database has another structure by now.
    pub(crate) fn structure_changed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::StructureChanged, message)
    }

    /// A fault of this service, which only the log shows.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Keeps the cause for the log.
    #[must_use]
    pub fn with_source(mut self, source: impl error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    #[must_use]
    pub(crate) fn with_constraint(mut self, constraint: Constraint) -> Self {
        self.0.constraint = Some(constraint);
        self
    }

    /// Says why the database cannot be used.
    #[must_use]
    pub(crate) fn with_outage(mut self, outage: Outage) -> Self {
        self.0.outage = Some(outage);
        self
    }

    /// Why the database cannot be used, for those who manage the resource; of an error when it was connected, its
    /// structure was read, or it was [checked](crate::Resource::ping).
    #[must_use]
    pub fn outage(&self) -> Outage {
        self.0.outage.unwrap_or(match self.0.kind {
            ErrorKind::Timeout => Outage::NoAnswer,
            ErrorKind::Invalid => Outage::NotPermitted,
            _ => Outage::Other,
        })
    }

    /// Leaves out which constraint it was, for a caller who may not know of it.
    #[must_use]
    pub fn without_constraint(mut self) -> Self {
        self.0.constraint = None;
        self
    }

    /// Adds why a field was refused; [`NON_FIELD_ERRORS`] stands for the request as a whole.
    #[must_use]
    pub(crate) fn with_code(mut self, field: impl Into<String>, code: ErrorCode) -> Self {
        self.0.codes.push((field.into(), code));
        self
    }

    /// What sort of failure it was.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The messages a client gets for [`ErrorKind::Invalid`], each on its field. Empty for other kinds.
    #[must_use]
    pub fn messages(&self) -> &Invalid {
        &self.0.invalid
    }

    /// Why fields of a write were refused, in the order of the messages. The whole request has the name
    /// [`NON_FIELD_ERRORS`]. Messages about anything but a write have none.
    #[must_use]
    pub fn codes(&self) -> &[(String, ErrorCode)] {
        &self.0.codes
    }

    /// The rule that refused a write, for [`ErrorKind::Constraint`] and what came of it.
    #[must_use]
    pub fn constraint(&self) -> Option<&Constraint> {
        self.0.constraint.as_ref()
    }

    /// A sentence that may leave the service: no path, no SQL, no name of another table.
    #[must_use]
    pub fn public_message(&self) -> &str {
        match self.0.kind {
            ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::PreconditionFailed => {
                &self.0.message
            }
            ErrorKind::Constraint => "a rule of the database refused the change",
            ErrorKind::Unavailable => {
                "the database of this resource is locked or cannot be reached right now; try again later"
            }
            ErrorKind::Timeout => "the database took too long to answer",
            ErrorKind::StructureChanged => {
                "the structure of the database is changing; try the request again"
            }
            ErrorKind::Internal => "internal error",
        }
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        let mut error = Self::new(ErrorKind::Invalid, invalid.to_string());
        error.0.invalid = invalid;
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Error");
        debug
            .field("kind", &self.0.kind)
            .field("message", &self.0.message);
        if let Some(source) = &self.0.source {
            debug.field("source", source);
        }
        debug.finish()
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_an_invalid_request_stand_on_their_fields() {
        let error = Error::invalid_field("amount", "a valid number is required");
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.messages(),
            &Invalid::field("amount", "a valid number is required")
        );
        assert_eq!(error.to_string(), "amount: a valid number is required");
    }

    #[test]
    fn the_public_message_of_an_outage_names_no_file() {
        let error = Error::unavailable("cannot open /srv/secret/shop.db");
        assert!(!error.public_message().contains("/srv"));
        assert!(error.to_string().contains("/srv/secret/shop.db"));
    }
}
