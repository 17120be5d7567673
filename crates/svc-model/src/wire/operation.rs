//! Operations as values: their description, their requests, and how their responses are read.

use std::ops::Deref;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};

use super::{Body, RequestError};
use crate::{path, query::QueryString, response::ResponseError};

/// The description of an operation: what a transport, a log or a server must know about it.
///
/// It is in the extensions of every request. The server's routes are made from the same values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationInfo {
    /// Group and verb, such as `pages.get`.
    pub name: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The host that serves the operation (specification, section 1).
    pub host: Host,
    /// The path template below the host's base URL; `{name}` stands for one segment.
    pub path_template: &'static str,
    /// The credential that the operation requires (specification, section 5).
    pub credential: Credential,
    /// The level that the account of the caller must have; `None` where another credential decides.
    pub level: Option<Level>,
    /// Whether the operation is idempotent (RFC 9110, section 9.2.2), so that it may be repeated after a
    /// failure.
    pub idempotent: bool,
    /// The status of a success.
    pub status: StatusCode,
    /// What the operation does, in a few words; may be empty.
    pub summary: &'static str,
    /// The names of its query parameters and headers, a list for each field.
    pub parameters: &'static [&'static [&'static str]],
}

impl OperationInfo {
    /// Describes an operation with status 200 and without parameters.
    pub const fn new(
        name: &'static str,
        method: Method,
        host: Host,
        path_template: &'static str,
        credential: Credential,
        idempotent: bool,
    ) -> Self {
        Self {
            name,
            method,
            host,
            path_template,
            credential,
            level: None,
            idempotent,
            status: StatusCode::OK,
            summary: "",
            parameters: &[],
        }
    }

    /// The argument of the path for a name of the template, of the arguments of an operation.
    #[must_use]
    pub fn path_argument<'a>(&self, arguments: &[&'a str], name: &str) -> Option<&'a str> {
        let mut rest = self.path_template;
        for argument in arguments {
            let (_, found, tail) = path::split_name(rest)?;
            if found == name {
                return Some(argument);
            }
            rest = tail;
        }
        None
    }

    /// Sets the level that the account of the caller must have.
    #[must_use]
    pub const fn with_level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// The same operation on the accounts of the service, at another path of the application host.
    #[must_use]
    pub const fn of_service(mut self, path_template: &'static str) -> Self {
        self.host = Host::Application;
        self.path_template = path_template;
        self
    }

    /// Sets the status of a success.
    #[must_use]
    pub const fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Sets the summary: what the operation does, in a few words.
    #[must_use]
    pub const fn with_summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Sets the names of parameters and headers.
    #[must_use]
    pub const fn with_parameters(mut self, parameters: &'static [&'static [&'static str]]) -> Self {
        self.parameters = parameters;
        self
    }

    /// Whether the operation works in an environment of a project.
    pub fn is_in_environment(&self) -> bool {
        self.path_template.contains("{environment}")
    }
}

/// Adds `draft=1` to the query of a request, unless it has `draft` already. A client with `draft` set does so for each
/// operation [in an environment](OperationInfo::is_in_environment) (specification, section 5).
pub fn add_draft(request: &mut http::Request<Body>) {
    let uri = request.uri();
    let query = uri.query().unwrap_or_default();
    if query.split('&').any(|pair| pair.starts_with("draft=")) {
        return;
    }
    let separator = if query.is_empty() { "" } else { "&" };
    let path = format!("{}?{query}{separator}draft=1", uri.path());
    let mut parts = uri.clone().into_parts();
    // This cannot fail: a valid path and query, with characters appended that need no escape.
    if let Ok(path) = path.try_into() {
        parts.path_and_query = Some(path);
    }
    if let Ok(uri) = http::Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
}

/// The two hosts of the service (specification, section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Host {
    /// `{base_url}`: records, SQL, users, teams, resources.
    Data,
    /// `{app_base_url}`, which ends in `/api`: projects, pages, HTTP proxy.
    Application,
}

/// The credential that an operation requires (specification, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Credential {
    /// An API key of an account, sent as `Authorization: Bearer <key>`, or the account's session.
    ApiKey,
    /// A resource's static API token, sent as the raw header value.
    StaticToken,
    /// A user session, sent as `Authorization: JWT <access token>`.
    Session,
    /// No credential.
    Anonymous,
}

