//! The builder of a session.

use std::{fmt, sync::Arc, time::Duration};

use http::HeaderValue;
use svc_model::{
    EnvironmentName, ProjectName, Realm,
    wire::{Spawner, Timer, Transport},
};

use super::Session;
use crate::{BaseUrl, Clock, MemoryStore, TokenStore, place::SessionPlace};

const DEFAULT_COOL_DOWN: Duration = Duration::from_secs(10);
const DEFAULT_REFRESH_TIMEOUT: Duration = Duration::from_secs(30);

/// The configuration of a session.
#[derive(Clone)]
pub(crate) struct Config {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) place: SessionPlace,
    pub(super) realm: Realm,
    /// Whether refreshes are sent with `draft=1`.
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
    /// The current time, if there is a clock.
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

/// The builder of a [`Session`], from [`Session::builder`].
#[derive(Debug)]
#[must_use]
pub struct SessionBuilder(Config);

impl Session {
    /// Returns a builder for the session of a user of an environment, which refreshes with `transport`
    /// at the data host `base_url`. It ignores tokens in its store that belong to another host, project
    /// or environment.
    pub fn builder(
        transport: Arc<dyn Transport>,
        base_url: BaseUrl,
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
    ) -> SessionBuilder {
        let (project, environment) = (project.into(), environment.into());
        let place = SessionPlace {
            api_base_url: base_url.into_string(),
            project: project.to_string(),
            environment: environment.to_string(),
        };
        Self::in_realm(transport, (project, environment).into(), place)
    }

    /// Builds a session of an account of the service, which renews at `app_base_url`, the address of the application
    /// host.
    pub fn account_builder(transport: Arc<dyn Transport>, app_base_url: BaseUrl) -> SessionBuilder {
        let place = SessionPlace {
            api_base_url: app_base_url.into_string(),
            project: String::new(),
            environment: String::new(),
        };
        Self::in_realm(transport, Realm::Service, place)
    }

    fn in_realm(
        transport: Arc<dyn Transport>,
        realm: Realm,
        place: SessionPlace,
    ) -> SessionBuilder {
        SessionBuilder(Config {
            transport,
            realm,
            draft: false,
            place,
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
    /// Sets the store of the tokens; by default a separate [`MemoryStore`].
    pub fn store(self, store: impl TokenStore) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// Sets a shared store of the tokens.
    pub fn shared_store(mut self, store: Arc<dyn TokenStore>) -> Self {
        self.0.store = store;
        self
    }

    /// Sets the clock; by default the clock of the operating system.
    ///
    /// On WebAssembly there is no default. Without a clock, tokens are renewed when the service refuses
    /// them.
    pub fn clock(self, clock: impl Clock) -> Self {
        self.shared_clock(Arc::new(clock))
    }

    /// Sets a shared clock.
    pub fn shared_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.0.clock = Some(clock);
        self
    }

    /// Sets the spawner that runs refreshes, so that each continues to its end when the calls that wait
    /// for it are cancelled; there is none by default.
    ///
    /// Without a spawner, a refresh that no call waits for stops until the next call. That is safe for
    /// one session. Sessions that share a store should have a spawner: a stopped refresh has no lease,
    /// and another session may use the same refresh token.
    pub fn spawner(self, spawner: impl Spawner) -> Self {
        self.shared_spawner(Arc::new(spawner))
    }

    /// Sets a shared spawner.
    pub fn shared_spawner(mut self, spawner: Arc<dyn Spawner>) -> Self {
        self.0.spawner = Some(spawner);
        self
    }

    /// Sets the timer that ends a refresh after the [timeout](Self::refresh_timeout), even with a
    /// transport that ignores deadlines.
    pub fn timer(self, timer: impl Timer) -> Self {
        self.shared_timer(Arc::new(timer))
    }

    /// Sets a shared timer.
    pub fn shared_timer(mut self, timer: Arc<dyn Timer>) -> Self {
        self.0.timer = Some(timer);
        self
    }

    /// Sets how long no refresh is tried after a transient failure; 10 s by default, and at most 3 s
    /// while the response to the last one is missing.
    pub fn cool_down(mut self, cool_down: Duration) -> Self {
        self.0.cool_down = cool_down;
        self
    }

    /// Sets how long a refresh may take; 30 s by default.
    ///
    /// It is the [`Deadline`](svc_model::wire::Deadline) of its requests. A second request is sent when
    /// the first gets no response; the first has half of the time, and at most 5 s.
    pub fn refresh_timeout(mut self, timeout: Duration) -> Self {
        self.0.refresh_timeout = timeout;
        self
    }

    /// Sets whether refreshes are sent with `draft=1`, like all calls of a client with `draft` on.
    pub fn draft(mut self, draft: bool) -> Self {
        self.0.draft = draft;
        self
    }

    /// Sets the `User-Agent` of refreshes; there is none by default.
    pub fn user_agent(mut self, user_agent: HeaderValue) -> Self {
        self.0.user_agent = Some(user_agent);
        self
    }

    /// Builds the session.
    ///
    /// Tokens of a store that can be read without waiting are available at once. When the store cannot
    /// be read, the first call fails with that error, and so does each call until it can be read.
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
