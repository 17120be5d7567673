//! The history of a record. Who may read the record there is decided as on the data host, which answers the same.

use svc_model::administration::history::Get;

use crate::api::{records::history::get_history, routes::Routes};

pub(super) fn routes() -> Routes {
    Routes::new().on::<Get, _>(get_history)
}
