//! Connected databases of the svc service: drivers, structure, records.

#[cfg(feature = "sqlite")]
pub mod database;
mod error;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "sqlite")]
pub use database::{Connection, Database, Migration, Row, Value};
pub use error::{Constraint, ConstraintKind, Error, ErrorKind, FieldMessages};
