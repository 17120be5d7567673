//! The service tokens of an environment (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, Scope,
    administration::{IssuedText, TeamName},
    wire::{Operation, ReadBody},
};

/// A service token; never its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServiceToken {
    /// The unique ID.
    pub uid: String,
    /// The team whose rights the service has.
    pub team: TeamName,
    /// The name for people.
    pub name: Option<String>,
    /// How the text of the token begins.
    pub prefix: String,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The time of the last use, exact to a minute (RFC 3339).
    pub last_use: Option<String>,
    /// The time at which the token ends (RFC 3339).
    pub expires: Option<String>,
    /// The time at which the token was revoked (RFC 3339).
    pub revoked: Option<String>,
}

/// A service token that was just created, with its text, which is shown this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedServiceToken {
    /// The token without its text.
    #[serde(flatten)]
    pub credential: ServiceToken,
    /// The text of the token; `None` when the answer repeats an earlier one.
    pub token: Option<IssuedText>,
}

/// The body of a new service token.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewServiceToken {
    /// The team whose rights the service has, by its unique ID or its name.
    pub team: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The time at which the token ends (RFC 3339); never when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl NewServiceToken {
    /// A token without an end.
    pub fn new(team: impl Into<String>) -> Self {
        Self {
            team: team.into(),
            name: None,
            expires: None,
        }
    }
}

/// List the service tokens: `GET {app_base_url}/projects/{project}/{environment}/service_tokens/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/service_tokens/")]
#[operation(name = "service_tokens.list", credential = ApiKey, level = Administrator, answer = Paginated<ServiceToken>)]
#[operation(new = "Lists the service tokens of an environment.")]
#[non_exhaustive]
pub struct List {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
    /// Whether those that were revoked are listed too.
    #[wire(query = "revoked", default)]
    pub revoked: bool,
}

/// Create a service token: `POST .../service_tokens/`, 201 with the token, this once.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/service_tokens/")]
#[operation(name = "service_tokens.create", read, status = CREATED, credential = ApiKey, level = Administrator, answer = CreatedServiceToken)]
#[operation(new = "Creates a service token.")]
#[non_exhaustive]
pub struct Create {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The new token.
    #[wire(whole_body)]
    pub new_token: NewServiceToken,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Revoke a service token: `DELETE .../service_tokens/{uid}/`, 204. It stops working at once.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/{environment}/service_tokens/{uid}/")]
#[operation(name = "service_tokens.revoke", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Revokes a service token.")]
#[non_exhaustive]
pub struct Delete {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The token.
    #[wire(path)]
    pub uid: String,
}
