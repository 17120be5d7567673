//! The operations of accounts: sign in and up, refresh, passwords, e-mail addresses (specification,
//! section 5; wire contract, section 9).
//!
//! They are values like those of `svc-model`. They are here because they speak of tokens, passwords
//! and codes, which have types of their own that `Debug` never shows.
//!
//! ```
//! use svc_auth::account::{AccountScope, Login};
//! use svc_model::wire::Operation;
//!
//! let login = Login::new(AccountScope::new("demo", "prod"), "ann@example.com", "correct horse");
//! let request = login.to_request("https://data.example.com")?;
//! assert_eq!(request.uri().path(), "/projects/demo/prod/auth/login");
//! assert!(!format!("{login:?}").contains("horse"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod email;
mod password;
mod register;
mod secret;
mod sign_in;

use bytes::Bytes;
use http::Method;
use serde::Serialize;
pub use svc_model::account::{
    AccountScope, EmailChangeRequested, EmailChanged, PasswordResetRequested, Registered, UserInfo,
};
use svc_model::wire::{Credential, Host, OperationInfo, RequestError};

pub use self::{
    email::{ChangeEmail, ChangeEmailComplete},
    password::{ChangePassword, PasswordChanged, ResetPassword, ResetPasswordComplete},
    register::{AcceptInvitation, Register},
    secret::{Code, Password},
    sign_in::{GetUser, Login, Logout, Refresh, SignedIn},
};

const fn info(
    name: &'static str,
    method: Method,
    path: &'static str,
    credential: Credential,
) -> OperationInfo {
    let idempotent = matches!(method, Method::GET);
    OperationInfo::new(name, method, Host::Data, path, credential, idempotent)
}

/// Writes a JSON body.
fn encode<T: Serialize>(value: &T) -> Result<Bytes, RequestError> {
    serde_json::to_vec(value)
        .map(Bytes::from)
        .map_err(|error| RequestError::new("the body cannot be written as JSON").with_source(error))
}

/// Makes a type an operation: its fields are the body, but for the scope, and the answer is JSON.
macro_rules! operation {
    ($type:ty => $response:ty, $name:literal, $path:expr, $credential:ident) => {
        impl svc_model::wire::Operation for $type {
            type Response = $response;

            const INFO: svc_model::wire::OperationInfo = $crate::account::info(
                $name,
                http::Method::POST,
                $path,
                svc_model::wire::Credential::$credential,
            );

            fn path_arguments(&self) -> svc_model::wire::PathArguments<'_> {
                self.scope.path_arguments()
            }

            fn query(&self) -> svc_model::QueryString {
                self.scope.query()
            }

            fn body(&self) -> Result<Option<bytes::Bytes>, svc_model::wire::RequestError> {
                $crate::account::encode(self).map(Some)
            }

            fn parse_success(
                response: http::Response<bytes::Bytes>,
            ) -> Result<Self::Response, svc_model::ResponseError> {
                svc_model::decode_json(response)
            }
        }
    };
}
use operation;

#[cfg(test)]
mod tests;
