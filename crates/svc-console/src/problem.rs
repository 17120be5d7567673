//! Why a place could not answer.

use http::StatusCode;
use svc_api::{Error, ErrorKind, model::wire::TransportErrorKind};

use crate::BoxError;

pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

/// Why a place could not answer.
#[derive(Debug)]
pub(crate) enum Problem {
    /// There is no such place.
    NotFound,
    /// The place does not have this method.
    OtherMethod,
    /// The path or the form is not UTF-8.
    NotUtf8,
    /// What was sent is no form.
    NotAForm,
    /// The form does not say which of the things of its place is to be done.
    NoAction,
    /// The form is too large.
    TooLarge,
    /// The form is too large to come back behind signing in.
    TooLargeToKeep,
    /// The text of a query has more parameters than it may have.
    TooManyParameters,
    /// The form was sent by another site.
    Foreign,
    /// The browser does not say where the form comes from, and the form has not the token of the session.
    StaleForm,
    /// Nobody is signed in.
    SignedOut,
    /// Who is signed in is not who has opened the form.
    OtherAccount,
    /// Only administrators of the project may do this.
    NotAdministrator,
    /// Only operators of the service may do this.
    NotOperator,
    /// Nothing is changed while somebody sees what another person would.
    OnlySeeing,
    /// The user whose view is wanted is suspended.
    Suspended,
    /// Nobody can say now whose session it is.
    Unavailable(BoxError),
    /// Who looks may not do this.
    Forbidden,
    /// The service has refused a call, or could not be reached.
    Api(Box<Error>),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error.kind() {
            // A part of the address names nothing.
            ErrorKind::Request => Self::NotFound,
            _ if error.is_unauthenticated() => Self::SignedOut,
            _ => Self::Api(Box::new(error)),
        }
    }
}

/// What the service does not know is no place.
pub(crate) fn or_not_found(error: Error) -> Problem {
    match error.is_not_found() {
        true => Problem::NotFound,
        false => error.into(),
    }
}

/// The same, where what somebody may not see is answered like what is not there.
pub(crate) fn or_hidden(error: Error) -> Problem {
    match error.is_forbidden() {
        true => Problem::NotFound,
        false => or_not_found(error),
    }
}

impl Problem {
    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::OtherMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotUtf8 | Self::NoAction | Self::TooManyParameters => StatusCode::BAD_REQUEST,
            Self::NotAForm => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge | Self::TooLargeToKeep => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Foreign
            | Self::StaleForm
            | Self::Forbidden
            | Self::NotAdministrator
            | Self::NotOperator
            | Self::OnlySeeing
            | Self::Suspended => StatusCode::FORBIDDEN,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::OtherAccount => StatusCode::CONFLICT,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Api(error) => status_of(error),
        }
    }

    /// Whether the same form may succeed when it is sent again: in a moment, or as a form of this session.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::StaleForm => true,
            Self::Api(error) => is_passing(error),
            _ => false,
        }
    }
}

/// The service has said nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// It could not be reached, and knows nothing of the call.
    Away,
    /// It may have done what it was asked for.
    Unanswered,
}

impl Silence {
    /// `None` for an answer of the service, whatever it says.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        match error.transport_error().map(|error| error.kind()) {
            Some(TransportErrorKind::Connect) => Some(Self::Away),
            Some(TransportErrorKind::Timeout | TransportErrorKind::Interrupted) => {
                Some(Self::Unanswered)
            }
            Some(_) => None,
            None => is_of_gateway(error).then_some(Self::Unanswered),
        }
    }
}

/// Whether what is before the service has answered in its place: the service itself says more.
fn is_of_gateway(error: &Error) -> bool {
    let is_silent = matches!(
        error.status(),
        Some(
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
        )
    );
    is_silent && error.detail().is_none() && error.general_errors().is_empty()
}

/// The status of an answer about a call that has failed.
pub(crate) fn status_of(error: &Error) -> StatusCode {
    match (Silence::of(error), error.status()) {
        (Some(_), _) => StatusCode::SERVICE_UNAVAILABLE,
        (None, None) if error.kind() == ErrorKind::Request => StatusCode::NOT_FOUND,
        (None, status) => status.unwrap_or(StatusCode::BAD_GATEWAY),
    }
}

/// Whether a call may succeed in a moment: the service has said nothing, or a database that it needs is away.
pub(crate) fn is_passing(error: &Error) -> bool {
    status_of(error) == StatusCode::SERVICE_UNAVAILABLE
}
