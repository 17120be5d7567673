//! The service as the console uses it: a client like any other, in the same process.

use std::{collections::HashMap, fmt, sync::Arc};

use axum::extract::ConnectInfo;
use http::{HeaderValue, Request, Response, header, request::Parts};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use svc_model::wire::{Body, BoxFuture, Transport, TransportError};
use svc_store::{CredentialHash, Secret, SignInOrigin};

use crate::{
    api::{router, routes::Hosts},
    auth::throttle::caller,
    http::{
        limits::{Limits, Stack},
        links,
        request::{Peer, RequestId},
    },
    in_process::ask,
    state::Shared,
};

/// How many access tokens are kept at most.
const MOST_KEPT: usize = 10_000;
/// How long before its end an access token is no longer used.
const MARGIN: SignedDuration = SignedDuration::from_secs(30);

/// What the console needs of the service that it is part of.
///
/// Its calls are requests like those over the network, with the rights of the account whose session it is given, and with
/// the address of the browser.
#[derive(Clone)]
pub struct ConsoleService(Arc<Inner>);

struct Inner {
    state: Shared,
    short_name: String,
    stack: Arc<Stack>,
    /// The access tokens of sessions, by the hash of what their browsers keep.
    tokens: Mutex<HashMap<CredentialHash, (HeaderValue, Timestamp)>>,
}

impl ConsoleService {
    pub(crate) fn new(state: Shared) -> Self {
        // The limits of the listeners hold for the requests of browsers; a page that waits for its own calls must not be
        // refused in the middle by them.
        let limits = Limits::new(&state.config);
        let router = router(Hosts::Both, Arc::clone(&state));
        Self(Arc::new(Inner {
            stack: limits.around(router, &state.config),
            short_name: state.store.sessions().short_name(),
            state,
            tokens: Mutex::default(),
        }))
    }

    /// The data host, for a client over a [transport](Self::transport).
    pub fn base_url(&self) -> &'static str {
        "http://localhost"
    }

    /// The application host, for a client over a [transport](Self::transport).
    pub fn app_base_url(&self) -> &'static str {
        "http://localhost/api"
    }

    /// A short name of the service, the same on all nodes.
    pub fn short_name(&self) -> &str {
        &self.0.short_name
    }

    /// Scheme, host and path prefix under which a browser has reached the service.
    pub fn origin(&self, request: &Parts) -> String {
        let peer = peer(request).0;
        links::origin(&self.0.state.config, &request.headers, peer).into_owned()
    }

    /// The same of the data host: another port of the same host, where it has a listener of its own.
    pub fn data_origin(&self, request: &Parts) -> String {
        let origin = self.origin(request);
        let config = &self.0.state.config;
        match (config.data_listen, &config.public_url) {
            (Some(address), None) => with_port(&origin, address.port()),
            _ => origin,
        }
    }

    /// A transport for what one request of a browser needs.
    pub fn transport(&self, request: &Parts) -> Arc<dyn Transport> {
        Arc::new(ForBrowser {
            service: self.clone(),
            peer: peer(request),
            id: request.extensions.get::<RequestId>().cloned(),
            forwarded: [header::FORWARDED, X_FORWARDED_FOR, header::USER_AGENT]
                .into_iter()
                .filter_map(|name| Some((name.clone(), request.headers.get(&name)?.clone())))
                .collect(),
        })
    }

    /// What a browser keeps of the session of a refresh token; `None` when this service has not made the token.
    pub fn browser_session(&self, refresh_token: &str) -> Option<String> {
        let sessions = self.0.state.store.sessions();
        let kept = sessions.browser_session(refresh_token)?;
        Some(kept.expose().to_owned())
    }

    /// Signs in who has a link for one use; gives what the browser keeps, `None` when the code of the link is not valid.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn sign_in_with(
        &self,
        request: &Parts,
        code: &str,
    ) -> Result<Option<String>, svc_store::Error> {
        let state = &self.0.state;
        let address = caller(&state.config, &request.headers, peer(request).0);
        let agent = request.headers.get(header::USER_AGENT);
        let agent = agent.and_then(|value| value.to_str().ok());
        let origin = SignInOrigin::new(address.to_string(), agent);
        let tokens = state
            .store
            .sessions()
            .use_sign_in_code(code, origin)
            .await?;
        Ok(tokens.and_then(|tokens| self.browser_session(tokens.refresh_token.expose())))
    }

    /// Whether this code opens the page that makes the first operator.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn is_first_run(&self, code: &str) -> Result<bool, svc_store::Error> {
        let expected = self.0.state.store.sessions().first_run_code().await?;
        // Of texts whose hashes are compared, time tells nothing.
        Ok(expected.is_some_and(|expected| {
            CredentialHash::of(expected.expose()) == CredentialHash::of(code)
        }))
    }

    /// Makes the first operator, who has this code; false when somebody operates the service by now.
    ///
    /// # Errors
    /// A field error on what is wrong, and when the store cannot be used.
    pub async fn make_operator(
        &self,
        code: &str,
        email: &str,
        password: Secret,
    ) -> Result<bool, svc_store::Error> {
        if !self.is_first_run(code).await? {
            return Ok(false);
        }
        let accounts = self.0.state.store.accounts();
        let made = accounts.create_first_operator(email, password).await?;
        Ok(made.is_some())
    }

    /// The `Authorization` of calls for the session that a browser keeps; `None` when it has ended.
    ///
    /// # Errors
    /// When the store cannot be used.
    pub async fn authorization(
        &self,
        browser_session: &str,
    ) -> Result<Option<HeaderValue>, svc_store::Error> {
        let hash = CredentialHash::of(browser_session);
        let now = Timestamp::now();
        if let Some((header, until)) = self.0.tokens.lock().get(&hash)
            && *until > now
        {
            return Ok(Some(header.clone()));
        }
        let sessions = self.0.state.store.sessions();
        let Some((token, expires)) = sessions.access(browser_session).await? else {
            return Ok(None);
        };
        let Ok(mut header) = HeaderValue::try_from(format!("JWT {}", token.expose())) else {
            return Ok(None);
        };
        header.set_sensitive(true);
        // A token that is nearly over when it is made serves its one request.
        let until = expires.saturating_sub(MARGIN).unwrap_or(now);
        let mut tokens = self.0.tokens.lock();
        if tokens.len() >= MOST_KEPT {
            tokens.retain(|_, (_, until)| *until > now);
            if tokens.len() >= MOST_KEPT {
                tokens.clear();
            }
        }
        tokens.insert(hash, (header.clone(), until));
        Ok(Some(header))
    }

    /// Makes another `Authorization` for the session that a browser keeps when it is asked for next.
    pub fn forget_authorization(&self, browser_session: &str) {
        let hash = CredentialHash::of(browser_session);
        self.0.tokens.lock().remove(&hash);
    }
}

