//! The caller's filter of addresses to connect to.

use std::{error::Error as StdError, net::SocketAddr, sync::Arc};

use svc_model::wire::TransportError;

/// The caller's function that decides on an address.
type Decide = dyn Fn(&str, SocketAddr) -> Result<(), String> + Send + Sync;

/// A filter as the connector keeps it.
#[derive(Clone)]
pub(crate) struct AddressFilter(Arc<Decide>);

impl AddressFilter {
    pub(crate) fn new(
        decide: impl Fn(&str, SocketAddr) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(decide))
    }

    /// The admitted addresses of `host`; an error when there are addresses and all of them are refused.
    pub(crate) fn admitted(
        &self,
        host: &str,
        addresses: impl Iterator<Item = SocketAddr>,
    ) -> Result<Vec<SocketAddr>, AddressRefused> {
        let mut admitted = Vec::new();
        let mut refused = None;
        for address in addresses {
            match (self.0)(host, address) {
                Ok(()) => admitted.push(address),
                Err(reason) => refused = refused.or(Some(reason)),
            }
        }
        match refused {
            Some(reason) if admitted.is_empty() => Err(AddressRefused {
                host: host.to_owned(),
                reason,
            }),
            _ => Ok(admitted),
        }
    }
}

/// The error when the [address filter](crate::HyperTransportBuilder::address_filter) refuses all
/// addresses of a host. Nothing was sent.
///
/// It is the source of a [`TransportError`] of kind
/// [`Invalid`](svc_model::wire::TransportErrorKind::Invalid), which is never tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no address of {host} may be connected to: {reason}")]
pub struct AddressRefused {
    host: String,
    reason: String,
}

impl AddressRefused {
    /// The refusal that caused an error, if there is one.
    pub fn of(error: &TransportError) -> Option<&Self> {
        StdError::source(error)?.downcast_ref()
    }

    /// The host whose addresses were refused, as written in the request.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The reason that the filter returned for the first refused address.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> impl Iterator<Item = SocketAddr> {
        let addresses: Vec<_> = texts.iter().map(|text| text.parse().unwrap()).collect();
        addresses.into_iter()
    }

    #[test]
    fn refused_addresses_are_left_out_and_it_is_an_error_when_none_is_left() {
        let filter = AddressFilter::new(|_, address| match address.ip().is_loopback() {
            true => Err(format!("{} is loopback", address.ip())),
            false => Ok(()),
        });
        let mixed = addresses(&["127.0.0.1:80", "192.0.2.1:80", "[::1]:80"]);
        let admitted = filter.admitted("a.test", mixed).unwrap();
        assert_eq!(admitted, ["192.0.2.1:80".parse().unwrap()]);
        let refused = filter
            .admitted("a.test", addresses(&["127.0.0.1:80", "[::1]:80"]))
            .unwrap_err();
        assert_eq!(
            (refused.host(), refused.reason()),
            ("a.test", "127.0.0.1 is loopback")
        );
        assert!(
            filter
                .admitted("a.test", addresses(&[]))
                .unwrap()
                .is_empty()
        );
    }
}
