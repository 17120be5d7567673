//! Helpers for tests of programs that use the client crates: transports without a network, and the conformance kit that
//! every transport must pass.
//!
//! - [`MockService`] answers by operation, as a small service in the test's own process would.
//! - [`ScriptedTransport`] returns the responses of a list, one for each call.
//! - [`conformance`] checks your own transport against real sockets on loopback.
//!
//! None of them needs a particular runtime, and all work with every client, since they are transports.

pub mod conformance;
mod path;
mod recorded;
mod scripted;
mod service;

pub use self::{recorded::RecordedRequest, scripted::ScriptedTransport, service::MockService};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