pub(crate) const X_FORWARDED_FOR: http::HeaderName =
    http::HeaderName::from_static("x-forwarded-for");

pub(crate) fn peer(request: &Parts) -> Peer {
    let peer = request.extensions.get::<ConnectInfo<Peer>>();
    peer.map_or(Peer(std::net::Ipv4Addr::LOCALHOST.into()), |peer| peer.0)
}

/// The origin of the same host at another port.
fn with_port(origin: &str, port: u16) -> String {
    let (scheme, host) = origin.split_once("://").unwrap_or(("http", origin));
    let known = host.parse::<http::uri::Authority>();
    let host = known.as_ref().map_or(host, http::uri::Authority::host);
    format!("{scheme}://{host}:{port}")
}

impl fmt::Debug for ConsoleService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleService").finish_non_exhaustive()
    }
}

/// The calls for one request of a browser: from its address, and under its identifier.
#[derive(Debug)]
struct ForBrowser {
    service: ConsoleService,
    peer: Peer,
    id: Option<RequestId>,
    forwarded: Vec<(http::HeaderName, HeaderValue)>,
}

impl Transport for ForBrowser {
    fn send(
        &self,
        mut request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let headers = request.headers_mut();
            // In place of what the client says of itself.
            for (name, value) in &self.forwarded {
                headers.insert(name, value.clone());
            }
            if let Some(RequestId(id)) = &self.id {
                headers.insert(svc_model::X_REQUEST_ID, id.clone());
            }
            Ok(ask(&self.service.0.stack, request, self.peer).await)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_port_of_a_host_keeps_scheme_and_host() {
        for (origin, expected) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:9090"),
            ("https://a.example", "https://a.example:9090"),
            ("http://[::1]:8080", "http://[::1]:9090"),
        ] {
            assert_eq!(with_port(origin, 9090), expected);
        }
    }
}
