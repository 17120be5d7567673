//! A connection to an SQLite file while it is used: its errors are ours.

use std::{ops::Deref, path::Path};

use rusqlite::Connection;

use super::{
    connection::Open,
    discover,
    fault::{self, Fault},
};
use crate::{Error, Model, Result};

/// A connection, with the path of its file, which messages name.
#[derive(Clone, Copy)]
pub(crate) struct Session<'a> {
    connection: &'a Connection,
    pub(crate) path: &'a Path,
    /// The reader, with what it remembers.
    pub(super) reader: Option<&'a Open>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(connection: &'a Connection, path: &'a Path) -> Self {
        Self {
            connection,
            path,
            reader: None,
        }
    }

    pub(super) fn of_reader(open: &'a Open, path: &'a Path) -> Self {
        Self {
            reader: Some(open),
            ..Self::new(open, path)
        }
    }

    /// Translates an error of SQLite into ours.
    pub(crate) fn translate<T, E: Into<Fault>>(self, result: Result<T, E>) -> Result<T> {
        result.map_err(|error| match error.into() {
            Fault::Translated(error) => error,
            Fault::Sqlite(error) => fault::translate(error, self.path),
        })
    }

    /// Refuses to work with a model of a structure that is no longer there.
    pub(super) fn check_version(self, model: &Model) -> Result<(), Fault> {
        let version = match self.reader {
            Some(open) => open.schema_version()?,
            None => discover::schema_version(self.connection)?,
        };
        match version == model.structure_version {
            true => Ok(()),
            false => {
                let message = "the structure of the database has changed";
                Err(Error::structure_changed(message).into())
            }
        }
    }
}

impl Deref for Session<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}
