//! A small HTTP client that sends the requests of the svc client crates: hyper, rustls, and a connection
//! pool, which implement the [`Transport`](svc_model::wire::Transport) contract of `svc-model`.
//!
//! - HTTP/1.1, and HTTP/2 where the server offers it over TLS.
//! - TLS with rustls and an explicit provider: `ring` by default, `aws-lc-rs` by feature (which is used
//!   when both are on), never the default of the process; or with [your own
//!   configuration](HyperTransportBuilder::tls_config).
//! - A deadline for the whole exchange (30 s unless the request has a
//!   [`Deadline`](svc_model::wire::Deadline)), a timeout for connecting (10 s) and, if set, for pauses
//!   between bytes.
//! - [Proxies](Proxy), if set. Nothing is read from the environment otherwise.
//! - A [filter of addresses](HyperTransportBuilder::address_filter) for programs that send requests to
//!   URLs from others.
//!
//! As the contract requires, it sends one request: it follows no redirect, decompresses nothing, adds no
//! credential for the service and never repeats a request that the service may have seen. There is one
//! case in which it repeats a request: if a kept connection was closed before any byte of the request was
//! written, the request is sent on another connection.
//!
//! It must be awaited in a tokio runtime with I/O and time (`enable_all`), of either flavour; without
//! one a call fails with an error. Without `ring` and `aws-lc-rs`, `https` requires a
//! [`ClientConfig`](rustls::ClientConfig) of the caller.
//!
//! ```
//! use std::time::Duration;
//! use svc_model::wire::{Body, Deadline, Transport};
//! use svc_transport::HyperTransport;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let transport = HyperTransport::builder().proxy_from_env().build()?;
//! let request = http::Request::get("https://data.example.com/projects/demo/prod/shop/models/orders")
//!     .extension(Deadline(Duration::from_secs(5)))
//!     .body(Body::empty())?;
//! let response = transport.send(request).await?;
//! let status = response.status();
//! let bytes = response.into_body().collect(1024 * 1024).await?;
//! println!("{status}: {} bytes", bytes.len());
//! # Ok(())
//! # }
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
compile_error!(
    "svc-transport needs sockets, which browsers do not have: use svc-api without default features \
     and with a transport of your own, such as one over `fetch`"
);

mod body;
mod connector;
mod error;
mod failure;
mod filter;
mod proxy;
mod spawner;
mod thread;
mod timer;
mod tls;
mod transport;

pub use rustls;

pub use self::{
    error::{BuildError, BuildErrorKind},
    filter::AddressRefused,
    proxy::Proxy,
    spawner::TokioSpawner,
    thread::ThreadTransport,
    timer::TokioTimer,
    transport::{HyperTransport, HyperTransportBuilder},
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