/// What the account of the caller must be on the application host. Each level has the rights of those before it: an operator
/// is an administrator of every project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Any account.
    Account,
    /// The account itself, and not one of its API keys that are limited to some projects.
    WholeAccount,
    /// A member of the project.
    Member,
    /// A member of the project whose team may write: every team but those that only read.
    Editor,
    /// A member of the project's administrator team.
    Administrator,
    /// An operator of the service.
    Operator,
}

impl Level {
    /// The name in documents, such as `administrator`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::WholeAccount => "whole account",
            Self::Member => "member",
            Self::Editor => "editor",
            Self::Administrator => "administrator",
            Self::Operator => "operator",
        }
    }
}

/// An operation that exists for the users of an environment and for the accounts of the service. Its field `realm` chooses.
pub trait RealmOperation: Operation {
    /// The description of the operation on accounts.
    const OF_SERVICE: OperationInfo;
}

/// A call as a value, declared with `#[derive(Operation)]`. It is converted into a request, and reads the response.
///
/// Both conversions are pure functions, so that a program with its own HTTP stack can use the
/// operations without any client:
///
/// ```
/// use svc_model::{pages, wire::Operation};
///
/// let get = pages::Get::new(("shop", "prod"), "5f0c6c0e-8f7e-4a57-b0a3-3c2a5b0f5a11");
/// let request = get.to_request("https://app.example.com/api")?;
/// assert_eq!(
///     request.uri(),
///     "https://app.example.com/api/projects/shop/prod/view_settings/5f0c6c0e-8f7e-4a57-b0a3-3c2a5b0f5a11/?draft=0",
/// );
///
/// let response = http::Response::new(bytes::Bytes::from_static(br#"{"name":"Orders","color":7}"#));
/// let page = pages::Get::parse_response(response)?;
/// assert_eq!(page.value.name(), Some("Orders".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Operations of your own service are declared in the same way:
///
/// ```
/// use svc_model::{Scope, wire::Operation};
///
/// /// Open or close the shop: `POST .../shop`, 204 without a body.
/// #[derive(Operation)]
/// #[operation(POST Data "/projects/{project}/{environment}/shop")]
/// #[operation(name = "shop.set", credential = Session, idempotent = true)]
/// #[operation(new = "Opens or closes a shop.")]
/// pub struct SetShop {
///     /// Whose shop.
///     #[wire(path)]
///     pub scope: Scope,
///     /// Whether it is open, as `open` or `closed`.
///     #[wire(body)]
///     pub state: String,
/// }
///
/// let request = SetShop::new(("demo", "prod"), "open").to_request("https://data.example.com")?;
/// assert_eq!(request.uri().path(), "/projects/demo/prod/shop");
/// assert_eq!(request.body().as_bytes().map(|body| &body[..]), Some(&br#"{"state":"open"}"#[..]));
/// # Ok::<(), svc_model::wire::RequestError>(())
/// ```
pub trait Operation: Send + Sync {
    /// The result of the call.
    type Response;

    /// The description of the operation.
    const INFO: OperationInfo;

    /// The description of this call: [`INFO`](Self::INFO), unless the operation exists in [several
    /// realms](RealmOperation).
    fn info(&self) -> OperationInfo {
        Self::INFO
    }

    /// The values of the names in the path template, in their order.
    fn path_arguments(&self) -> PathArguments<'_>;

    /// The query string.
    fn query(&self) -> QueryString {
        QueryString::new()
    }

    /// The JSON body, if the operation has one.
    ///
    /// # Errors
    /// [`RequestError`] when the caller's value cannot be written as JSON.
    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        Ok(None)
    }

    /// Further headers.
    fn headers(&self) -> Vec<(HeaderName, String)> {
        Vec::new()
    }

    /// The result of a response with a 2xx status.
    ///
    /// # Errors
    /// [`ResponseError`] when the body cannot be read.
    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError>;

    /// The request of this call to the host at `base_url` (no trailing slash needed), without a
    /// credential.
    ///
    /// # Errors
    /// [`RequestError`] when a path argument is empty, `.` or `..`, when the base URL does not make
    /// a valid URI, or when the body cannot be written as JSON.
    fn to_request(&self, base_url: &str) -> Result<http::Request<Body>, RequestError> {
        request(
            self.info(),
            base_url,
            &self.path_arguments(),
            &self.query(),
            self.body()?,
            self.headers(),
        )
    }

    /// The result of a response.
    ///
    /// # Errors
    /// [`ResponseError`]: the service's error when the status is not 2xx (the status is checked before
    /// anything is decoded), or the error in the body.
    fn parse_response(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        if response.status().is_success() {
            Self::parse_success(response)
        } else {
            Err(ResponseError::from_error_response(response))
        }
    }
}

