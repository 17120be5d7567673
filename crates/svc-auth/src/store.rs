//! Where the tokens of a session are kept, so that it outlives the client.

#[cfg(all(feature = "file-store", not(target_family = "wasm")))]
mod file;
mod memory;
mod stored;

use std::{any::Any, fmt, future::ready};

use svc_model::wire::{BoxError, BoxFuture};

#[cfg(all(feature = "file-store", not(target_family = "wasm")))]
pub use self::file::FileStore;
pub use self::{memory::MemoryStore, stored::StoredTokens};

/// The key under which tokens are kept where a store has keys: all clients of a store share it,
/// clients of different projects too (specification, section 5, "User sessions", rules 2 and 5).
pub const STORAGE_KEY: &str = "svc_auth";

/// Keeps the tokens of one sign-in.
///
/// Several sessions may share a store, in one process or in many. So that none of them removes the
/// others' tokens, what a refresh brought is written with [`swap`](Self::swap), and a session
/// refreshes under a [`lease`](Self::lease). Sessions of other projects, environments or hosts may
/// share it too: [`StoredTokens`] name the place that they belong to, and a session of another
/// place does not use, send, change or remove them until its own user signs in.
///
/// Where reading needs no waiting, [`load`](Self::load) gives a future that is ready at once: the
/// session is then restored when it is made, else when it is first used.
pub trait TokenStore: fmt::Debug + Send + Sync + 'static {
    /// The tokens that are kept, if there are any.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>>;

    /// Puts `tokens` in place of whatever is kept; `None` keeps nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written; it then keeps what it kept before.
    fn replace<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Puts `new` in place of `expected`, and does nothing when something else is kept: one step,
    /// against all who share the store.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read or written.
    fn swap<'a>(
        &'a self,
        expected: &'a StoredTokens,
        new: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>>;

    /// Waits for the right to refresh, which one session at a time has among all that share the
    /// store. It is held from reading the store to writing the new tokens, so that nobody presents
    /// a refresh token that another session has used up.
    ///
    /// **A lease must end by itself**, after a minute for example, and not only when it is dropped:
    /// its holder may be a process that was stopped, or a task that nobody polls any more, and all
    /// others would wait for it. A session gives its lease back when no caller waits for its refresh
    /// any more and no [spawner](crate::SessionBuilder::spawner) drives it.
    ///
    /// A lease that is free should be given by the first poll. While it has to be waited for, calls
    /// go on with an access token that is still valid.
    ///
    /// By default there is no such right, and everybody gets one. That is safe as long as sessions
    /// refresh at the same moment, as tabs of a browser do: the service accepts a refresh token for
    /// some seconds after it was used up, and gives the same answer again.
    ///
    /// # Errors
    /// [`StoreError`] when the right cannot be had.
    fn lease(&self) -> BoxFuture<'_, Result<Lease, StoreError>> {
        Box::pin(ready(Ok(Lease::none())))
    }
}

/// What came of a [`TokenStore::swap`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swap {
    /// What was expected was kept, and is now replaced.
    Done,
    /// This is kept instead, and stays.
    Refused(
        /// What is kept.
        Option<StoredTokens>,
    ),
}

/// The right to refresh; dropping it gives it back. See [`TokenStore::lease`].
pub struct Lease(#[expect(dead_code, reason = "it is there to be dropped")] Option<Guard>);

type Guard = Box<dyn Any + Send + Sync>;

impl Lease {
    /// A right that excludes nobody.
    pub fn none() -> Self {
        Self(None)
    }

    /// A right that lasts until `guard` is dropped.
    pub fn new(guard: impl Send + Sync + 'static) -> Self {
        Self(Some(Box::new(guard)))
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lease")
    }
}

/// The tokens cannot be kept or read. The message names the place and the remedy, and never quotes
/// a token.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    message: String,
    source: Option<BoxError>,
}

impl StoreError {
    /// An error with a message that says what cannot be done, and what would help.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// Adds what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
}
