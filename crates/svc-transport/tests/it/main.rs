//! Tests of the transport with real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows no tests outside of the functions that are marked as such"
)]

#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod contract;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod errors;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod filter;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod http2;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod late;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod pool;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod proxy;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod support;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod time;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod tls;
#[cfg(not(any(feature = "ring", feature = "aws-lc-rs")))]
mod without_provider;
