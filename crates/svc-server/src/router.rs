//! Routes: paths with and without a trailing slash, and answers to unknown paths and methods.

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Response},
    routing::MethodRouter,
};
use http::{Method, StatusCode};

use crate::{answer::empty_answer, application, data, failure::Failure, health, state::Shared};

/// Which hosts a listener serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    Both,
    Data,
    Application,
}

/// The router of a listener.
pub(crate) fn router(hosts: Hosts, state: Shared) -> Router {
    let mut router = health::routes();
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

/// Adds a route that answers with and without a trailing slash, without a redirect.
pub(crate) fn route(
    router: Router<Shared>,
    path: &str,
    methods: MethodRouter<Shared>,
) -> Router<Shared> {
    let bare = path.trim_end_matches('/');
    router
        .route(&format!("{bare}/"), methods.clone())
        .route(bare, methods)
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
