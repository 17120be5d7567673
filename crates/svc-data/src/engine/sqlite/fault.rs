//! SQLite's result codes as our errors: to an administrator with the file and the remedy.

use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use crate::{Constraint, ConstraintKind, Error, ErrorKind, FileFault, Outage};

/// What went wrong on a connection.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It is said in our words already.
    Translated(Error),
    /// It is to be [translated](super::session::Session::translate) by who knows the path of the file.
    Sqlite(rusqlite::Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Translated(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Translates what SQLite said while working on the file at `path`.
pub(crate) fn translate(error: rusqlite::Error, path: &Path) -> Error {
    let Some((code, text)) = code_and_text(&error) else {
        return Error::internal(format!("cannot use the database: {error}")).with_source(error);
    };
    let file = path.display();
    let unavailable = |message: String| Error::unavailable(message);
    let translated = match code.code {
        ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch => {
            let constraint = constraint(code.extended_code, &text);
            Error::new(ErrorKind::Constraint, text).with_constraint(constraint)
        }
        ErrorCode::OperationInterrupted => {
            Error::timeout("the statement took too long and was ended")
        }
        ErrorCode::TooBig => Error::invalid("a value is larger than the database can hold"),
        ErrorCode::SchemaChanged => Error::structure_changed(text),
        ErrorCode::Unknown if names_a_missing_thing(&text) => Error::structure_changed(text),
        ErrorCode::Unknown if needs_an_extension(&text) => {
            Error::invalid("the database needs an extension that this service does not have")
        }
        ErrorCode::Unknown
            if text.contains("may not be modified") || text.starts_with("cannot modify ") =>
        {
            Error::invalid("this table cannot be written")
        }
        // A statement that could be prepared and fails on its way: a generated column, an index or a
        // trigger computes something that a value does not allow.
        ErrorCode::Unknown if matches!(error, rusqlite::Error::SqliteFailure(..)) => {
            Error::invalid(match text.as_str() {
                "malformed JSON" | "integer overflow" => {
                    format!("the database cannot compute a value: {text}")
                }
                _ => "the database cannot compute a value".to_owned(),
            })
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => unavailable(format!(
            "{file} is locked by another program; end its transaction and try again"
        )),
        ErrorCode::FileLockingProtocolFailed => unavailable(format!(
            "{file} cannot be locked; is it on a network file system? move it to a local disk"
        )),
        ErrorCode::CannotOpen => unavailable(format!(
            "cannot open {file}: check that it exists and that this user may read and write it and its folder"
        )),
        ErrorCode::PermissionDenied | ErrorCode::ReadOnly => unavailable(format!(
            "{file} cannot be written: check the permissions of the file and of its folder"
        )),
        ErrorCode::DiskFull => unavailable(format!(
            "the disk that holds {file} is full; free some space and try again"
        )),
        ErrorCode::NotADatabase => unavailable(format!(
            "{file} is not an SQLite database, or it is encrypted: name another file, or decrypt it first"
        )),
        ErrorCode::DatabaseCorrupt => unavailable(format!(
            "{file} is damaged; restore a backup, or try `sqlite3 FILE .recover`"
        )),
        ErrorCode::SystemIoFailure => unavailable(format!(
            "reading or writing {file} failed ({text}); check the disk"
        )),
        ErrorCode::OutOfMemory => unavailable(format!("out of memory while working on {file}")),
        _ => Error::internal(format!("SQLite refused a statement: {text}")),
    };
    translated
        .with_outage(outage(code.code, path))
        .with_source(error)
}

/// What a code of SQLite, on this file, means for those who manage the resource.
fn outage(code: ErrorCode, file: &Path) -> Outage {
    match code {
        ErrorCode::NotADatabase => Outage::NotADatabase,
        ErrorCode::DatabaseCorrupt => Outage::Damaged,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Outage::Locked,
        // SQLite says the same of a file that was moved away.
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly => {
            match file.try_exists() {
                Ok(false) if !file.as_os_str().is_empty() => Outage::NoFile,
                _ => Outage::NotReadable,
            }
        }
        ErrorCode::OperationInterrupted => Outage::NoAnswer,
        _ => Outage::Other,
    }
}

/// What a damaged file is reported with.
pub(crate) fn damaged() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None)
}

impl Error {
    /// What is wrong with the database's file, where it is an SQLite file and SQLite says.
    #[must_use]
    pub fn file_fault(&self) -> Option<FileFault> {
        let source = std::error::Error::source(self)?;
        if let Some(fault) = source.downcast_ref::<FileFault>() {
            return Some(*fault);
        }
        let error = source.downcast_ref::<rusqlite::Error>()?;
        Some(match error.sqlite_error_code()? {
            ErrorCode::DiskFull => FileFault::Full,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => FileFault::Damaged,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => FileFault::Locked,
            ErrorCode::PermissionDenied | ErrorCode::ReadOnly => FileFault::NotWritable,
            ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => FileFault::Unreadable,
            _ => return None,
        })
    }
}

/// Whether SQLite refused to write into a file that it may only read.
pub(crate) fn is_read_only(error: &Error) -> bool {
    source(error).and_then(rusqlite::Error::sqlite_error_code) == Some(ErrorCode::ReadOnly)
}

/// The error of SQLite that an error was made of.
fn source(error: &Error) -> Option<&rusqlite::Error> {
    std::error::Error::source(error)?.downcast_ref()
}

/// Whether a value was longer than the connection may read.
pub(crate) fn is_too_big(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::TooBig)
}

