//! A service with the credential that its groups of operations need.

use clap::Args;
use svc_api::{ApiKey, ApiToken, Client, ClientBuilder, NoTransport};
use svc_model::{Draft, EnvironmentName, ResourceName};

use super::{SessionDir, Target};
use crate::{error::Error, output::FormatArg};

/// How long a list of pages may be, in bytes: it comes as one answer, however many pages there are.
const LONGEST_LIST: usize = 1 << 30;

/// A service, and the credential that its records, users and teams need.
#[derive(Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct DataService {
    #[command(flatten)]
    target: Target,
    /// Static token of the resource; better in the variable, since lists of processes show flags
    #[arg(
        long,
        value_name = "TOKEN",
        env = "SVC_API_TOKEN",
        hide_env_values = true
    )]
    api_token: Option<String>,
    #[command(flatten)]
    session: SessionDir,
}

impl DataService {
    /// The project and the environment.
    pub(crate) fn scope(&self) -> [&str; 2] {
        let [_, project, environment] = self.target.names();
        [project, environment]
    }

    /// A client with the API key of an account, which has its rights on both hosts.
    pub(crate) fn client_of_account(&self, key: &ApiToken) -> Result<Client, Error> {
        Ok(self.target.client().api_token(key).build()?)
    }

    /// A client of the built-in tools, with their token.
    pub(crate) fn tools(&self) -> Result<Client, Error> {
        self.client(&ResourceName::from(ResourceName::TOOLS))
    }

    /// A client with the token of this resource, or, where none is given, with the session of the user who is
    /// signed in.
    pub(crate) fn client(&self, resource: &ResourceName) -> Result<Client, Error> {
        if let Some(token) = given(self.api_token.as_deref()) {
            let token = ApiToken::new(token)
                .map_err(|error| Error::usage(format!("SVC_API_TOKEN: {error}")))?;
            return Ok(self.target.client().token_for(resource, &token).build()?);
        }
        let client = self.session.client(&self.target)?;
        if client.account().session().is_signed_in() {
            return Ok(client);
        }
        Err(Error::usage(format!(
            "no token; set SVC_API_TOKEN (svc token add {resource} --project P makes a token), or sign in with \
             svc login"
        )))
    }
}

/// A service, and the credential that its pages need.
#[derive(Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct PageService {
    #[command(flatten)]
    target: Target,
    /// API key; better in the variable, since lists of processes show flags
    #[arg(long, value_name = "KEY", env = "SVC_API_KEY", hide_env_values = true)]
    api_key: Option<String>,
}

impl PageService {
    /// A client with the API key.
    pub(crate) fn client(&self) -> Result<Client, Error> {
        Ok(self.builder()?.build()?)
    }

    /// A client of this environment, whatever the target names.
    pub(crate) fn client_of(&self, environment: &EnvironmentName) -> Result<Client, Error> {
        Ok(self.builder()?.environment(environment).build()?)
    }

    fn builder(&self) -> Result<ClientBuilder<NoTransport>, Error> {
        let key = given(self.api_key.as_deref()).ok_or_else(|| {
            Error::usage("no API key; set SVC_API_KEY (svc key add --project P makes a key)")
        })?;
        let key =
            ApiKey::new(key).map_err(|error| Error::usage(format!("SVC_API_KEY: {error}")))?;
        Ok(self.target.client().api_key(&key).body_limit(LONGEST_LIST))
    }
}

/// A service, and the layer of its pages that a command is about.
#[derive(Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct PageLayer {
    #[command(flatten)]
    service: PageService,
    /// Speak of the draft layer
    #[arg(long)]
    draft: bool,
}

impl PageLayer {
    /// A client whose calls are about the layer.
    pub(crate) fn client(&self) -> Result<Client, Error> {
        Ok(self.service.builder()?.draft(self.draft).build()?)
    }

    /// The layer.
    pub(crate) fn draft(&self) -> Draft {
        self.draft.into()
    }

    /// What identifies the environment.
    pub(crate) fn names(&self) -> [&str; 3] {
        self.service.target.names()
    }
}

/// A service whose answer is written in a format.
#[derive(Args)]
pub(crate) struct Formatted<S: Args> {
    #[command(flatten)]
    pub(crate) service: S,
    #[command(flatten)]
    pub(crate) format: FormatArg,
}

/// A credential, unless it is blank.
fn given(credential: Option<&str>) -> Option<&str> {
    credential.filter(|text| !text.trim().is_empty())
}
