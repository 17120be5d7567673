//! The crate against real files.

mod database;
