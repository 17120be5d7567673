//! The web console: what people see of a service.
//!
//! It is a client like any other. It knows `svc-api`, and of the service only what [`Service`] says: how to reach it, and how a
//! browser keeps a session. HTML is rendered here, works without JavaScript, and is improved by small modules.
//!
//! A request's way: [`Console`] -> a file of `places/`, by its path -> the service, over `svc-api` -> a component of `ui/`
//! -> `answer`. A fragment of a page is made by the function that makes it in the whole page.

mod access;
mod acting;
mod answer;
mod assets;
mod descriptions;
mod href;
mod json;
mod multipart;
mod places;
mod problem;
mod service;
mod session;
mod texts;
mod timing;
mod ui;
mod visit;

use std::{fmt, sync::Arc};

use http::{Request, Response};
use svc_model::wire::{Body, BoxFuture, Transport, TransportError};

pub use self::service::{BoxError, Codes, FirstOperator, OpenSession, Service};
use self::{descriptions::Descriptions, visit::Visit};

/// The console of a service: it answers requests below `/console`.
///
/// It is a [`Transport`], the contract for what answers requests, so that any server can mount it.
#[derive(Clone)]
pub struct Console {
    service: Arc<dyn Service>,
    descriptions: Arc<Descriptions>,
}

impl Console {
    /// A console of this service.
    pub fn new(service: impl Service) -> Self {
        Self {
            service: Arc::new(service),
            descriptions: Arc::default(),
        }
    }
}

impl Transport for Console {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let service = Arc::clone(&self.service);
        let descriptions = Arc::clone(&self.descriptions);
        let visit = Visit::new(service, descriptions, request);
        Box::pin(async move { Ok(Box::pin(places::answer(visit)).await) })
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Console").field(&self.service).finish()
    }
}
