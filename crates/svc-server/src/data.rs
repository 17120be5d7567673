//! The data host: `{base_url}`.

use axum::Router;

use crate::{account, compression::compressed, openapi, records, resources, sql, state::Shared};

/// The routes of the data host.
pub(crate) fn routes() -> Router<Shared> {
    let answers = records::routes()
        .merge(resources::routes())
        .merge(sql::routes())
        .merge(openapi::resource::routes());
    compressed(answers).merge(account::routes())
}
