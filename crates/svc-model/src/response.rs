//! Unsuccessful responses: errors of the service, and bodies that cannot be read.

use std::{collections::BTreeMap, error::Error as StdError, fmt};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Invalid, NON_FIELD_ERRORS};

/// The header with the ID of a request, which is in responses and logs.
pub const X_REQUEST_ID: &str = "x-request-id";
/// The same as a parsed name, which is faster to look up than a text.
static REQUEST_ID: HeaderName = HeaderName::from_static(X_REQUEST_ID);

/// The reason why a response has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// The service answered with an error status.
    #[error(transparent)]
    Status(Box<ErrorResponse>),
    /// The body of the response cannot be read.
    #[error(transparent)]
    Decode(Box<DecodeError>),
}

impl ResponseError {
    /// The error of a response whose status is not 2xx.
    pub fn from_error_response(response: http::Response<Bytes>) -> Self {
        let (parts, body) = response.into_parts();
        Self::Status(Box::new(ErrorResponse::new(
            parts.status,
            parts.headers,
            body,
        )))
    }
}

/// An error response of the service.
///
/// There is no universal error envelope (specification, section 7): the body is kept unchanged, and
/// parsed if it has one of the known shapes.
///
/// ```
/// use svc_model::ErrorResponse;
///
/// let body = br#"{"amount":["a valid number is required"],"non_field_errors":["no"]}"#;
/// let error = ErrorResponse::new(http::StatusCode::BAD_REQUEST, Default::default(), body[..].into());
/// assert_eq!(error.invalid().general_errors(), ["no"]);
/// assert_eq!(error.invalid().field_errors()[0].0, "amount");
///
/// let opaque = ErrorResponse::new(http::StatusCode::BAD_GATEWAY, Default::default(), "<html>".into());
/// assert!(opaque.invalid().is_empty());
/// assert_eq!(opaque.to_string(), "the service answered 502 Bad Gateway: the page \"<html>\"");
/// ```
#[derive(Clone, Debug)]
pub struct ErrorResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    detail: Option<String>,
    code: Option<String>,
    invalid: Invalid,
}

impl ErrorResponse {
    /// Makes an error from a response, and parses its body if it has a known shape.
    pub fn new(status: StatusCode, headers: HeaderMap, body: Bytes) -> Self {
        let mut error = Self {
            status,
            headers,
            body,
            detail: None,
            code: None,
            invalid: Invalid::new(),
        };
        let Ok(Value::Object(object)) = serde_json::from_slice(&error.body) else {
            return error;
        };
        for (name, value) in object {
            match (name.as_str(), value) {
                ("detail", Value::String(detail)) => error.detail = Some(detail),
                ("error_code", Value::String(code)) => error.code = Some(code),
                (_, Value::String(message)) => error.push(&name, message),
                (_, Value::Array(messages)) => {
                    for message in messages {
                        if let Value::String(message) = message {
                            error.push(&name, message);
                        }
                    }
                }
                _ => {}
            }
        }
        error
    }

    fn push(&mut self, name: &str, message: String) {
        if name == NON_FIELD_ERRORS {
            self.invalid.push_read_general(message);
        } else {
            self.invalid.push_field(name, message);
        }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The `X-Request-Id`, which identifies the request in the service's logs.
    pub fn request_id(&self) -> Option<&str> {
        self.headers.get(&REQUEST_ID)?.to_str().ok()
    }

    /// The unchanged body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// `detail` of the body: one sentence on what went wrong.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// `error_code` of the body, such as `not_found`.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// The codes of messages by field, such as `unique` or `required` (wire contract, section 11, law 5), for programs. They
    /// are read from the body each time.
    ///
    /// ```
    /// use svc_model::ErrorResponse;
    ///
    /// let body = br#"{"email":["this value is taken"],"error_codes":{"email":["unique"]}}"#;
    /// let error = ErrorResponse::new(http::StatusCode::BAD_REQUEST, Default::default(), body[..].into());
    /// assert_eq!(error.field_codes()["email"], ["unique"]);
    /// ```
    pub fn field_codes(&self) -> BTreeMap<String, Vec<String>> {
        #[derive(Deserialize)]
        struct Codes {
            error_codes: BTreeMap<String, Vec<String>>,
        }
        let codes = serde_json::from_slice(&self.body);
        codes.map_or_else(|_| BTreeMap::new(), |Codes { error_codes }| error_codes)
    }

    /// The messages by field and for the request as a whole.
    pub fn invalid(&self) -> &Invalid {
        &self.invalid
    }
}

impl fmt::Display for ErrorResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the service answered {}", self.status)?;
        show_page(&self.body, f)?;
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        if !self.invalid.is_empty() {
            write!(f, ": {}", self.invalid)?;
        }
        Ok(())
    }
}

impl StdError for ErrorResponse {}

/// The error for a successful response whose body cannot be read.
#[derive(Debug)]
pub struct DecodeError {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    path: Option<String>,
    source: serde_json::Error,
}

