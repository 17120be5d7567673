//! The account of the caller: its profile (administration, section 1). Its keys and sessions are in
//! [`account_keys`](super::account_keys) and [`account_sessions`](super::account_sessions).

use serde::{Deserialize, Serialize};

use crate::{
    ProjectName,
    administration::TeamName,
    wire::{Operation, ReadBody},
};

/// The account of the caller.
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
    /// The language, such as `en`.
    pub language: Option<String>,
    /// The IANA time zone, such as `Europe/Berlin`.
    pub timezone: Option<String>,
    /// Whether the account operates the service.
    pub is_operator: bool,
    /// Whether signing in requires a second factor.
    pub otp_enabled: bool,
    /// The projects that the credential of the call has access to.
    pub projects: Vec<ProjectOfAccount>,
}

impl Account {
    /// An account without names that does not operate the service.
    pub fn new(uid: impl Into<String>, email: impl Into<String>) -> Self {
        Self {
            uid: uid.into(),
            email: email.into(),
            first_name: None,
            last_name: None,
            language: None,
            timezone: None,
            is_operator: false,
            otp_enabled: false,
            projects: Vec::new(),
        }
    }
}

/// A project of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectOfAccount {
    /// The unique name.
    pub unique_name: ProjectName,
    /// The display name.
    pub name: String,
    /// The team of the account.
    pub team: TeamName,
}

impl ProjectOfAccount {
    /// A project with the team that the account has there.
    pub fn new(
        unique_name: impl Into<ProjectName>,
        name: impl Into<String>,
        team: TeamName,
    ) -> Self {
        Self {
            unique_name: unique_name.into(),
            name: name.into(),
            team,
        }
    }
}

/// The body of a change to the account. A property that is left out keeps its value; an unknown property is an error.
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
    /// The language, such as `en`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub language: Option<Option<String>>,
    /// The IANA time zone, such as `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub timezone: Option<Option<String>>,
}

impl AccountPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Get the account of the caller: `GET {app_base_url}/account/`, 200 with the [`Account`].
#[derive(Clone, Debug, Default, Operation)]
#[operation(GET Application "/account/")]
#[operation(name = "account.get", read, credential = ApiKey, level = Account, answer = Account)]
#[operation(new = "Gets the account of the caller.")]
#[non_exhaustive]
pub struct Get {}

/// Change the account of the caller: `PATCH {app_base_url}/account/`, 200 with the [`Account`].
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/account/")]
#[operation(name = "account.update", read, credential = ApiKey, level = WholeAccount, answer = Account)]
#[operation(new = "Changes the account of the caller.")]
#[non_exhaustive]
pub struct Update {
    /// What to change.
    #[wire(whole_body)]
    pub patch: AccountPatch,
    /// Only when the account still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
