//! Minimal hyper and rustls transport for the svc client crates.
