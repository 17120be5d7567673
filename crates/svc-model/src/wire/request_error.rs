//! The error for a call that cannot be written as a request.

use std::error::Error as StdError;

/// The error for a call that cannot be written as a request.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl RequestError {
    /// An error with a message that names the argument and says what is expected.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}
