//! The rows on their way: read by one thread and written by another, a few thousand at a time.

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;

use svc_data::database::{NewDatabase, NotAdded, Snapshot, Table, Values};
use svc_data::{Error as DataError, ErrorKind as DataErrorKind, Value};

use super::fingerprint::Fingerprint;
use super::{CopiedTable, CopyStep};
use crate::error::{Error, Result};
use crate::imports::ImportState;

/// What belongs to processes that run.
const LEFT_OUT: [&str; 4] = ["nodes", "node_answers", "node_questions", "store_probe"];
/// Which columns say which process works on a row.
const CLAIMS: [(&str, &[&str]); 1] = [("imports", &["runner", "runner_until"])];
/// The trail, whose lines must not be lost for a character.
const AUDIT: &str = "audit";
const IMPORTS: &str = "imports";
/// How many parcels of rows are read ahead.
const AHEAD: usize = 2;

/// A copy of all tables.
pub(super) struct Transfer<P> {
    source: Snapshot,
    target: NewDatabase,
    progress: P,
    rows: u64,
    pub(super) replaced_lines: u64,
    pub(super) running_imports: u64,
}

impl<P: Fn(CopyStep<'_>) -> ControlFlow<()>> Transfer<P> {
    pub(super) fn new(source: Snapshot, target: NewDatabase, progress: P) -> Self {
        Self {
            source,
            target,
            progress,
            rows: 0,
            replaced_lines: 0,
            running_imports: 0,
        }
    }

    /// Copies all tables, and compares them. Gives them in the order of their names.
    pub(super) fn run(&mut self) -> Result<Vec<CopiedTable>> {
        let mut tables = self.target.tables()?;
        tables.retain(|table| !LEFT_OUT.contains(&table.name.as_str()));
        for table in &tables {
            self.check_structure(table)?;
        }
        for table in tables.iter().rev() {
            self.target.clear(table)?;
        }
        let mut fingerprints = Vec::with_capacity(tables.len());
        for table in &tables {
            fingerprints.push(self.copy(table)?);
        }
        self.rows = 0;
        for (table, copied) in tables.iter().zip(&fingerprints) {
            self.compare(table, copied)?;
        }
        let copied = tables.into_iter().zip(fingerprints);
        let mut copied: Vec<CopiedTable> = copied
            .map(|(table, Fingerprint { rows, .. })| CopiedTable {
                name: table.name,
                rows,
            })
            .collect();
        copied.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(copied)
    }

    /// Completes the copy.
    pub(super) fn finish(self) -> svc_data::Result<()> {
        self.target.finish()
    }

    /// Refuses a table that has other columns in the source, which only another build of the program can have made.
    fn check_structure(&mut self, table: &Table) -> Result<()> {
        let mut theirs = self.source.columns(&table.name)?.unwrap_or_default();
        let mut ours = table.columns.clone();
        theirs.sort();
        ours.sort();
        match ours == theirs {
            true => Ok(()),
            false => Err(Error::unavailable(format!(
                "the table {} of the store was made by another build of this program, and has other columns; use that build",
                table.name
            ))),
        }
    }

    fn copy(&mut self, table: &Table) -> Result<Fingerprint> {
        let mut copied = Fingerprint::default();
        let (sender, receiver) = mpsc::sync_channel::<Vec<Values>>(AHEAD);
        let Self {
            source,
            target,
            progress,
            rows,
            replaced_lines,
            running_imports,
        } = self;
        let position = |name: &str| table.columns.iter().position(|column| column == name);
        let claims = CLAIMS.iter().filter(|(claimed, _)| *claimed == table.name);
        let claims = claims.flat_map(|(_, columns)| columns.iter());
        let claims: Vec<usize> = claims.filter_map(|name| position(name)).collect();
        let state = position("state").filter(|_| table.name == IMPORTS);
        let replaces = table.name == AUDIT && target.is_on_server();
        thread::scope(|scope| {
            let reader = scope.spawn(move || {
                source.rows(table, &mut |rows| {
                    // The writer has failed, and says why.
                    sender.send(rows).map_err(|_| given_up())
                })
            });
            // Ended by the drop of the receiver, where rows are not taken.
            let written = receiver.into_iter().try_for_each(|mut parcel| {
                for row in &mut parcel {
                    for at in &claims {
                        if let Some(value) = row.get_mut(*at) {
                            *value = Value::Null;
                        }
                    }
                    if state.and_then(|at| row.get(at)).is_some_and(is_running) {
                        *running_imports += 1;
                    }
                    if replaces && replace_nul(row) {
                        *replaced_lines += 1;
                    }
                    copied.add(row);
                }
                let added = target.add(table, &parcel);
                added.map_err(|not_added| refused(table, &parcel, copied.rows, not_added))?;
                *rows += parcel.len() as u64;
                let step = progress(CopyStep {
                    table: &table.name,
                    is_comparing: false,
                    rows: *rows,
                });
                Ok::<_, Error>(go_on(step)?)
            });
            let read = reader
                .join()
                .unwrap_or_else(|_| Err(DataError::internal("reading a table panicked")));
            written?;
            read.map_err(|error| unreadable(table, &error).with_source(error))
        })?;
        Ok(copied)
    }

    fn compare(&mut self, table: &Table, copied: &Fingerprint) -> Result<()> {
        let Self {
            target,
            progress,
            rows,
            ..
        } = self;
        let mut found = Fingerprint::default();
        let read = target.rows(table, &mut |parcel| {
            parcel.iter().for_each(|row| found.add(row));
            *rows += parcel.len() as u64;
            go_on(progress(CopyStep {
                table: &table.name,
                is_comparing: true,
                rows: *rows,
            }))
        });
        read.map_err(|error| unreadable(table, &error).with_source(error))?;
        let (name, is, was) = (&table.name, found.rows, copied.rows);
        match found == *copied {
            true => Ok(()),
            false if is != was => Err(Error::unavailable(format!(
                "the copy of the table {name} has {is} rows in place of {was}; look for triggers or rules in the other place"
            ))),
            false => Err(Error::unavailable(format!(
                "the copy of the table {name} has other values than were read; look for triggers in the other place, and for \
                 faults of its memory or disk"
            ))),
        }
    }
}

