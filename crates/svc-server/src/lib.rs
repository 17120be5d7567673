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

mod access;
mod account;
mod answer;
mod answer_headers;
mod application;
mod arriving;
mod audit;
mod body;
mod body_memory;
mod compression;
mod config;
mod connections;
mod cors;
mod credentials;
mod data;
mod documents;
mod error;
mod failure;
mod health;
mod limits;
mod links;
mod listener;
mod log;
mod mail;
mod openapi;
mod pages;
mod permits;
mod projects;
mod proxy;
mod records;
mod refusal;
mod request;
mod resource_path;
mod resources;
mod root;
mod router;
mod rows;
mod server;
mod sql;
mod state;
mod store_health;
mod suggestion;
mod teams;
mod throttle;
mod tools;
mod users;
mod write_keys;

pub use self::{
    config::{AuditMode, Config, IpRange, Origin},
    error::Error,
    mail::MailConfig,
    server::Server,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
