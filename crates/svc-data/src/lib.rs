//! Connected databases of the svc service: what they look like, and their records as JSON.
//!
//! - [`Resource`] is a connected database. It knows its [`Structure`] and lists, retrieves, creates,
//!   updates, replaces and deletes records as the specification says in section 4. What goes in is the
//!   grammar of [`svc_model`], what comes out is JSON bytes, written straight from the rows.
//! - [`Database`] is a database of one's own with versioned migrations: rows in and out, whatever the
//!   engine. The control plane lives on it.
//! - [`Error`] says what sort of failure it was, and keeps what an administrator may read apart from what
//!   a client may.
//!
//! Queries are built from the structure that was read from the database: names that a client sends are
//! looked up in it, values are always bound. No type of a database driver is part of the interface; each
//! engine is a folder in `engine/` and a feature beneath one internal trait: `sqlite`, `postgres` and `mysql`, all on by default.
//!
//! ```
//! use svc_data::{Resource, ResourceOptions, ResourceUrl};
//! use svc_model::{ListQuery, OrderBy};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("shop.db");
//! # rusqlite::Connection::open(&path)?.execute_batch(
//! #     "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, since DATE);
//! #      INSERT INTO customers VALUES (1, 'Ada', '2026-01-31'), (2, 'Zoë', NULL)",
//! # )?;
//! let url: ResourceUrl = format!("sqlite:{}", path.display()).parse()?;
//! let shop = Resource::connect("shop", &url, ResourceOptions::default()).await?;
//! let customers = shop.find_model("customers").await?;
//!
//! let query = ListQuery::new().order_by(OrderBy::ascending("name")).per_page(1);
//! let page = shop.list(&customers, &query).await?;
//! assert_eq!(page.results, r#"[{"id":1,"name":"Ada","since":"2026-01-31"}]"#);
//! assert!(page.has_more);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
// No engine needs all that the engines share.
#![cfg_attr(
    not(all(feature = "mysql", feature = "postgres", feature = "sqlite")),
    allow(dead_code, unused_imports)
)]
// Without an engine there is nothing to connect.
#![cfg_attr(
    not(any(feature = "mysql", feature = "postgres", feature = "sqlite")),
    allow(unreachable_code, unused_variables, clippy::redundant_clone)
)]

mod admission;
#[cfg(feature = "sqlite")]
pub mod database;
mod durations;
mod engine;
mod error;
mod functions;
pub mod guard;
mod plan;
mod query;
mod record;
mod resource;
mod sql;
pub mod structure;
#[cfg(test)]
mod tests;
mod value;

pub use admission::turns;
#[cfg(feature = "sqlite")]
pub use database::{Connection, Database, DatabaseFile, Migration, Row, Value};
pub use durations::{DURATION_BOUNDS, DurationCounts, Durations, Timed};
#[cfg(feature = "sqlite")]
pub use engine::sqlite::{DeclaredField, DeclaredModel};
pub use engine::{PoolUse, ResourceOptions, ServerRule};
pub use error::{
    Constraint, ConstraintKind, Error, ErrorCode, ErrorKind, FileFault, Outage, Result,
};
pub use query::cursor::cursor_behind;
pub use record::{
    Before, BeforeCommit, ChangedRecords, CommitGate, CommitNote, IfMatch, KeepValues, Prepared,
    RawValue, RecordJson, ValueForm, Written,
};
pub use resource::{
    BulkOptions, Examined, Location, NewRecords, Page, Resource, ResourceUrl, Rest, ServerLocation,
    StatementKind, UpdateOptions,
};
pub use sql::SqlOutput;
pub use structure::{Field, Model, Structure, Writes};
