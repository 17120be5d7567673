//! The console as a part of the service.

use std::sync::Arc;

use http::{HeaderValue, request::Parts};
use svc_api::{
    auth::AuthState,
    wire::{BoxFuture, Transport},
};
use svc_console::{BoxError, Codes, Console, FirstOperator, OpenSession, Service};
use svc_server::{ConsoleService, Server};
use svc_store::{Secret, Store};

use crate::error::Error;

/// Has the console answer below `/console`.
pub(crate) fn mount(server: &Server) {
    let console = Console::new(Mounted(server.console_service()));
    server.set_console(Arc::new(console));
}

/// The address of the console's page that makes the first operator; `None` once there is one.
pub(crate) async fn first_run_link(
    store: &Store,
    server: &Server,
) -> Result<Option<Secret>, Error> {
    let code = store.sessions().first_run_code().await?;
    Ok(code.map(|code| {
        let code = code.expose();
        Secret::new(format!("{}/first-run/?code={code}", address(server)))
    }))
}

/// An address of the console that signs in once, as the account with this e-mail address.
pub(crate) async fn sign_in_link(
    store: &Store,
    server: &Server,
    email: &str,
) -> Result<Secret, Error> {
    let account = store.accounts().find(email).await?;
    let account = account.ok_or_else(|| {
        Error::new(format!(
            "there is no account {email}; svc account add makes it"
        ))
    })?;
    let code = store.sessions().sign_in_code(account.uid, email).await?;
    let code = code.expose();
    Ok(Secret::new(format!(
        "{}/enter/?code={code}",
        address(server)
    )))
}

/// Where the console is.
fn address(server: &Server) -> String {
    let app = server.app_base_url();
    format!("{}/console", app.strip_suffix("/api").unwrap_or(app))
}

/// The service in this process.
#[derive(Debug)]
struct Mounted(ConsoleService);

impl Service for Mounted {
    fn base_url(&self) -> &str {
        self.0.base_url()
    }

    fn app_base_url(&self) -> &str {
        self.0.app_base_url()
    }

    fn short_name(&self) -> &str {
        self.0.short_name()
    }

    fn origin(&self, request: &Parts) -> String {
        self.0.origin(request)
    }

    fn data_url(&self, request: &Parts) -> String {
        self.0.data_origin(request)
    }

    fn app_url(&self, request: &Parts) -> String {
        format!("{}/api", self.0.origin(request))
    }

    fn transport(&self, request: &Parts) -> Arc<dyn Transport> {
        self.0.transport(request)
    }

    fn browser_session(&self, tokens: AuthState) -> Option<String> {
        self.0.browser_session(tokens.refresh_token.expose())
    }

    fn open_session<'a>(
        &'a self,
        kept: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenSession>, BoxError>> {
        Box::pin(async {
            let authorization = self.0.authorization(kept).await?;
            Ok(authorization.map(OpenSession::new))
        })
    }

    fn refused(&self, kept: &str, _: &HeaderValue) {
        self.0.forget_authorization(kept);
    }

    fn codes(&self) -> Option<&dyn Codes> {
        Some(self)
    }
}

impl Codes for Mounted {
    fn sign_in_with<'a>(
        &'a self,
        request: &'a Parts,
        code: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, BoxError>> {
        Box::pin(async { Ok(self.0.sign_in_with(request, code).await?) })
    }

    fn is_first_run<'a>(&'a self, code: &'a str) -> BoxFuture<'a, Result<bool, BoxError>> {
        Box::pin(async { Ok(self.0.is_first_run(code).await?) })
    }

    fn make_operator<'a>(
        &'a self,
        code: &'a str,
        email: &'a str,
        password: &'a str,
    ) -> BoxFuture<'a, Result<FirstOperator, BoxError>> {
        Box::pin(async move {
            match self
                .0
                .make_operator(code, email, Secret::new(password))
                .await
            {
                Ok(true) => Ok(FirstOperator::Made),
                Ok(false) => Ok(FirstOperator::TooLate),
                Err(error) => match error.invalid() {
                    Some(invalid) => Ok(FirstOperator::Refused(invalid.clone())),
                    None => Err(error.into()),
                },
            }
        })
    }
}
