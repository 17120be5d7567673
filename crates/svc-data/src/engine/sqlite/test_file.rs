//! For tests: a file with its structure, and a connection to it.

use std::{path::Path, sync::Arc};

use super::{
    connection::{Role, Slot},
    discover::discover,
    functions,
    session::Session,
};
use crate::Structure;

/// A file with a table `t`.
pub(crate) struct File {
    pub(crate) slot: Slot,
    pub(crate) structure: Structure,
}

impl File {
    /// Makes the file of a folder with these statements.
    pub(crate) fn of(folder: &Path, sql: &str, role: Role) -> Self {
        let slot = Slot::of_new_file(folder, sql, role, Arc::new(functions::register));
        let (models, version) = discover(slot.current().unwrap()).unwrap();
        let structure = Structure::new(models, version);
        Self { slot, structure }
    }

    /// The connection as reads use it.
    pub(crate) fn session(&self) -> Session<'_> {
        Session::of_reader(self.slot.current().unwrap(), Path::new("memory"))
    }
}
