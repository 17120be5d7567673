//! What the black-box suites share: the built program as a child process, and calls to it over HTTP, and the servers
//! that it is connected to, of databases and of mail.
//!
//! The program is the one of `TESTED_PROGRAM`, else the `svc` beside the test binary; `cargo xtask test`
//! builds it first.

pub mod book;
pub mod browser;
mod call;
pub mod clock;
pub mod cluster;
pub mod mail;
mod program;
mod running;
pub mod servers;
mod store;

pub use self::{
    call::{Answer, Call},
    program::{PROMPT, Program, Service, program, wait_until},
    running::End,
    store::{execute_in_store, is_on_server as stores_are_on_server, store_url},
};

/// The snippets of the README and the book, as doctests.
#[cfg(doctest)]
mod snippets {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/src/client.md")]
    struct Client;
    #[doc = include_str!("../../docs/src/custom-transports.md")]
    struct CustomTransports;
    #[doc = include_str!("../../docs/src/proxy.md")]
    struct Proxy;
}
