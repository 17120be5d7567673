//! The HTTP proxy: this service sends a request to another service, with secrets that the caller does not know
//! (specification, section 1, "Integrations"; wire contract, section 8).

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    EnvironmentName, ProjectName, ResourceName, Scope,
    response::ResponseError,
    wire::{Credential, Host, Operation, OperationInfo, PathArguments, RequestError, encode},
};

/// The header that marks a response of the other service; its value is then `upstream`. Responses of this service
/// itself do not have it.
pub const X_SVC_PROXY: &str = "x-svc-proxy";

/// The encoding of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BodyType {
    /// `JSON`: `application/json`.
    Json,
    /// `GraphQL`: `application/json` with `query` and `variables`; a text is the query.
    GraphQl,
    /// `FormUrlEncoded`: `application/x-www-form-urlencoded`, of names and values.
    FormUrlEncoded,
    /// `FormData`: `multipart/form-data`, of names and values.
    FormData,
    /// `Raw`: a text as it is.
    Raw,
}

impl BodyType {
    /// Every type.
    pub const ALL: [Self; 5] = [
        Self::Json,
        Self::GraphQl,
        Self::FormUrlEncoded,
        Self::FormData,
        Self::Raw,
    ];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::GraphQl => "GraphQL",
            Self::FormUrlEncoded => "FormUrlEncoded",
            Self::FormData => "FormData",
            Self::Raw => "Raw",
        }
    }

    /// The type with this name, in upper or lower case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for BodyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for BodyType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A query parameter, a header or a field of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NameValue {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl NameValue {
    /// A name and its value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// A request to another service.
///
/// In the URL, the query parameters, the headers and the body, `{-name-}` is replaced by the value of a secret token of
/// the resource, and `{{key}}` by a value of the context.
///
/// ```
/// use svc_model::proxy::{BodyType, ProxyRequest};
///
/// let request = ProxyRequest::new(("demo", "prod"), "https://api.crm.example/people/{{id}}")
///     .resource("crm")
///     .method(http::Method::PATCH)
///     .header("Authorization", "Bearer {-token-}")
///     .body(BodyType::Json, serde_json::json!({"name": "{{name}}"}))
///     .context("id", 7)
///     .context("name", "Ann");
/// assert_eq!(
///     serde_json::to_string(&request)?,
///     r#"{"project":"demo","environment":"prod","resource":"crm","method":"PATCH","url":"https://api.crm.example/people/{{id}}","headers":[{"name":"Authorization","value":"Bearer {-token-}"}],"body_type":"JSON","body":{"name":"{{name}}"},"context":{"id":7,"name":"Ann"}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProxyRequest {
    /// The project; the project of the session when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectName>,
    /// The environment.
    pub environment: EnvironmentName,
    /// The resource whose secret tokens are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceName>,
    /// The method.
    #[serde(serialize_with = "method")]
    pub method: Method,
    /// The URL, `http` or `https`.
    pub url: String,
    /// Query parameters, added to those of the URL.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub query_params: Vec<NameValue>,
    /// Headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<NameValue>,
    /// The encoding of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_type: Option<BodyType>,
    /// The body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The secret tokens that may be used; all secret tokens of the resource when this is empty.
    #[serde(serialize_with = "comma_list", skip_serializing_if = "Vec::is_empty")]
    pub secret_tokens: Vec<String>,
    /// The values that replace `{{key}}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Whether the caller is working on a draft.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
}

impl ProxyRequest {
    /// A `GET` request to a URL.
    pub fn new(scope: impl Into<Scope>, url: impl Into<String>) -> Self {
        let Scope {
            project,
            environment,
        } = scope.into();
        Self {
            project: Some(project),
            environment,
            resource: None,
            method: Method::GET,
            url: url.into(),
            query_params: Vec::new(),
            headers: Vec::new(),
            body_type: None,
            body: None,
            secret_tokens: Vec::new(),
            context: Map::new(),
            draft: false,
        }
    }

    /// Sets the resource whose secret tokens are used.
    #[must_use]
    pub fn resource(mut self, resource: impl Into<ResourceName>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Sets the method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Adds a query parameter.
    #[must_use]
    pub fn query_param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query_params.push(NameValue::new(name, value));
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push(NameValue::new(name, value));
        self
    }

