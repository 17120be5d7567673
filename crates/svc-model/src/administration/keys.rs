//! The API keys of all accounts, for operators of the service (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated, ProjectName,
    administration::{IssuedText, account_keys::ApiKey},
    wire::{Operation, ReadBody},
};

/// An API key, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Key {
    /// The key.
    #[serde(flatten)]
    pub key: ApiKey,
    /// The e-mail address of the account.
    pub email: String,
}

/// The body of a new API key of an account.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewKey {
    /// A project of the account. An account that is no member becomes an administrator of it.
    pub project: ProjectName,
    /// The e-mail address of the account, which is created when there is none; the owner of the project when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The time at which the key ends (RFC 3339); never when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

impl NewKey {
    /// A key of the owner of a project, without an end.
    pub fn new(project: impl Into<ProjectName>) -> Self {
        Self {
            project: project.into(),
            email: None,
            name: None,
            expires: None,
        }
    }
}

/// An API key that was just created, with its text, which is shown this once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedKey {
    /// The key.
    #[serde(flatten)]
    pub key: Key,
    /// The text of the key; `None` when the answer repeats an earlier one.
    pub api_key: Option<IssuedText>,
}

/// List the API keys of all accounts: `GET {app_base_url}/api_keys/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/api_keys/")]
#[operation(name = "api_keys.list_all", credential = ApiKey, level = Operator, answer = Paginated<Key>)]
#[operation(new = "Lists the API keys of all accounts.")]
#[non_exhaustive]
pub struct List {
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
    /// Whether those that were revoked are listed too.
    #[wire(query = "revoked", default)]
    pub revoked: bool,
}

/// Create an API key of an account: `POST {app_base_url}/api_keys/`, 201 with the key, this once.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/api_keys/")]
#[operation(name = "api_keys.create", read, status = CREATED, credential = ApiKey, level = Operator, answer = CreatedKey)]
#[operation(new = "Creates an API key of an account.")]
#[non_exhaustive]
pub struct Create {
    /// The new key.
    #[wire(whole_body)]
    pub new_key: NewKey,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Revoke an API key of any account: `DELETE {app_base_url}/api_keys/{uid}/`, 204. It stops working at once.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/api_keys/{uid}/")]
#[operation(name = "api_keys.revoke", read, credential = ApiKey, level = Operator)]
#[operation(new = "Revokes an API key.")]
#[non_exhaustive]
pub struct Delete {
    /// The key.
    #[wire(path)]
    pub uid: String,
}
