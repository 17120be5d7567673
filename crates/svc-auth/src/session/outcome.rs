//! What a flight of a session ends with.

use super::failure::Failure;
use crate::StoredTokens;

/// What a flight brought.
#[derive(Debug)]
pub(super) enum Outcome {
    /// What the store keeps.
    Loaded(Option<StoredTokens>),
    /// New tokens, which are stored where they belong.
    Renewed(StoredTokens),
    /// New tokens, which the store did not take.
    Unsaved(StoredTokens, Failure),
    /// Nothing new.
    Failed(Failure),
    /// Nothing new, since nobody polled the refresh for too long: it has to begin again.
    Interrupted,
    /// The service refuses to go on with the session.
    Ended(Failure),
}
