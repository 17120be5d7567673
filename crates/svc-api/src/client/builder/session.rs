//! The options of a client's session.

use std::sync::Arc;

use http::HeaderValue;
use svc_auth::{
    ClientSettings, Clock, MemoryStore, ServiceRequest, ServiceToken, Session, TokenStore,
};
use svc_model::{
    ProjectName,
    wire::{Spawner, Timer, Transport},
};

use super::ClientBuilder;

#[derive(Clone, Default)]
pub(crate) struct SessionOptions {
    store: Option<Arc<dyn TokenStore>>,
    clock: Option<Arc<dyn Clock>>,
    spawner: Option<Arc<dyn Spawner>>,
    service_token: Option<ServiceToken>,
    /// Whether accounts of the service sign in, and not users of the environment.
    of_account: bool,
}

impl SessionOptions {
    /// Whether accounts of the service sign in. Programs that do not administer are built without what that needs.
    pub(crate) fn is_of_account(&self) -> bool {
        cfg!(feature = "administration") && self.of_account
    }

    pub(crate) fn for_another_user(&mut self, store: impl TokenStore) {
        self.store = Some(Arc::new(store));
        self.service_token = None;
    }

    pub(crate) fn session(
        &self,
        transport: &Arc<dyn Transport>,
        timer: Option<&Arc<dyn Timer>>,
        settings: &ClientSettings,
        user_agent: &HeaderValue,
    ) -> Session {
        let store = self.store.clone();
        let builder = match self.is_of_account() {
            true => {
                let url = settings.app_base_url.clone();
                Session::account_builder(Arc::clone(transport), url)
            }
            false => {
                // Without a project nobody can sign in; a refresh then fails with an error that says so.
                let project = settings.project.clone();
                let project = project.unwrap_or_else(|| ProjectName::from(""));
                let url = settings.api_base_url.clone();
                Session::builder(Arc::clone(transport), url, project, &settings.environment)
            }
        };
        let mut builder = builder
            .shared_store(store.unwrap_or_else(|| Arc::new(MemoryStore::new())))
            .draft(settings.draft.unwrap_or(false))
            .user_agent(user_agent.clone());
        if let Some(clock) = &self.clock {
            builder = builder.shared_clock(Arc::clone(clock));
        }
        if let Some(timer) = timer {
            builder = builder.shared_timer(Arc::clone(timer));
        }
        if let Some(spawner) = self.spawner() {
            builder = builder.shared_spawner(spawner);
        }
        let session = builder.build();
        if let Some(token) = &self.service_token {
            session.load_service_token(token);
        }
        session
    }
}

impl SessionOptions {
    #[cfg(feature = "hyper")]
    fn spawner(&self) -> Option<Arc<dyn Spawner>> {
        let spawner = self.spawner.clone();
        Some(spawner.unwrap_or_else(|| Arc::new(svc_transport::TokioSpawner)))
    }

    #[cfg(not(feature = "hyper"))]
    fn spawner(&self) -> Option<Arc<dyn Spawner>> {
        self.spawner.clone()
    }
}

impl<T> ClientBuilder<T> {
    /// Lets an account of the service sign in with [`Client::account`](crate::Client::account), who administers projects, in
    /// place of a user of the environment. Its session opens both hosts, for calls without a key or token of their own; a
    /// data host that is not named is the application host without its `/api`.
    ///
    /// ```
    /// # use svc_api::{Client, Error, administration::Administration};
    /// # #[cfg(feature = "hyper")]
    /// async fn administration() -> Result<Administration, Error> {
    ///     let client = Client::builder()
    ///         .app_base_url("https://app.example.com/api")
    ///         .project("crm")
    ///         .signs_in_accounts()
    ///         .build()?;
    ///     let account = client.account();
    ///     account.login_via_email_password("ada@example.com", "correct horse").await?;
    ///     Ok(client.administration())
    /// }
    /// ```
    #[cfg(feature = "administration")]
    pub fn signs_in_accounts(mut self) -> Self {
        self.session.of_account = true;
        self
    }

    /// Sets the store that keeps the tokens of the user and from which they are restored; by default a
    /// separate [`MemoryStore`] for each client.
    pub fn session_store(mut self, store: impl TokenStore) -> Self {
        self.session.store = Some(Arc::new(store));
        self
    }

    /// Sets the clock that decides when tokens expire; by default the clock of the operating system.
    ///
    /// On WebAssembly there is no default: without a clock, tokens are renewed when the service refuses
    /// them.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.session.clock = Some(Arc::new(clock));
        self
    }

    /// Sets the spawner that runs the renewal of tokens, so that it continues to its end when the calls
    /// that wait for it are cancelled.
    ///
    /// With the feature `hyper` the default is the spawner of tokio, which works in any tokio runtime.
    /// Without a spawner, a renewal that no call waits for stops until the next call; clients that share a
    /// [store](Self::session_store) should have a spawner.
    pub fn spawner(mut self, spawner: impl Spawner) -> Self {
        self.session.spawner = Some(Arc::new(spawner));
        self
    }

    /// Sets the options of a service request: its project, environment and service token, and its base
    /// URL and draft switch if it has them (specification, "Service requests").
    ///
    /// ```
    /// # use svc_api::{Client, auth::ServiceRequest, wire::Transport};
    /// /// Makes the client with which to answer a request of the service.
    /// fn client(
    ///     request: &http::Request<Vec<u8>>,
    ///     transport: std::sync::Arc<dyn Transport>,
    /// ) -> Result<Client, Box<dyn std::error::Error>> {
    ///     let request = ServiceRequest::from_headers(request.headers())?;
    ///     let client = Client::builder().service_request(&request);
    ///     // All clients share the connections of one transport.
    ///     Ok(client.transport(transport).build()?)
    /// }
    /// ```
    pub fn service_request(mut self, request: &ServiceRequest) -> Self {
        self.session.service_token = Some(request.service_token.clone());
        let mut builder = self
            .project(&request.project)
            .environment(&request.environment);
        if let Some(url) = &request.api_base_url {
            builder = builder.api_base_url(url.as_str());
        }
        match request.draft {
            Some(draft) => builder.draft(draft),
            None => builder,
        }
    }
}
