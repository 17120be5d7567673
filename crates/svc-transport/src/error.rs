//! Errors in the settings of a transport.

use svc_model::wire::BoxError;

/// The error for a transport that cannot be built with its settings.
///
/// ```
/// use svc_transport::{BuildErrorKind, HyperTransport};
///
/// let error = HyperTransport::builder()
///     .root_certificates_pem("no certificate at all")
///     .build()
///     .unwrap_err();
/// assert_eq!(error.kind(), BuildErrorKind::RootCertificate);
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct BuildError {
    kind: BuildErrorKind,
    message: String,
    source: Option<BoxError>,
}

impl BuildError {
    pub(crate) fn new(kind: BuildErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            source: None,
        }
    }

    pub(crate) fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Which setting is wrong.
    pub fn kind(&self) -> BuildErrorKind {
        self.kind
    }
}

/// The kinds of [`BuildError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// There is no cryptography for TLS, or two settings of it exclude each other.
    Tls,
    /// A root certificate cannot be read.
    RootCertificate,
    /// The address of a proxy is not valid.
    Proxy,
    /// A thread or its runtime cannot be made.
    Runtime,
}
