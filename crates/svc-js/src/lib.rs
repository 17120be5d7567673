//! The client of the svc REST service for JavaScript and TypeScript (specification, section 5, "Client library").
//!
//! It is `svc-api` with `fetch` as transport and a storage of JavaScript, `localStorage` for example, as token
//! store, compiled to WebAssembly. What JavaScript programs see is written by hand in `js/`, where
//! `index.d.ts` says what it offers; this crate is the part below.
//!
//! Bodies cross the border as the JSON that the service wrote or reads: the engine's own parser is the fastest
//! one available, no value is built twice, and what WebAssembly does not read takes no WebAssembly.

mod account;
mod arguments;
mod call;
mod client;
mod error;
mod fetch;
mod here;
mod operations;
mod storage;
mod time;

pub use self::client::Client;

/// Half as large as the standard library's, for which every byte goes over somebody's network.
#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
