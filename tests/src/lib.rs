//! What the black-box suites share: the built program as a child process, and calls to it over HTTP.
//!
//! The program is the one of `SVC_BIN`, else the `svc` beside the test binary; `cargo xtask test`
//! builds it first.

mod call;
mod program;

pub use self::{
    call::{Answer, Call},
    program::{Program, Service, program, wait_until},
};
