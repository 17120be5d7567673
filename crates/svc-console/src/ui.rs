//! The components that places are made of.

pub(crate) mod cell;
pub(crate) mod frame;
pub(crate) mod notice;
