//! Errors of transports: no response, or a body that broke off.

use std::error::Error as StdError;

/// Any error, boxed.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// The reason why a request got no response, or why the body of a response broke off.
///
/// ```
/// use svc_model::wire::{TransportError, TransportErrorKind};
///
/// let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
/// let error = TransportError::new(TransportErrorKind::Connect, refused);
/// assert!(error.never_sent());
/// assert!(error.is_retryable(false));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{}", self.kind.message())]
pub struct TransportError {
    kind: TransportErrorKind,
    never_sent: bool,
    source: Option<BoxError>,
}

impl TransportError {
    /// An error of this kind with its cause.
    ///
    /// [`Connect`](TransportErrorKind::Connect) and [`Invalid`](TransportErrorKind::Invalid) mean
    /// that the request was never sent; for the other kinds, use
    /// [`with_never_sent`](Self::with_never_sent) to say so.
    pub fn new(kind: TransportErrorKind, source: impl Into<BoxError>) -> Self {
        let mut error = Self::from(kind);
        error.source = Some(source.into());
        error
    }

    /// Sets whether it is certain that the service did not see any part of the request.
    #[must_use]
    pub fn with_never_sent(mut self, never_sent: bool) -> Self {
        self.never_sent = never_sent;
        self
    }

    /// The kind of failure.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// Whether it is certain that the service did not see any part of the request, so that sending it
    /// again cannot do anything twice.
    pub fn never_sent(&self) -> bool {
        self.never_sent
    }

    /// Whether another try may succeed and can do no harm; `idempotent` says whether the operation is
    /// idempotent (RFC 9110, section 9.2.2).
    pub fn is_retryable(&self, idempotent: bool) -> bool {
        match self.kind {
            TransportErrorKind::Connect => true,
            TransportErrorKind::Interrupted => self.never_sent || idempotent,
            TransportErrorKind::Timeout
            | TransportErrorKind::Body
            | TransportErrorKind::Invalid
            | TransportErrorKind::Other => false,
        }
    }
}

impl From<TransportErrorKind> for TransportError {
    fn from(kind: TransportErrorKind) -> Self {
        Self {
            kind,
            never_sent: matches!(
                kind,
                TransportErrorKind::Connect | TransportErrorKind::Invalid
            ),
            source: None,
        }
    }
}

/// The kinds of [`TransportError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// No connection: name resolution, TCP, TLS or the proxy failed. The request was never sent.
    Connect,
    /// A deadline passed.
    Timeout,
    /// The connection broke off while the request was being sent or before the response arrived.
    Interrupted,
    /// The request body could not be produced, or the response body broke off or exceeded its limit.
    Body,
    /// The request cannot be sent: its URI is not absolute or has an unsupported scheme. It was never sent.
    Invalid,
    /// Anything else.
    Other,
}

impl TransportErrorKind {
    fn message(self) -> &'static str {
        match self {
            Self::Connect => "could not connect to the service",
            Self::Timeout => "the service did not answer in time",
            Self::Interrupted => "the connection broke off before the answer was complete",
            Self::Body => "a body could not be read",
            Self::Invalid => "the request cannot be sent as it is",
            Self::Other => "the transport failed",
        }
    }
}
