//! Service requests: the headers with the address and the token for calling back (specification,
//! section 5, "Service requests").

use http::{HeaderMap, HeaderName};
use svc_model::{EnvironmentName, ProjectName};

use crate::{BaseUrl, BaseUrlError, ServiceToken, TokenError};

/// The header that names the project of a service request.
pub const X_SVC_PROJECT: &str = "x-svc-project";
/// The header that names the environment of a service request.
pub const X_SVC_ENVIRONMENT: &str = "x-svc-environment";
/// The header with the token of a service request.
pub const X_SVC_SERVICE_TOKEN: &str = "x-svc-service-token";
/// The header with the base URL of the data host.
pub const X_SVC_API_BASE_URL: &str = "x-svc-api-base-url";
/// The header that switches drafts on.
pub const X_SVC_DRAFT: &str = "x-svc-draft";

// Parsed names, which are faster to look up than texts.
static NAMES: [HeaderName; 5] = [
    HeaderName::from_static(X_SVC_PROJECT),
    HeaderName::from_static(X_SVC_ENVIRONMENT),
    HeaderName::from_static(X_SVC_SERVICE_TOKEN),
    HeaderName::from_static(X_SVC_API_BASE_URL),
    HeaderName::from_static(X_SVC_DRAFT),
];

/// A request of the service to your program, from which your program makes a client to call back.
///
/// | Header | Required | Meaning |
/// |---|---|---|
/// | `X-Svc-Project` | yes | the project |
/// | `X-Svc-Environment` | yes | the environment |
/// | `X-Svc-Service-Token` | yes | sent as `Authorization: JWT <token>` |
/// | `X-Svc-API-Base-Url` | no | the base URL of the data host |
/// | `X-Svc-Draft` | no | any text switches drafts on, even `false` |
///
/// The sender of such a request decides which address your program calls: accept it only from the service.
///
/// ```
/// use http::HeaderMap;
/// use svc_auth::ServiceRequest;
///
/// let mut headers = HeaderMap::new();
/// headers.insert("X-Svc-Project", "demo".parse()?);
/// headers.insert("X-Svc-Environment", "prod".parse()?);
/// let error = ServiceRequest::from_headers(&headers).unwrap_err();
/// assert_eq!(error.to_string(), "the request has no header X-Svc-Service-Token");
///
/// headers.insert("X-Svc-Service-Token", "eyJh.eyJz.c2ln".parse()?);
/// let request = ServiceRequest::from_headers(&headers)?;
/// assert_eq!(request.project.as_str(), "demo");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServiceRequest {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The token to call with.
    pub service_token: ServiceToken,
    /// The base URL of the data host, if the request names one.
    pub api_base_url: Option<BaseUrl>,
    /// Whether calls are sent with `draft=1`, if the request has that header.
    pub draft: Option<bool>,
}

impl ServiceRequest {
    /// Reads the headers of a request. An empty header counts as missing.
    ///
    /// # Errors
    /// [`ServiceRequestError`] with the names of all required headers that are missing, or with the
    /// error in one of them.
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, ServiceRequestError> {
        let [project, environment, token, base_url, draft] = NAMES
            .each_ref()
            .map(|name| headers.get(name).filter(|value| !value.is_empty()));
        let (Some(project), Some(environment), Some(token)) = (project, environment, token) else {
            let required = [
                ("X-Svc-Project", project),
                ("X-Svc-Environment", environment),
                ("X-Svc-Service-Token", token),
            ];
            let missing = required.into_iter().filter(|(_, value)| value.is_none());
            let names = missing.map(|(name, _)| name).collect();
            return Err(ServiceRequestError::Missing(names));
        };
        let token = text("X-Svc-Service-Token", token)?;
        let base_url = base_url.map(|value| text("X-Svc-API-Base-Url", value));
        let base_url = base_url.transpose()?.map(BaseUrl::new);
        Ok(Self {
            project: text("X-Svc-Project", project)?.into(),
            environment: text("X-Svc-Environment", environment)?.into(),
            service_token: ServiceToken::new(token).map_err(ServiceRequestError::Token)?,
            api_base_url: base_url
                .transpose()
                .map_err(ServiceRequestError::ApiBaseUrl)?,
            // Not read as a boolean (rule 2): only its presence counts.
            draft: draft.map(|_| true),
        })
    }
}

