//! The client.

mod builder;
mod exchange;

use std::{fmt, sync::Arc, time::Duration};

use bytes::Bytes;
use http::HeaderValue;
use svc_auth::{AuthTarget, BaseUrl, ClientSettings, StaticProvider, TokenProvider};
use svc_model::{
    EnvironmentName, ProjectName, ResourceName, ResponseError,
    wire::{
        AnyOperation, Body, Operation, OperationInfo, RequestError, Timer, Transport, add_draft,
    },
};

pub use self::builder::{ClientBuilder, NoTransport, OwnTransport};
pub(crate) use self::exchange::whole;
use self::exchange::{Exchanged, exchange, is_passed_on};
use crate::{Error, RequestOptions, RetryPolicy, retry::Budget};

/// A client of the svc REST service.
///
/// It is cheap to clone: all clones share connections, credentials and retry budget. Its `Debug` output
/// contains no secret.
///
/// ```
/// # #[cfg(feature = "hyper")]
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use svc_api::{ApiKey, ApiToken, Client};
///
/// let client = Client::builder()
///     .project("demo")
///     .api_base_url("https://data.example.com")
///     .app_base_url("https://app.example.com/api")
///     .api_key(ApiKey::new("svck_1f")?)
///     .token_for("shop", ApiToken::new("svct_2e")?)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) transport: Arc<dyn Transport>,
    /// Whether the transport ends every exchange at its deadline.
    #[cfg(feature = "hyper")]
    pub(crate) keeps_deadlines: bool,
    pub(crate) timer: Option<Arc<dyn Timer>>,
    /// The options without the token, which is in the credentials.
    pub(crate) settings: ClientSettings,
    pub(crate) credentials: StaticProvider,
    pub(crate) provider: Option<Arc<dyn TokenProvider>>,
    #[cfg(feature = "account")]
    pub(crate) session: svc_auth::Session,
    #[cfg(feature = "account")]
    pub(crate) session_options: builder::SessionOptions,
    pub(crate) deadline: Option<Duration>,
    pub(crate) body_limit: usize,
    pub(crate) retry: RetryPolicy,
    pub(crate) budget: Arc<Budget>,
    pub(crate) user_agent: HeaderValue,
}

impl Client {
    /// Returns a builder. See [`ClientBuilder`] for the options.
    pub fn builder() -> ClientBuilder<NoTransport> {
        ClientBuilder::new()
    }

    /// The project of the calls, if one was set.
    pub fn project(&self) -> Option<&ProjectName> {
        self.inner.settings.project.as_ref()
    }

    /// The environment of the calls.
    pub fn environment(&self) -> &EnvironmentName {
        &self.inner.settings.environment
    }

    /// The base URL of the data host.
    pub fn api_base_url(&self) -> &BaseUrl {
        &self.inner.settings.api_base_url
    }

    /// The base URL of the application host.
    pub fn app_base_url(&self) -> &BaseUrl {
        &self.inner.settings.app_base_url
    }

    /// Whether calls are sent with `draft=1`.
    pub fn draft(&self) -> bool {
        self.inner.settings.draft.unwrap_or(false)
    }

