//! Copies of the store.

use std::path::Path;

use svc_data::Connection;

use crate::database::{Store, values};
use crate::error::{Error, ErrorKind, Result};
use crate::secrets::SealKey;

/// Where a copy has the store's key, if it has it.
const KEY_TABLE: &str = "CREATE TABLE backup_key (\
     id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), seal_key TEXT NOT NULL)";

/// How a copy of the store is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackupOptions {
    /// Whether the store's key is in the copy. Such a copy can be restored alone, and anyone who has it can read every secret
    /// of the store. `false` by default.
    pub with_key: bool,
}

impl BackupOptions {
    /// The same with the store's key in the copy, or without it.
    #[must_use]
    pub fn with_key(mut self, with_key: bool) -> Self {
        self.with_key = with_key;
        self
    }
}

impl Store {
    /// Writes a copy of the store without its key, as [`backup_with`](Self::backup_with) does.
    ///
    /// # Errors
    /// As [`backup_with`](Self::backup_with).
    pub async fn backup_to(&self, file: &Path) -> Result<()> {
        self.backup_with(file, BackupOptions::default()).await
    }

    /// Writes a copy of the store into a new file (mode 0600), while others read and write, and checks it. It has every
    /// write that was acknowledged before this call. The file appears whole or not at all.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with a remedy when the file exists, cannot be written, or is damaged once it was
    /// written, and when the store is in a PostgreSQL database.
    pub async fn backup_with(&self, file: &Path, options: BackupOptions) -> Result<()> {
        check_is_file(self)?;
        self.audit().collect().await;
        let key = options.with_key.then(|| self.sealer().key().clone());
        let written = self
            .database()
            .backup_with(file, move |copy| set_key(copy, key.as_ref()));
        written.await.map_err(|error| match error.kind() {
            svc_data::ErrorKind::Unavailable => Error::from(error),
            _ => {
                let file = file.display();
                Error::unavailable(format!("the backup {file} cannot be written: {error}"))
                    .with_source(error)
            }
        })
    }
}

/// Refuses a store that is not a file.
pub(super) fn check_is_file(store: &Store) -> Result<()> {
    match store.is_on_server() {
        false => Ok(()),
        true => Err(Error::unavailable(
            "this store is in a PostgreSQL database: back it up with pg_dump or the base backups of the server, or copy it \
             into a folder with svc store copy, and keep a copy of its key",
        )),
    }
}

/// Puts a key into a copy; without one the copy has none afterwards.
pub(super) fn set_key(copy: &mut dyn Connection, key: Option<&SealKey>) -> svc_data::Result<()> {
    copy.execute("DROP TABLE IF EXISTS backup_key", &[])?;
    if let Some(key) = key {
        copy.execute(KEY_TABLE, &[])?;
        copy.execute(
            "INSERT INTO backup_key (id, seal_key) VALUES (1, ?1)",
            &values![key.expose().expose().to_owned()],
        )?;
    }
    Ok(())
}

/// The key in a copy; `None` when it has none.
///
/// # Errors
/// [`ErrorKind::Unavailable`] when what it has is no key.
pub(super) fn key_in(copy: &mut dyn Connection) -> Result<Option<SealKey>> {
    let table = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'backup_key'";
    if copy.query_one(table, &[])?.is_none() {
        return Ok(None);
    }
    let Some(row) = copy.query_one("SELECT seal_key FROM backup_key WHERE id = 1", &[])? else {
        return Ok(None);
    };
    match SealKey::parse(&row.get::<String>("seal_key")?) {
        Ok(key) => Ok(Some(key)),
        Err(error) => {
            debug_assert_eq!(error.kind(), ErrorKind::Invalid);
            Err(Error::unavailable(
                "the key in the backup is damaged; give a copy of the store's key file with --key-file",
            ))
        }
    }
}
