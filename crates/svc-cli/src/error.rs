//! What a command that did not succeed says: one message with a remedy on standard error, and an exit
//! status other than zero.

use std::{
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

/// Why a command failed. No message contains a secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command line, a variable or the configuration file is wrong: exit status 2.
    #[error("{0}")]
    Usage(String),
    /// It could not be done: exit status 1.
    #[error("{0}")]
    Refused(String),
    /// The store refused it: exit status 1.
    #[error(transparent)]
    Store(#[from] svc_store::Error),
    /// A connected database could not do it: exit status 1.
    #[error(transparent)]
    Data(#[from] svc_data::Error),
    /// The service could not start or go on: exit status 1.
    #[error(transparent)]
    Server(#[from] svc_server::Error),
    /// What is wrong is in the output already: this exit status, and no message.
    #[error("the output says what is wrong")]
    Reported(u8),
    /// The user interrupted it: exit status 130, as a shell reports SIGINT.
    #[error("{0}")]
    Interrupted(String),
    /// The reader of the output has left: no message is written.
    #[error("the reader of the output has left")]
    OutputClosed,
}

impl Error {
    /// It could not be done.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }

    /// The command line, a variable or the configuration file is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// Standard output could not be written.
    pub(crate) fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::new(format!(
                "cannot write the output: {error}; check where standard output goes"
            )),
        }
    }

    /// What the store refuses, with its fields under the names that they have on the command line.
    pub(crate) fn fields(error: svc_store::Error, names: &[(&str, &str)]) -> Self {
        let Some(invalid) = error.invalid() else {
            return error.into();
        };
        let mut messages = invalid.general_errors().to_vec();
        for (field, errors) in invalid.field_errors() {
            let known = names.iter().find(|(name, _)| name == field);
            let name = known.map_or(field.as_str(), |(_, option)| option);
            messages.extend(errors.iter().map(|message| format!("{name}: {message}")));
        }
        Self::new(messages.join("; "))
    }

    /// Writes the message, and returns the exit status.
    pub(crate) fn report(&self) -> ExitCode {
        let status = match self {
            // The status of a program that was ended by SIGPIPE, as `head` expects of its left side.
            Self::OutputClosed => return ExitCode::from(141),
            Self::Reported(status) => return ExitCode::from(*status),
            Self::Usage(_) => 2,
            Self::Refused(_) | Self::Store(_) | Self::Data(_) | Self::Server(_) => 1,
            Self::Interrupted(_) => 130,
        };
        // Where standard error is closed too, the exit status says it.
        let _ = writeln!(io::stderr(), "error: {self}");
        ExitCode::from(status)
    }
}

/// What could not be written as JSON, as a command fails with it.
pub(crate) trait OrJson<T> {
    /// Says what it was: `a record`.
    fn or_json(self, what: &str) -> Result<T, Error>;
}

impl<T> OrJson<T> for Result<T, serde_json::Error> {
    fn or_json(self, what: &str) -> Result<T, Error> {
        self.map_err(|error| Error::new(format!("cannot write {what} as JSON: {error}")))
    }
}

/// What could not be done with a file, as a command fails with it.
pub(crate) trait OrIo<T> {
    /// Says what was to be done, such as `read`, and with which file.
    fn or_io(self, what: &str, path: &Path) -> Result<T, Error>;
}

impl<T> OrIo<T> for io::Result<T> {
    fn or_io(self, what: &str, path: &Path) -> Result<T, Error> {
        let path = path.display();
        self.map_err(|error| Error::new(format!("cannot {what} {path}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_left_is_no_message() {
        let closed = Error::output(&io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(matches!(closed, Error::OutputClosed));
        let full = Error::output(&io::Error::from(io::ErrorKind::StorageFull));
        assert!(full.to_string().contains("check where"), "{full}");
    }
}
