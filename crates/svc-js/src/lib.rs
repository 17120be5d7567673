//! The client of the svc REST service for JavaScript and TypeScript (specification, section 5, "Client library").
//!
//! It is `svc-api` with `fetch` as transport and a storage of JavaScript, `localStorage` for example, as token
//! store, compiled to WebAssembly. What JavaScript programs see is written by hand in `js/`, where
//! `index.d.ts` says what it offers; this crate is the part below.
//!
//! What crosses the border is text: the arguments of a call as JSON, its answer as the service wrote it. So records are
//! read by the engine's own JSON parser, and no value is built twice.

mod account;
mod answer;
mod arguments;
mod call;
mod client;
mod error;
mod fetch;
mod list;
mod pages;
mod proxy;
mod records;
mod resources;
mod sql;
mod storage;
mod teams;
mod time;
mod users;

pub use self::client::Client;
