//! The outcome of a flight of a session.

use super::failure::Failure;
use crate::StoredTokens;

/// The outcome of a flight.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The content of the store.
    Loaded(Option<StoredTokens>),
    /// New tokens, which were stored.
    Renewed(StoredTokens),
    /// New tokens that could not be stored.
    Unsaved(StoredTokens, Failure),
    /// No new tokens.
    Failed(Failure),
    /// No new tokens, since the refresh was not polled for too long: it must start again.
    Interrupted,
    /// The service has ended the session.
    Ended(Failure),
}
