//! The builder of a client.

#[cfg(feature = "account")]
mod session;

use std::{fmt, sync::Arc, time::Duration};

use http::HeaderValue;
use svc_auth::{ApiKey, ApiToken, ClientOptions, StaticProvider, TokenProvider};
use svc_model::{
    EnvironmentName, ProjectName, ResourceName,
    wire::{Timer, Transport},
};

#[cfg(feature = "account")]
pub(crate) use self::session::SessionOptions;
use super::{Client, Inner};
use crate::{Error, RetryPolicy, retry::Budget};

const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);
const DEFAULT_BODY_LIMIT: usize = 64 * 1024 * 1024;
const USER_AGENT: &str = concat!("svc-api/", env!("CARGO_PKG_VERSION"));

/// The builder of a [`Client`], from [`Client::builder`].
///
/// With the feature `hyper` the client has a built-in transport and timer, and [`build`](Self::build)
/// can be called at any time. Without that feature [`transport`](Self::transport) must be called first;
/// a program that forgets it does not compile:
#[cfg_attr(
    not(feature = "hyper"),
    doc = "```compile_fail\n# use svc_api::Client;\nlet client = Client::builder().project(\"demo\").build();\n```\n"
)]
/// ```
/// use svc_api::{Client, wire::{Body, transport_fn}};
///
/// let client = Client::builder()
///     .project("demo")
///     .transport(transport_fn(|_request| async { Ok(http::Response::new(Body::from("[]"))) }))
///     .build()?;
/// # Ok::<(), svc_api::Error>(())
/// ```
#[must_use]
pub struct ClientBuilder<T> {
    transport: T,
    timer: Option<Arc<dyn Timer>>,
    options: ClientOptions,
    credentials: StaticProvider,
    provider: Option<Arc<dyn TokenProvider>>,
    #[cfg(feature = "account")]
    pub(crate) session: SessionOptions,
    deadline: Option<Duration>,
    body_limit: usize,
    retry: RetryPolicy,
    user_agent: Option<String>,
}

/// The state of a [`ClientBuilder`] without a transport.
#[derive(Debug)]
pub struct NoTransport(());

/// The state of a [`ClientBuilder`] with a transport.
#[derive(Debug)]
pub struct OwnTransport {
    transport: Arc<dyn Transport>,
    /// Whether the transport ends every exchange at its deadline, as the built-in one does.
    #[cfg(feature = "hyper")]
    keeps_deadlines: bool,
}

impl ClientBuilder<NoTransport> {
    pub(super) fn new() -> Self {
        Self {
            transport: NoTransport(()),
            timer: None,
            options: ClientOptions::new(),
            credentials: StaticProvider::new(),
            provider: None,
            #[cfg(feature = "account")]
            session: SessionOptions::default(),
            deadline: Some(DEFAULT_DEADLINE),
            body_limit: DEFAULT_BODY_LIMIT,
            retry: RetryPolicy::default(),
            user_agent: None,
        }
    }

    /// Builds the client with the default transport of `svc-transport`, which needs a tokio runtime.
    ///
    /// For a proxy, your own certificates or other limits, pass a `HyperTransport` from its builder to
    /// [`transport`](Self::transport), and a `TokioTimer` to [`timer`](Self::timer); both are in
    /// [`svc_transport`].
    ///
    /// # Errors
    /// Kind [`Options`](crate::ErrorKind::Options) when an option cannot be used, or the transport
    /// cannot be set up.
    #[cfg(feature = "hyper")]
    pub fn build(self) -> Result<Client, Error> {
        let transport = svc_transport::HyperTransport::builder()
            .build()
            .map_err(Error::options)?;
        let timer = self.timer.clone();
        let timer = timer.unwrap_or_else(|| Arc::new(svc_transport::TokioTimer::new()));
        let mut builder = self.transport(transport);
        builder.timer = Some(timer);
        builder.transport.keeps_deadlines = true;
        builder.build()
    }
}

#[cfg(all(feature = "blocking", feature = "hyper"))]
impl ClientBuilder<NoTransport> {
    /// The client with the default transport of `svc-transport` on a thread of its own, for programs without a runtime:
    /// see [`blocking`](crate::blocking).
    ///
    /// # Errors
    /// Kind [`Options`](crate::ErrorKind::Options) when an option is not valid, or the transport or its thread cannot be
    /// set up.
    pub fn build_blocking(self) -> Result<Client, Error> {
        let transport = svc_transport::HyperTransport::builder()
            .build()
            .map_err(Error::options)?;
        let transport = svc_transport::ThreadTransport::new(transport).map_err(Error::options)?;
        self.transport(transport).build()
    }
}

