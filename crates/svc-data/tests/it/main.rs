//! The crate against real files and servers.
// Clippy's exception for tests covers test functions, not what they share.
#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(all(feature = "mysql", feature = "postgres"))]
mod bulk;
mod cursor;
mod database;
#[cfg(all(feature = "mysql", feature = "postgres"))]
mod database_on_server;
mod declare;
mod faults;
mod fixture;
mod injection;
mod large;
mod list;
mod roundtrip;
#[cfg(all(feature = "mysql", feature = "postgres"))]
mod servers;
mod structure;
mod write;
