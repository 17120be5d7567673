//! Changing a password, and setting a forgotten one anew.

use serde::{Deserialize, Serialize};
use svc_model::account::{
    AccountScope, CHANGE_PASSWORD_PATH, PasswordResetRequested, RESET_PASSWORD_COMPLETE_PATH,
    RESET_PASSWORD_PATH,
};

use super::{Code, Password, operation};
use crate::AuthState;

/// Change the password: `POST .../auth/change_password`, 200 with [`PasswordChanged`]. All other
/// sessions of the user end.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ChangePassword {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The password from now on.
    pub new_password: Password,
    /// The password until now; only a user who has none may leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_password: Option<Password>,
}

impl ChangePassword {
    /// Changes the password of the user who is signed in.
    pub fn new(
        scope: AccountScope,
        new_password: impl Into<Password>,
        current_password: Option<Password>,
    ) -> Self {
        Self {
            scope,
            new_password: new_password.into(),
            current_password,
        }
    }
}

operation!(
    ChangePassword => PasswordChanged,
    "account.change_password",
    CHANGE_PASSWORD_PATH,
    Session
);

/// The answer to a call that sets a password: `{"result": true, "new_state": {...}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PasswordChanged {
    /// Whether the password was set.
    pub result: bool,
    /// The tokens of the session that has begun with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_state: Option<AuthState>,
}

/// Ask for a code that sets a forgotten password anew: `POST .../auth/reset_password`, 200 with
/// [`PasswordResetRequested`] whether or not there is such an account.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ResetPassword {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The e-mail address.
    pub email: String,
}

impl ResetPassword {
    /// Asks for a code by e-mail.
    pub fn new(scope: AccountScope, email: impl Into<String>) -> Self {
        Self {
            scope,
            email: email.into(),
        }
    }
}

operation!(
    ResetPassword => PasswordResetRequested,
    "account.reset_password",
    RESET_PASSWORD_PATH,
    Anonymous
);

/// Set a forgotten password anew: `POST .../auth/reset_password_complete`, 200 with
/// [`PasswordChanged`]; 400 when the code is wrong, used up, or older than an hour.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ResetPasswordComplete {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The code that came by e-mail.
    pub code: Code,
    /// The password from now on.
    pub new_password: Password,
}

impl ResetPasswordComplete {
    /// Sets the password with a code.
    pub fn new(
        scope: AccountScope,
        code: impl Into<Code>,
        new_password: impl Into<Password>,
    ) -> Self {
        Self {
            scope,
            code: code.into(),
            new_password: new_password.into(),
        }
    }
}

operation!(
    ResetPasswordComplete => PasswordChanged,
    "account.reset_password_complete",
    RESET_PASSWORD_COMPLETE_PATH,
    Anonymous
);
