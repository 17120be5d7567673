//! Bringing the structure of a file up to date: one process does, others wait.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::Migration;
use crate::{
    Error, Result,
    engine::sqlite::{
        connection::{Role, Slot, Source},
        functions,
    },
};

/// How long to wait for other processes that bring the structure up to date.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How often a migration that failed is tried: another process may have done the same step at that moment.
const ATTEMPTS: u32 = 10;
/// How long to wait between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// How a file is opened to bring its structure up to date.
pub(super) fn source(path: PathBuf) -> Source {
    Source {
        path,
        set_wal: true,
        untouched: false,
        // What lists of declared models ask for.
        prepare: Arc::new(functions::register),
    }
}

/// Applies the migrations that the file does not have yet.
pub(super) fn apply(source: &Source, migrations: &[Migration]) -> Result<()> {
    let mut known = Vec::with_capacity(migrations.len());
    for migration in migrations {
        let name = format!("V{}__{}", migration.version, migration.name);
        known.push(
            refinery::Migration::unapplied(&name, migration.sql)
                .map_err(|error| Error::internal(format!("migration {name}: {error}")))?,
        );
    }
    let runner = refinery::Runner::new(&known);
    let mut slot = Slot::new(source.clone(), Role::Writer);
    let until = Instant::now() + TIMEOUT;
    let mut failed = 0;
    loop {
        let error = match runner.run(slot.connection()?) {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        // Another process applies the same steps right now: what it has done is seen the next time.
        let may_pass = match error.kind() {
            refinery::error::Kind::Connection(_, source) if is_busy(source.as_ref()) => true,
            refinery::error::Kind::Connection(..) => {
                failed += 1;
                failed < ATTEMPTS
            }
            _ => false,
        };
        if !may_pass || Instant::now() >= until {
            return Err(refused(&source.path, error, known.len()));
        }
        thread::sleep(PAUSE);
    }
}

fn is_busy(error: &(dyn std::error::Error + 'static)) -> bool {
    error
        .downcast_ref::<rusqlite::Error>()
        .and_then(rusqlite::Error::sqlite_error_code)
        .is_some_and(|code| code == rusqlite::ErrorCode::DatabaseBusy)
}

fn refused(path: &Path, error: refinery::Error, known: usize) -> Error {
    use refinery::error::Kind;
    let file = path.display();
    let message = match error.kind() {
        Kind::MissingVersion(applied) => format!(
            "{file} was written by a newer version of this program (its structure has step {applied}, and this version knows {known}); use that version or a newer one"
        ),
        Kind::DivergentVersion(applied, _) => format!(
            "{file} was written by another build of this program (step {applied} of its structure differs); use that build"
        ),
        Kind::Connection(_, _) => format!(
            "cannot bring the structure of {file} up to date: {}",
            std::error::Error::source(&error).map_or_else(String::new, ToString::to_string)
        ),
        _ => format!("cannot bring the structure of {file} up to date: {error}"),
    };
    Error::unavailable(message).with_source(error)
}
