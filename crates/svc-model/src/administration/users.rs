//! What administrators do with the users of an environment beside changing them (administration, section 2). They are listed
//! and changed with [`users`](crate::users).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, Scope, TeamUid, UserUid,
    administration::{SecretValue, Session},
    wire::{Operation, ReadBody},
};

/// A user of an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct User {
    /// The unique ID.
    pub uid: UserUid,
    /// The e-mail address.
    pub email: String,
    /// The team.
    pub group: TeamUid,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
    /// Whether the user cannot sign in.
    pub suspended: bool,
    /// Whether an invitation was accepted: a password was chosen.
    pub has_password: bool,
    /// Whether the user has shown that the address is theirs, or an administrator has entered it with a password.
    pub email_confirmed: bool,
    /// The time of creation (RFC 3339).
    pub date_add: String,
}

impl User {
    /// A user who may sign in and has not chosen a password yet.
    pub fn new(
        uid: impl Into<UserUid>,
        email: impl Into<String>,
        group: impl Into<TeamUid>,
        date_add: impl Into<String>,
    ) -> Self {
        Self {
            uid: uid.into(),
            email: email.into(),
            group: group.into(),
            first_name: None,
            last_name: None,
            suspended: false,
            has_password: false,
            email_confirmed: false,
            date_add: date_add.into(),
        }
    }
}

/// The body of a new user.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewUser {
    /// The e-mail address.
    pub email: String,
    /// The team, by its unique ID or its name.
    pub team: String,
    /// The given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// The family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// A password, so that the user can sign in at once; an invitation is mailed when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretValue>,
}

impl NewUser {
    /// A user without names, who is invited.
    pub fn new(email: impl Into<String>, team: impl Into<String>) -> Self {
        Self {
            email: email.into(),
            team: team.into(),
            first_name: None,
            last_name: None,
            password: None,
        }
    }
}

/// List the users: `GET {app_base_url}/projects/{project}/{environment}/users/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/users/")]
#[operation(name = "environment_users.list", credential = ApiKey, level = Administrator, answer = Paginated<User>)]
#[operation(new = "Lists the users of an environment, each with how it stands with them.")]
#[non_exhaustive]
pub struct List {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Add a user: `POST {app_base_url}/projects/{project}/{environment}/users/`, 201 with the [`User`]. One without a password
/// is invited by mail.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/users/")]
#[operation(name = "users.add", read, status = CREATED, credential = ApiKey, level = Administrator, answer = User)]
#[operation(new = "Adds a user.")]
#[non_exhaustive]
pub struct Create {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The new user.
    #[wire(whole_body)]
    pub new_user: NewUser,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get how it stands with a user: `GET {app_base_url}/projects/{project}/{environment}/users/{uid}/`, 200 with the [`User`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/users/{uid}/")]
#[operation(name = "environment_users.get", read, credential = ApiKey, level = Administrator, answer = User)]
#[operation(new = "Gets whether a user is suspended and has a password.")]
#[non_exhaustive]
pub struct Get {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
}

/// List the sessions of a user: `GET {app_base_url}/projects/{project}/{environment}/users/{uid}/sessions/`, 200 with the paginated envelope, the newest first.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/users/{uid}/sessions/")]
#[operation(name = "user_sessions.list", credential = ApiKey, level = Administrator, answer = Paginated<Session>)]
#[operation(new = "Lists the sessions of a user.")]
#[non_exhaustive]
pub struct ListSessions {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// End a session of a user: `DELETE .../users/{uid}/sessions/{session}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/{environment}/users/{uid}/sessions/{session}/")]
#[operation(name = "user_sessions.delete", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Ends a session of a user.")]
#[non_exhaustive]
pub struct DeleteSession {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
    /// The session.
    #[wire(path)]
    pub session: String,
}

/// Suspend a user: `POST .../users/{uid}/suspend/`, 200 with the [`User`]. The sessions end, and sign-in answers like a wrong password.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/users/{uid}/suspend/")]
#[operation(name = "users.suspend", read, credential = ApiKey, level = Administrator, answer = User)]
#[operation(new = "Suspends a user.")]
#[non_exhaustive]
pub struct Suspend {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Let a suspended user sign in again: `POST .../users/{uid}/resume/`, 200 with the [`User`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/users/{uid}/resume/")]
#[operation(name = "users.resume", read, credential = ApiKey, level = Administrator, answer = User)]
#[operation(new = "Lets a suspended user sign in again.")]
#[non_exhaustive]
pub struct Resume {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Mail an invitation again: `POST .../users/{uid}/invite/`, 200 with the [`User`].
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/users/{uid}/invite/")]
#[operation(name = "users.invite", read, credential = ApiKey, level = Administrator, answer = User)]
#[operation(new = "Mails an invitation again.")]
#[non_exhaustive]
pub struct Invite {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The user.
    #[wire(path)]
    pub uid: UserUid,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}
