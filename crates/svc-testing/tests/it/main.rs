//! The crate as a test of somebody else uses it.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows no tests outside of the functions that are marked as such"
)]

mod conformance;
mod service;
