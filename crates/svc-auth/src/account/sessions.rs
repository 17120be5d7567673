//! The sessions of the user who is signed in. Those of an account of the service are in
//! [`svc_model::administration::account_sessions`].

use svc_model::{ListQuery, Paginated, Scope, administration::Session, wire::Operation};

/// List the sessions of the user who is signed in: `GET .../auth/sessions`, 200 with the paginated envelope, the newest first.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/auth/sessions")]
#[operation(name = "account.sessions", credential = Session, answer = Paginated<Session>)]
#[operation(new = "Lists the sessions of the user.")]
#[non_exhaustive]
pub struct ListSessions {
    /// The environment of the user.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// End a session of the user who is signed in: `DELETE .../auth/sessions/{uid}`, 204; 404 when it is not one of theirs, or has
/// ended.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Data "/projects/{project}/{environment}/auth/sessions/{uid}")]
#[operation(name = "account.end_session", read, credential = Session)]
#[operation(new = "Ends a session of the user.")]
#[non_exhaustive]
pub struct EndSession {
    /// The environment of the user.
    #[wire(path)]
    pub scope: Scope,
    /// The session.
    #[wire(path)]
    pub uid: String,
}

/// End all sessions of the user who is signed in but the one that the call is sent with: `DELETE .../auth/sessions`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Data "/projects/{project}/{environment}/auth/sessions")]
#[operation(name = "account.end_other_sessions", read, credential = Session)]
#[operation(new = "Ends all other sessions of the user.")]
#[non_exhaustive]
pub struct EndOtherSessions {
    /// The environment of the user.
    #[wire(path)]
    pub scope: Scope,
}
