//! Where the store is, and its key: a folder, or a database on a PostgreSQL server with a folder beside it.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;
use svc_server::SettingSource;
use svc_store::{SealKey, Secret, Store, StoreOptions, url_hint};

use super::{DEFAULT_DIR, actor};
use crate::{
    error::Error,
    serve::options::{ConfigFile, Sources},
};

/// The variable that holds the key of the store itself.
pub(crate) const KEY_VARIABLE: &str = "SVC_STORE_KEY";

/// The options that say where the store is.
#[derive(Args)]
pub(crate) struct PlaceOptions {
    /// Folder of the store; ./svc-data when not given, for demo ./svc-demo
    #[arg(long, global = true, value_name = "DIR", env = "SVC_DIR")]
    dir: Option<PathBuf>,
    /// PostgreSQL database of the store, in place of a file in its folder: postgres://user:password@host/database. Several
    /// hosts, with commas between them, are tried for the one that takes writes
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "SVC_STORE",
        hide_env_values = true
    )]
    store: Option<String>,
    /// File of the store's key, made for an empty store [default: store.key in the folder]; or set SVC_STORE_KEY to the key
    /// itself
    #[arg(long, global = true, value_name = "FILE", env = "SVC_KEY_FILE")]
    key_file: Option<PathBuf>,
}

/// Where the store is, and its key.
#[derive(Default)]
pub(crate) struct Place {
    dir: Option<PathBuf>,
    /// The database on a server, where it is not in the folder.
    database: Option<Secret>,
    key_file: Option<PathBuf>,
    key: Option<SealKey>,
}

impl Place {
    /// Puts together what was given; flags and variables win over the file.
    pub(crate) fn new(
        given: PlaceOptions,
        file: &ConfigFile,
        sources: &Sources,
    ) -> Result<Self, Error> {
        let variable = std::env::var(KEY_VARIABLE).ok();
        let variable = variable.filter(|key| !key.trim().is_empty());
        let flag = sources.get("key_file") == Some(&SettingSource::Flag);
        let key = match (variable, &given.key_file) {
            (Some(_), Some(_)) if flag => None,
            (Some(_), Some(_)) => {
                return Err(Error::usage(format!(
                    "{KEY_VARIABLE} is the key of the store and SVC_KEY_FILE the file of one; unset one of them"
                )));
            }
            (Some(text), None) => Some(SealKey::parse(&text).map_err(|_| {
                Error::usage(format!(
                    "{KEY_VARIABLE} must be a key as in the key file of the store: 43 letters, digits, - and _"
                ))
            })?),
            (None, _) => None,
        };
        let store_source = sources.get("store").or_else(|| file.in_file("store"));
        let named = SettingSource::named("store", store_source);
        let database = given.store.or_else(|| file.store.clone());
        Ok(Self {
            dir: given.dir.or_else(|| file.dir.clone()),
            database: database
                .filter(|url| !url.trim().is_empty())
                .map(|url| check_url(&url, &named))
                .transpose()?,
            key_file: match key {
                Some(_) => None,
                None => given.key_file.or_else(|| file.key_file.clone()),
            },
            key,
        })
    }

    /// The same in another folder, without a database on a server: the demo is always in its folder.
    pub(crate) fn in_folder(&self, dir: &Path) -> Self {
        Self {
            dir: Some(dir.to_owned()),
            database: None,
            key_file: self.key_file.clone(),
            key: self.key.clone(),
        }
    }

    /// Whether a store was named.
    pub(crate) fn is_named(&self) -> bool {
        self.dir.is_some() || self.database.is_some()
    }

    /// The folder of the store that was named.
    pub(crate) fn named_dir(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The file of its key that was named.
    pub(crate) fn key_file(&self) -> Option<&Path> {
        self.key_file.as_deref()
    }

    /// Its key that was given.
    pub(crate) fn key(&self) -> Option<&SealKey> {
        self.key.as_ref()
    }

    /// The URL of the database on a server that has the store.
    pub(crate) fn database(&self) -> Option<&Secret> {
        self.database.as_ref()
    }

    /// The folder of the store, else this one.
    pub(crate) fn dir_or(&self, default: &str) -> PathBuf {
        self.dir.clone().unwrap_or_else(|| PathBuf::from(default))
    }

    /// Opens the store. Where there is none, one is made, or an error if it `must_exist`. Its audit trail names the user of
    /// this program.
    pub(crate) async fn open(&self, must_exist: bool) -> Result<Store, Error> {
        let mut options = StoreOptions::default();
        options.must_exist = must_exist;
        options.database.clone_from(&self.database);
        options.key_file.clone_from(&self.key_file);
        options.seal_key.clone_from(&self.key);
        let store = Store::open_with(&self.dir_or(DEFAULT_DIR), options).await?;
        Ok(store.acting(actor(), None))
    }

    /// What operators see of it among the settings, by the names of the options.
    pub(crate) fn settings(&self) -> [(&'static str, Value); 3] {
        // Whoever reads them does not know where the program was started.
        let path = |path: &Path| {
            let whole = std::path::absolute(path);
            whole.as_deref().unwrap_or(path).display().to_string()
        };
        [
            ("dir", path(&self.dir_or(DEFAULT_DIR)).into()),
            ("store", self.database.as_ref().map(url_hint).into()),
            ("key-file", self.key_file.as_deref().map(path).into()),
        ]
    }
}

/// Refuses a URL of anything but a PostgreSQL database, without quoting it.
fn check_url(url: &str, named: &str) -> Result<Secret, Error> {
    let url = url.trim();
    match url.starts_with("postgres://") || url.starts_with("postgresql://") {
        true => Ok(Secret::new(url)),
        false => Err(Error::usage(format!(
            "{named}: must be the URL of a PostgreSQL database, such as postgres://user:password@host/database; \
             --dir names a folder"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_postgresql_database_and_its_url_is_not_quoted() {
        for url in ["mysql://a:hunter2@b/c", "/srv/store", "hunter2"] {
            let error = check_url(url, "--store").unwrap_err().to_string();
            assert!(error.contains("--store"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
        let shown = Place {
            database: Some(check_url("postgres://a:hunter2@b/c?x=y", "--store").unwrap()),
            ..Place::default()
        };
        assert_eq!(
            shown.settings()[1],
            ("store", Value::from("postgres://a@b/c"))
        );
    }
}
