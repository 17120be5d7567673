//! Stores of a session's tokens, so that the session outlives the client.

#[cfg(all(has_file_locks, not(target_family = "wasm")))]
#[expect(
    clippy::incompatible_msrv,
    reason = "it is there when the standard library has locks"
)]
mod file;
mod memory;
mod stored;

use std::{any::Any, fmt, future::ready};

use svc_model::wire::{BoxError, BoxFuture};

#[cfg(all(has_file_locks, not(target_family = "wasm")))]
pub use self::file::FileStore;
pub use self::{memory::MemoryStore, stored::StoredTokens};

/// The key of the tokens in stores that have keys: all clients of a store share it, including clients
/// of different projects (specification, section 5, "User sessions", rules 2 and 5).
pub const STORAGE_KEY: &str = "svc_auth";

/// A store of the tokens of one sign-in.
///
/// Several sessions may share a store, in one process or in many. So that none of them removes the
/// others' tokens, the result of a refresh is written with [`swap`](Self::swap), and a session
/// refreshes under a [`lease`](Self::lease). Sessions of other projects, environments or hosts may
/// share it too: [`StoredTokens`] name the place that they belong to, and a session of another
/// place does not use, send, change or remove them until its own user signs in.
///
/// If reading needs no waiting, [`load`](Self::load) should return a future that is ready at once: the
/// session is then restored when it is made, otherwise when it is first used.
pub trait TokenStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the stored tokens, if there are any.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>>;

    /// Replaces the stored tokens by `tokens`; `None` removes them.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written; it is unchanged then.
    fn replace<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Replaces `expected` by `new`, and does nothing when something else is stored. This is atomic for
    /// all sessions that share the store.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read or written.
    fn swap<'a>(
        &'a self,
        expected: &'a StoredTokens,
        new: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>>;

    /// Waits for the lease: the right to refresh, which only one session at a time has among all that
    /// share the store. It lasts from reading the store to writing the new tokens, so that no session
    /// sends a refresh token that another session has used up.
    ///
    /// **A lease must end automatically**, after a minute for example, and not only when it is dropped:
    /// its holder may be a process that was stopped, or a task that nobody polls any more, and all
    /// others would wait for it. A session gives its lease back when no caller waits for its refresh
    /// any more and no [spawner](crate::SessionBuilder::spawner) runs it.
    ///
    /// If the lease is free, the first poll should return it. While a session waits for it, calls use an
    /// access token that is still valid.
    ///
    /// The default implementation always returns a lease and excludes nobody. That is safe as long as
    /// sessions refresh at the same moment, as tabs of a browser do: the service accepts a refresh token
    /// for some seconds after it was used up, and gives the same response again.
    ///
    /// # Errors
    /// [`StoreError`] when the lease cannot be obtained.
    fn lease(&self) -> BoxFuture<'_, Result<Lease, StoreError>> {
        Box::pin(ready(Ok(Lease::none())))
    }
}

/// The result of [`TokenStore::swap`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Swap {
    /// The expected tokens were stored and are now replaced.
    Done,
    /// Something else is stored and stays unchanged.
    Refused(
        /// The stored tokens.
        Option<StoredTokens>,
    ),
}

/// The right to refresh, which is given back when it is dropped. See [`TokenStore::lease`].
pub struct Lease(#[expect(dead_code, reason = "it is there to be dropped")] Option<Guard>);

type Guard = Box<dyn Any + Send + Sync>;

impl Lease {
    /// A lease that excludes nobody.
    pub fn none() -> Self {
        Self(None)
    }

    /// A lease that lasts until `guard` is dropped.
    pub fn new(guard: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(guard)))
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lease")
    }
}

/// The error when tokens cannot be stored or read. The message names the location and the remedy, and
/// never quotes a token.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    message: String,
    source: Option<BoxError>,
}

impl StoreError {
    /// An error with a message that says what failed and what would help.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
}
