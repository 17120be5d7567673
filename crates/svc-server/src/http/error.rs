//! What goes wrong with a request, and how it is answered (wire contract, section 2).

pub(crate) mod refusal;
pub(crate) mod suggestion;

use http::{HeaderValue, Response, StatusCode, header};
use serde_json::json;
use svc_model::Invalid;

use crate::http::{
    ApiResponse,
    error::refusal::Refusal,
    response::{CutOff, json_response},
};

/// Seconds after which a request may be repeated that the store could not serve. The store is checked every second.
const STORE_RETRY_AFTER: u64 = 2;

/// A request that is not answered with its result. Its text is what the caller reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// 400: a field, or the request as a whole, is wrong.
    #[error("{0}")]
    Invalid(#[from] Invalid),
    /// 400: a field or a constraint of a database refused a write.
    #[error("the database refused a write")]
    Refused(Box<Refusal>),
    /// 401: no, unknown, expired or malformed credentials.
    #[error("{detail}")]
    NotAuthenticated {
        detail: &'static str,
        challenge: &'static str,
    },
    /// 403: the credentials do not cover this.
    #[error("{0}")]
    PermissionDenied(&'static str),
    /// 404: nothing there, within what the credentials cover.
    #[error("{0}")]
    NotFound(String),
    /// 405: the path has other methods. The router names them, unless they are named here.
    #[error("this path has other methods; they are named in the Allow header")]
    MethodNotAllowed { allow: Option<&'static str> },
    /// 409: it cannot be found out whether an earlier request with the same key was done.
    #[error("{0}")]
    Undecided(String),
    /// 422: another call had this idempotency key.
    #[error("another call had this Idempotency-Key; use a new one for each call")]
    OtherRequest,
    /// 409: the statement was ended before it was done.
    #[error("the statement was cancelled")]
    Cancelled,
    /// 409: the caller has chosen an id for a statement that another one of the caller's has.
    #[error("a statement with this X-Statement-Id runs already; choose another id")]
    StatementRuns,
    /// 412: `If-Match` does not match, or another number of records than `_expect`.
    #[error("{0}")]
    PreconditionFailed(String),
    /// 408: the body did not arrive in time.
    #[error("the request body did not arrive in time")]
    BodyTimeout,
    /// 413: the body is over the limit.
    #[error("the request body is larger than the limit of {limit} bytes")]
    PayloadTooLarge { limit: usize },
    /// 415: the body is not JSON.
    #[error(
        "the request body must be JSON that is not compressed, with Content-Type: application/json"
    )]
    UnsupportedMediaType,
    /// 415: the body is no file that can be imported.
    #[error(
        "the file must be CSV (Content-Type: text/csv) or NDJSON (application/x-ndjson) that is not compressed"
    )]
    UnsupportedFile,
    /// 416: a part that the value does not have. How many bytes it has.
    #[error("the value has {length} bytes, and none of them are in the requested range")]
    NoSuchRange { length: usize },
    /// 429: too many tries. How many seconds to wait.
    #[error("too many tries; wait {retry_after} seconds")]
    Throttled { retry_after: u64 },
    /// 429: more requests than a rate limit allows. How many seconds to wait.
    #[error("too many requests; wait {retry_after} seconds")]
    RateLimited { retry_after: u64 },
    /// 502: what another service answered, or that it did not, is not passed on.
    #[error("{0}")]
    BadGateway(String),
    /// 503: the database of a resource cannot be reached, or the service ends.
    #[error("{0}")]
    Unavailable(String),
    /// 503: the store cannot be read or written.
    #[error("{0}")]
    StoreUnavailable(String),
    /// 503: there are more requests, or more answers that are not read, than there is memory or time for.
    #[error("{0}")]
    Overloaded(&'static str),
    /// 504: the database took too long.
    #[error("{0}")]
    Timeout(String),
    /// 500: a fault of ours. The text is for the log alone.
    #[error("internal error")]
    Internal(String),
}

/// What a request is answered with.
pub(crate) type ApiResult<T = ApiResponse> = Result<T, ApiError>;

/// Ends a response whose head is on its way; the cause is for the log alone.
impl From<ApiError> for CutOff {
    fn from(failure: ApiError) -> Self {
        match failure {
            ApiError::Cancelled => tracing::info!("an answer was cut off by its cancellation"),
            failure => tracing::error!(?failure, "an answer was cut off"),
        }
        Self
    }
}

impl From<svc_store::Error> for ApiError {
    fn from(error: svc_store::Error) -> Self {
        use svc_store::ErrorKind;
        match error.kind() {
            ErrorKind::Invalid => Self::Invalid(
                error
                    .invalid()
                    .cloned()
                    .unwrap_or_else(|| Invalid::general(error.public_message())),
            ),
            ErrorKind::NotFound => Self::NotFound(error.public_message().to_owned()),
            ErrorKind::PreconditionFailed => Self::changed(),
            ErrorKind::Busy => Self::Throttled { retry_after: 1 },
            ErrorKind::Unavailable => {
                tracing::error!(%error, "the store cannot be used");
                let why = error.file_fault();
                let why = why.map_or_else(String::new, |fault| format!(": {fault}"));
                Self::StoreUnavailable(format!(
                    "the service's store cannot be used now{why}; try again later"
                ))
            }
            ErrorKind::Timeout => {
                tracing::error!(%error, "the store did not answer in time");
                Self::StoreUnavailable(
                    "the service's store did not answer in time; try again later".to_owned(),
                )
            }
            _ => Self::Internal(error.to_string()),
        }
    }
}

