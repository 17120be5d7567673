//! Why a call is no request.

use std::error::Error as StdError;

/// A call that cannot be written as a request.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl RequestError {
    /// An error with a message that names the argument and what would be right.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// Adds what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}
