//! Changing an e-mail address, which the new address confirms.

use serde::Serialize;
use svc_model::account::{
    AccountScope, CHANGE_EMAIL_COMPLETE_PATH, CHANGE_EMAIL_PATH, EmailChangeRequested, EmailChanged,
};

use super::{Code, Password, operation};

/// Ask for another e-mail address: `POST .../auth/change_email`, 200 with
/// [`EmailChangeRequested`]. Nothing changes until the new address confirms it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ChangeEmail {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The e-mail address from then on.
    pub new_email: String,
    /// The password; only a user who has none may leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_password: Option<Password>,
}

impl ChangeEmail {
    /// Asks for another address for the user who is signed in.
    pub fn new(
        scope: AccountScope,
        new_email: impl Into<String>,
        current_password: Option<Password>,
    ) -> Self {
        Self {
            scope,
            new_email: new_email.into(),
            current_password,
        }
    }
}

operation!(
    ChangeEmail => EmailChangeRequested,
    "account.change_email",
    CHANGE_EMAIL_PATH,
    Session
);

/// Confirm another e-mail address: `POST .../auth/change_email_complete`, 200 with
/// [`EmailChanged`]; 400 when the code is wrong or used up.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ChangeEmailComplete {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The code that came to the new address.
    pub code: Code,
}

impl ChangeEmailComplete {
    /// Confirms an address with a code.
    pub fn new(scope: AccountScope, code: impl Into<Code>) -> Self {
        Self {
            scope,
            code: code.into(),
        }
    }
}

operation!(
    ChangeEmailComplete => EmailChanged,
    "account.change_email_complete",
    CHANGE_EMAIL_COMPLETE_PATH,
    Anonymous
);
