//! For tests of programs that use the client crates: transports without a network, and the conformance kit that every
//! transport must pass.
//!
//! - [`MockService`] answers by operation, as a small service in the test's own process would.
//! - [`ScriptedTransport`] gives the answers of a list, one a call.
//! - [`conformance`] checks a transport of your own against real sockets on loopback.
//!
//! None of them needs a runtime of its own, and all work with every client: a transport is all that they are.

pub mod conformance;
mod path;
mod recorded;
mod scripted;
mod service;

pub use self::{recorded::RecordedRequest, scripted::ScriptedTransport, service::MockService};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
