//! What the console needs of the service that it shows.

use std::{fmt, sync::Arc};

use http::{HeaderValue, request::Parts};
use svc_api::auth::AuthState;
use svc_model::{
    Invalid,
    wire::{BoxFuture, Transport},
};

/// Any error.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What came of making the first operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FirstOperator {
    /// There is one now.
    Made,
    /// There was one already.
    TooLate,
    /// What was entered is refused: `email` and `password` are the names of the fields.
    Refused(Invalid),
}

/// A session that goes on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpenSession {
    /// The `Authorization` of its calls.
    pub authorization: HeaderValue,
    /// What the browser keeps from now on, where that is something else than before.
    pub kept: Option<String>,
}

impl OpenSession {
    /// A session of which the browser keeps the same as before.
    pub fn new(authorization: HeaderValue) -> Self {
        Self {
            authorization,
            kept: None,
        }
    }
}

/// The service behind the console: how it is reached, and how a browser keeps a session.
pub trait Service: fmt::Debug + Send + Sync + 'static {
    /// The data host, over the [transport](Self::transport).
    fn base_url(&self) -> &str;

    /// The application host, over the [transport](Self::transport).
    fn app_base_url(&self) -> &str;

    /// A short name of this service. It is part of the cookie's name, since ports do not keep cookies apart.
    fn short_name(&self) -> &str;

    /// Scheme, host and path prefix under which a browser has reached the console.
    fn origin(&self, request: &Parts) -> String;

    /// The data host, as programs of who looks reach it.
    fn data_url(&self, request: &Parts) -> String;

    /// The same of the application host.
    fn app_url(&self, request: &Parts) -> String;

    /// The way to the service for one request of a browser.
    fn transport(&self, request: &Parts) -> Arc<dyn Transport>;

    /// What a browser keeps of a session that begins; `None` when its tokens cannot be kept.
    fn browser_session(&self, tokens: AuthState) -> Option<String>;

    /// The session that a browser keeps; `None` when it has ended.
    ///
    /// # Errors
    /// When nobody can say so now.
    fn open_session<'a>(
        &'a self,
        kept: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenSession>, BoxError>>;

    /// The service has refused this `Authorization` of the session that a browser keeps, so that another one is needed.
    fn refused(&self, kept: &str, authorization: &HeaderValue);

    /// The ways in by a code; `None` where only another process knows the codes. Their places then do not exist.
    fn codes(&self) -> Option<&dyn Codes>;
}

/// Ways in without a password, by codes that only the service itself knows.
pub trait Codes: fmt::Debug + Send + Sync {
    /// Signs in who has a link for one use; gives what the browser keeps, `None` when the code of the link is not valid.
    ///
    /// # Errors
    /// When nobody can say so now.
    fn sign_in_with<'a>(
        &'a self,
        request: &'a Parts,
        code: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, BoxError>>;

    /// Whether this code opens the page that makes the first operator.
    ///
    /// # Errors
    /// When nobody can say so now.
    fn is_first_run<'a>(&'a self, code: &'a str) -> BoxFuture<'a, Result<bool, BoxError>>;

    /// Makes the first operator, who has this code.
    ///
    /// # Errors
    /// When it cannot be done now.
    fn make_operator<'a>(
        &'a self,
        code: &'a str,
        email: &'a str,
        password: &'a str,
    ) -> BoxFuture<'a, Result<FirstOperator, BoxError>>;
}
