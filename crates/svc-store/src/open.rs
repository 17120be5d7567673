//! Opening the store: its folder or its database on a server, and its key.

mod key;

use std::path::{Path, PathBuf};

use svc_data::{Connection, Database, FileFault};

use crate::administration::declared;
use crate::clock::Clock;
use crate::database::{MIGRATIONS, STATE, Store, WORDING, blocking, files, state, values};
use crate::error::{Error, Result};
pub(crate) use crate::open::key::KeyPlace;
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
    /// The key that seals secrets. `None`: the one in the key file.
    pub seal_key: Option<SealKey>,
    /// The file of that key, which is made for an empty store. `None`: `store.key` in the store's folder.
    pub key_file: Option<PathBuf>,
    /// The URL of a PostgreSQL database that holds the store, in place of a file in its folder. The folder then has the key
    /// and what belongs to this process alone, and several machines may have the same store open.
    pub database: Option<Secret>,
    /// Whether a store must be there: none is made.
    pub must_exist: bool,
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
        let key = KeyPlace::new(dir, &options);
        let (database, sealer) = match &options.database {
            Some(url) => open_on_server(dir, url, key, options.must_exist).await?,
            None => open_file(dir, key, options.must_exist).await?,
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
        let database = Database::open_untouched_sqlite(&files::database_file(dir)).await?;
        let place = KeyPlace::of(dir, key);
        let sealer = {
            let place = place.clone();
            database.read(move |conn| known_key(conn, &place)).await?
        };
        let sealer = sealer.ok_or_else(|| place.is_missing())?;
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
async fn open_file(dir: &Path, key: KeyPlace, must_exist: bool) -> Result<(Database, Sealer)> {
    let folder = dir.to_owned();
    if must_exist && !files::has_database(dir) {
        return Err(Error::unavailable(format!(
            "there is no store in {}; name its folder with --dir, or make one with svc project add",
            dir.display()
        )));
    }
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
    let sealer = open_seal(&database, key).await?;
    drop(lock);
    Ok((database, sealer))
}

/// Opens a store in a PostgreSQL database. Its folder has what belongs to this machine alone.
async fn open_on_server(
    dir: &Path,
    url: &Secret,
    key: KeyPlace,
    must_exist: bool,
) -> Result<(Database, Sealer)> {
    let folder = dir.to_owned();
    blocking(move || {
        files::prepare_folder(&folder)?;
        files::warn_when_others_may_read(&folder, "the folder of the store", "chmod 700");
        Ok(())
    })
    .await?;
    let declared = declared();
    let url = url.expose();
    let opened = match must_exist {
        true => Database::open_existing_postgres(url, MIGRATIONS, WORDING, &declared).await,
        false => Database::open_postgres(url, MIGRATIONS, WORDING, &declared).await,
    };
    let database = opened.map_err(|error| {
        let message = match error.file_fault() {
            Some(FileFault::Empty) => "there is no store in the database that --store names; name another one, or make a store \
                                       there with svc project add"
                .to_owned(),
            _ => format!("the store that --store names cannot be opened: {error}"),
        };
        Error::unavailable(message).with_source(error)
    })?;
    let sealer = open_seal(&database, key).await?;
    Ok((database, sealer))
}

/// Finds the store's key and proves that it is the right one.
async fn open_seal(database: &Database, key: KeyPlace) -> Result<Sealer> {
    let place = key.clone();
    if let Some(sealer) = database.read(move |conn| known_key(conn, &place)).await? {
        return Ok(sealer);
    }
    // Asked again inside the write transaction: another process may have chosen a key in the meantime.
    database
        .write(move |conn| {
            if let Some(sealer) = known_key(conn, &key)? {
                return Ok(sealer);
            }
            let sealer = Sealer::new(&key.find_or_make()?);
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
pub(crate) fn known_key(conn: &mut dyn Connection, place: &KeyPlace) -> Result<Option<Sealer>> {
    let Some(check) = state(conn.query_one(STATE, &[])?)?.get::<Option<String>>("seal_check")?
    else {
        return Ok(None);
    };
    let Some(key) = place.find()? else {
        return match place.may_be_replaced() && conn.query(SEALED, &[])?.is_empty() {
            true => Ok(None),
            false => Err(place.is_missing()),
        };
    };
    let sealer = Sealer::new(&key);
    match sealer.open(SEAL_CHECK_CONTEXT, &check) {
        Ok(_) => Ok(Some(sealer)),
        Err(_) => Err(place.is_wrong()),
    }
}
