//! The store that is copied: it is found, and its version and its key are checked. Nothing in it is changed but for lines of
//! the audit trail, which the journals of its services have already.

use std::path::{Path, PathBuf};

use svc_data::database::Snapshot;
use svc_data::{Database, DatabaseFile};

use super::{CopyOptions, StorePlace};
use crate::database::{STATE, Store, WORDING, blocking, files, state};
use crate::error::{Error, Result};
use crate::open::{KeyPlace, StoreOptions, fits};
use crate::secrets::SealKey;
use crate::upkeep::restore::latest_version;

/// A store as it is at one moment.
pub(super) struct Source {
    pub(super) snapshot: Snapshot,
    /// Its key, where it is known.
    pub(super) key: Option<SealKey>,
    /// The file that has the key.
    pub(super) key_file: Option<PathBuf>,
}

impl Source {
    pub(super) async fn open(from: &StorePlace, options: CopyOptions) -> Result<Self> {
        match from {
            StorePlace::Folder(dir) => Self::in_folder(dir, options).await,
            StorePlace::Database(url) => {
                let database = Database::open_untouched_postgres(url.expose(), WORDING).await?;
                let shown = from.to_string();
                Self::on_server(&database, &shown, options)
                    .await
                    .map_err(|error| match error.is_own() {
                        true => error,
                        false => {
                            Error::unavailable(format!("the store {shown} cannot be read: {error}"))
                                .with_source(error)
                        }
                    })
            }
        }
    }

    async fn in_folder(dir: &Path, options: CopyOptions) -> Result<Self> {
        let shown = dir.display().to_string();
        if !files::has_database(dir) {
            return Err(is_missing(&shown));
        }
        let file = files::database_file(dir);
        // Opened as it is: a store of an earlier version would be changed.
        let version = blocking(move || Ok(DatabaseFile::open(&file)?.migration()?)).await?;
        check_version(version, &shown)?;
        let key_file = options.key_file.clone();
        let key_file = key_file.unwrap_or_else(|| files::default_key_file(dir));
        let is_given = options.key.is_some();
        let options = StoreOptions {
            seal_key: options.key,
            key_file: options.key_file,
            must_exist: true,
            ..StoreOptions::default()
        };
        let store = Store::open_with(dir, options).await?;
        store.audit().collect().await;
        Ok(Self {
            snapshot: store.database().snapshot().await?,
            key: Some(store.sealer().key().clone()),
            key_file: (!is_given).then_some(key_file),
        })
    }

    async fn on_server(database: &Database, shown: &str, options: CopyOptions) -> Result<Self> {
        check_version(database.migration().await?, shown)?;
        let place = KeyPlace::of_database(shown, options.key.clone(), options.key_file.clone());
        let key = place.as_ref().map(KeyPlace::find).transpose()?.flatten();
        if let (None, Some(file)) = (&key, &options.key_file) {
            return Err(Error::unavailable(format!(
                "the key file {} does not exist; name another one with --key-file",
                file.display()
            )));
        }
        let check = database.read(|conn| {
            let state = state(conn.query_one(STATE, &[])?)?;
            Ok::<_, Error>(state.get::<Option<String>>("seal_check")?)
        });
        if let (Some(check), Some(key), Some(place)) = (check.await?, &key, &place)
            && !fits(key, &check)
        {
            return Err(place.is_wrong());
        }
        Ok(Self {
            snapshot: database.snapshot().await?,
            key,
            key_file: options.key_file.filter(|_| options.key.is_none()),
        })
    }
}

fn is_missing(shown: &str) -> Error {
    Error::unavailable(format!(
        "there is no store in {shown}; name the folder or the database of one with --from"
    ))
}

/// Refuses a store of another version than this program makes.
fn check_version(version: Option<u32>, shown: &str) -> Result<()> {
    let known = latest_version();
    let program = env!("CARGO_PKG_VERSION");
    let version = version.ok_or_else(|| is_missing(shown))?;
    if version < known {
        return Err(Error::unavailable(format!(
            "the store {shown} has version {version}, and svc {program} copies stores of version {known}; open it once with this \
             program, which brings it to that version (svc project list), and copy it then"
        )));
    }
    if version > known {
        return Err(Error::unavailable(format!(
            "the store {shown} has version {version}, and svc {program} knows versions up to {known}; copy it with the version \
             of svc that wrote it, or a later one"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_of_another_version_is_refused_with_both_versions() {
        let known = latest_version();
        assert!(check_version(Some(known), "x").is_ok());
        for other in [known - 1, known + 1] {
            let error = check_version(Some(other), "x").unwrap_err().to_string();
            for version in [known, other] {
                assert!(error.contains(&version.to_string()), "{error}");
            }
        }
        let error = check_version(None, "x").unwrap_err().to_string();
        assert!(error.contains("there is no store in x"), "{error}");
    }
}
