//! The accounts of the service, for its operators (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    ListQuery, Paginated,
    administration::SecretValue,
    wire::{Operation, ReadBody},
};

/// An account of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Account {
    /// The unique ID.
    pub uid: String,
    /// The e-mail address.
    pub email: String,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
    /// Whether the account operates the service.
    pub is_operator: bool,
    /// Whether nobody can act with the account.
    pub suspended: bool,
    /// Whether an invitation was accepted: a password was chosen.
    pub has_password: bool,
    /// The time of creation (RFC 3339).
    pub date_add: String,
}

/// The body of a new account.
#[derive(Clone, Debug, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct NewAccount {
    /// The e-mail address.
    pub email: String,
    /// The given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// The family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Whether the account operates the service; no when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_operator: Option<bool>,
    /// A password, so that the person can sign in at once; an invitation is mailed when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretValue>,
}

impl NewAccount {
    /// An account without names that does not operate the service.
    pub fn new(email: impl Into<String>) -> Self {
        Self {
            email: email.into(),
            first_name: None,
            last_name: None,
            is_operator: None,
            password: None,
        }
    }
}

/// The body of a change to an account. A property that is left out keeps its value; an unknown property is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct AccountPatch {
    /// The given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub first_name: Option<Option<String>>,
    /// The family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub last_name: Option<Option<String>>,
    /// Whether the account operates the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub is_operator: Option<bool>,
    /// Whether nobody can act with the account; its sessions end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub suspended: Option<bool>,
}

impl AccountPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// List the accounts: `GET {app_base_url}/accounts/`, 200 with the paginated envelope.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/accounts/")]
#[operation(name = "accounts.list", credential = ApiKey, level = Operator, answer = Paginated<Account>)]
#[operation(new = "Lists the accounts of the service.")]
#[non_exhaustive]
pub struct List {
    /// The query that selects and orders them.
    #[wire(query)]
    pub query: ListQuery,
}

/// Create an account: `POST {app_base_url}/accounts/`, 201 with the [`Account`]. One without a password
/// is invited by mail.
#[derive(Clone, Debug, Operation)]
#[operation(POST Application "/accounts/")]
#[operation(name = "accounts.create", read, status = CREATED, credential = ApiKey, level = Operator, answer = Account)]
#[operation(new = "Creates an account.")]
#[non_exhaustive]
pub struct Create {
    /// The new account.
    #[wire(whole_body)]
    pub account: NewAccount,
    /// A name for this call: a second call with it gets the first answer.
    #[wire(header = "idempotency-key")]
    pub idempotency_key: Option<String>,
}

/// Get an account: `GET {app_base_url}/accounts/{uid}/`, 200 with the [`Account`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/accounts/{uid}/")]
#[operation(name = "accounts.get", read, credential = ApiKey, level = Operator, answer = Account)]
#[operation(new = "Gets an account.")]
#[non_exhaustive]
pub struct Get {
    /// The account.
    #[wire(path)]
    pub uid: String,
}

/// Change an account: `PATCH {app_base_url}/accounts/{uid}/`, 200 with the [`Account`].
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/accounts/{uid}/")]
#[operation(name = "accounts.update", read, credential = ApiKey, level = Operator, answer = Account)]
#[operation(new = "Changes an account.")]
#[non_exhaustive]
pub struct Update {
    /// The account.
    #[wire(path)]
    pub uid: String,
    /// What to change.
    #[wire(whole_body)]
    pub patch: AccountPatch,
    /// Only when the account still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}

/// Delete an account: `DELETE {app_base_url}/accounts/{uid}/`, 204.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Application "/accounts/{uid}/")]
#[operation(name = "accounts.delete", read, credential = ApiKey, level = Operator)]
#[operation(new = "Deletes an account.")]
#[non_exhaustive]
pub struct Delete {
    /// The account.
    #[wire(path)]
    pub uid: String,
    /// Only when the account still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
