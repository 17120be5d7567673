//! The TLS settings: an explicit cryptography provider and explicit roots, never the process default.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_rustls::TlsConnector;

use crate::{BuildError, BuildErrorKind};

/// The versions of HTTP over TLS, the preferred one first.
const ALPN: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// The sources of the trusted root certificates.
#[derive(Default)]
pub(crate) struct Roots {
    pub(crate) without_public: bool,
    #[cfg(feature = "native-roots")]
    pub(crate) native: bool,
    pub(crate) pem: Vec<Vec<u8>>,
    pub(crate) der: Vec<Vec<u8>>,
}

impl Roots {
    pub(crate) fn is_default(&self) -> bool {
        !self.without_public && !self.has_native() && self.pem.is_empty() && self.der.is_empty()
    }

    #[cfg(feature = "native-roots")]
    fn has_native(&self) -> bool {
        self.native
    }

    #[cfg(not(feature = "native-roots"))]
    fn has_native(&self) -> bool {
        false
    }

    fn store(&self) -> Result<RootCertStore, BuildError> {
        let mut store = RootCertStore::empty();
        if !self.without_public {
            store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        #[cfg(feature = "native-roots")]
        if self.native {
            add_native(&mut store)?;
        }
        for pem in &self.pem {
            let mut found = false;
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate = certificate.map_err(|error| {
                    unreadable("a root certificate is not valid PEM").with_source(error)
                })?;
                add(&mut store, certificate)?;
                found = true;
            }
            if !found {
                return Err(unreadable(
                    "the root certificates hold no `-----BEGIN CERTIFICATE-----` section",
                ));
            }
        }
        for der in &self.der {
            add(&mut store, CertificateDer::from(der.as_slice()))?;
        }
        Ok(store)
    }
}

fn add(store: &mut RootCertStore, certificate: CertificateDer<'_>) -> Result<(), BuildError> {
    store.add(certificate.into_owned()).map_err(|error| {
        unreadable("a root certificate is no X.509 certificate").with_source(error)
    })
}

/// Adds the certificates that the operating system trusts. Those that rustls cannot read are left out, since such stores
/// hold very old ones too.
#[cfg(feature = "native-roots")]
fn add_native(store: &mut RootCertStore) -> Result<(), BuildError> {
    let mut native = rustls_native_certs::load_native_certs();
    let (added, _) = store.add_parsable_certificates(native.certs);
    match (added, native.errors.pop()) {
        (0, Some(error)) => Err(unreadable(
            "the root certificates of the operating system cannot be read",
        )
        .with_source(error)),
        (0, None) => Err(unreadable(
            "the operating system has no root certificates; install them, or leave out `native_roots`",
        )),
        _ => Ok(()),
    }
}

fn unreadable(message: &str) -> BuildError {
    BuildError::new(BuildErrorKind::RootCertificate, message)
}

/// The connectors for the service and for a proxy that is itself reached over TLS.
#[derive(Clone)]
pub(crate) struct Tls {
    pub(crate) service: TlsConnector,
    pub(crate) proxy: TlsConnector,
}

impl Tls {
    pub(crate) fn new(mut config: ClientConfig, http1_only: bool) -> Self {
        if http1_only {
            config.alpn_protocols = vec![ALPN[1].to_vec()];
        } else if config.alpn_protocols.is_empty() {
            config.alpn_protocols = ALPN.iter().map(|name| name.to_vec()).collect();
        }
        let mut proxy = config.clone();
        proxy.alpn_protocols = vec![ALPN[1].to_vec()];
        Self {
            service: TlsConnector::from(Arc::new(config)),
            proxy: TlsConnector::from(Arc::new(proxy)),
        }
    }
}

/// The settings when the caller sets none.
pub(crate) fn default_config(roots: &Roots) -> Result<ClientConfig, BuildError> {
    let provider = provider().ok_or_else(|| {
        BuildError::new(
            BuildErrorKind::Tls,
            "https needs cryptography: turn on the feature `ring` or `aws-lc-rs` of svc-transport, \
             or give a `rustls::ClientConfig` with `tls_config`, or do without https with `http_only`",
        )
    })?;
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| {
            BuildError::new(
                BuildErrorKind::Tls,
                "the cryptography provider has no suite for TLS 1.2 or 1.3",
            )
            .with_source(error)
        })?;
    Ok(config
        .with_root_certificates(roots.store()?)
        .with_no_client_auth())
}

#[cfg(feature = "aws-lc-rs")]
fn provider() -> Option<CryptoProvider> {
    Some(rustls::crypto::aws_lc_rs::default_provider())
}

#[cfg(all(feature = "ring", not(feature = "aws-lc-rs")))]
fn provider() -> Option<CryptoProvider> {
    Some(rustls::crypto::ring::default_provider())
}

#[cfg(not(any(feature = "ring", feature = "aws-lc-rs")))]
fn provider() -> Option<CryptoProvider> {
    None
}
