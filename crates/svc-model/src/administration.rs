//! The administration of the service over HTTP: accounts, projects and what they consist of.
//!
//! Every operation is one of the application host. Its [`level`](crate::wire::OperationInfo::level) says what the account
//! of the caller must be. Lists accept the [`ListQuery`](crate::ListQuery) of any list: filters, order, search, cursors.
//!
//! ```
//! use svc_model::{administration::members, wire::{Level, Operation}};
//!
//! let add = members::Create::new("demo", "bob@example.com", "Editor");
//! let request = add.to_request("https://app.example.com/api")?;
//! assert_eq!(request.uri().path(), "/api/projects/demo/members/");
//! assert_eq!(members::Create::INFO.level, Some(Level::Administrator));
//! # Ok::<(), svc_model::wire::RequestError>(())
//! ```

pub mod account;
pub mod account_keys;
pub mod account_sessions;
pub mod accounts;
pub mod allowed_hosts;
pub mod audit;
pub mod environments;
pub mod history;
pub mod items;
pub mod keys;
pub mod mails;
pub mod members;
pub mod project_keys;
pub mod projects;
pub mod resources;
pub mod rights;
pub mod secrets;
pub mod service;
pub mod service_tokens;
pub mod sign_in;
pub mod signing_keys;
pub mod teams;
pub mod tokens;
pub mod users;

mod common;

pub use self::common::{IssuedText, SecretUrl, SecretValue, Session, TeamName};
