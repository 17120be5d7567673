//! Changing an e-mail address, which is confirmed with a code that is sent to the new address.

use svc_model::{
    Realm,
    account::{EmailChangeRequested, EmailChanged},
    wire::Operation,
};

use super::{Code, Password};

/// Ask for another e-mail address: `POST .../auth/change_email`, 200 with
/// [`EmailChangeRequested`]. Nothing changes until the new address confirms it.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/change_email")]
#[operation(name = "account.change_email", read, credential = Session, answer = EmailChangeRequested)]
#[operation(service = "/account/auth/change_email/")]
#[non_exhaustive]
pub struct ChangeEmail {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The new e-mail address.
    #[wire(body)]
    pub new_email: String,
    /// The current password; only a user without a password may leave it out.
    #[wire(body)]
    pub current_password: Option<Password>,
}

impl ChangeEmail {
    /// Requests another address for the user who is signed in.
    pub fn new(
        realm: impl Into<Realm>,
        new_email: impl Into<String>,
        current_password: Option<Password>,
    ) -> Self {
        Self {
            realm: realm.into(),
            new_email: new_email.into(),
            current_password,
        }
    }
}

/// Confirm another e-mail address: `POST .../auth/change_email_complete`, 200 with
/// [`EmailChanged`]; 400 when the code is wrong or already used.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/change_email_complete")]
#[operation(name = "account.change_email_complete", read, credential = Anonymous, answer = EmailChanged)]
#[operation(service = "/account/auth/change_email_complete/")]
#[operation(new = "Confirms an address with a code.")]
#[non_exhaustive]
pub struct ChangeEmailComplete {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The code that was sent to the new address.
    #[wire(body)]
    pub code: Code,
}
