//! The operations, a file for each group, and the routes of both hosts.

mod account;
pub(crate) mod health;
mod pages;
mod projects;
mod records;
mod resources;
mod root;
pub(crate) mod routes;
mod sql;
mod teams;
pub(crate) mod tools;
mod users;

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Response},
};
use http::{Method, StatusCode};

use self::routes::Hosts;
use crate::{
    http::{compression::compressed, error::Failure, response::empty_answer},
    openapi, proxy,
    state::Shared,
};

/// The router of a listener.
pub(crate) fn router(hosts: Hosts, state: Shared) -> Router {
    let mut router = health::routes().merge(root::routes(hosts));
    if hosts != Hosts::Data {
        router = router.merge(application());
    }
    if hosts != Hosts::Application {
        router = router.merge(data());
    }
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(other_method)
        .with_state(state)
}

/// The routes of the application host: `{app_base_url}`, which ends in `/api`.
fn application() -> Router<Shared> {
    let answers = pages::routes()
        .merge(projects::routes())
        .merge(openapi::application::routes());
    compressed(answers).merge(proxy::routes())
}

/// The routes of the data host: `{base_url}`.
fn data() -> Router<Shared> {
    let answers = records::routes()
        .merge(resources::routes())
        .merge(sql::routes())
        .merge(openapi::resource::routes());
    compressed(answers).merge(account::routes())
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
