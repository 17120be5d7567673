//! One suite over every engine: the same rows in each, the same requests, and answers compared cell by cell
//! (wire contract, sections 4 and 5).

mod faults;
mod fixture;
mod formats;
mod geometry;
mod injection;
mod properties;
mod reads;
mod sql;
mod structure;
mod writes;
