//! Errors of transports: no response, or a body that broke off.

use std::{error::Error as StdError, io};

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

    /// The error of another HTTP client, with the kind that it and its sources show: a [`TransportError`] among them stays
    /// what it is; an [`io::Error`] says whether connecting failed, the time ran out, or the connection broke off. Anything
    /// else is [`Other`](TransportErrorKind::Other), which is never tried again.
    ///
    /// ```
    /// use std::io::{Error, ErrorKind};
    /// use svc_model::wire::{TransportError, TransportErrorKind};
    ///
    /// let refused = TransportError::from_source(Error::from(ErrorKind::ConnectionRefused));
    /// assert_eq!(refused.kind(), TransportErrorKind::Connect);
    /// ```
    pub fn from_source(source: impl Into<BoxError>) -> Self {
        let source = match source.into().downcast::<Self>() {
            Ok(error) => return *error,
            Err(source) => source,
        };
        let mut known = Self::from(TransportErrorKind::Other);
        let mut cause: Option<&(dyn StdError + 'static)> = Some(source.as_ref());
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<Self>() {
                known = Self::from(error.kind).with_never_sent(error.never_sent);
                break;
            }
            if let Some(error) = error.downcast_ref::<io::Error>() {
                let kind = kind_of(error.kind());
                if kind != TransportErrorKind::Other {
                    known = kind.into();
                }
                // An I/O error does not count the error that it was made of among its sources.
                cause = error.get_ref().map(|error| error as _);
                continue;
            }
            cause = error.source();
        }
        known.source = Some(source);
        known
    }

    /// Sets the kind where it is [`Other`](TransportErrorKind::Other): for a client of which is known what an error means
    /// that says nothing more.
    #[must_use]
    pub fn or_kind(mut self, kind: TransportErrorKind) -> Self {
        if self.kind == TransportErrorKind::Other {
            let source = self.source.take();
            self = kind.into();
            self.source = source;
        }
        self
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

fn kind_of(kind: io::ErrorKind) -> TransportErrorKind {
    use io::ErrorKind;
    match kind {
        ErrorKind::ConnectionRefused | ErrorKind::AddrNotAvailable => TransportErrorKind::Connect,
        ErrorKind::TimedOut => TransportErrorKind::Timeout,
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::NotConnected
        | ErrorKind::UnexpectedEof
        // A connection over which the request was sent can end so too.
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable => TransportErrorKind::Interrupted,
        _ => TransportErrorKind::Other,
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
    /// The connection broke off while the request was being sent or before the response, with its body, was complete.
    Interrupted,
    /// The request body could not be produced, or the response body is malformed or exceeded its limit.
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

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the client failed")]
    struct Foreign(#[source] BoxError);

    #[test]
    fn the_kind_of_a_foreign_error_is_that_of_its_sources() {
        let broken = || TransportError::from(TransportErrorKind::Interrupted).with_never_sent(true);
        let sources: [(BoxError, TransportErrorKind, bool); 7] = [
            (
                io::Error::from(ErrorKind::HostUnreachable).into(),
                TransportErrorKind::Interrupted,
                false,
            ),
            (
                io::Error::from(ErrorKind::TimedOut).into(),
                TransportErrorKind::Timeout,
                false,
            ),
            (
                Foreign(io::Error::from(ErrorKind::ConnectionRefused).into()).into(),
                TransportErrorKind::Connect,
                true,
            ),
            (
                Foreign(io::Error::from(ErrorKind::BrokenPipe).into()).into(),
                TransportErrorKind::Interrupted,
                false,
            ),
            (
                Foreign(broken().into()).into(),
                TransportErrorKind::Interrupted,
                true,
            ),
            (
                io::Error::other(broken()).into(),
                TransportErrorKind::Interrupted,
                true,
            ),
            ("no reason".into(), TransportErrorKind::Other, false),
        ];
        for (source, kind, never_sent) in sources {
            let shown = format!("{source:?}");
            let error = TransportError::from_source(source);
            assert_eq!(
                (error.kind(), error.never_sent()),
                (kind, never_sent),
                "{shown}"
            );
            assert!(error.source().is_some());
        }
    }

    #[test]
    fn a_transport_error_is_not_wrapped_in_another_one() {
        let error = TransportError::from_source(TransportError::from(TransportErrorKind::Body));
        assert_eq!(error.kind(), TransportErrorKind::Body);
        assert!(error.source().is_none());
    }
}
