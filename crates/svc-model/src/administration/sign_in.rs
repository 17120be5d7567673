//! How the users of a project sign in (administration, section 2).

use serde::{Deserialize, Serialize};

use crate::{
    ProjectName,
    wire::{Operation, ReadBody},
};

/// How the users of a project sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignIn {
    /// Whether users may register themselves.
    pub sign_up: bool,
    /// The team of a user who registers: `editor` or `read_only`.
    pub sign_up_team: String,
    /// The domains of the e-mail addresses that may register; all when empty.
    pub email_domains: Vec<String>,
    /// Whether a user who registered has to confirm the address before signing in.
    pub confirm_email: bool,
    /// The least number of characters in a password.
    pub password_min_length: u32,
    /// How long an access token is valid, in seconds.
    pub access_token_seconds: u32,
    /// How long a refresh token is valid, in days.
    pub refresh_token_days: u32,
    /// Where links in mails lead, with `{call}` and `{code}` in it; `None` for the service's own pages.
    pub mail_link: Option<String>,
}

impl SignIn {
    /// The defaults, with these answers to who may register and into which team.
    pub fn new(sign_up: bool, sign_up_team: impl Into<String>) -> Self {
        Self {
            sign_up,
            sign_up_team: sign_up_team.into(),
            email_domains: Vec::new(),
            confirm_email: false,
            password_min_length: 8,
            access_token_seconds: 900,
            refresh_token_days: 30,
            mail_link: None,
        }
    }
}

/// The body of a change to how users sign in. A property that is left out keeps its value; an unknown property is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ReadBody)]
#[non_exhaustive]
pub struct SignInPatch {
    /// Whether users may register themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub sign_up: Option<bool>,
    /// The team of a user who registers: `editor` or `read_only`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub sign_up_team: Option<String>,
    /// The domains of the e-mail addresses that may register; all when empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub email_domains: Option<Vec<String>>,
    /// Whether a user who registered has to confirm the address before signing in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub confirm_email: Option<bool>,
    /// The least number of characters in a password, 8 to 128.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub password_min_length: Option<u32>,
    /// How long an access token is valid, in seconds, 60 to 86 400.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub access_token_seconds: Option<u32>,
    /// How long a refresh token is valid, in days, 1 to 365.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub refresh_token_days: Option<u32>,
    /// Where links in mails lead, with `{call}` and `{code}` in it; null for the service's own pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[wire(present)]
    pub mail_link: Option<Option<String>>,
}

impl SignInPatch {
    /// An empty change.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Get how users sign in: `GET {app_base_url}/projects/{project}/sign_in/`, 200 with the [`SignIn`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/sign_in/")]
#[operation(name = "sign_in.get", read, credential = ApiKey, level = Member, answer = SignIn)]
#[operation(new = "Gets how the users of a project sign in.")]
#[non_exhaustive]
pub struct Get {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
}

/// Change how users sign in: `PATCH .../sign_in/`, 200 with the [`SignIn`].
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Application "/projects/{project}/sign_in/")]
#[operation(name = "sign_in.update", read, credential = ApiKey, level = Administrator, answer = SignIn)]
#[operation(new = "Changes how the users of a project sign in.")]
#[non_exhaustive]
pub struct Update {
    /// The project.
    #[wire(path)]
    pub project: ProjectName,
    /// What to change.
    #[wire(whole_body)]
    pub patch: SignInPatch,
    /// Only when the settings still have this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
