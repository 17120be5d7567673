//! Tests of the client with a transport that is under the control of the test.
// Clippy recognises test functions, but not their helper functions.
#![allow(clippy::unwrap_used)]

mod account;
mod administration;
mod answers;
mod blocking;
mod calls;
mod credentials;
mod deadlines;
mod errors;
mod faults;
mod paging;
mod proxy;
mod results;
mod retries;
mod support;
mod tower;
mod tracing;
