//! The client at the seam of its transport.
// Clippy knows the test functions, but not the functions that help them.
#![allow(clippy::unwrap_used)]

mod account;
mod answers;
mod calls;
mod credentials;
mod deadlines;
mod errors;
mod paging;
mod proxy;
mod retries;
mod support;
mod tower;
