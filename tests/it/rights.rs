//! The rights of teams on records (wire contract, sections 3 and 9), as a matrix of callers, operations and models.

mod changes;
mod hidden;
mod matrix;
mod tokens;
