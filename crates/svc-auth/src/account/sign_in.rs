//! Operations on sessions: begin, renew, inspect and end.

use serde::{Deserialize, Serialize};
use svc_model::{Realm, account::UserInfo, wire::Operation};

use super::Password;
use crate::{AuthState, RefreshToken};

/// Sign in: `POST .../auth/login`, 200 with [`SignedIn`]; 401 when the e-mail address or the password is wrong.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/login")]
#[operation(name = "account.login", read, credential = Anonymous, answer = SignedIn)]
#[operation(service = "/account/auth/login/")]
#[operation(new = "Signs a user in.")]
#[non_exhaustive]
pub struct Login {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The e-mail address.
    #[wire(body)]
    pub email: String,
    /// The password.
    #[wire(body)]
    pub password: Password,
}

/// The response to [`Login`]: `{"token": {...}, "user": {...}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignedIn {
    /// The tokens of the new session.
    pub token: AuthState,
    /// The user who signed in.
    pub user: UserInfo,
}

impl SignedIn {
    /// The response when a session of this user has begun.
    pub fn new(token: AuthState, user: UserInfo) -> Self {
        Self { token, user }
    }
}

/// Buy the next pair of tokens: `POST .../auth/refresh`, 200 with [`AuthState`]; 401 when the
/// session has ended.
///
/// This uses up the refresh token: it works for another 10 s, and using it later ends the session.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/refresh")]
#[operation(name = "account.refresh", read, credential = Anonymous, answer = AuthState)]
#[operation(service = "/account/auth/refresh/")]
#[operation(body = Self::to_body)]
#[operation(new = "Renews a session.")]
#[non_exhaustive]
pub struct Refresh {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
    /// The current refresh token.
    #[wire(elsewhere)]
    pub refresh_token: RefreshToken,
}

impl Refresh {
    /// The only place besides the stores where the token is written as text.
    fn to_body(&self) -> impl Serialize {
        #[derive(Serialize)]
        struct Body<'a> {
            refresh_token: &'a str,
        }

        Body {
            refresh_token: self.refresh_token.expose(),
        }
    }
}

/// The user who is signed in: `GET .../auth/user`, 200 with [`UserInfo`]; 401 when nobody is.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/auth/user")]
#[operation(name = "account.user", read, credential = Session, answer = UserInfo)]
#[operation(service = "/account/auth/user/")]
#[operation(new = "Gets the user who is signed in.")]
#[non_exhaustive]
pub struct GetUser {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
}

/// End the session on the server: `POST .../auth/logout` without a body, any 2xx status.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/auth/logout")]
#[operation(name = "account.logout", read, credential = Session)]
#[operation(service = "/account/auth/logout/")]
#[operation(new = "Ends the session whose token the call is sent with.")]
#[non_exhaustive]
pub struct Logout {
    /// Whose people: an environment with its users, or the service with its accounts.
    #[wire(path)]
    pub realm: Realm,
}
