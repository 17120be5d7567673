//! The administration: accounts, projects and what they consist of. Everything is read through lists, which are those of
//! records, and written through the store.

mod allowed_hosts;
mod answered;
mod entries;
mod environments;
mod members;
mod teams;

use crate::api::routes::Routes;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(allowed_hosts::routes())
        .merge(environments::routes())
        .merge(members::routes())
        .merge(teams::routes())
}
