//! One suite for every engine: the same rows in each, the same requests, and responses compared cell by cell
//! (wire contract, sections 4 and 5).

mod arrays;
mod change_all;
mod constraints;
mod counts;
mod excerpts;
mod expand;
mod faults;
mod fixture;
mod formats;
mod functions;
mod generated;
mod geometry;
mod imports;
mod injection;
mod labels;
mod limits;
mod load;
mod migrations;
mod places;
mod properties;
mod reads;
mod references;
mod shared_reads;
mod sql;
mod statements;
mod structure;
mod unchanged;
mod upsert;
mod value;
mod writes;
mod zoo;
