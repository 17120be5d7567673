//! What the engines of database servers have in common.

pub(crate) mod connections;
pub(crate) mod gate;
