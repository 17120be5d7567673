//! The sessions of the caller's account (administration, section 1).

use crate::{ListQuery, Paginated, administration::Session, wire::Operation};

/// List the sessions of the account: `GET {app_base_url}/account/sessions/`, 200 with the paginated envelope, the newest first.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/account/sessions/")]
#[operation(name = "account_sessions.list", credential = ApiKey, level = WholeAccount, answer = Paginated<Session>)]
#[operation(new = "Lists the sessions of the account.")]
#[non_exhaustive]
pub struct List {
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// End a session of the account: `DELETE {app_base_url}/account/sessions/{uid}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/account/sessions/{uid}/")]
#[operation(name = "account_sessions.delete", read, credential = ApiKey, level = WholeAccount)]
#[operation(new = "Ends a session of the account.")]
#[non_exhaustive]
pub struct Delete {
    /// The session.
    #[wire(path)]
    pub uid: String,
}
