//! Changing a password, and resetting a forgotten one.

use serde::{Deserialize, Serialize};
use svc_model::{
    Realm, account::PasswordResetRequested, administration::account_keys::ApiKey, wire::Operation,
};

use super::{Code, Password};
use crate::AuthState;

/// Change the password: `POST .../auth/change_password`, 200 with [`PasswordChanged`]. All other
/// sessions of the user end.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/change_password")]
#[operation(name = "account.change_password", read, credential = Session, answer = PasswordChanged)]
#[operation(service = "/account/auth/change_password/")]
#[non_exhaustive]
pub struct ChangePassword {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The new password.
    #[wire(body)]
    pub new_password: Password,
    /// The current password; only a user without a password may leave it out.
    #[wire(body)]
    pub current_password: Option<Password>,
}

impl ChangePassword {
    /// Changes the password of the user who is signed in.
    pub fn new(
        realm: impl Into<Realm>,
        new_password: impl Into<Password>,
        current_password: Option<Password>,
    ) -> Self {
        Self {
            realm: realm.into(),
            new_password: new_password.into(),
            current_password,
        }
    }
}

/// The response of operations that set a password: `{"result": true, "new_state": {...}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PasswordChanged {
    /// Whether the password was set.
    pub result: bool,
    /// The tokens of the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_state: Option<AuthState>,
    /// The API keys of the account, which work as before; `None` for a user of an environment, who has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_keys: Option<Vec<ApiKey>>,
}

impl PasswordChanged {
    /// The response when the password was set and a new session has begun.
    pub fn new(new_state: AuthState) -> Self {
        Self {
            result: true,
            new_state: Some(new_state),
            api_keys: None,
        }
    }
}

/// Ask for a code that resets a forgotten password: `POST .../auth/reset_password`, 200 with
/// [`PasswordResetRequested`] whether or not the account exists.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/reset_password")]
#[operation(name = "account.reset_password", read, credential = Anonymous, answer = PasswordResetRequested)]
#[operation(service = "/account/auth/reset_password/")]
#[operation(new = "Requests a code by e-mail.")]
#[non_exhaustive]
pub struct ResetPassword {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The e-mail address.
    #[wire(body)]
    pub email: String,
}

/// Reset a forgotten password: `POST .../auth/reset_password_complete`, 200 with
/// [`PasswordChanged`]; 400 when the code is wrong, already used, or older than an hour.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/reset_password_complete")]
#[operation(name = "account.reset_password_complete", read, credential = Anonymous, answer = PasswordChanged)]
#[operation(service = "/account/auth/reset_password_complete/")]
#[operation(new = "Sets the password with a code.")]
#[non_exhaustive]
pub struct ResetPasswordComplete {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The code that was sent by e-mail.
    #[wire(body)]
    pub code: Code,
    /// The new password.
    #[wire(body)]
    pub new_password: Password,
}
