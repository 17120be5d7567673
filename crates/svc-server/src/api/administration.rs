//! The administration: accounts, projects and what they consist of. Everything is read through lists, which are those of
//! records, and written through the store.

mod account;
mod account_keys;
mod account_sessions;
mod accounts;
mod allowed_hosts;
mod answered;
mod audit;
mod entries;
mod environments;
mod history;
mod items;
mod keys;
mod mails;
mod members;
mod project_keys;
mod projects;
mod resources;
mod rights;
mod secrets;
mod service;
mod service_tokens;
mod sign_in;
mod signing_keys;
mod teams;
mod tokens;
mod users;

pub(super) use self::{account_keys::valid_keys, answered::Made, entries::EntriesRequest};
use crate::api::routes::Routes;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(account::routes())
        .merge(account_keys::routes())
        .merge(account_sessions::routes())
        .merge(accounts::routes())
        .merge(allowed_hosts::routes())
        .merge(audit::routes())
        .merge(environments::routes())
        .merge(history::routes())
        .merge(items::routes())
        .merge(keys::routes())
        .merge(mails::routes())
        .merge(members::routes())
        .merge(project_keys::routes())
        .merge(projects::routes())
        .merge(resources::routes())
        .merge(rights::routes())
        .merge(secrets::routes())
        .merge(service::routes())
        .merge(service_tokens::routes())
        .merge(sign_in::routes())
        .merge(signing_keys::routes())
        .merge(teams::routes())
        .merge(tokens::routes())
        .merge(users::routes())
}
