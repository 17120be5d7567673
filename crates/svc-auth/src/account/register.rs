//! New users: signing up, and accepting an invitation.

use svc_model::{Realm, Scope, account::Registered, wire::Operation};

use super::{Code, Password, PasswordChanged};

/// Sign up: `POST .../auth/register`, 201 with [`Registered`]; 403 when sign-up is switched off in
/// the project. It does not sign the user in.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/register")]
#[operation(name = "account.register", read, status = CREATED, credential = Anonymous, answer = Registered)]
#[operation(new = "Signs a user up without names.")]
#[non_exhaustive]
pub struct Register {
    /// The environment of the user.
    #[wire(path)]
    pub scope: Scope,
    /// The e-mail address.
    #[wire(body)]
    pub email: String,
    /// The password.
    #[wire(body)]
    pub password: Password,
    /// The first name.
    #[wire(body)]
    pub first_name: Option<String>,
    /// The last name.
    #[wire(body)]
    pub last_name: Option<String>,
    /// The language, such as `en`.
    #[wire(body)]
    pub language: Option<String>,
    /// The IANA time zone, such as `Europe/Berlin`.
    #[wire(body)]
    pub timezone: Option<String>,
}

/// Accept an invitation: `POST .../auth/accept_invitation`, 200 with [`PasswordChanged`], whose
/// tokens sign the user in; 400 when the code is wrong or already used.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/accept_invitation")]
#[operation(name = "account.accept_invitation", read, credential = Anonymous, answer = PasswordChanged)]
#[operation(service = "/account/auth/accept_invitation/")]
#[operation(new = "Accepts an invitation and keeps the names unchanged.")]
#[non_exhaustive]
pub struct AcceptInvitation {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The code of the invitation.
    #[wire(body)]
    pub code: Code,
    /// The new password.
    #[wire(body)]
    pub password: Password,
    /// The first name.
    #[wire(body)]
    pub first_name: Option<String>,
    /// The last name.
    #[wire(body)]
    pub last_name: Option<String>,
}
