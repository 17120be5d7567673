//! Connected databases of the svc service: drivers, structure, records.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

#[cfg(feature = "sqlite")]
pub mod database;
mod driver;
mod error;
mod plan;
mod records;
mod resource;
mod scalar;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod structure;

#[cfg(feature = "sqlite")]
pub use database::{Connection, Database, Migration, Row, Value};
pub use error::{Constraint, ConstraintKind, Error, ErrorKind};
pub use records::{IfMatch, Page, RecordJson};
pub use resource::{Resource, ResourceOptions, ResourceUrl};
pub use structure::{
    Direction, Field, FieldDescription, FieldType, Model, ModelDescription, ModelRelation,
    Structure, Writes,
};