impl ClientBuilder<OwnTransport> {
    /// Builds the client.
    ///
    /// # Errors
    /// Kind [`Options`](crate::ErrorKind::Options) when an option cannot be used.
    pub fn build(self) -> Result<Client, Error> {
        #[cfg(feature = "account")]
        let mut settings = match self.session.is_of_account() {
            true => self.options.resolve_for_account()?,
            false => self.options.resolve()?,
        };
        #[cfg(not(feature = "account"))]
        let mut settings = self.options.resolve()?;
        let timer = self.timer.or_else(default_timer);
        let mut credentials = self.credentials;
        if let Some(token) = settings.api_token.take() {
            credentials = credentials.api_token(token);
        }
        let user_agent = match self.user_agent {
            None => HeaderValue::from_static(USER_AGENT),
            Some(text) => HeaderValue::try_from(text).map_err(|_| {
                Error::options("user_agent holds a character that cannot stand in a header")
            })?,
        };
        let transport = self.transport.transport;
        Ok(Client {
            inner: Arc::new(Inner {
                #[cfg(feature = "account")]
                session: self
                    .session
                    .session(&transport, timer.as_ref(), &settings, &user_agent),
                #[cfg(feature = "account")]
                session_options: self.session,
                transport,
                #[cfg(feature = "hyper")]
                keeps_deadlines: self.transport.keeps_deadlines,
                timer,
                settings,
                credentials,
                provider: self.provider,
                deadline: self.deadline,
                body_limit: self.body_limit,
                budget: Arc::new(Budget::new(self.retry.budget)),
                retry: self.retry,
                user_agent,
            }),
        })
    }
}

#[cfg(not(target_family = "wasm"))]
fn default_timer() -> Option<Arc<dyn Timer>> {
    Some(Arc::new(crate::SystemTimer::new()))
}

/// In a browser only the program knows of one.
#[cfg(target_family = "wasm")]
fn default_timer() -> Option<Arc<dyn Timer>> {
    None
}

impl<T> ClientBuilder<T> {
    /// Sets all [options of the specification](ClientOptions) at once.
    pub fn options(mut self, options: ClientOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the project. There is no default; a call that needs a project fails when none is set.
    pub fn project(mut self, project: impl Into<ProjectName>) -> Self {
        self.options = self.options.project(project);
        self
    }

    /// Sets the environment; `prod` by default.
    pub fn environment(mut self, environment: impl Into<EnvironmentName>) -> Self {
        self.options = self.options.environment(environment);
        self
    }

    /// Sets the base URL of the data host; [`DEFAULT_API_BASE_URL`](svc_auth::DEFAULT_API_BASE_URL)
    /// by default.
    pub fn api_base_url(mut self, url: impl Into<String>) -> Self {
        self.options = self.options.api_base_url(url);
        self
    }

    /// Sets the base URL of the application host; `{api_base_url}/api` by default.
    pub fn app_base_url(mut self, url: impl Into<String>) -> Self {
        self.options = self.options.app_base_url(url);
        self
    }

    /// Sets whether calls are sent with `draft=1`.
    pub fn draft(mut self, draft: bool) -> Self {
        self.options = self.options.draft(draft);
        self
    }

    /// Sets the token that is sent as `Authorization: Bearer <API_TOKEN>` with every call for which the
    /// client has no other static credential. It takes priority over a [token provider](Self::token_provider).
    pub fn api_token(mut self, token: impl Into<ApiToken>) -> Self {
        self.options = self.options.api_token(token);
        self
    }

    /// Adds environment variables, such as `std::env::vars()`, which are read for options that are not
    /// set. Without this function no environment variable is read.
    pub fn env<K, V>(mut self, variables: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<str>,
        V: Into<String>,
    {
        self.options = self.options.env(variables);
        self
    }

    /// Sets the API key of a user, which gives access to projects and pages.
    pub fn api_key(mut self, key: impl Into<ApiKey>) -> Self {
        self.credentials = self.credentials.api_key(key);
        self
    }

    /// Sets the static token of one connected resource, which is sent in the raw form. Each resource has
    /// its own token.
    pub fn token_for(
        mut self,
        resource: impl Into<ResourceName>,
        token: impl Into<ApiToken>,
    ) -> Self {
        self.credentials = self.credentials.token_for(resource, token);
        self
    }

    /// Sets the provider of credentials for calls for which the client has no key or token.
    pub fn token_provider(mut self, provider: impl TokenProvider) -> Self {
        self.provider = Some(Arc::new(provider));
        self
    }

    /// Sets the transport.
    ///
    /// It sends one request at a time; deadlines and retries are the client's, with a timer that needs no runtime, or
    /// with [your own](Self::timer).
    pub fn transport(self, transport: impl Transport) -> ClientBuilder<OwnTransport> {
        ClientBuilder {
            transport: OwnTransport {
                transport: Arc::new(transport),
                #[cfg(feature = "hyper")]
                keeps_deadlines: false,
            },
            timer: self.timer,
            options: self.options,
            credentials: self.credentials,
            provider: self.provider,
            #[cfg(feature = "account")]
            session: self.session,
            deadline: self.deadline,
            body_limit: self.body_limit,
            retry: self.retry,
            user_agent: self.user_agent,
        }
    }

    /// Sets the timer for the pauses between tries and for deadlines; a `SystemTimer` by default, except on wasm. There,
    /// without a timer, only calls that never reached the service are tried again, at once.
    pub fn timer(mut self, timer: impl Timer) -> Self {
        self.timer = Some(Arc::new(timer));
        self
    }

    /// Sets how long a call may take, including all tries, with `None` for no limit; 30 s by default. It
    /// is enforced if there is a timer, or if the transport observes deadlines.
    pub fn deadline(mut self, deadline: impl Into<Option<Duration>>) -> Self {
        self.deadline = deadline.into();
        self
    }

    /// Sets the maximum size of a response body in bytes; 64 MiB by default.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets how calls are repeated after transient failures.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Sets the `User-Agent`; `svc-api/<version>` by default.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }
}

impl<T> fmt::Debug for ClientBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("options", &self.options)
            .field("credentials", &self.credentials)
            .field("deadline", &self.deadline)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
