//! A look at a store in a PostgreSQL database that changes nothing.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use svc_data::{Connection, Database};

use crate::clock::{self, Clock};
use crate::database::{Store, WORDING, files};
use crate::error::{Error, Result};
use crate::open::{KeyPlace, StoreOptions, known_key};
use crate::secrets::{SealKey, Secret};
use crate::upkeep::restore::latest_version;

/// What the server says of itself and of this user.
const SERVER: &str = "SELECT current_setting('server_version') AS version, current_user::text AS name, \
     current_schema()::text AS schema, COALESCE(has_schema_privilege(current_schema(), 'CREATE'), FALSE) AS may_make_tables, \
     (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";
/// Whether this user may change the store, and is the one whose tables they are.
const RIGHTS: &str = "SELECT has_table_privilege('store_state', 'UPDATE') AND has_table_privilege('audit', 'INSERT') AS may_write, \
     pg_has_role((SELECT relowner FROM pg_catalog.pg_class WHERE oid = 'store_state'::regclass), 'USAGE') AS is_owner";

/// What was found in a PostgreSQL database that holds a store: [`Store::inspect_database`].
#[derive(Debug)]
#[non_exhaustive]
pub struct DatabaseInspection {
    /// The version of the server, as it says it.
    pub server_version: String,
    /// The user that this program has there.
    pub user: String,
    /// Where tables are made; `None` when there is no such schema.
    pub schema: Option<String>,
    /// Whether this user may make tables there, and change those that are there: what a later version of the program does.
    pub may_change_structure: bool,
    /// Whether this user may write the store; `None` when there is no store.
    pub may_write: Option<bool>,
    /// How far the clock of the server is ahead of that of this machine.
    pub clock_ahead: SignedDuration,
    /// The version of the store's structure; `None` when there is no store.
    pub version: Option<u32>,
    /// The version that this program makes and reads.
    pub known_version: u32,
    /// Whether the key is there and belongs to the store; `None` when the store cannot tell.
    pub key: Option<Result<()>>,
    /// The file of the key on this machine, where other users may read it.
    pub key_file_readable_by_others: Option<PathBuf>,
    /// When the newest line of the audit trail was written.
    pub newest_line: Option<Timestamp>,
}

impl Store {
    /// Looks at the store in a PostgreSQL database. Nothing is made or changed, and services may run on it. `key` is the
    /// store's key; without one it is in the folder.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when the database cannot be read; what is wrong with the
    /// store itself is in the [`DatabaseInspection`].
    pub async fn inspect_database(
        url: &Secret,
        dir: &Path,
        key: Option<SealKey>,
    ) -> Result<DatabaseInspection> {
        let place = place(url, dir, key);
        let database = Database::open_untouched_postgres(url.expose(), WORDING).await?;
        let version = database.migration().await?;
        let key_file = Some(files::default_key_file(dir)).filter(|_| !place.is_given());
        let read = move |conn: &mut dyn Connection| {
            let begun = Timestamp::now();
            let missing = || Error::internal("the server does not tell of itself");
            let server = conn.query_one(SERVER, &[])?.ok_or_else(missing)?;
            // It was asked between these two.
            let half = begun.duration_until(Timestamp::now()) / 2;
            let here = begun.checked_add(half).unwrap_or(begun);
            let there = Timestamp::from_millisecond(server.get("now")?);
            let there = there.map_err(Error::caused("the clock of the server is out of range"))?;
            let mut found = DatabaseInspection {
                server_version: server.get("version")?,
                user: server.get("name")?,
                schema: server.get("schema")?,
                may_change_structure: server.get("may_make_tables")?,
                may_write: None,
                clock_ahead: here.duration_until(there),
                version,
                known_version: latest_version(),
                key: None,
                key_file_readable_by_others: key_file.filter(|file| files::others_may_read(file)),
                newest_line: None,
            };
            if version.is_some() {
                let rights = conn.query_one(RIGHTS, &[])?.ok_or_else(missing)?;
                found.may_write = Some(rights.get("may_write")?);
                found.may_change_structure &= rights.get::<bool>("is_owner")?;
                found.key = Some(known_key(conn, &place).map(drop));
                let newest = "SELECT date_add FROM audit ORDER BY uid DESC LIMIT 1";
                let newest = conn.query_one(newest, &[])?;
                let newest = newest
                    .map(|row| row.get::<String>("date_add"))
                    .transpose()?;
                found.newest_line = newest.and_then(|time| clock::from_text(&time).ok());
            }
            Ok::<_, Error>(found)
        };
        database.read(read).await
    }

    /// Opens the store in a PostgreSQL database to look at it: nothing is made or brought to the version of this program.
    ///
    /// # Errors
    /// As [`Store::open_with`].
    pub async fn open_untouched_database(
        url: &Secret,
        dir: &Path,
        key: Option<SealKey>,
    ) -> Result<Self> {
        let place = place(url, dir, key);
        let database = Database::open_untouched_postgres(url.expose(), WORDING).await?;
        let known = {
            let place = place.clone();
            database.read(move |conn| known_key(conn, &place)).await?
        };
        let sealer = known.ok_or_else(|| place.is_missing())?;
        Ok(Self::over(
            dir.to_owned(),
            database,
            sealer,
            Clock::default(),
        ))
    }
}

/// Where the key of a store in a database is.
fn place(url: &Secret, dir: &Path, key: Option<SealKey>) -> KeyPlace {
    let options = StoreOptions {
        seal_key: key,
        database: Some(url.clone()),
        ..StoreOptions::default()
    };
    KeyPlace::new(dir, &options)
}
