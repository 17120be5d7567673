//! The svc REST service: both hosts, their routes, credentials, errors and operations.
//!
//! A request's way: [`listener`](Server) -> middleware (request id, log, limits, CORS) -> router ->
//! credentials (who, and what may they reach) -> the handler in its group's file -> `svc-store` or
//! `svc-data` -> JSON bytes. A handler parses, asks one lower layer and answers: SQL lives below, HTTP
//! here.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use svc_server::{Config, Server};
//!
//! let store = svc_store::Store::open("svc-data".as_ref()).await?;
//! let server = Server::bind(store, Config::default()).await?;
//! println!("{}", server.base_url());
//! server.run(async { tokio::signal::ctrl_c().await.unwrap_or(()) }).await?;
//! # Ok(())
//! # }
//! ```

mod api;
mod audit;
mod auth;
mod backups;
mod config;
mod console;
mod console_server;
mod error;
mod http;
mod in_process;
mod mail;
mod metrics;
mod open_listeners;
mod openapi;
mod proxy;
mod resources;
mod server;
#[cfg(feature = "otlp")]
mod spans;
mod state;

pub use self::{
    config::{
        AuditMode, AuditValues, BackupConfig, Config, IpRange, Origin, RateLimit, ResourceHost,
        SettingSource,
    },
    console::ConsoleService,
    console_server::{Browsers, ConsoleServer},
    error::Error,
    in_process::InProcess,
    mail::MailConfig,
    open_listeners::OpenListeners,
    resources::test::test_resource,
    server::Server,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