    /// The scope of operations. Without a project the name is empty, which [`run`](Self::run) reports as a missing
    /// project.
    #[cfg(any(
        feature = "account",
        feature = "administration",
        feature = "functions",
        feature = "pages",
        feature = "projects",
        feature = "proxy",
        feature = "records",
        feature = "resources",
        feature = "sql",
        feature = "teams",
        feature = "users"
    ))]
    pub(crate) fn scope(&self) -> svc_model::Scope {
        let project = self.project().cloned();
        let project = project.unwrap_or_else(|| ProjectName::from(""));
        svc_model::Scope::new(project, self.environment())
    }

    /// Whose people sign in: the users of the environment, or the accounts of the service.
    #[cfg(feature = "account")]
    pub(crate) fn realm(&self) -> svc_model::Realm {
        match self.inner.session_options.is_of_account() {
            true => svc_model::Realm::Service,
            false => self.scope().into(),
        }
    }

    #[cfg(feature = "account")]
    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    #[cfg(feature = "account")]
    pub(crate) fn session(&self) -> &svc_auth::Session {
        &self.inner.session
    }

    /// A client that shares everything with this one except what `change` replaces.
    #[cfg(feature = "account")]
    pub(crate) fn with_session(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Inner::clone(&self.inner);
        change(&mut inner);
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Sends an operation and reads its result.
    pub(crate) async fn run<O: Operation>(
        &self,
        operation: Result<O, RequestError>,
        options: &RequestOptions,
    ) -> Result<O::Response, Error> {
        let operation = operation.map_err(|error| Error::request(&O::INFO, error))?;
        self.execute(&operation, options).await
    }

    pub(crate) async fn execute<O: Operation>(
        &self,
        operation: &O,
        options: &RequestOptions,
    ) -> Result<O::Response, Error> {
        self.response_to(operation, options).await?.parse::<O>()
    }

    /// The answer to an operation, whatever its status.
    pub(crate) async fn response_to<O: Operation>(
        &self,
        operation: &O,
        options: &RequestOptions,
    ) -> Result<Exchanged, Error> {
        let (info, arguments) = (operation.info(), operation.path_arguments());
        let make_request = |base_url: &str| operation.to_request(base_url);
        // So that what calls it is small.
        Box::pin(self.exchange(&info, &arguments, &make_request, options)).await
    }

    /// Sends an operation that was composed at run time, and returns its response unchanged. A response that the HTTP
    /// proxy passes on is returned with any status.
    ///
    /// ```
    /// use svc_api::{Client, Error, RequestOptions, model::projects};
    /// use svc_api::wire::{AnyOperation, Operation, OperationInfo};
    ///
    /// static LIST: OperationInfo = projects::List::INFO;
    ///
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let response = client.send_any(&AnyOperation::new(&LIST), &RequestOptions::new()).await?;
    /// println!("{} bytes", response.body().len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`Call::send`](crate::Call::send), except that the body of a successful response is not checked.
    pub async fn send_any(
        &self,
        operation: &AnyOperation,
        options: &RequestOptions,
    ) -> Result<http::Response<Bytes>, Error> {
        let info = operation.info;
        let arguments = operation.path_arguments();
        let arguments = arguments.map_err(|error| Error::request(info, error))?;
        let make_request = |base_url: &str| operation.to_request(base_url);
        let answer = self.exchange(info, &arguments, &make_request, options);
        let answer = answer.await?;
        let response = answer.response.map(whole);
        if response.status().is_success() || is_passed_on(&response) {
            return Ok(response);
        }
        let error = ResponseError::from_error_response(response);
        Err(Error::response(info, error, answer.authorized))
    }

    async fn exchange(
        &self,
        info: &OperationInfo,
        arguments: &[&str],
        make_request: &(dyn Fn(&str) -> Result<http::Request<Body>, RequestError> + Sync),
        options: &RequestOptions,
    ) -> Result<Exchanged, Error> {
        // Each path with arguments begins with the project.
        if arguments.first() == Some(&"") {
            let error = RequestError::new(
                "no project is set; give the client one, or the variable SVC_PROJECT in its env",
            );
            return Err(Error::request(info, error));
        }
        let base_url = self.inner.base_url(info.host).as_str();
        let target = AuthTarget::new(info, resource(info, arguments));
        let carries_draft = self.draft() && info.is_in_environment();
        let make_request = || {
            let mut request = make_request(base_url)?;
            if carries_draft {
                add_draft(&mut request);
            }
            Ok(request)
        };
        exchange(&self.inner, &make_request, target, options).await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            settings,
            credentials,
            deadline,
            retry,
            ..
        } = &*self.inner;
        f.debug_struct("Client")
            .field("project", &settings.project)
            .field("environment", &settings.environment)
            .field("api_base_url", &settings.api_base_url)
            .field("app_base_url", &settings.app_base_url)
            .field("draft", &settings.draft)
            .field("credentials", credentials)
            .field("deadline", deadline)
            .field("retry", retry)
            .finish_non_exhaustive()
    }
}

/// The resource of an operation: one of its path's arguments, or the built-in tools if the path names them.
fn resource<'a>(info: &OperationInfo, arguments: &[&'a str]) -> Option<&'a str> {
    info.path_argument(arguments, "resource").or_else(|| {
        let mut segments = info.path_template.split('/');
        segments.find(|segment| *segment == ResourceName::TOOLS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(path_template: &'static str) -> OperationInfo {
        let mut info = svc_model::records::List::<svc_model::Record>::INFO;
        info.path_template = path_template;
        info
    }

    #[test]
    fn an_argument_is_found_by_its_name() {
        let info = info("/projects/{project}/{environment}/{resource}/models/{model}");
        let arguments = ["demo", "prod", "shop", "orders"];
        let of = |name| info.path_argument(&arguments, name);
        assert_eq!(of("resource"), Some("shop"));
        assert_eq!(of("project"), Some("demo"));
        assert_eq!(of("uid"), None);
        assert_eq!(info.path_argument(&arguments[..1], "resource"), None);
    }

    #[test]
    fn the_resource_is_an_argument_or_the_built_in_tools() {
        let arguments = ["demo", "prod", "shop", "__svc_app__"];
        for (template, expected) in [
            (
                "/projects/{project}/{environment}/{resource}/models/{model}",
                Some("shop"),
            ),
            (
                "/projects/{project}/{environment}/__svc_app__/models/users/{uid}",
                Some("__svc_app__"),
            ),
            ("/projects/{project}/{environment}/view_settings/", None),
        ] {
            assert_eq!(resource(&info(template), &arguments), expected);
        }
    }
}
