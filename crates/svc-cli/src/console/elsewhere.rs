//! A service elsewhere, as the console uses it.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Request, Response, request::Parts};
use svc_api::{
    auth::AuthState,
    wire::{Body, BoxFuture, Transport, TransportError},
};
use svc_console::{BoxError, Codes, OpenSession, Service};
use svc_server::Browsers;

use super::{hosts::Hosts, sessions::Sessions};

/// A service elsewhere. It is called over the network, and the browsers keep what it gives of their sessions.
#[derive(Debug)]
pub(super) struct Elsewhere {
    hosts: Hosts,
    transport: Arc<dyn Transport>,
    sessions: Sessions,
    browsers: Browsers,
}

impl Elsewhere {
    pub(super) fn new(
        hosts: Hosts,
        transport: Arc<dyn Transport>,
        sessions: Sessions,
        browsers: Browsers,
    ) -> Self {
        Self {
            hosts,
            transport,
            sessions,
            browsers,
        }
    }
}

impl Service for Elsewhere {
    fn base_url(&self) -> &str {
        self.hosts.data.as_str()
    }

    fn app_base_url(&self) -> &str {
        self.hosts.app.as_str()
    }

    fn short_name(&self) -> &str {
        self.sessions.short_name()
    }

    fn origin(&self, request: &Parts) -> String {
        self.browsers.origin(request)
    }

    fn data_url(&self, _: &Parts) -> String {
        self.hosts.data.to_string()
    }

    fn app_url(&self, _: &Parts) -> String {
        self.hosts.app.to_string()
    }

    fn transport(&self, request: &Parts) -> Arc<dyn Transport> {
        Arc::new(ForBrowser {
            transport: Arc::clone(&self.transport),
            forwarded: self.browsers.forwarded(request),
        })
    }

    fn browser_session(&self, tokens: AuthState) -> Option<String> {
        self.sessions.begin(tokens)
    }

    fn open_session<'a>(
        &'a self,
        kept: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenSession>, BoxError>> {
        Box::pin(self.sessions.open(kept))
    }

    fn refused(&self, kept: &str, authorization: &HeaderValue) {
        self.sessions.refused(kept, authorization);
    }

    /// The codes of links are known to the service alone: its own console takes them.
    fn codes(&self) -> Option<&dyn Codes> {
        None
    }
}

/// The calls for one request of a browser.
#[derive(Debug)]
struct ForBrowser {
    transport: Arc<dyn Transport>,
    forwarded: HeaderMap,
}

impl Transport for ForBrowser {
    fn send(
        &self,
        mut request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        for (name, value) in &self.forwarded {
            request.headers_mut().insert(name, value.clone());
        }
        Box::pin(async {
            let answer = self.transport.send(request).await;
            if let Err(error) = &answer {
                tracing::warn!(%error, "the service has not answered");
            }
            answer
        })
    }
}
