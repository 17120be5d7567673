//! What the users of an application do and are: signing in, users and teams, requests through the proxy.

pub(crate) mod proxy;
pub(crate) mod session;
pub(crate) mod teams;
pub(crate) mod users;
