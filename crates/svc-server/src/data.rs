//! The data host: `{base_url}`.

use axum::Router;

use crate::{account, openapi, records, resources, sql, state::Shared};

/// The routes of the data host.
pub(crate) fn routes() -> Router<Shared> {
    records::routes()
        .merge(resources::routes())
        .merge(sql::routes())
        .merge(account::routes())
        .merge(openapi::resource::routes())
}
