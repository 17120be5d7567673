//! The service without listeners: it answers the process that has the store.

use std::{fmt, sync::Arc, time::Duration};

use axum::{body::Body as AxumBody, extract::ConnectInfo};
use http::{HeaderValue, Request, Response, header};
use svc_model::wire::{Body, BoxFuture, Transport, TransportError};
use svc_store::{Actor, CredentialKind, Secret, Store};
use uuid::Uuid;

use crate::{
    Config, Error,
    api::{
        router,
        routes::{Hosts, PREFIX},
    },
    auth::identity::Program,
    http::{
        limits::{Limits, Stack},
        request::Peer,
    },
    state::State,
};

/// What links in mails begin with when nothing says another URL.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";
/// Where clients in this process reach it. Nothing is looked up or connected.
const BASE_URL: &str = "http://localhost";
const APP_BASE_URL: &str = "http://localhost/api";
/// Nobody else waits for an answer, and what was begun is to end.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3_600);

/// Both hosts of the service over a store, for the process that has it open: a [`Transport`] for clients of the service.
///
/// A caller with its [key](Self::key) acts as an operator without an account. The key is made for this one value and is
/// kept nowhere. Other credentials count as they do over the network.
///
/// ```
/// use svc_server::InProcess;
/// use svc_store::{Actor, Store};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Store::open("svc-data".as_ref()).await?;
/// let service = InProcess::open(store, Actor::program(None), None).await?;
/// // svc_api::Client::builder().transport(service.clone())
/// //     .api_base_url(service.base_url()).app_base_url(service.app_base_url())
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct InProcess(Arc<Inner>);

struct Inner {
    stack: Arc<Stack>,
    key: Secret,
}

impl InProcess {
    /// Opens the service. Lines of the audit trail about what it is asked to write name this actor. Links in mails begin
    /// with `public_url`, or else with the address of the service that started last on the store.
    ///
    /// # Errors
    /// [`Error`] with the remedy when the store cannot be read.
    pub async fn open(store: Store, actor: Actor, public_url: Option<&str>) -> Result<Self, Error> {
        let known = match public_url {
            None => store.service_address().await.map_err(Error::store)?,
            Some(_) => None,
        };
        let (base_url, app_base_url) = match known {
            Some(address) => (address.base_url, address.app_base_url),
            None => {
                let url = public_url.unwrap_or(DEFAULT_URL);
                (url.to_owned(), format!("{url}{PREFIX}"))
            }
        };
        let config = Config {
            request_timeout: REQUEST_TIMEOUT,
            ..Config::default()
        };
        let state = State::new(config, store, base_url, app_base_url)?;
        state.sync_with_store().await.map_err(Error::store)?;
        if let Err(error) = state.store.resources().complete_hints().await {
            tracing::warn!(%error, "the addresses of resources are not shown in lists");
        }
        let [first, second] = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::simple);
        let key = format!("{}{first}{second}", CredentialKind::ApiKey.prefix());
        // Nothing else sets it.
        let _ = state.program.set(Arc::new(Program::new(&key, actor)));
        let limits = Limits::new(&state.config);
        let router = router(Hosts::Both, Arc::clone(&state));
        Ok(Self(Arc::new(Inner {
            stack: limits.around(router, &state.config),
            key: Secret::new(key),
        })))
    }

    /// The data host, for a client over this transport.
    pub fn base_url(&self) -> &'static str {
        BASE_URL
    }

    /// The application host, for a client over this transport.
    pub fn app_base_url(&self) -> &'static str {
        APP_BASE_URL
    }

    /// The key with which this process acts as an operator, on both hosts: `Authorization: Bearer <key>`.
    pub fn key(&self) -> &Secret {
        &self.0.key
    }
}

impl Transport for InProcess {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let peer = Peer(std::net::Ipv4Addr::LOCALHOST.into());
            Ok(ask(&self.0.stack, request, peer).await)
        })
    }
}

/// Has a request answered that comes from this process, as if it came from this address.
pub(crate) async fn ask(stack: &Stack, request: Request<Body>, peer: Peer) -> Response<Body> {
    let mut request = request.map(AxumBody::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    let host = request
        .uri()
        .authority()
        .map(|authority| authority.as_str());
    if let Some(host) = host.and_then(|host| HeaderValue::from_str(host).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
    stack.answer(request).await.map(Body::stream)
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use svc_store::NewProject;

    use super::*;

    #[tokio::test]
    async fn it_acts_without_an_account_and_sends_keys_against_repetition_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let new = NewProject::new("main");
        store.projects().create(new).await.unwrap();
        let service = InProcess::open(store, Actor::program(None), None)
            .await
            .unwrap();
        let post = async |path: &str, body: &'static str| {
            let request = Request::post(format!("{}{path}", service.app_base_url()))
                .header(
                    "authorization",
                    format!("Bearer {}", service.key().expose()),
                )
                .header("content-type", "application/json")
                .header("idempotency-key", "once");
            let request = request.body(Body::from(body)).unwrap();
            service.send(request).await.unwrap().status()
        };
        let team = post("/projects/main/teams/", r#"{"name":"Support"}"#).await;
        assert_eq!(team, StatusCode::CREATED);
        let item = r#"{"kind":"note","name":"x","value":1}"#;
        let item = post("/projects/main/prod/items/", item).await;
        assert_eq!(item, StatusCode::FORBIDDEN);
    }
}
