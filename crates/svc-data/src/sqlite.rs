//! The SQLite engine.

pub(crate) mod connection;
pub(crate) mod fault;
pub(crate) mod pool;