impl DecodeError {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The `X-Request-Id`, which identifies the request in the service's logs.
    pub fn request_id(&self) -> Option<&str> {
        self.headers.get(&REQUEST_ID)?.to_str().ok()
    }

    /// The unchanged body.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The position of the error in the JSON, such as `results[3].total`; `None` when the body as a whole
    /// is wrong. Always `None` without the feature `json-path`.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer of the service is not the expected JSON")?;
        show_page(&self.body, f)?;
        match &self.path {
            Some(path) => write!(f, " at {path}"),
            None => Ok(()),
        }
    }
}

impl StdError for DecodeError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.source)
    }
}

/// Shows the title of a page, or its beginning. The service sends no pages, but proxies and portals do.
#[cfg(not(target_family = "wasm"))]
fn show_page(body: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if !body.trim_ascii_start().starts_with(b"<") {
        return Ok(());
    }
    let text = String::from_utf8_lossy(body.get(..2000).unwrap_or(body));
    let title = text.split_once("<title>").map(|(_, rest)| rest);
    let shown = title.map_or(&*text, |rest| rest.split('<').next().unwrap_or(rest));
    write!(f, ": the page {:?}", short(shown.trim()))
}

/// The beginning of a text from a response, in which names and values may be of any length.
#[cfg(any(not(target_family = "wasm"), feature = "json-path"))]
fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

/// In a browser the message is shorter.
#[cfg(target_family = "wasm")]
fn show_page(_: &[u8], _: &mut fmt::Formatter<'_>) -> fmt::Result {
    Ok(())
}

/// Reads a JSON body, for the [`parse_success`](crate::wire::Operation::parse_success) of an operation.
///
/// # Errors
/// [`ResponseError::Decode`] when the body cannot be read as a `T`.
///
/// ```
/// use std::error::Error as _;
/// use svc_model::{ResponseError, decode_json};
///
/// let answer = |body: &'static [u8]| http::Response::new(bytes::Bytes::from_static(body));
/// assert_eq!(decode_json::<Vec<String>>(answer(br#"["\u00e4", "b"]"#)).ok(), Some(vec!["ä".into(), "b".into()]));
/// let error = decode_json::<Vec<String>>(answer(b"[\"\xff\"]")).unwrap_err();
/// assert!(matches!(&error, ResponseError::Decode(_)));
/// let source = error.source().expect("what is wrong").to_string();
/// assert!(source.contains("utf-8"), "{source}");
/// ```
pub fn decode_json<T: DeserializeOwned>(
    response: http::Response<Bytes>,
) -> Result<T, ResponseError> {
    // The body is looked at once, and not each string in it by itself.
    let text = std::str::from_utf8(response.body()).map_err(serde::de::Error::custom);
    let read = text.and_then(serde_json::from_str);
    read.map_err(|source| {
        #[cfg(feature = "json-path")]
        let path = path_of_error::<T>(response.body());
        #[cfg(not(feature = "json-path"))]
        let path = None;
        #[cfg(not(target_family = "wasm"))]
        let source = shortened(&source);
        unreadable(response, source, path)
    })
}

/// The same error with the beginning of its text.
#[cfg(not(target_family = "wasm"))]
fn shortened(source: &serde_json::Error) -> serde_json::Error {
    serde::de::Error::custom(short(&source.to_string()))
}

/// The error of a body that cannot be read.
#[cold]
fn unreadable(
    response: http::Response<Bytes>,
    source: serde_json::Error,
    path: Option<String>,
) -> ResponseError {
    let (parts, body) = response.into_parts();
    ResponseError::Decode(Box::new(DecodeError {
        status: parts.status,
        headers: parts.headers,
        body,
        path,
        source,
    }))
}

/// The position of the error. Tracking positions costs time, so the body is read a second time only
/// when there is an error.
#[cfg(feature = "json-path")]
fn path_of_error<T: DeserializeOwned>(body: &Bytes) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let mut json = serde_json::Deserializer::from_str(text);
    let error = serde_path_to_error::deserialize::<_, T>(&mut json).err()?;
    let path = error.path().to_string();
    (path != ".").then(|| short(&path))
}

/// A value with the entity tag of its response (RFC 9110, section 8.8.3), which can be sent as
/// `If-Match` to avoid a lost update.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tagged<T> {
    /// The value.
    pub value: T,
    /// The `ETag`, with its quotes.
    pub etag: Option<String>,
}

/// Reads a JSON body together with the entity tag.
///
/// # Errors
/// [`ResponseError`] when the body cannot be read as a `T`.
pub fn decode_tagged<T: DeserializeOwned>(
    response: http::Response<Bytes>,
) -> Result<Tagged<T>, ResponseError> {
    let etag = response.headers().get(http::header::ETAG);
    let etag = etag.and_then(|etag| etag.to_str().ok()).map(str::to_owned);
    decode_json(response).map(|value| Tagged { value, etag })
}
