//! What differs between two texts.

pub(crate) mod lines;
pub(crate) mod value;
