//! The transport with neither `ring` nor `aws-lc-rs`.

use std::sync::Arc;

use svc_testing::conformance;
use svc_transport::{
    BuildErrorKind, HyperTransport,
    rustls::{ClientConfig, RootCertStore, crypto::ring},
};

#[test]
fn https_is_refused_when_the_transport_is_built_and_the_error_names_the_remedies() {
    let error = HyperTransport::new().unwrap_err();
    assert_eq!(error.kind(), BuildErrorKind::Tls);
    for remedy in ["`ring`", "`aws-lc-rs`", "`tls_config`", "`http_only`"] {
        assert!(error.to_string().contains(remedy), "{error}");
    }
}

#[tokio::test]
async fn a_transport_with_http_only_conforms() {
    let transport = HyperTransport::builder().http_only().build().unwrap();
    conformance::check(&transport).await.unwrap();
}

#[test]
fn the_callers_configuration_has_its_own_provider() {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    HyperTransport::builder()
        .tls_config(config)
        .build()
        .unwrap();
}
