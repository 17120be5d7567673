//! The error of a call.

use std::{collections::BTreeMap, error::Error as StdError, fmt, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use svc_auth::{AuthError, AuthErrorKind, BaseUrl, OptionsError, StoreError, TokenError};
use svc_model::{
    DecodeError, ErrorResponse, ResponseError,
    wire::{BoxError, Credential, OperationInfo, RequestError, TransportError, TransportErrorKind},
};

/// The error of a call or of building a client.
///
/// [`kind`](Self::kind) is for programs, the message for people: it names the operation, what went
/// wrong and, if possible, the remedy. It never contains a credential.
///
/// There is no universal error envelope (specification, section 7). For a response of the service the
/// error keeps status, headers and body unchanged, and the messages if the body has one of the known
/// shapes.
///
/// ```
/// # use svc_api::{Client, Error};
/// # #[cfg(feature = "records")]
/// # async fn example(client: Client) -> Result<(), Error> {
/// match client.records("shop", "orders").get(7).send().await {
///     Ok(order) => println!("{order:?}"),
///     Err(error) if error.is_not_found() => println!("there is no order 7"),
///     Err(error) => {
///         for (field, messages) in error.field_errors() {
///             println!("{field}: {}", messages.join(", "));
///         }
///         return Err(error);
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    operation: Option<&'static str>,
    cause: Cause,
    hint: Option<String>,
}

// The error includes the message of the cause, so `source` continues with the source of the cause.
#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error(transparent)]
    Transport(TransportError),
    #[error(transparent)]
    Status(Box<ErrorResponse>),
    #[error(transparent)]
    Decode(Box<DecodeError>),
    /// A response that can be read but not used.
    #[error("{0}")]
    Answer(String),
    #[error(transparent)]
    Request(RequestError),
    #[error(transparent)]
    Auth(AuthError),
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Options(BoxError),
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No complete response was received: [`Error::transport_error`] says why.
    Transport,
    /// The service answered with an error status: [`Error::status`].
    Status,
    /// The service answered with success, but the body cannot be read.
    Decode,
    /// The call cannot be written as a request; nothing was sent.
    Request,
    /// No credential was available; nothing was sent.
    Auth,
    /// The call succeeded, but the tokens of the session cannot be stored.
    Store,
    /// An option of the client cannot be used.
    Options,
}

impl Error {
    fn new(operation: Option<&'static str>, cause: Cause) -> Self {
        Self(Box::new(Inner {
            operation,
            cause,
            hint: None,
        }))
    }

    pub(crate) fn transport(
        operation: &OperationInfo,
        error: TransportError,
        base_url: &BaseUrl,
    ) -> Self {
        let hint = match error.kind() {
            TransportErrorKind::Connect => Some(format!(
                "is it running at {base_url}, and is that base URL right?"
            )),
            #[cfg(not(target_family = "wasm"))]
            TransportErrorKind::Body
                if error
                    .source()
                    .is_some_and(|it| it.is::<svc_model::wire::BodyTooLarge>()) =>
            {
                Some("raise the client's `body_limit`, or use `send_streaming`".to_owned())
            }
            _ => None,
        };
        let mut error = Self::new(Some(operation.name), Cause::Transport(error));
        error.0.hint = hint;
        error
    }

    pub(crate) fn response(
        operation: &OperationInfo,
        error: ResponseError,
        authorized: bool,
    ) -> Self {
        let cause = match error {
            ResponseError::Status(error) => Cause::Status(error),
            ResponseError::Decode(error) => Cause::Decode(error),
            other => Cause::Answer(other.to_string()),
        };
        let hint = match &cause {
            Cause::Status(error) if error.status() == StatusCode::UNAUTHORIZED && !authorized => {
                missing_credential(operation.credential).map(str::to_owned)
            }
            Cause::Status(error) if error.status().is_redirection() => {
                Some("redirects are not followed; is the base URL right?".to_owned())
            }
            _ => None,
        };
        let mut error = Self::new(Some(operation.name), cause);
        error.0.hint = hint;
        error
    }

