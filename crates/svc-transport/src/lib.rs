//! A small HTTP client that carries the requests of the svc client crates: hyper, rustls, and a pool
//! of connections behind the [`Transport`](svc_model::wire::Transport) contract of `svc-model`.
//!
//! - HTTP/1.1, and HTTP/2 where the server offers it over TLS.
//! - TLS by rustls with an explicit provider: `ring` by default, `aws-lc-rs` by feature (which wins
//!   when both are on), never the default of the process; or [a configuration of your
//!   own](HyperTransportBuilder::tls_config).
//! - A deadline for the whole exchange (30 s unless the request carries a
//!   [`Deadline`](svc_model::wire::Deadline)), a timeout for connecting (10 s) and, when asked for,
//!   for pauses between bytes.
//! - [Proxies](Proxy), when asked for. Nothing is read from the environment otherwise.
//! - A say in [which addresses are connected to](HyperTransportBuilder::address_filter), for anyone who
//!   sends requests that others have chosen.
//!
//! As the contract says, it sends one request: it follows no redirect, decompresses nothing, adds no
//! credential to the service and never repeats what the service may have seen. One thing is repeated:
//! a request that was handed to a kept connection, and came back because the connection was gone
//! before a byte of the request was written, goes out on another one.
//!
//! It needs a tokio runtime with I/O and time (`enable_all`) where it is awaited, of either flavour;
//! without one a call fails with an error. Without `ring` and `aws-lc-rs` there is `https` only with
//! a [`ClientConfig`](rustls::ClientConfig) of the caller's.
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

mod body;
mod connector;
mod error;
mod failure;
mod filter;
mod proxy;
mod spawner;
mod timer;
mod tls;
mod transport;

pub use rustls;

pub use self::{
    error::{BuildError, BuildErrorKind},
    filter::AddressRefused,
    proxy::Proxy,
    spawner::TokioSpawner,
    timer::TokioTimer,
    transport::{HyperTransport, HyperTransportBuilder},
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