/// The request of an operation. It is outside of the trait so that it is compiled once and not once for each
/// operation.
pub(super) fn request(
    info: OperationInfo,
    base_url: &str,
    arguments: &[&str],
    query: &QueryString,
    body: Option<Bytes>,
    further: Vec<(HeaderName, String)>,
) -> Result<http::Request<Body>, RequestError> {
    let mut uri = String::with_capacity(base_url.len() + info.path_template.len() + 64);
    uri.push_str(base_url.trim_end_matches('/'));
    path::expand(info.path_template, arguments, &mut uri)?;
    if !query.is_empty() {
        uri.push('?');
        uri.push_str(query.as_str());
    }
    let uri = http::Uri::try_from(uri).map_err(|error| {
        RequestError::new("the base URL and path do not make a URI").with_source(error)
    })?;
    if uri.scheme().is_none() || uri.authority().is_none() {
        return Err(RequestError::new(
            "the base URL must be absolute, such as https://data.example.com",
        ));
    }
    let mut request = http::Request::new(Body::empty());
    *request.method_mut() = info.method.clone();
    *request.uri_mut() = uri;
    let headers = request.headers_mut();
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    if body.is_some() {
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
    }
    for (name, value) in further {
        let value = HeaderValue::try_from(value).map_err(|error| {
            let name = name.as_str();
            RequestError::new(format!("the value of header {name} cannot be sent"))
                .with_source(error)
        })?;
        headers.insert(name, value);
    }
    request.extensions_mut().insert(info);
    *request.body_mut() = body.map_or_else(Body::empty, Body::from);
    Ok(request)
}

/// The maximum number of names in a path template.
const MAX_ARGUMENTS: usize = 8;

/// The values of the names in a path template, in their order; at most eight.
///
/// ```
/// use svc_model::wire::PathArguments;
///
/// let arguments = PathArguments::from(["demo", "prod"]);
/// assert_eq!(*arguments, ["demo", "prod"]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PathArguments<'a> {
    // An array, since every call has arguments and should not allocate for them.
    values: [&'a str; MAX_ARGUMENTS],
    len: usize,
}

impl<'a, const N: usize> From<[&'a str; N]> for PathArguments<'a> {
    fn from(arguments: [&'a str; N]) -> Self {
        const { assert!(N <= MAX_ARGUMENTS, "a path has at most eight names") };
        let mut values = [""; MAX_ARGUMENTS];
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = argument;
        }
        Self { values, len: N }
    }
}

impl<'a> PathArguments<'a> {
    /// Appends the value of the next name. A ninth value is ignored, since no path has more than eight names.
    pub fn push(&mut self, argument: &'a str) {
        if let Some(value) = self.values.get_mut(self.len) {
            *value = argument;
            self.len += 1;
        }
    }

    /// The arguments of a path that is known only at run time.
    ///
    /// # Errors
    /// [`RequestError`] when there are more than eight.
    pub(super) fn from_texts(texts: &'a [String]) -> Result<Self, RequestError> {
        if texts.len() > MAX_ARGUMENTS {
            return Err(RequestError::new("a path has at most eight names"));
        }
        let mut values = [""; MAX_ARGUMENTS];
        for (value, text) in values.iter_mut().zip(texts) {
            *value = text;
        }
        Ok(Self {
            values,
            len: texts.len(),
        })
    }
}

impl<'a> Deref for PathArguments<'a> {
    type Target = [&'a str];

    fn deref(&self) -> &[&'a str] {
        self.values.get(..self.len).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Draft, ListQuery, pages, users};

    fn with_draft(operation: &impl Operation) -> String {
        let mut request = operation.to_request("https://example.com").unwrap();
        add_draft(&mut request);
        request.uri().to_string()
    }

    #[test]
    fn a_request_has_the_draft_parameter_once() {
        let users = "https://example.com/projects/demo/prod/__svc_app__/models/users";
        let list = |query| users::List::new(("demo", "prod"), query);
        assert_eq!(
            with_draft(&list(ListQuery::new())),
            format!("{users}?draft=1")
        );
        assert_eq!(
            with_draft(&list(ListQuery::new().per_page(2))),
            format!("{users}?_per_page=2&draft=1")
        );
        let mut pages = pages::List::new(("demo", "prod"));
        for layer in [Draft::On, Draft::Off] {
            pages.draft = layer;
            let query = format!("/?draft={}", layer.as_str());
            assert!(with_draft(&pages).ends_with(&query));
        }
    }
}