/// Whether a connection that gave this error is better opened again.
pub(crate) fn spoils_the_connection(error: &rusqlite::Error) -> bool {
    code_and_text(error).is_some_and(|(code, _)| {
        matches!(
            code.code,
            ErrorCode::NotADatabase
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
        )
    })
}

fn code_and_text(error: &rusqlite::Error) -> Option<(ffi::Error, String)> {
    match error {
        rusqlite::Error::SqliteFailure(code, text) => Some((
            *code,
            text.clone()
                .unwrap_or_else(|| ffi::code_to_str(code.extended_code).to_owned()),
        )),
        rusqlite::Error::SqlInputError { error, msg, .. } => Some((*error, msg.clone())),
        _ => None,
    }
}

fn names_a_missing_thing(text: &str) -> bool {
    text.starts_with("no such table")
        || text.starts_with("no such column")
        || text.starts_with("no such view")
        || (text.starts_with("table ") && text.contains(" has no column named "))
}

fn needs_an_extension(text: &str) -> bool {
    [
        "no such function: ",
        "no such collation sequence: ",
        "no such module: ",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// SQLite names the columns of a broken rule as `table.column, table.column`.
fn constraint(extended_code: i32, text: &str) -> Constraint {
    let kind = match extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE
        | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
        | ffi::SQLITE_CONSTRAINT_ROWID => ConstraintKind::Unique,
        ffi::SQLITE_CONSTRAINT_NOTNULL => ConstraintKind::NotNull,
        ffi::SQLITE_CONSTRAINT_CHECK => ConstraintKind::Check,
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => ConstraintKind::ForeignKey,
        ffi::SQLITE_CONSTRAINT_DATATYPE | ffi::SQLITE_MISMATCH => ConstraintKind::Type,
        ffi::SQLITE_CONSTRAINT_TRIGGER => ConstraintKind::Trigger,
        _ => ConstraintKind::Other,
    };
    let detail = text
        .split_once("constraint failed: ")
        .map_or(text, |(_, detail)| detail);
    let names: Vec<&str> = match kind {
        ConstraintKind::Unique | ConstraintKind::NotNull if !detail.starts_with("index ") => {
            detail.split(", ").collect()
        }
        // "cannot store TEXT value in INTEGER column t.c"
        ConstraintKind::Type => {
            let name = text.rsplit_once(" column ").map(|(_, name)| name);
            name.into_iter().collect()
        }
        _ => Vec::new(),
    };
    let mut constraint = Constraint::new(kind, detail);
    for name in names {
        if let Some((table, column)) = name.split_once('.') {
            constraint.table = Some(table.to_owned());
            constraint.columns.push(column.to_owned());
        }
    }
    constraint
}
