//! The client of the svc REST service for JavaScript and TypeScript (specification, section 5, "Client library").
//!
//! It is `svc-api` with `fetch` as transport and a JavaScript storage such as `localStorage` as token store, compiled
//! to WebAssembly. The interface for JavaScript programs is written by hand in `js/` and described in `index.d.ts`;
//! this crate is the layer below it.
//!
//! Bodies are passed between JavaScript and WebAssembly as JSON text: the engine's own parser is the fastest one
//! available, no value is built twice, and WebAssembly needs no code for values that it does not read.

mod account;
mod arguments;
mod call;
mod client;
mod error;
mod fetch;
mod local_future;
mod operations;
mod storage;
mod time;

pub use self::client::Client;

/// An allocator that is half as large as that of the standard library, since users download every byte.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
