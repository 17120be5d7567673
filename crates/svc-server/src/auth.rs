//! Who asks, and what they may do: credentials, rights, and how often somebody may try.

pub(crate) mod access;
pub(crate) mod credentials;
pub(crate) mod identity;
pub(crate) mod jwt;
pub(crate) mod throttle;