    pub(crate) fn unusable_answer(operation: &OperationInfo, message: impl Into<String>) -> Self {
        Self::new(Some(operation.name), Cause::Answer(message.into()))
    }

    pub(crate) fn request(operation: &OperationInfo, error: RequestError) -> Self {
        Self::new(Some(operation.name), Cause::Request(error))
    }

    pub(crate) fn auth(operation: &OperationInfo, error: AuthError) -> Self {
        Self::new(Some(operation.name), Cause::Auth(error))
    }

    pub(crate) fn store(operation: &OperationInfo, error: StoreError) -> Self {
        Self::new(Some(operation.name), Cause::Store(error))
    }

    pub(crate) fn options(error: impl Into<BoxError>) -> Self {
        Self::new(None, Cause::Options(error.into()))
    }

    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        match &self.0.cause {
            Cause::Transport(_) => ErrorKind::Transport,
            Cause::Status(_) => ErrorKind::Status,
            Cause::Decode(_) | Cause::Answer(_) => ErrorKind::Decode,
            Cause::Request(_) => ErrorKind::Request,
            Cause::Auth(_) => ErrorKind::Auth,
            Cause::Store(_) => ErrorKind::Store,
            Cause::Options(_) => ErrorKind::Options,
        }
    }

    /// The operation that failed, such as `records.get`.
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// The error response of the service, for kind [`Status`](ErrorKind::Status).
    pub fn error_response(&self) -> Option<&ErrorResponse> {
        match &self.0.cause {
            Cause::Status(error) => Some(error),
            _ => None,
        }
    }

    /// The error of the transport, for kind [`Transport`](ErrorKind::Transport).
    pub fn transport_error(&self) -> Option<&TransportError> {
        match &self.0.cause {
            Cause::Transport(error) => Some(error),
            _ => None,
        }
    }

    /// The status, if there was a response.
    pub fn status(&self) -> Option<StatusCode> {
        match &self.0.cause {
            Cause::Status(error) => Some(error.status()),
            Cause::Decode(error) => Some(error.status()),
            _ => None,
        }
    }

    /// The headers, if there was a response.
    pub fn headers(&self) -> Option<&HeaderMap> {
        match &self.0.cause {
            Cause::Status(error) => Some(error.headers()),
            Cause::Decode(error) => Some(error.headers()),
            _ => None,
        }
    }

    /// The `X-Request-Id`, which identifies the request in the service's logs.
    pub fn request_id(&self) -> Option<&str> {
        match &self.0.cause {
            Cause::Status(error) => error.request_id(),
            Cause::Decode(error) => error.request_id(),
            _ => None,
        }
    }

    /// The unchanged body, if there was a response.
    pub fn body(&self) -> Option<&Bytes> {
        match &self.0.cause {
            Cause::Status(error) => Some(error.body()),
            Cause::Decode(error) => Some(error.body()),
            _ => None,
        }
    }

    /// `detail` of an error body: one sentence on what went wrong.
    pub fn detail(&self) -> Option<&str> {
        self.error_response()?.detail()
    }

    /// `error_code` of an error body, such as `not_found`.
    pub fn code(&self) -> Option<&str> {
        self.error_response()?.code()
    }

    /// The messages of an error body about the request as a whole.
    pub fn general_errors(&self) -> &[String] {
        self.error_response()
            .map_or(&[], |error| error.invalid().general_errors())
    }

    /// The messages of an error body by field.
    pub fn field_errors(&self) -> &[(String, Vec<String>)] {
        self.error_response()
            .map_or(&[], |error| error.invalid().field_errors())
    }

    /// The codes of an error body by field, such as `unique`, for programs.
    pub fn field_codes(&self) -> BTreeMap<String, Vec<String>> {
        self.error_response()
            .map(ErrorResponse::field_codes)
            .unwrap_or_default()
    }

    /// The position of the error in the JSON, such as `results[3].total`, for kind
    /// [`Decode`](ErrorKind::Decode).
    pub fn json_path(&self) -> Option<&str> {
        match &self.0.cause {
            Cause::Decode(error) => error.path(),
            _ => None,
        }
    }

    /// How long to wait before a retry, if the service says so (`Retry-After`).
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.error_response()?.headers())
    }

    /// Whether the status is 401: the credential is missing or not accepted.
    pub fn is_unauthenticated(&self) -> bool {
        self.is_status(StatusCode::UNAUTHORIZED)
    }

    /// Whether the status is 403: the credential does not permit the call.
    pub fn is_forbidden(&self) -> bool {
        self.is_status(StatusCode::FORBIDDEN)
    }

    /// Whether the status is 404: what the call names does not exist.
    pub fn is_not_found(&self) -> bool {
        self.is_status(StatusCode::NOT_FOUND)
    }

    /// Whether the status is 412: somebody else made a change since the entity tag was read.
    pub fn is_precondition_failed(&self) -> bool {
        self.is_status(StatusCode::PRECONDITION_FAILED)
    }

    /// Whether the status is 429: too many requests.
    pub fn is_throttled(&self) -> bool {
        self.is_status(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Whether the deadline passed before the response was complete.
    pub fn is_timeout(&self) -> bool {
        self.transport_error()
            .is_some_and(|error| error.kind() == TransportErrorKind::Timeout)
    }

    /// Whether no connection to the service could be made.
    pub fn is_connect(&self) -> bool {
        self.transport_error()
            .is_some_and(|error| error.kind() == TransportErrorKind::Connect)
    }

    /// Whether the same call may succeed later. Whether repeating it is harmless depends on the
    /// operation.
    pub fn is_retryable(&self) -> bool {
        match &self.0.cause {
            Cause::Transport(error) => matches!(
                error.kind(),
                TransportErrorKind::Connect
                    | TransportErrorKind::Timeout
                    | TransportErrorKind::Interrupted
            ),
            Cause::Status(error) => is_transient(error.status()),
            Cause::Auth(error) => error.kind() == AuthErrorKind::Transient,
            Cause::Decode(_)
            | Cause::Answer(_)
            | Cause::Request(_)
            | Cause::Store(_)
            | Cause::Options(_) => false,
        }
    }

    fn is_status(&self, status: StatusCode) -> bool {
        self.error_response()
            .is_some_and(|error| error.status() == status)
    }
}

/// Whether a status means that the service cannot answer now but may be able to later.
pub(crate) fn is_transient(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// `Retry-After` in seconds, or as a date minus the `Date` of the response, so that no clock of this machine matters. A
/// transport of a browser writes seconds, since only the browser knows both.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(header::RETRY_AFTER)?;
    match after.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        #[cfg(not(target_family = "wasm"))]
        Err(error) => {
            use crate::http_date::seconds;
            if *error.kind() == std::num::IntErrorKind::PosOverflow {
                return Some(Duration::from_secs(u64::MAX));
            }
            let left = seconds(after)?.saturating_sub(seconds(text(header::DATE)?)?);
            Some(Duration::from_secs(left))
        }
        #[cfg(target_family = "wasm")]
        Err(_) => None,
    }
}

fn missing_credential(credential: Credential) -> Option<&'static str> {
    match credential {
        Credential::ApiKey => {
            Some("the call carried no credential; give the client an api_key or an api_token")
        }
        Credential::StaticToken => Some(
            "the call carried no credential; \
             give the client an api_token, or a token for the resource with token_for",
        ),
        Credential::Session => {
            Some("the call carried no credential; sign in first, or give the client an api_token")
        }
        _ => None,
    }
}

impl From<OptionsError> for Error {
    fn from(error: OptionsError) -> Self {
        Self::options(error)
    }
}

impl From<TokenError> for Error {
    fn from(error: TokenError) -> Self {
        Self::options(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.operation {
            write!(f, "{operation}: ")?;
        }
        self.0.cause.fmt(f)?;
        match &self.0.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    /// Shows the text of `Display` and of the sources. The body is left out: it may be large, and it may
    /// contain private data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sources = Vec::new();
        let mut source = self.source();
        while let Some(error) = source {
            sources.push(error.to_string());
            source = error.source();
        }
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("message", &self.to_string())
            .field("request_id", &self.request_id())
            .field("sources", &sources)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.cause.source()
    }
}