fn text<'a>(
    name: &'static str,
    value: &'a http::HeaderValue,
) -> Result<&'a str, ServiceRequestError> {
    value
        .to_str()
        .map_err(|_| ServiceRequestError::Character(name))
}

/// The error for a request that is not a valid service request. The message never quotes a header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceRequestError {
    /// These required headers are missing or empty.
    #[error("the request has no header{} {}", if .0.len() == 1 { "" } else { "s" }, .0.join(", "))]
    Missing(Vec<&'static str>),
    /// This header has a character that is not visible ASCII.
    #[error("the header {0} has a character that is not visible ASCII")]
    Character(&'static str),
    /// The service token is not valid.
    #[error(transparent)]
    Token(TokenError),
    /// The base URL of the data host is not valid.
    #[error("the header X-Svc-API-Base-Url {0}")]
    ApiBaseUrl(#[source] BaseUrlError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&'static str, &'static str)]) -> Result<ServiceRequest, String> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, http::HeaderValue::from_static(value));
        }
        ServiceRequest::from_headers(&map).map_err(|error| error.to_string())
    }

    const REQUIRED: [(&str, &str); 3] = [
        ("x-svc-project", "demo"),
        ("x-svc-environment", "prod"),
        ("x-svc-service-token", "hidden"),
    ];

    fn with(more: &[(&'static str, &'static str)]) -> Result<ServiceRequest, String> {
        read(&[&REQUIRED, more].concat())
    }

    #[test]
    fn service_requests_rule_1_three_headers_are_required() {
        let request = read(&REQUIRED).unwrap();
        assert_eq!(request.project.as_str(), "demo");
        assert_eq!(request.environment.as_str(), "prod");
        assert_eq!(request.service_token.expose(), "hidden");
        assert_eq!(
            read(&[]).unwrap_err(),
            "the request has no headers X-Svc-Project, X-Svc-Environment, X-Svc-Service-Token"
        );
        assert_eq!(
            read(&REQUIRED[1..]).unwrap_err(),
            "the request has no header X-Svc-Project"
        );
        let empty = [REQUIRED[0], ("x-svc-environment", ""), REQUIRED[2]];
        assert_eq!(
            read(&empty).unwrap_err(),
            "the request has no header X-Svc-Environment"
        );
    }

    #[test]
    fn service_requests_rule_2_base_url_and_draft_are_passed_on() {
        let request = with(&[]).unwrap();
        assert_eq!((request.api_base_url, request.draft), (None, None));
        let request = with(&[("x-svc-api-base-url", "https://data.example.com/")]).unwrap();
        let url = request.api_base_url.unwrap();
        assert_eq!(url.as_str(), "https://data.example.com");
        for word in ["1", "true", "false", "0", "no", "off"] {
            let request = with(&[("x-svc-draft", word)]).unwrap();
            assert_eq!(request.draft, Some(true), "{word}");
        }
        assert_eq!(with(&[("x-svc-draft", "")]).unwrap().draft, None);
    }

    #[test]
    fn an_error_about_a_header_does_not_quote_its_value() {
        let error = with(&[("x-svc-api-base-url", "ftp://hidden")]).unwrap_err();
        assert_eq!(
            error,
            "the header X-Svc-API-Base-Url must begin with http:// or https://"
        );
        let error = with(&[("x-svc-service-token", "JWT hidden")]).unwrap_err();
        assert_eq!(
            error,
            "the service token begins with the name of a scheme; give it without that prefix"
        );
        let mut headers = HeaderMap::new();
        for (name, value) in REQUIRED {
            headers.insert(name, http::HeaderValue::from_static(value));
        }
        let value = http::HeaderValue::from_bytes(b"hidden\xe9").unwrap();
        headers.insert(X_SVC_PROJECT, value);
        assert_eq!(
            ServiceRequest::from_headers(&headers)
                .unwrap_err()
                .to_string(),
            "the header X-Svc-Project has a character that is not visible ASCII"
        );
    }

    #[test]
    fn debug_shows_no_token() {
        assert!(!format!("{:?}", read(&REQUIRED).unwrap()).contains("hidden"));
    }
}
