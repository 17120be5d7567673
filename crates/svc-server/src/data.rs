//! The data host: `{base_url}`.

use axum::Router;

use crate::{records, state::Shared};

/// The routes of the data host.
pub(crate) fn routes() -> Router<Shared> {
    records::routes()
}
