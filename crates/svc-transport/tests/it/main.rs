//! The transport against real sockets.

mod contract;
mod errors;
mod http2;
mod pool;
mod proxy;
mod support;
mod time;
mod tls;
