//! Tests that use the crate like another program's tests.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows no tests outside of the functions that are marked as such"
)]

mod conformance;
mod service;
