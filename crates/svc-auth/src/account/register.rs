//! How a user comes to be: by signing up, or by accepting an invitation.

use serde::Serialize;
use svc_model::account::{ACCEPT_INVITATION_PATH, AccountScope, REGISTER_PATH, Registered};

use super::{Code, Password, PasswordChanged, operation};

/// Sign up: `POST .../auth/register`, 201 with [`Registered`]; 403 when the project has sign-up
/// off. It signs nobody in.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Register {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The e-mail address.
    pub email: String,
    /// The password.
    pub password: Password,
    /// The first name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// The last name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// The language, such as `en`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The IANA time zone, such as `Europe/Berlin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

impl Register {
    /// Signs up with an e-mail address and a password, and nothing else known.
    pub fn new(
        scope: AccountScope,
        email: impl Into<String>,
        password: impl Into<Password>,
    ) -> Self {
        Self {
            scope,
            email: email.into(),
            password: password.into(),
            first_name: None,
            last_name: None,
            language: None,
            timezone: None,
        }
    }
}

operation!(Register => Registered, "account.register", REGISTER_PATH, Anonymous);

/// Accept an invitation: `POST .../auth/accept_invitation`, 200 with [`PasswordChanged`], whose
/// tokens sign the user in; 400 when the code is wrong or used up.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct AcceptInvitation {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The code of the invitation.
    pub code: Code,
    /// The password from now on.
    pub password: Password,
    /// The first name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// The last name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
}

impl AcceptInvitation {
    /// Accepts an invitation, and leaves the names as they are.
    pub fn new(scope: AccountScope, code: impl Into<Code>, password: impl Into<Password>) -> Self {
        Self {
            scope,
            code: code.into(),
            password: password.into(),
            first_name: None,
            last_name: None,
        }
    }
}

operation!(
    AcceptInvitation => PasswordChanged,
    "account.accept_invitation",
    ACCEPT_INVITATION_PATH,
    Anonymous
);
