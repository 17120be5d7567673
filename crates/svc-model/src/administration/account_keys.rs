//! The API keys of the caller's account (administration, section 1).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, ProjectName,
    administration::IssuedText,
    wire::{Operation, ReadBody},
};

/// An API key; never its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApiKey {
    /// The unique ID.
    pub uid: String,
    /// The name for people.
    pub name: Option<String>,
    /// How the text of the key begins.
    pub prefix: String,
    /// The projects that the key has access to; `None` for all projects of the account, now and later.
    pub projects: Option<Vec<ProjectName>>,
    /// The time of creation (RFC 3339).
    pub date_add: String,
    /// The time of the last use, exact to a minute (RFC 3339).
    pub last_use: Option<String>,
    /// The time at which the key ends (RFC 3339).
    pub expires: Option<String>,
    /// The time at which the key was revoked (RFC 3339).
    pub revoked: Option<String>,
}

/// The body of a new API key.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewApiKey {
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The time at which the key ends (RFC 3339); never when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// The projects that the key has access to; all of the account's when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<String>>,
}

impl NewApiKey {
    /// A key without an end that has access to all projects of the account.
    pub fn new() -> Self {
        Self {
            name: None,
            expires: None,
            projects: None,
        }
    }
}

impl Default for NewApiKey {
    fn default() -> Self {
        Self::new()
    }
}

/// An API key that was just created, with its text, which is shown this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedApiKey {
    /// The key.
    #[serde(flatten)]
    pub key: ApiKey,
    /// The text of the key; `None` when the answer repeats an earlier one.
    pub api_key: Option<IssuedText>,
}

/// List the API keys of the account: `GET {app_base_url}/account/api_keys/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/account/api_keys/")]
#[operation(name = "account_keys.list", credential = ApiKey, level = WholeAccount, answer = Paginated<ApiKey>)]
#[operation(new = "Lists the API keys of the account.")]
#[non_exhaustive]
pub struct List {
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
    /// Whether those that were revoked are listed too.
    #[wire(query = "revoked", default)]
    pub revoked: bool,
}

/// Create an API key: `POST {app_base_url}/account/api_keys/`, 201 with the key, this once.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/account/api_keys/")]
#[operation(name = "account_keys.create", read, status = CREATED, credential = ApiKey, level = WholeAccount, answer = CreatedApiKey)]
#[operation(new = "Creates an API key.")]
#[non_exhaustive]
pub struct Create {
    /// The new key.
    #[wire(whole_body)]
    pub key: NewApiKey,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Revoke an API key: `DELETE {app_base_url}/account/api_keys/{uid}/`, 204. It stops working at once.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/account/api_keys/{uid}/")]
#[operation(name = "account_keys.delete", read, credential = ApiKey, level = WholeAccount)]
#[operation(new = "Revokes an API key.")]
#[non_exhaustive]
pub struct Delete {
    /// The key.
    #[wire(path)]
    pub uid: String,
}
