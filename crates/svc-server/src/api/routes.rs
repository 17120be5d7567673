//! Routes: paths with and without a trailing slash.

use axum::{
    Router,
    handler::Handler,
    routing::{self, MethodFilter, MethodRouter},
};
use svc_model::wire::{Host, Operation, OperationInfo};

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

/// Routes by what is declared, and by path.
pub(crate) trait Routes {
    /// Has a handler answer an operation: its host, method and path are those of its declaration.
    fn on<O: Operation, T: 'static>(self, handler: impl Handler<T, Shared>) -> Self;

    /// Adds a route that answers with and without a trailing slash, without a redirect.
    fn at(self, path: &str, methods: MethodRouter<Shared>) -> Self;
}

impl Routes for Router<Shared> {
    fn on<O: Operation, T: 'static>(self, handler: impl Handler<T, Shared>) -> Self {
        let OperationInfo {
            method,
            host,
            path_template,
            ..
        } = O::INFO;
        // Operations have the methods that routes can have.
        let method = MethodFilter::try_from(method).unwrap_or(MethodFilter::GET);
        let methods = routing::on(method, handler);
        match host {
            Host::Application => self.at(&format!("{PREFIX}{path_template}"), methods),
            _ => self.at(path_template, methods),
        }
    }

    fn at(self, path: &str, methods: MethodRouter<Shared>) -> Self {
        let bare = path.trim_end_matches('/');
        self.route(&format!("{bare}/"), methods.clone())
            .route(bare, methods)
    }
}
