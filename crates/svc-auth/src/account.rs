//! The operations of accounts: sign in and up, refresh, passwords, e-mail addresses, sessions (specification,
//! section 5; wire contract, section 9).
//!
//! They are values like those of `svc-model`. They are in this crate because they contain tokens,
//! passwords and codes, whose types `Debug` never shows.
//!
//! ```
//! use svc_auth::account::Login;
//! use svc_model::wire::Operation;
//!
//! let login = Login::new(("demo", "prod"), "ann@example.com", "correct horse");
//! let request = login.to_request("https://data.example.com")?;
//! assert_eq!(request.uri().path(), "/projects/demo/prod/auth/login");
//! assert!(!format!("{login:?}").contains("horse"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod email;
mod password;
mod register;
mod secret;
mod sessions;
mod sign_in;

pub use svc_model::{
    account::{EmailChangeRequested, EmailChanged, PasswordResetRequested, Registered, UserInfo},
    administration::Session,
};

pub use self::{
    email::{ChangeEmail, ChangeEmailComplete},
    password::{ChangePassword, PasswordChanged, ResetPassword, ResetPasswordComplete},
    register::{AcceptInvitation, Register},
    secret::{Code, Password},
    sessions::{EndOtherSessions, EndSession, ListSessions},
    sign_in::{GetUser, Login, Logout, Refresh, SignedIn},
};

#[cfg(test)]
mod tests;
