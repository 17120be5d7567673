//! What the commands that call a service have in common: where it is, and the credential.

mod credentials;
mod listing;
pub(crate) mod selection;
mod session;

use clap::Args;
use svc_api::{Client, ClientBuilder, ErrorKind, NoTransport};
use svc_model::{EnvironmentName, ProjectName};

pub(crate) use self::{
    credentials::{DataService, Formatted, PageLayer, PageService},
    listing::Listing,
    session::{NOBODY, SessionDir},
};
use crate::error::Error;

/// Where the service is, and what is called there.
#[derive(Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct Target {
    /// Project
    #[arg(long, value_name = "P", env = "SVC_PROJECT")]
    project: ProjectName,
    /// Environment of the project
    #[arg(
        long,
        visible_alias = "environment",
        value_name = "E",
        env = "SVC_ENVIRONMENT",
        default_value = EnvironmentName::PROD
    )]
    env: EnvironmentName,
    /// Data host
    #[arg(
        long,
        value_name = "URL",
        env = "SVC_API_BASE_URL",
        default_value = svc_auth::DEFAULT_API_BASE_URL
    )]
    api_base_url: String,
    /// Application host, which ends in /api [default: the data host's URL and /api]
    #[arg(long, value_name = "URL", env = "SVC_APP_BASE_URL")]
    app_base_url: Option<String>,
}

impl Target {
    /// What identifies an environment of a service.
    pub(crate) fn names(&self) -> [&str; 3] {
        [
            self.api_base_url.trim_end_matches('/'),
            self.project.as_str(),
            self.env.as_str(),
        ]
    }

    /// A client of the service, without a credential.
    pub(crate) fn client(&self) -> ClientBuilder<NoTransport> {
        let client = Client::builder()
            .project(&self.project)
            .environment(&self.env)
            .api_base_url(&self.api_base_url)
            .user_agent(concat!("svc/", env!("CARGO_PKG_VERSION")));
        match self.app_base_url.as_deref().filter(|url| !url.is_empty()) {
            Some(url) => client.app_base_url(url),
            None => client,
        }
    }
}

impl From<svc_api::Error> for Error {
    fn from(error: svc_api::Error) -> Self {
        use std::error::Error as _;
        let remedy = if error.is_unauthenticated() {
            "; svc token list and svc key list show what there is, svc login signs a user in"
        } else if error.is_forbidden() {
            "; use a credential of this project, environment and resource"
        } else {
            ""
        };
        // The file of the session, or its renewal.
        let session = matches!(error.kind(), ErrorKind::Auth | ErrorKind::Store);
        let cause = error
            .source()
            .filter(|_| session || error.transport_error().is_some());
        let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
        let message = format!("{error}{cause}{remedy}");
        match error.kind() {
            ErrorKind::Options => Self::usage(message),
            _ => Self::new(message),
        }
    }
}

/// The call, with each setting for which there is a value.
macro_rules! with_given {
    ($call:expr, $($setting:ident: $value:expr),+ $(,)?) => {{
        let mut call = $call;
        $(if let Some(value) = $value {
            call = call.$setting(value);
        })+
        call
    }};
}
pub(crate) use with_given;
