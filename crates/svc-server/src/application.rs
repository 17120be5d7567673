//! The application host: `{app_base_url}`, which ends in `/api`.

use axum::Router;

use crate::{compression::compressed, openapi, pages, projects, proxy, state::Shared};

/// The path prefix of the application host (specification, section 1).
pub(crate) const PREFIX: &str = "/api";

/// The routes of the application host.
pub(crate) fn routes() -> Router<Shared> {
    let answers = pages::routes()
        .merge(projects::routes())
        .merge(openapi::application::routes());
    compressed(answers).merge(proxy::routes())
}
