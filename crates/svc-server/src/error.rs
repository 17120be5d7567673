//! Why the service did not start, or stopped.

use std::{io, net::SocketAddr};

/// Why the service did not start, or stopped. Speaks to the operator and names the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn config(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// The same, with what it is about.
    pub(crate) fn about(self, what: &str) -> Self {
        Self {
            message: format!("{what}: {}", self.message),
            ..self
        }
    }

    pub(crate) fn bind(address: SocketAddr, source: io::Error) -> Self {
        let message = match source.kind() {
            io::ErrorKind::AddrInUse => {
                format!(
                    "{address} is in use: stop the program that listens there, or choose another address"
                )
            }
            io::ErrorKind::PermissionDenied => format!(
                "no permission to listen on {address}: choose a port above 1023, or grant the permission"
            ),
            io::ErrorKind::AddrNotAvailable => {
                format!(
                    "{address} is not an address of this machine: choose one of its own, or 0.0.0.0"
                )
            }
            _ => format!("cannot listen on {address}: {source}"),
        };
        Self {
            message,
            source: Some(source.into()),
        }
    }

    pub(crate) fn passed(source: io::Error) -> Self {
        Self {
            message: format!("a socket that was passed to the service cannot be used: {source}"),
            source: Some(source.into()),
        }
    }

    pub(crate) fn store(source: svc_store::Error) -> Self {
        Self {
            message: source.to_string(),
            source: Some(source.into()),
        }
    }
}
