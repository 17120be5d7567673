//! What teams may do with records (wire contract, sections 3 and 9), as a matrix: who, what, on which model.

mod changes;
mod hidden;
mod matrix;
