//! What is done with a resource before and beside its records: where it may be, whether it can be used, and how it is.

pub(crate) mod places;
pub(crate) mod status;
pub(crate) mod test;
