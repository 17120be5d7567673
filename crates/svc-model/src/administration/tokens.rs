//! The static tokens of an environment's resources (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, ResourceName, Scope,
    administration::IssuedText,
    wire::{Operation, ReadBody},
};

/// A static token; never its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Token {
    /// The unique ID.
    pub uid: String,
    /// The resource.
    pub resource: ResourceName,
    /// The name for people.
    pub name: Option<String>,
    /// How the text of the token begins.
    pub prefix: String,
    /// What may be done with the records: `read`, `write`, `delete`; `None` for everything, SQL too.
    pub rights: Option<Vec<String>>,
    /// The models; `None` for all.
    pub models: Option<Vec<String>>,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The time of the last use, exact to a minute (RFC 3339).
    pub last_use: Option<String>,
    /// The time at which the token ends (RFC 3339).
    pub expires: Option<String>,
    /// The time at which the token was revoked (RFC 3339).
    pub revoked: Option<String>,
}

/// A static token that was just created, with its text, which is shown this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedToken {
    /// The token without its text.
    #[serde(flatten)]
    pub credential: Token,
    /// The text of the token; `None` when the answer repeats an earlier one.
    pub token: Option<IssuedText>,
}

/// The body of a new static token.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewToken {
    /// The resource; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The time at which the token ends (RFC 3339); never when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// What may be done with the records: `read`, `write`, `delete`; everything, SQL too, when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rights: Option<Vec<String>>,
    /// The models; all when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<String>>,
}

impl NewToken {
    /// A token without an end.
    pub fn new(resource: impl Into<ResourceName>) -> Self {
        Self {
            resource: resource.into(),
            name: None,
            expires: None,
            rights: None,
            models: None,
        }
    }
}

/// List the static tokens: `GET {app_base_url}/projects/{project}/{environment}/tokens/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/tokens/")]
#[operation(name = "tokens.list", credential = ApiKey, level = Administrator, answer = Paginated<Token>)]
#[operation(new = "Lists the static tokens of an environment.")]
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

/// Create a static token: `POST .../tokens/`, 201 with the token, this once.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/projects/{project}/{environment}/tokens/")]
#[operation(name = "tokens.create", read, status = CREATED, credential = ApiKey, level = Administrator, answer = CreatedToken)]
#[operation(new = "Creates a static token.")]
#[non_exhaustive]
pub struct Create {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The new token.
    #[wire(whole_body)]
    pub new_token: NewToken,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Revoke a static token: `DELETE .../tokens/{uid}/`, 204. It stops working at once.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/projects/{project}/{environment}/tokens/{uid}/")]
#[operation(name = "tokens.revoke", read, credential = ApiKey, level = Administrator)]
#[operation(new = "Revokes a static token.")]
#[non_exhaustive]
pub struct Delete {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The token.
    #[wire(path)]
    pub uid: String,
}
