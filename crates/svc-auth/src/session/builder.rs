//! How a session is put together.

use std::{fmt, sync::Arc, time::Duration};

use http::HeaderValue;
use svc_model::{EnvironmentName, ProjectName, account::AccountScope, wire::Transport};

use super::Session;
use crate::{BaseUrl, Clock, MemoryStore, TokenStore};

const DEFAULT_COOL_DOWN: Duration = Duration::from_secs(10);
const DEFAULT_REFRESH_TIMEOUT: Duration = Duration::from_secs(30);

/// What a session works with.
#[derive(Clone)]
pub(crate) struct Config {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) base_url: BaseUrl,
    pub(super) scope: AccountScope,
    pub(super) store: Arc<dyn TokenStore>,
    clock: Option<Arc<dyn Clock>>,
    pub(super) cool_down: Duration,
    pub(super) refresh_timeout: Duration,
    pub(super) user_agent: Option<HeaderValue>,
}

impl Config {
    /// The time, where there is a clock.
    pub(super) fn now(&self) -> Option<Duration> {
        self.clock.as_ref().map(|clock| clock.now())
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("base_url", &self.base_url)
            .field("scope", &self.scope)
            .field("cool_down", &self.cool_down)
            .field("refresh_timeout", &self.refresh_timeout)
            .finish_non_exhaustive()
    }
}

/// Puts a [`Session`] together. Begin one with [`Session::builder`].
#[derive(Debug)]
#[must_use]
pub struct SessionBuilder(Config);

impl Session {
    /// Begins the session of a user of an environment, which refreshes over `transport` at the data
    /// host `base_url`.
    pub fn builder(
        transport: Arc<dyn Transport>,
        base_url: BaseUrl,
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
    ) -> SessionBuilder {
        SessionBuilder(Config {
            transport,
            base_url,
            scope: AccountScope::new(project, environment),
            store: Arc::new(MemoryStore::new()),
            clock: default_clock(),
            cool_down: DEFAULT_COOL_DOWN,
            refresh_timeout: DEFAULT_REFRESH_TIMEOUT,
            user_agent: None,
        })
    }
}

impl SessionBuilder {
    /// Keeps tokens in this store; a [`MemoryStore`] of its own by default.
    pub fn store(self, store: impl TokenStore) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// Keeps tokens in this store, which somebody else has too.
    pub fn shared_store(mut self, store: Arc<dyn TokenStore>) -> Self {
        self.0.store = store;
        self
    }

    /// Tells the time by this clock; by the operating system's by default.
    ///
    /// On WebAssembly there is no default. Without a clock no token is known to be about to expire:
    /// it is renewed when it is refused.
    pub fn clock(self, clock: impl Clock) -> Self {
        self.shared_clock(Arc::new(clock))
    }

    /// Tells the time by this clock, which somebody else has too.
    pub fn shared_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.0.clock = Some(clock);
        self
    }

    /// Sets for how long no refresh is tried after one that failed in passing; 10 s by default.
    pub fn cool_down(mut self, cool_down: Duration) -> Self {
        self.0.cool_down = cool_down;
        self
    }

    /// Sets how long a refresh may take, as the [`Deadline`](svc_model::wire::Deadline) that the
    /// transport keeps to; 30 s by default.
    pub fn refresh_timeout(mut self, timeout: Duration) -> Self {
        self.0.refresh_timeout = timeout;
        self
    }

    /// Sets whether refreshes carry `draft=1`, as all calls of a client do that is made so.
    pub fn draft(mut self, draft: bool) -> Self {
        self.0.scope = self.0.scope.draft(draft);
        self
    }

    /// Sets the `User-Agent` of refreshes; none by default.
    pub fn user_agent(mut self, user_agent: HeaderValue) -> Self {
        self.0.user_agent = Some(user_agent);
        self
    }

    /// The session.
    ///
    /// Tokens of a store that can be read without waiting are there at once. When the store cannot
    /// be read, that is the error of the first call, and of each call until it can.
    pub fn build(self) -> Session {
        Session::new(self.0)
    }
}

#[cfg(not(target_family = "wasm"))]
#[expect(clippy::unnecessary_wraps, reason = "other targets have none")]
fn default_clock() -> Option<Arc<dyn Clock>> {
    Some(Arc::new(crate::SystemClock))
}

#[cfg(target_family = "wasm")]
fn default_clock() -> Option<Arc<dyn Clock>> {
    None
}
