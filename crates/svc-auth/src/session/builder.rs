//! How a session is put together.

use std::{fmt, sync::Arc, time::Duration};

use http::HeaderValue;
use svc_model::{
    EnvironmentName, ProjectName, Scope,
    wire::{Spawner, Timer, Transport},
};

use super::Session;
use crate::{BaseUrl, Clock, MemoryStore, TokenStore, place::SessionPlace};

const DEFAULT_COOL_DOWN: Duration = Duration::from_secs(10);
const DEFAULT_REFRESH_TIMEOUT: Duration = Duration::from_secs(30);

/// What a session works with.
#[derive(Clone)]
pub(crate) struct Config {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) place: SessionPlace,
    pub(super) scope: Scope,
    /// Whether refreshes carry `draft=1`.
    pub(super) draft: bool,
    pub(super) store: Arc<dyn TokenStore>,
    clock: Option<Arc<dyn Clock>>,
    pub(super) timer: Option<Arc<dyn Timer>>,
    pub(super) spawner: Option<Arc<dyn Spawner>>,
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
            .field("place", &self.place)
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
    /// host `base_url`. It uses no tokens of its store that belong to another host, project or
    /// environment.
    pub fn builder(
        transport: Arc<dyn Transport>,
        base_url: BaseUrl,
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
    ) -> SessionBuilder {
        let (project, environment) = (project.into(), environment.into());
        SessionBuilder(Config {
            transport,
            scope: Scope::new(project.clone(), environment.clone()),
            draft: false,
            place: SessionPlace {
                api_base_url: base_url.into_string(),
                project: project.to_string(),
                environment: environment.to_string(),
            },
            store: Arc::new(MemoryStore::new()),
            clock: default_clock(),
            timer: None,
            spawner: None,
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

    /// Drives refreshes by this spawner, so that each goes on to its end when the calls that wait for
    /// it are cancelled; without one by default.
    ///
    /// Without a spawner a refresh that nobody waits for stands still until the next call. That is
    /// safe for one session. Sessions that share a store should have a spawner: a refresh that
    /// stands still has no lease, and another session may use the same refresh token.
    pub fn spawner(self, spawner: impl Spawner) -> Self {
        self.shared_spawner(Arc::new(spawner))
    }

    /// Drives refreshes by this spawner, which somebody else has too.
    pub fn shared_spawner(mut self, spawner: Arc<dyn Spawner>) -> Self {
        self.0.spawner = Some(spawner);
        self
    }

    /// Ends a refresh that takes longer than the [timeout](Self::refresh_timeout) by this timer,
    /// over a transport that does not keep to deadlines too.
    pub fn timer(self, timer: impl Timer) -> Self {
        self.shared_timer(Arc::new(timer))
    }

    /// Waits by this timer, which somebody else has too.
    pub fn shared_timer(mut self, timer: Arc<dyn Timer>) -> Self {
        self.0.timer = Some(timer);
        self
    }

    /// Sets for how long no refresh is tried after one that failed in passing; 10 s by default, and
    /// 3 s at most while the answer to the last one is missing.
    pub fn cool_down(mut self, cool_down: Duration) -> Self {
        self.0.cool_down = cool_down;
        self
    }

    /// Sets how long a refresh may take; 30 s by default.
    ///
    /// It is the [`Deadline`](svc_model::wire::Deadline) of its requests, which are two when the
    /// first brings no answer: that one has half of the time, and 5 s at most.
    pub fn refresh_timeout(mut self, timeout: Duration) -> Self {
        self.0.refresh_timeout = timeout;
        self
    }

    /// Sets whether refreshes carry `draft=1`, as all calls of a client do that is made so.
    pub fn draft(mut self, draft: bool) -> Self {
        self.0.draft = draft;
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
