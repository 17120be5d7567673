//! A store that is copied to another place: from its folder into a PostgreSQL database, back, or to another of its kind.
//!
//! All tables are read as they are at one moment and compared with what the other place has in the end. The store has no
//! counters that would have to go on: its identifiers are UUIDs, and its revision is a value like others.

mod fingerprint;
mod source;
mod transfer;

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use svc_data::database::NewDatabase;
use tokio::runtime::Handle;

use self::source::Source;
use self::transfer::Transfer;
use super::folder::Folder;
use super::restore::latest_version;
use crate::administration::declared;
use crate::database::{MIGRATIONS, Store, WORDING, blocking};
use crate::error::{Error, Result};
use crate::projects::url_hint;
use crate::secrets::{SealKey, Secret};

/// Where a store is, or is to be.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StorePlace {
    /// In a folder.
    Folder(PathBuf),
    /// In the PostgreSQL database of this URL.
    Database(Secret),
}

/// How a store is copied.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CopyOptions {
    /// The key of the store that is copied. `None`: the one in the key file.
    pub key: Option<SealKey>,
    /// The file of that key, which must be there. `None`: `store.key` in the folder of the store. Of a store in a database
    /// the key need not be known.
    pub key_file: Option<PathBuf>,
    /// Whether the key is written into the folder of the copy too.
    pub with_key: bool,
}

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyStep<'a> {
    /// The table that is worked on.
    pub table: &'a str,
    /// Whether its rows are compared; they are copied before.
    pub is_comparing: bool,
    /// How many rows of all tables were copied, or compared, so far.
    pub rows: u64,
}

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The version of the store's structure.
    pub version: u32,
    /// The tables, in the order of their names.
    pub tables: Vec<CopiedTable>,
    /// The key that the copy needs.
    pub key: NeededKey,
    /// How many lines of the audit trail have U+FFFD where they had U+0000, which PostgreSQL does not keep.
    pub replaced_lines: u64,
    /// How many imports were at work. Their files are in the folder `imports` beside the store that was copied.
    pub running_imports: u64,
}

/// A table that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopiedTable {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
}

/// The key that a copy needs: that of the store it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NeededKey {
    /// What tells it from others: 16 hexadecimal digits that are of no use to anyone who does not have the key. `None` when
    /// the key was not known.
    pub fingerprint: Option<String>,
    /// The file that has it; `None` when it was given, or not known.
    pub file: Option<PathBuf>,
    /// Whether it is in the folder of the copy.
    pub is_copied: bool,
}

impl Store {
    /// Copies a store to another place, where nothing is yet. It may be served meanwhile; the copy has every write that was
    /// acknowledged before this call. All rows are compared in the end.
    ///
    /// What belongs to processes that run is not copied: which nodes there are, and who works on an import. `progress` is
    /// called now and then, on another thread, and ends the copy by a `Break`.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the options do not fit the places.
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) with a remedy: there is no store, or one of another version;
    /// the key is another one; the other place is not empty or cannot be written; a row does not fit there; `progress` has ended it. Nothing is
    /// left there then.
    pub async fn copy(
        from: &StorePlace,
        to: &StorePlace,
        options: CopyOptions,
        progress: impl Fn(CopyStep<'_>) -> ControlFlow<()> + Send + 'static,
    ) -> Result<Copied> {
        if options.with_key && matches!(to, StorePlace::Database(_)) {
            return Err(Error::invalid_field(
                "with_key",
                "a database does not hold the key of its store; copy the file of the key to the machines that open the store",
            ));
        }
        let with_key = options.with_key;
        let source = Source::open(from, options).await?;
        if with_key && source.key.is_none() {
            return Err(Error::unavailable(format!(
                "the key of the store {from} is not known, so that it cannot be copied; name its file with --key-file"
            )));
        }
        let (to, handle) = (to.clone(), Handle::current());
        blocking(move || {
            let shown = to.to_string();
            let (target, folder) = to.prepare(&handle)?;
            let mut transfer = Transfer::new(source.snapshot, target, progress);
            let tables = transfer.run().map_err(|error| error.of_copy(&shown))?;
            let (replaced_lines, running_imports) =
                (transfer.replaced_lines, transfer.running_imports);
            let finished = transfer.finish().map_err(Error::from);
            finished.map_err(|error| error.of_copy(&shown))?;
            if let Some(folder) = folder {
                folder.complete(source.key.as_ref().filter(|_| with_key))?;
                folder.keep();
            }
            let fingerprint = source.key.as_ref().map(fingerprint::of_key);
            Ok(Copied {
                version: latest_version(),
                tables,
                key: NeededKey {
                    fingerprint: fingerprint.transpose()?,
                    file: source.key_file,
                    is_copied: with_key,
                },
                replaced_lines,
                running_imports,
            })
        })
        .await
    }
}

impl Copied {
    /// How many rows were copied.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}

impl StorePlace {
    /// Makes a database there that takes rows, and keeps others away from the folder.
    fn prepare(&self, handle: &Handle) -> Result<(NewDatabase, Option<Folder>)> {
        match self {
            Self::Folder(dir) => {
                let folder = Folder::prepare(dir, "--to")?;
                let database = NewDatabase::in_file(&folder.unfinished(), MIGRATIONS)?;
                Ok((database, Some(folder)))
            }
            Self::Database(url) => {
                let declared = declared();
                let made = NewDatabase::on_server(url.expose(), MIGRATIONS, WORDING, &declared);
                let made = handle.block_on(made).map_err(Error::from);
                Ok((
                    made.map_err(|error| error.of_copy(&self.to_string()))?,
                    None,
                ))
            }
        }
    }
}

/// As it is shown: without a password.
impl fmt::Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(dir) => dir.display().fmt(f),
            Self::Database(url) => f.write_str(&url_hint(url)),
        }
    }
}

impl Error {
    /// The same, with the place that it was to be copied to.
    fn of_copy(self, to: &str) -> Self {
        Self::unavailable(format!("the store cannot be copied to {to}: {self}")).with_source(self)
    }
}
