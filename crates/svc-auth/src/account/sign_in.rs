//! The life of a session: begin, renew, look at it, end.

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize, Serializer};
use svc_model::{
    QueryString, ResponseError,
    account::{AccountScope, LOGIN_PATH, LOGOUT_PATH, REFRESH_PATH, USER_PATH, UserInfo},
    decode_json,
    wire::{Credential, Operation, OperationInfo, PathArguments},
};

use super::{Password, info, operation};
use crate::{AuthState, RefreshToken};

/// Sign in: `POST .../auth/login`, 200 with [`SignedIn`]; 401 when e-mail or password is wrong.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Login {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The e-mail address.
    pub email: String,
    /// The password.
    pub password: Password,
}

impl Login {
    /// Signs a user in.
    pub fn new(
        scope: AccountScope,
        email: impl Into<String>,
        password: impl Into<Password>,
    ) -> Self {
        Self {
            scope,
            email: email.into(),
            password: password.into(),
        }
    }
}

operation!(Login => SignedIn, "account.login", LOGIN_PATH, Anonymous);

/// The answer to [`Login`]: `{"token": {...}, "user": {...}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignedIn {
    /// The tokens of the session that has begun.
    pub token: AuthState,
    /// Who signed in.
    pub user: UserInfo,
}

/// Buy the next pair of tokens: `POST .../auth/refresh`, 200 with [`AuthState`]; 401 when the
/// session has ended.
///
/// The refresh token is used up by this: it works for 10 s more, and later use ends the session.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Refresh {
    /// Whose users.
    #[serde(skip)]
    pub scope: AccountScope,
    /// The refresh token of the pair until now.
    #[serde(serialize_with = "expose")]
    pub refresh_token: RefreshToken,
}

impl Refresh {
    /// Renews a session.
    pub fn new(scope: AccountScope, refresh_token: impl Into<RefreshToken>) -> Self {
        Self {
            scope,
            refresh_token: refresh_token.into(),
        }
    }
}

operation!(Refresh => AuthState, "account.refresh", REFRESH_PATH, Anonymous);

fn expose<S: Serializer>(token: &RefreshToken, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(token.expose())
}

/// The user who is signed in: `GET .../auth/user`, 200 with [`UserInfo`]; 401 when nobody is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GetUser {
    /// Whose users.
    pub scope: AccountScope,
}

impl GetUser {
    /// Asks who is signed in.
    pub fn new(scope: AccountScope) -> Self {
        Self { scope }
    }
}

impl Operation for GetUser {
    type Response = UserInfo;

    const INFO: OperationInfo = info("account.user", Method::GET, USER_PATH, Credential::Session);

    fn path_arguments(&self) -> PathArguments<'_> {
        self.scope.path_arguments()
    }

    fn query(&self) -> QueryString {
        self.scope.query()
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<UserInfo, ResponseError> {
        decode_json(response)
    }
}

/// End the session on the server: `POST .../auth/logout` without a body; any success will do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Logout {
    /// Whose users.
    pub scope: AccountScope,
}

impl Logout {
    /// Ends the session that the call is sent with.
    pub fn new(scope: AccountScope) -> Self {
        Self { scope }
    }
}

impl Operation for Logout {
    type Response = ();

    const INFO: OperationInfo = info(
        "account.logout",
        Method::POST,
        LOGOUT_PATH,
        Credential::Session,
    );

    fn path_arguments(&self) -> PathArguments<'_> {
        self.scope.path_arguments()
    }

    fn query(&self) -> QueryString {
        self.scope.query()
    }

    fn parse_success(_: http::Response<Bytes>) -> Result<(), ResponseError> {
        Ok(())
    }
}
