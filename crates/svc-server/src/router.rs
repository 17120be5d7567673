//! Routes: paths with and without a trailing slash, and answers to unknown paths and methods.

use axum::{
    Router,
    extract::Request,
    handler::Handler,
    response::{IntoResponse as _, Response},
    routing::{self, MethodFilter, MethodRouter},
};
use http::{Method, StatusCode};
use svc_model::wire::{Host, Operation, OperationInfo};

use crate::{
    answer::empty_answer,
    application::{self, PREFIX},
    data,
    failure::Failure,
    health, root,
    state::Shared,
};

/// Which hosts a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    Both,
    Data,
    Application,
}

/// The router of a listener.
pub(crate) fn router(hosts: Hosts, state: Shared) -> Router {
    let mut router = health::routes().merge(root::routes(hosts));
    if hosts != Hosts::Data {
        router = router.merge(application::routes());
    }
    if hosts != Hosts::Application {
        router = router.merge(data::routes());
    }
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(other_method)
        .with_state(state)
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

async fn unknown_path() -> Failure {
    Failure::NotFound("there is nothing at this path".to_owned())
}

/// A known path with a method that it does not have. The router adds `Allow`.
async fn other_method(request: Request) -> Response {
    if request.method() == Method::OPTIONS {
        empty_answer(StatusCode::NO_CONTENT).into_response()
    } else {
        Failure::MethodNotAllowed { allow: None }.into_response()
    }
}
