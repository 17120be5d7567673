//! The transport of the example `custom_fetch` through the conformance kit, in a browser.
//!
//! The kit runs in the program. Its transport, `bridge`, hands each call in `messages` to a page in the browser. There,
//! `page` makes the call with the transport of the example, and sends back what comes of it.

#[cfg(not(target_family = "wasm"))]
pub mod bridge;
pub mod messages;
#[cfg(target_family = "wasm")]
pub mod page;

#[cfg(target_family = "wasm")]
#[path = "../../../crates/svc-api/examples/custom_fetch.rs"]
mod custom_fetch;
