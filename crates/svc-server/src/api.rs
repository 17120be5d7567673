//! The operations, a file for each group, and the routes of both hosts.

mod account;
mod administration;
mod call;
pub(crate) mod console;
mod docs;
mod functions;
pub(crate) mod health;
pub(crate) mod imports;
pub(crate) mod metrics;
mod pages;
mod projects;
pub(crate) mod records;
mod resources;
mod root;
pub(crate) mod routes;
mod sql;
mod statements;
mod teams;
pub(crate) mod tools;
mod users;

use axum::{
    Router,
    extract::{MatchedPath, Request},
    response::{IntoResponse as _, Response},
};
use http::{Method, StatusCode};

use self::routes::{Hosts, Routed, Routes};
use crate::{
    http::{ApiError, compression::compressed, response::empty_response},
    metrics::requests::{Route, UNMATCHED},
    openapi, proxy,
    state::Shared,
};

/// The router of a listener.
pub(crate) fn router(hosts: Hosts, state: Shared) -> Router {
    let mut routes = health::routes().merge(root::routes(hosts));
    if hosts != Hosts::Data {
        let metrics = metrics::routes().layered(compressed);
        routes = routes.merge(metrics).merge(application());
        if let Some(console) = state.console.get() {
            routes = routes.merge(console::routes(console));
        }
    }
    if hosts != Hosts::Application {
        routes = routes.merge(data());
    }
    routes
        .into_router()
        .fallback(Routed::new(UNMATCHED, unknown_path))
        .method_not_allowed_fallback(Routed::new(UNMATCHED, other_method))
        .with_state(state)
}

/// The routes of the application host: `{app_base_url}`, which ends in `/api`.
pub(crate) fn application() -> Routes {
    let answers = pages::routes().merge(projects::routes());
    let answers = answers.merge(administration::routes());
    let routes = answers.layered(compressed).merge(proxy::routes());
    let routes = routes.merge(account::of_accounts());
    let definition = openapi::application::routes(&routes.operations);
    let definition = definition.layered(compressed);
    routes.merge(definition).merge(docs::routes())
}

/// The operations that the API definition of each resource describes.
pub(crate) fn of_resources() -> Routes {
    let of_records = records::routes().merge(imports::routes());
    let of_statements = sql::routes().merge(statements::routes());
    of_records.merge(functions::routes()).merge(of_statements)
}

/// The routes of the data host: `{base_url}`.
fn data() -> Routes {
    let described = of_resources();
    let definition = openapi::resource::routes(&described.operations);
    let answers = described.merge(resources::routes()).merge(definition);
    answers.layered(compressed).merge(account::of_users())
}

pub(crate) async fn unknown_path() -> ApiError {
    ApiError::NotFound("there is nothing at this path".to_owned())
}

/// A known path with a method that it does not have. The router adds `Allow`.
async fn other_method(request: Request) -> Response {
    if let Some(path) = request.extensions().get::<MatchedPath>() {
        Route::new(path.as_str()).enter();
    }
    if request.method() == Method::OPTIONS {
        empty_response(StatusCode::NO_CONTENT).into_response()
    } else {
        ApiError::MethodNotAllowed { allow: None }.into_response()
    }
}

#[cfg(test)]
mod tests {
    use svc_model::wire::Host;

    use super::*;
    use crate::{Config, state::State};

    #[tokio::test]
    async fn the_routes_of_all_hosts_are_fit() {
        let folder = tempfile::tempdir().unwrap();
        let store = svc_store::Store::open(folder.path()).await.unwrap();
        let state = State::new(Config::default(), store, String::new(), String::new()).unwrap();
        for hosts in [Hosts::Both, Hosts::Data, Hosts::Application] {
            let _ = router(hosts, Shared::clone(&state));
        }
    }

    #[test]
    fn the_book_has_every_operation_with_its_path_and_status() {
        let rows = include_str!("../../../docs/src/reference.md").lines();
        let rows: Vec<Vec<_>> = rows.map(|row| row.split('|').collect()).collect();
        let operations = application().merge(data()).operations;
        assert!(operations.len() > 30);
        for info in &operations {
            let host = match info.host {
                Host::Application => "app_base_url",
                _ => "base_url",
            };
            let path = info.path_template.replace("{environment}", "{env}");
            let (method, place) = (format!("`{}", info.method), format!(" {{{host}}}{path}`"));
            let row = rows.iter().find(|row| {
                let is_it = |cell: &&str| cell.contains(&method) && cell.contains(&place);
                row.get(2).is_some_and(is_it)
            });
            let success = row.and_then(|row| row.get(3)).map(|cell| cell.trim());
            let success = success.unwrap_or_else(|| panic!("{} is missing", info.name));
            let is_passed_on = success == "the other service's";
            assert!(
                is_passed_on || success.starts_with(info.status.as_str()),
                "{}",
                info.name
            );
        }
    }
}
