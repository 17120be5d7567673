//! Opening the store: its folder or its database on a server, and its key.

use std::path::Path;

use svc_data::{Connection, Database, FileFault};

use crate::administration::declared;
use crate::clock::Clock;
use crate::database::{MIGRATIONS, STATE, Store, WORDING, blocking, files, state, values};
use crate::error::{Error, Result};
use crate::secrets::{SealKey, Sealer, Secret};

/// What is sealed into the store, to know its key again.
const SEAL_CHECK_CONTEXT: &str = "seal check";
const SEAL_CHECK_TEXT: &str = "svc-store";
/// Whether anything is sealed with the store's key.
const SEALED: &str = "SELECT uid FROM resources UNION ALL SELECT uid FROM mails \
     UNION ALL SELECT kid FROM signing_keys UNION ALL SELECT uid FROM secrets LIMIT 1";

/// How to open a [`Store`]; the default suits a single machine.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct StoreOptions {
    /// The key that seals secrets. `None`: the file `store.key` in the store's folder, made when new.
    pub seal_key: Option<SealKey>,
    /// The URL of a PostgreSQL database that holds the store, in place of a file in its folder. The folder then has the key
    /// and what belongs to this process alone, and several machines may have the same store open.
    pub database: Option<Secret>,
    /// The clock for dates and expiries.
    pub clock: Clock,
}

impl Store {
    /// Opens the store in a folder, and makes folder, database and key where they are missing, readable
    /// by their owner only.
    ///
    /// # Errors
    /// As [`Store::open_with`].
    pub async fn open(dir: &Path) -> Result<Self> {
        Self::open_with(dir, StoreOptions::default()).await
    }

    /// Opens the store in a folder, with options.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) with a remedy in its text: the folder
    /// cannot be written, the database is corrupt, locked, or of a newer version, the key is missing
    /// although sealed secrets exist, or it is another store's key.
    pub async fn open_with(dir: &Path, options: StoreOptions) -> Result<Self> {
        let (database, sealer) = match &options.database {
            Some(url) => open_on_server(dir, url, options.seal_key).await?,
            None => open_file(dir, options.seal_key).await?,
        };
        Ok(Self::over(dir.to_owned(), database, sealer, options.clock))
    }
}

impl Store {
    /// Opens the store in a folder to look at it: nothing is made or brought to the version of this program. Writes fail.
    ///
    /// # Errors
    /// As [`Store::open_with`]; and when the store has another version.
    pub async fn open_untouched(dir: &Path, key: Option<SealKey>) -> Result<Self> {
        let database = Database::open_untouched_sqlite(&files::database_path(dir)).await?;
        let (folder, missing) = (dir.to_owned(), files::key_is_missing(dir));
        let sealer = database
            .read(move |conn| known_key(conn, &folder, key.as_ref()))
            .await?
            .ok_or(missing)?;
        Ok(Self::over(
            dir.to_owned(),
            database,
            sealer,
            Clock::default(),
        ))
    }
}

/// Whether a key is that of a store, by the text that the store sealed with its own.
pub(crate) fn fits(key: &SealKey, seal_check: &str) -> bool {
    Sealer::new(key)
        .open(SEAL_CHECK_CONTEXT, seal_check)
        .is_ok()
}

/// Opens the file of a store in its folder.
async fn open_file(dir: &Path, key: Option<SealKey>) -> Result<(Database, Sealer)> {
    let folder = dir.to_owned();
    let (lock, path, has_key) = blocking(move || {
        let lock = files::lock(&folder)?;
        // It may have been there before. It is not closed here: it may hold more than the store.
        files::warn_when_others_may_read(&folder, "the folder of the store", "chmod 700");
        let has_key = files::has_key(&folder)?;
        let path = if has_key {
            files::existing_database(&folder)
        } else {
            files::prepare_database(&folder)?
        };
        Ok((lock, path, has_key))
    })
    .await?;
    // A key without a database is what is left of a store. A new one in its place would refuse every credential
    // of the old one and look as if all was well.
    let database = if has_key {
        let opened = Database::open_existing_sqlite(&path, MIGRATIONS).await;
        opened.map_err(|error| match error.file_fault() {
            Some(FileFault::Empty) => files::database_is_missing(dir).with_source(error),
            _ => error.into(),
        })?
    } else {
        Database::open_sqlite(&path, MIGRATIONS).await?
    };
    let sealer = open_seal(&database, dir, key).await?;
    drop(lock);
    Ok((database, sealer))
}

/// Opens a store in a PostgreSQL database, with the key in a folder.
async fn open_on_server(
    dir: &Path,
    url: &Secret,
    key: Option<SealKey>,
) -> Result<(Database, Sealer)> {
    let folder = dir.to_owned();
    let lock = blocking(move || {
        let lock = files::lock(&folder)?;
        files::warn_when_others_may_read(&folder, "the folder of the store", "chmod 700");
        Ok(lock)
    })
    .await?;
    let declared = declared();
    let opened = Database::open_postgres(url.expose(), MIGRATIONS, WORDING, &declared).await;
    let database = opened.map_err(|error| match error.kind() {
        svc_data::ErrorKind::Invalid => {
            Error::unavailable(format!("the store cannot be opened: {error}")).with_source(error)
        }
        _ => error.into(),
    })?;
    let sealer = open_seal(&database, dir, key).await?;
    drop(lock);
    Ok((database, sealer))
}

/// Finds the store's key and proves that it is the right one.
async fn open_seal(database: &Database, dir: &Path, given: Option<SealKey>) -> Result<Sealer> {
    let dir = dir.to_owned();
    let (read_dir, read_key) = (dir.clone(), given.clone());
    let known = database.read(move |conn| known_key(conn, &read_dir, read_key.as_ref()));
    if let Some(sealer) = known.await? {
        return Ok(sealer);
    }
    // Asked again inside the write transaction: another process may have chosen a key in the meantime.
    database
        .write(move |conn| {
            if let Some(sealer) = known_key(conn, &dir, given.as_ref())? {
                return Ok(sealer);
            }
            let key = match find_key(&dir, given.as_ref())? {
                Some(key) => key,
                None => files::write_new_key(&dir)?,
            };
            let sealer = Sealer::new(&key);
            let check = sealer.seal(SEAL_CHECK_CONTEXT, SEAL_CHECK_TEXT)?;
            conn.execute(
                "UPDATE store_state SET seal_check = ?1 WHERE id = 1",
                &values![check],
            )?;
            Ok(sealer)
        })
        .await
}

/// The sealer of a store that has been sealed with before; `None` when a key may still be chosen.
pub(crate) fn known_key(
    conn: &mut dyn Connection,
    dir: &Path,
    given: Option<&SealKey>,
) -> Result<Option<Sealer>> {
    let Some(check) = state(conn.query_one(STATE, &[])?)?.get::<Option<String>>("seal_check")?
    else {
        return Ok(None);
    };
    let Some(key) = find_key(dir, given)? else {
        return match conn.query(SEALED, &[])?.is_empty() {
            true => Ok(None),
            false => Err(files::key_is_missing(dir)),
        };
    };
    let sealer = Sealer::new(&key);
    match sealer.open(SEAL_CHECK_CONTEXT, &check) {
        Ok(_) => Ok(Some(sealer)),
        Err(_) => Err(files::key_is_wrong(dir, given.is_some())),
    }
}

/// The key that was given, or else the one in the folder.
fn find_key(dir: &Path, given: Option<&SealKey>) -> Result<Option<SealKey>> {
    given.map_or_else(|| files::read_key(dir), |key| Ok(Some(key.clone())))
}
