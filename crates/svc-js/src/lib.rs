//! The client of the svc REST service for JavaScript and TypeScript (specification, section 5, "Client library").
//!
//! It is `svc-api` with `fetch` as transport and a storage of JavaScript, `localStorage` for example, as token
//! store, compiled to WebAssembly. What JavaScript programs see is written by hand in `js/`, where
//! `index.d.ts` says what it offers; this crate is the part below.
//!
//! Records cross the border as the JSON that the service wrote or reads: the engine's own parser is the fastest
//! one at hand, and no value is built twice. What else a call needs is read out of an object, property by
//! property, which takes far less WebAssembly than a parser for each kind of call.

mod account;
mod arguments;
mod call;
mod client;
mod error;
mod fetch;
mod pages;
mod proxy;
mod records;
mod resources;
mod selection;
mod sql;
mod storage;
mod teams;
mod time;
mod users;

pub use self::client::Client;
