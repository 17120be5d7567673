//! The data host: `{base_url}`.

use axum::Router;

use crate::{openapi, records, resources, state::Shared};

/// The routes of the data host.
pub(crate) fn routes() -> Router<Shared> {
    records::routes()
        .merge(resources::routes())
        .merge(openapi::resource::routes())
}
