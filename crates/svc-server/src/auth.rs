//! Callers, and what they may do: credentials, rights, and limits on tries.

pub(crate) mod access;
pub(crate) mod account;
pub(crate) mod bearer;
pub(crate) mod credentials;
pub(crate) mod identity;
pub(crate) mod jwt;
pub(crate) mod limits;
pub(crate) mod rate_limit;
pub(crate) mod throttle;