impl From<svc_data::Error> for ApiError {
    fn from(error: svc_data::Error) -> Self {
        use svc_data::ErrorKind;
        match error.kind() {
            ErrorKind::Invalid => match Refusal::of(&error) {
                Some(refusal) => Self::Refused(Box::new(refusal)),
                None => Self::Invalid(invalid_of(&error)),
            },
            ErrorKind::NotFound => Self::NotFound(error.public_message().to_owned()),
            ErrorKind::PreconditionFailed => {
                Self::PreconditionFailed(error.public_message().to_owned())
            }
            ErrorKind::Unavailable => {
                tracing::warn!(%error, "a resource cannot be reached");
                Self::Unavailable(error.public_message().to_owned())
            }
            ErrorKind::Timeout => Self::Timeout(error.public_message().to_owned()),
            _ => Self::Internal(error.to_string()),
        }
    }
}

fn invalid_of(error: &svc_data::Error) -> Invalid {
    if error.messages().is_empty() {
        Invalid::general(error.public_message())
    } else {
        error.messages().clone()
    }
}

impl ApiError {
    /// No fit credentials, on a route with this challenge.
    pub(crate) fn not_authenticated(detail: &'static str, challenge: &'static str) -> Self {
        Self::NotAuthenticated { detail, challenge }
    }

    /// Something is not any more what its entity tag says.
    pub(crate) fn changed() -> Self {
        let message = "it changed since its ETag was read; read it again and repeat the change";
        Self::PreconditionFailed(message.to_owned())
    }

    /// A path that has these methods only.
    pub(crate) fn not_allowed(allow: &'static str) -> Self {
        Self::MethodNotAllowed { allow: Some(allow) }
    }

    /// The response.
    pub(crate) fn into_api_response(self) -> ApiResponse {
        use StatusCode as Status;
        let (status, code) = match &self {
            Self::Invalid(invalid) => return json_response(Status::BAD_REQUEST, invalid),
            Self::Refused(refusal) => {
                let mut answer = json_response(Status::BAD_REQUEST, &**refusal);
                answer.headers_mut().extend(refusal.headers());
                return answer;
            }
            Self::NotAuthenticated { .. } => (Status::UNAUTHORIZED, "not_authenticated"),
            Self::PermissionDenied(_) => (Status::FORBIDDEN, "permission_denied"),
            Self::NotFound(_) => (Status::NOT_FOUND, "not_found"),
            Self::MethodNotAllowed { .. } => (Status::METHOD_NOT_ALLOWED, "method_not_allowed"),
            Self::Undecided(_) => (Status::CONFLICT, "undecided"),
            Self::OtherRequest => (Status::UNPROCESSABLE_ENTITY, "idempotency_key_reused"),
            Self::Cancelled => (Status::CONFLICT, "cancelled"),
            Self::StatementRuns => (Status::CONFLICT, "statement_runs"),
            Self::PreconditionFailed(_) => (Status::PRECONDITION_FAILED, "precondition_failed"),
            Self::BodyTimeout => (Status::REQUEST_TIMEOUT, "timeout"),
            Self::PayloadTooLarge { .. } => (Status::PAYLOAD_TOO_LARGE, "payload_too_large"),
            Self::UnsupportedMediaType | Self::UnsupportedFile => {
                (Status::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type")
            }
            Self::NoSuchRange { .. } => (Status::RANGE_NOT_SATISFIABLE, "range_not_satisfiable"),
            Self::Throttled { .. } | Self::RateLimited { .. } => {
                (Status::TOO_MANY_REQUESTS, "throttled")
            }
            Self::BadGateway(_) => (Status::BAD_GATEWAY, "bad_gateway"),
            Self::Unavailable(_) => (Status::SERVICE_UNAVAILABLE, "resource_unavailable"),
            Self::StoreUnavailable(_) => (Status::SERVICE_UNAVAILABLE, "store_unavailable"),
            Self::Overloaded(_) => (Status::SERVICE_UNAVAILABLE, "overloaded"),
            Self::Timeout(_) => (Status::GATEWAY_TIMEOUT, "timeout"),
            Self::Internal(cause) => {
                tracing::error!(%cause, "a request failed by a fault of the service");
                (Status::INTERNAL_SERVER_ERROR, "error")
            }
        };
        let detail = self.to_string();
        let mut answer = json_response(status, &json!({ "detail": detail, "error_code": code }));
        let retry_after = self.retry_after().map(HeaderValue::from);
        let header = match self {
            Self::NotAuthenticated { challenge, .. } => Some((
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static(challenge),
            )),
            Self::MethodNotAllowed { allow } => {
                allow.map(|allow| (header::ALLOW, HeaderValue::from_static(allow)))
            }
            Self::NoSuchRange { length } => HeaderValue::try_from(format!("bytes */{length}"))
                .ok()
                .map(|length| (header::CONTENT_RANGE, length)),
            _ => retry_after.map(|seconds| (header::RETRY_AFTER, seconds)),
        };
        answer.headers_mut().extend(header);
        answer
    }

    /// After how many seconds the request may be repeated, where that may help.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Throttled { retry_after } | Self::RateLimited { retry_after } => {
                Some(*retry_after)
            }
            Self::StoreUnavailable(_) => Some(STORE_RETRY_AFTER),
            // A server that is back is noticed within a second, and a busy one has a free connection.
            Self::Unavailable(_) | Self::Overloaded(_) => Some(1),
            _ => None,
        }
    }
}

impl axum::response::IntoResponse for ApiError {
    fn into_response(self) -> Response<axum::body::Body> {
        self.into_api_response().map(axum::body::Body::new)
    }
}