    /// Sets the body: for the form types an object or an array of `{name, value}`, for `Raw` a text.
    #[must_use]
    pub fn body(mut self, body_type: BodyType, body: impl Into<Value>) -> Self {
        self.body_type = Some(body_type);
        self.body = Some(body.into());
        self
    }

    /// Allows the use of this secret token; tokens that are not named with this function are then not allowed.
    #[must_use]
    pub fn secret_token(mut self, name: impl Into<String>) -> Self {
        self.secret_tokens.push(name.into());
        self
    }

    /// Sets the value that replaces `{{key}}`.
    #[must_use]
    pub fn context(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.context.insert(key.into(), value.into());
        self
    }
}

fn method<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(method.as_str())
}

fn comma_list<S: Serializer>(names: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&names.join(","))
}

/// The response of the other service, whatever its status.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProxyResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers, without cookies and without those about the connection.
    pub headers: HeaderMap,
    /// The unchanged body; `Content-Encoding` says whether it is compressed.
    pub body: Bytes,
}

impl ProxyResponse {
    /// Reads the body as JSON.
    ///
    /// # Errors
    /// When the body cannot be read as a `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.body)
    }
}

/// Send: `POST /proxy_request/`, with the status of the other service. Only errors of this service are errors here: a
/// response of the other service is a [`ProxyResponse`], whatever its status.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Send {
    /// The request.
    pub request: ProxyRequest,
}

impl Send {
    /// Sends a request.
    pub fn new(request: ProxyRequest) -> Self {
        Self { request }
    }
}

impl Operation for Send {
    type Response = ProxyResponse;

    // Not idempotent: the effect of the request at the other service is unknown.
    const INFO: OperationInfo = OperationInfo::new(
        "proxy.send",
        Method::POST,
        Host::Application,
        "/proxy_request/",
        Credential::Session,
        false,
    )
    .with_summary("Send a request to another service");

    fn path_arguments(&self) -> PathArguments<'_> {
        PathArguments::default()
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        encode(&self.request).map(Some)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<ProxyResponse, ResponseError> {
        let (parts, body) = response.into_parts();
        Ok(ProxyResponse {
            status: parts.status,
            headers: parts.headers,
            body,
        })
    }

    fn parse_response(response: http::Response<Bytes>) -> Result<ProxyResponse, ResponseError> {
        match response.headers().contains_key(X_SVC_PROXY) {
            true => Self::parse_success(response),
            false => Err(ResponseError::from_error_response(response)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_other_service_is_a_response_and_one_of_this_service_an_error() {
        let response = |marked: bool| {
            let mut response = http::Response::new(Bytes::from_static(b"{\"detail\":\"no\"}"));
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            if marked {
                let value = "upstream".parse().unwrap();
                response.headers_mut().insert(X_SVC_PROXY, value);
            }
            response
        };
        let upstream = Send::parse_response(response(true)).unwrap();
        assert_eq!(upstream.status, StatusCode::BAD_GATEWAY);
        assert_eq!(upstream.json::<Value>().unwrap()["detail"], "no");
        let ResponseError::Status(own) = Send::parse_response(response(false)).unwrap_err() else {
            panic!("an error of this service");
        };
        assert_eq!(own.detail(), Some("no"));
    }

    #[test]
    fn a_request_contains_only_what_was_set() {
        let mut request = ProxyRequest::new(("demo", "prod"), "https://a.example/")
            .secret_token("a")
            .secret_token("b")
            .query_param("page", "2");
        request.project = None;
        request.draft = true;
        assert_eq!(
            serde_json::to_string(&request).unwrap(),
            r#"{"environment":"prod","method":"GET","url":"https://a.example/","query_params":[{"name":"page","value":"2"}],"secret_tokens":"a,b","draft":true}"#
        );
        let sent = Send::new(request)
            .to_request("https://app.example.com/api")
            .unwrap();
        assert_eq!(sent.uri(), "https://app.example.com/api/proxy_request/");
    }

    #[test]
    fn body_types_have_their_wire_names() {
        for known in BodyType::ALL {
            assert_eq!(BodyType::named(known.as_str()), Some(known));
        }
        assert_eq!(BodyType::named("json"), Some(BodyType::Json));
        assert_eq!(BodyType::named("XML"), None);
    }
}