fn go_on(step: ControlFlow<()>) -> svc_data::Result<()> {
    match step {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(given_up()),
    }
}

fn given_up() -> DataError {
    DataError::new(DataErrorKind::Unavailable, "the copy was given up")
}

fn is_running(state: &Value) -> bool {
    matches!(state, Value::Text(state) if *state == ImportState::Running.as_str())
}

/// Puts U+FFFD in the place of U+0000, and says whether there was one.
fn replace_nul(row: &mut Values) -> bool {
    let mut replaced = false;
    for value in row {
        if let Value::Text(text) = value
            && text.contains('\0')
        {
            *text = text.replace('\0', "\u{FFFD}");
            replaced = true;
        }
    }
    replaced
}

/// Why rows are not taken, with the name of the first one. `read` rows of the table were read so far, these included.
fn refused(table: &Table, rows: &[Values], read: u64, not_added: NotAdded) -> Error {
    let NotAdded { row, error, .. } = not_added;
    let name = &table.name;
    let row = row.and_then(|at| Some((at, rows.get(at)?)));
    let Some((at, row)) = row else {
        return Error::unavailable(format!("the table {name}: {error}")).with_source(error);
    };
    let number = read - rows.len() as u64 + at as u64 + 1;
    let shown = match key_of(table, row) {
        Some(key) => format!("row {key}"),
        None => format!("row number {number}"),
    };
    let remedy = match error.kind() {
        DataErrorKind::Invalid => "; change it in the store that is copied",
        _ => "",
    };
    Error::unavailable(format!("the table {name}, {shown}: {error}{remedy}")).with_source(error)
}

/// The primary key of a row, unless it is secret: the hash of a short code is one.
fn key_of(table: &Table, row: &Values) -> Option<String> {
    let key = table.key.iter().map(|at| {
        let column = table.columns.get(*at)?;
        match row.get(*at)? {
            _ if column == "hash" => None,
            Value::Text(text) => Some(format!("{column} {}", text.escape_debug())),
            Value::Int(number) => Some(format!("{column} {number}")),
            _ => None,
        }
    });
    let key = key.collect::<Option<Vec<String>>>()?;
    (!key.is_empty()).then(|| key.join(", "))
}

fn unreadable(table: &Table, error: &DataError) -> Error {
    Error::unavailable(format!("the table {} cannot be read: {error}", table.name))
}
