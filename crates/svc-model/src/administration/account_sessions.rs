//! The sessions of the caller's account (administration, section 1).

use crate::{Paginated, administration::Session, wire::Operation};

/// List the sessions of the account: `GET {app_base_url}/account/sessions/`, 200 with the paginated envelope, the newest first.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/account/sessions/")]
#[operation(name = "account_sessions.list", read, credential = ApiKey, level = WholeAccount, answer = Paginated<Session>)]
#[operation(new = "Lists the sessions of the account.")]
#[non_exhaustive]
pub struct List {
    /// The number of the page, starting at 1.
    #[wire(query = "page")]
    pub page: Option<u64>,
    /// The number of sessions on a page.
    #[wire(query = "_per_page")]
    pub per_page: Option<u32>,
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
