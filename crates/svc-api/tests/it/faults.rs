//! The client with its own transport, over sockets, at a service that misbehaves.

mod answers;
mod dropped;
mod refusals;
mod server;
mod service;
