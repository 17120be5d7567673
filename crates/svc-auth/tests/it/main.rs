//! Sessions at the seam of their transport, store and clock.
// Clippy knows the test functions, but not the functions that help them.
#![allow(clippy::unwrap_used, clippy::panic)]

mod clocks;
mod endings;
mod file_store;
mod flights;
mod foreign_hands;
mod model;
mod places;
mod restoring;
mod rules;
mod shared_file;
mod storing;
mod support;
