//! Changing a password, and resetting a forgotten one.

use serde::{Deserialize, Serialize};
use svc_model::{Scope, account::PasswordResetRequested, wire::Operation};

use super::{Code, Password};
use crate::AuthState;

/// Change the password: `POST .../auth/change_password`, 200 with [`PasswordChanged`]. All other
/// sessions of the user end.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/change_password")]
#[operation(name = "account.change_password", read, credential = Session, answer = PasswordChanged)]
#[non_exhaustive]
pub struct ChangePassword {
    /// Whose users.
    #[wire(path)]
    pub scope: Scope,
    /// The password from now on.
    #[wire(body)]
    pub new_password: Password,
    /// The password until now; only a user who has none may leave it out.
    #[wire(body)]
    pub current_password: Option<Password>,
}

impl ChangePassword {
    /// Changes the password of the user who is signed in.
    pub fn new(
        scope: impl Into<Scope>,
        new_password: impl Into<Password>,
        current_password: Option<Password>,
    ) -> Self {
        Self {
            scope: scope.into(),
            new_password: new_password.into(),
            current_password,
        }
    }
}

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

impl PasswordChanged {
    /// The password was set, and this session has begun with it.
    pub fn new(new_state: AuthState) -> Self {
        Self {
            result: true,
            new_state: Some(new_state),
        }
    }
}

/// Ask for a code that resets a forgotten password: `POST .../auth/reset_password`, 200 with
/// [`PasswordResetRequested`] whether or not there is such an account.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/reset_password")]
#[operation(name = "account.reset_password", read, credential = Anonymous, answer = PasswordResetRequested)]
#[operation(new = "Asks for a code by e-mail.")]
#[non_exhaustive]
pub struct ResetPassword {
    /// Whose users.
    #[wire(path)]
    pub scope: Scope,
    /// The e-mail address.
    #[wire(body)]
    pub email: String,
}

/// Reset a forgotten password: `POST .../auth/reset_password_complete`, 200 with
/// [`PasswordChanged`]; 400 when the code is wrong, used up, or older than an hour.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/reset_password_complete")]
#[operation(name = "account.reset_password_complete", read, credential = Anonymous, answer = PasswordChanged)]
#[operation(new = "Sets the password with a code.")]
#[non_exhaustive]
pub struct ResetPasswordComplete {
    /// Whose users.
    #[wire(path)]
    pub scope: Scope,
    /// The code that came by e-mail.
    #[wire(body)]
    pub code: Code,
    /// The password from now on.
    #[wire(body)]
    pub new_password: Password,
}
