//! Routes: operations by their declarations, with and without a trailing slash.

mod routed;

use axum::{
    Router,
    handler::Handler,
    routing::{self, MethodFilter, MethodRouter},
};
use http::Method;
use svc_model::wire::{Host, Operation, OperationInfo};

pub(crate) use self::routed::Routed;
use crate::state::Shared;

/// The path prefix of the application host (specification, section 1).
pub(crate) const PREFIX: &str = "/api";

/// Which hosts a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    Both,
    Data,
    Application,
}

/// Routes, and the operations behind them.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    router: Router<Shared>,
    pub(crate) operations: Vec<OperationInfo>,
}

impl Routes {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Has a handler answer an operation: its host, method and path are those of its declaration.
    pub(crate) fn on<O: Operation, T: 'static>(self, handler: impl Handler<T, Shared>) -> Self {
        self.on_described(O::INFO, handler)
    }

    /// Has a handler answer an operation that is described so: one that exists in several realms has several descriptions.
    pub(crate) fn on_described<T: 'static>(
        mut self,
        info: OperationInfo,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        let method = info.method.clone();
        self = self.on_method(&info, method, handler);
        self.operations.push(info);
        self
    }

    /// Has a handler answer an operation that asks something, also by `GET`: this is the form that the API definition
    /// describes.
    pub(crate) fn on_question<O: Operation, T: 'static>(
        self,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        let mut routes = self.on::<O, T>(handler.clone());
        if let Some(last) = routes.operations.last_mut() {
            last.method = Method::GET;
        }
        routes.on_method(&O::INFO, Method::GET, handler)
    }

    fn on_method<T: 'static>(
        self,
        info: &OperationInfo,
        method: Method,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        // Operations have the methods that routes can have.
        let method = MethodFilter::try_from(method).unwrap_or(MethodFilter::GET);
        let path = match info.host {
            Host::Application => &format!("{PREFIX}{}", info.path_template),
            _ => info.path_template,
        };
        let handler = Routed::new(path, handler);
        self.at(path, routing::on(method, handler))
    }

    /// Has a handler answer `GET` at a path that is no operation.
    pub(crate) fn get<T: 'static>(self, path: &str, handler: impl Handler<T, Shared>) -> Self {
        let handler = Routed::new(path, handler);
        self.at(path, routing::get(handler))
    }

    /// The same for a file or a sign of life, which count for no rate limit.
    pub(crate) fn get_free<T: 'static>(self, path: &str, handler: impl Handler<T, Shared>) -> Self {
        let handler = Routed::free(path, handler);
        self.at(path, routing::get(handler))
    }

    /// The same for `POST`, where the handler has its request counted by itself.
    pub(crate) fn post_free<T: 'static>(
        self,
        path: &str,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        let handler = Routed::free(path, handler);
        self.at(path, routing::post(handler))
    }

    /// Has a handler answer every method at exactly this path, which is no operation.
    pub(crate) fn any<T: 'static>(mut self, path: &str, handler: impl Handler<T, Shared>) -> Self {
        let handler = Routed::new(path, handler);
        self.router = self.router.route(path, routing::any(handler));
        self
    }

    /// Adds a route that answers with and without a trailing slash, without a redirect.
    fn at(mut self, path: &str, methods: MethodRouter<Shared>) -> Self {
        let bare = path.trim_end_matches('/');
        let router = self.router.route(&format!("{bare}/"), methods.clone());
        self.router = match bare {
            "" => router,
            bare => router.route(bare, methods),
        };
        self
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.operations.extend(other.operations);
        self
    }

    /// The same with something around each route.
    pub(crate) fn layered(mut self, layer: impl FnOnce(Router<Shared>) -> Router<Shared>) -> Self {
        self.router = layer(self.router);
        self
    }

    pub(crate) fn into_router(self) -> Router<Shared> {
        self.router
    }
}
