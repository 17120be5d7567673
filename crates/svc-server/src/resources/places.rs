//! Where resources may be that are connected over HTTP. Files and sockets of this machine, and servers that only it
//! reaches, are more than the administrator of a project may see.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use svc_data::{Location, ResourceUrl, ServerLocation};
use svc_model::Invalid;
use svc_store::{Engine, Secret};

use crate::{Config, config::ResourceHost, http::ApiResult};

/// How long file systems and name servers may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Who gives the address of a resource over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenBy {
    /// An operator, who may connect the files of this machine.
    Operator,
    /// Anybody else.
    Administrator,
}

/// Where resources may be.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The folder of the service's own store.
    store: PathBuf,
    sqlite_dir: Option<PathBuf>,
    hosts: Arc<[ResourceHost]>,
}

impl Places {
    pub(crate) fn new(config: &Config, store: &Path) -> Self {
        Self {
            store: store.to_owned(),
            sqlite_dir: config.sqlite_dir.clone(),
            hosts: config.resource_hosts.as_slice().into(),
        }
    }

    /// Refuses an address that cannot be read, and one that leads where this person may connect nothing: a message on
    /// `url`, which says what would be right. It says nothing of what is there.
    pub(crate) async fn check(&self, url: &Secret, by: GivenBy) -> ApiResult<()> {
        if !Engine::of_url(url)?.is_database() {
            // The proxy has rules of its own.
            return Ok(());
        }
        let location = url.expose().parse::<ResourceUrl>();
        let location = location.and_then(|url| url.location());
        let location = location.map_err(|error| refused(error.public_message()))?;
        let checked = async {
            match location {
                Location::File(path) => self.check_file(path, by).await,
                Location::Server(server) => self.check_server(&server, by).await,
                _ => Err(refused("is of a kind that cannot be connected over HTTP")),
            }
        };
        let checked = tokio::time::timeout(PATIENCE, checked).await;
        let late = "it could not be found out in time whether this may be connected; try again";
        Ok(checked.unwrap_or_else(|_| Err(refused(late)))?)
    }

    async fn check_file(&self, path: PathBuf, by: GivenBy) -> Result<(), Invalid> {
        let places = self.clone();
        let check = move || places.check_path(&path, by);
        let checked = tokio::task::spawn_blocking(check).await;
        checked.unwrap_or_else(|_| Err(refused("the path cannot be used")))
    }

    fn check_path(&self, path: &Path, by: GivenBy) -> Result<(), Invalid> {
        if !path.is_absolute() {
            return Err(refused(
                "the path of an SQLite database must be absolute, as in sqlite:/srv/data/shop.db",
            ));
        }
        let found = resolve(path);
        if by == GivenBy::Administrator {
            let Some(folder) = &self.sqlite_dir else {
                return Err(refused(
                    "SQLite files are connected by operators alone, unless the option sqlite-dir of the service names a folder",
                ));
            };
            let is_inside = match (folder.canonicalize(), &found) {
                (Ok(folder), Ok(found)) => found.starts_with(folder),
                _ => false,
            };
            if !is_inside {
                return Err(refused(
                    "must be a file in the folder that the option sqlite-dir of the service names; move it there, or ask an \
                     operator to connect it",
                ));
            }
        }
        let Ok(found) = found else {
            return Err(refused(
                "the path cannot be followed; give that of the file itself, without links and `..`",
            ));
        };
        match self.is_of_store(&found) {
            true => Err(refused(
                "is in the folder of the service's own store; move the database to another folder",
            )),
            false => Ok(()),
        }
    }

    /// Whether a file is in the folder of the store, or a file of the store by another name.
    fn is_of_store(&self, file: &Path) -> bool {
        let Ok(store) = self.store.canonicalize() else {
            return file.starts_with(&self.store);
        };
        file.starts_with(&store) || is_linked_into(file, &store)
    }

    async fn check_server(&self, server: &ServerLocation, by: GivenBy) -> Result<(), Invalid> {
        if by == GivenBy::Administrator && server.files().next().is_some() {
            return Err(refused(
                "Unix sockets and files with certificates (sslrootcert, ssl-ca) of this machine are named by operators alone; \
                 give the host of the server",
            ));
        }
        if self.hosts.is_empty() {
            return Ok(());
        }
        let not_allowed = || {
            refused(
                "the option resource-hosts of the service does not allow this server; give one that it allows, or ask the person who \
                 runs the service to add it",
            )
        };
        if !server.sockets.is_empty() {
            return Err(not_allowed());
        }
        for (host, port) in &server.hosts {
            // A name without an address is one that cannot be reached now; it is held to the rule when it is connected.
            let Ok(addresses) = tokio::net::lookup_host((host.as_str(), *port)).await else {
                continue;
            };
            let is_allowed = |address| self.hosts.iter().any(|entry| entry.covers(host, address));
            if !addresses.into_iter().any(is_allowed) {
                return Err(not_allowed());
            }
        }
        Ok(())
    }
}

fn refused(message: &str) -> Invalid {
    Invalid::field("url", message)
}

/// The path without links and `..`; of a file that is missing, as far as its folder is there.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    // A link that leads nowhere could lead elsewhere in the next moment.
    if path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::NotFound.into());
    }
    match (path.parent(), path.components().next_back()) {
        (Some(folder), Some(Component::Normal(name))) => Ok(resolve(folder)?.join(name)),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Whether a file is one of those in a folder, by a hard link.
#[cfg(unix)]
fn is_linked_into(file: &Path, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let Ok(own) = fs::metadata(file).map(identity) else {
        return false;
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut known = entries.filter_map(|entry| entry.metadata().ok().map(identity));
    known.any(|known| known == own)
}

/// Such links cannot be told on this system.
#[cfg(not(unix))]
fn is_linked_into(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Folders {
        root: tempfile::TempDir,
        places: Places,
    }

    fn folders() -> Folders {
        let root = tempfile::tempdir().unwrap();
        for name in ["store", "data", "other"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        for file in ["store/store.db", "data/shop.db", "other/x.db"] {
            fs::write(root.path().join(file), "").unwrap();
        }
        let config = Config {
            sqlite_dir: Some(root.path().join("data")),
            ..Config::default()
        };
        let places = Places::new(&config, &root.path().join("store"));
        Folders { root, places }
    }

    impl Folders {
        async fn refusal(&self, path: &str, by: GivenBy) -> Option<String> {
            let url = format!("sqlite:{}/{path}", self.root.path().display());
            let checked = self.places.check(&Secret::new(url), by).await;
            checked.err().map(|error| error.to_string())
        }
    }

    #[tokio::test]
    async fn an_administrator_connects_files_of_the_folder_and_no_others() {
        let folders = folders();
        let root = folders.root.path();
        symlink(root.join("other"), root.join("data/elsewhere")).unwrap();
        symlink(root.join("other/x.db"), root.join("data/x.db")).unwrap();
        symlink(root.join("data"), root.join("same")).unwrap();
        symlink(root.join("nowhere.db"), root.join("data/dangling.db")).unwrap();
        for path in [
            "data/shop.db",
            "data/shop.db?mode=ro",
            "data/missing.db",
            "data/no/folder/yet.db",
            "same/shop.db",
            "other/../data/shop.db",
            "data/./shop.db",
        ] {
            assert_eq!(
                folders.refusal(path, GivenBy::Administrator).await,
                None,
                "{path}"
            );
        }
        let mut refusals = Vec::new();
        for path in [
            "other/x.db",
            "other/missing.db",
            "data/../other/x.db",
            "data/elsewhere/x.db",
            "data/elsewhere/missing.db",
            "data/x.db",
            "data/dangling.db",
            "data/no/../../other/x.db",
            "data2/x.db",
            "store/store.db",
        ] {
            let refusal = folders.refusal(path, GivenBy::Administrator).await;
            refusals.push(refusal.expect(path));
        }
        // Whether a file is there makes no difference.
        refusals.dedup();
        assert_eq!(refusals.len(), 1, "{refusals:?}");
        assert!(refusals[0].contains("sqlite-dir"));
        let without = Places {
            sqlite_dir: None,
            ..folders.places.clone()
        };
        let url = Secret::new(format!("sqlite:{}/data/shop.db", root.display()));
        let refused = without.check(&url, GivenBy::Administrator).await;
        assert!(refused.unwrap_err().to_string().contains("operators alone"));
    }

    #[tokio::test]
    async fn the_folder_of_the_store_is_refused_to_everybody_by_every_name() {
        let folders = folders();
        let root = folders.root.path();
        symlink(root.join("store"), root.join("data/link")).unwrap();
        symlink(root.join("store/store.db"), root.join("other/link.db")).unwrap();
        fs::hard_link(root.join("store/store.db"), root.join("data/hard.db")).unwrap();
        for path in [
            "store/store.db",
            "store/new.db",
            "store/not/there/yet.db",
            "other/../store/store.db",
            "data/link/store.db",
            "data/link/new.db",
            "other/link.db",
            "data/hard.db",
        ] {
            let refusal = folders.refusal(path, GivenBy::Operator).await.expect(path);
            assert!(refusal.contains("own store"), "{path}: {refusal}");
        }
        let linked = folders
            .refusal("data/hard.db", GivenBy::Administrator)
            .await;
        assert!(linked.unwrap().contains("own store"));
        assert_eq!(folders.refusal("other/x.db", GivenBy::Operator).await, None);
        for url in [
            "sqlite:shop.db",
            "sqlite:file:/etc/passwd",
            "sqlite:../x.db",
        ] {
            let refused = folders
                .places
                .check(&Secret::new(url), GivenBy::Operator)
                .await;
            assert!(
                refused.unwrap_err().to_string().contains("absolute"),
                "{url}"
            );
        }
    }

    #[tokio::test]
    async fn servers_are_those_of_the_option_for_everybody() {
        let config = Config {
            resource_hosts: vec![
                "127.0.0.0/8".parse().unwrap(),
                "db.invalid:5432".parse().unwrap(),
            ],
            ..Config::default()
        };
        let places = Places::new(&config, Path::new("/nowhere"));
        for (url, by, is_allowed) in [
            ("postgres://u@127.0.0.1/d", GivenBy::Administrator, true),
            ("postgres://u@localhost:1/d", GivenBy::Administrator, true),
            ("postgres://u@db.invalid/d", GivenBy::Administrator, true),
            ("mysql://u@127.0.0.1/d", GivenBy::Administrator, true),
            ("mysql://u@10.0.0.1/d", GivenBy::Operator, false),
            ("mysql://u@127.0.0.1,10.0.0.1/d", GivenBy::Operator, false),
            ("postgres://u@10.0.0.1/d", GivenBy::Operator, false),
            (
                "postgres://u@10.0.0.1,127.0.0.1/d",
                GivenBy::Operator,
                false,
            ),
            (
                "postgres://u@127.0.0.1/d?hostaddr=10.0.0.1",
                GivenBy::Operator,
                false,
            ),
            ("postgres://u@%2Fvar%2Frun/d", GivenBy::Operator, false),
            (
                "mysql://u@localhost/d?socket=/run/x",
                GivenBy::Operator,
                false,
            ),
            ("https://10.0.0.1/", GivenBy::Administrator, true),
        ] {
            let checked = places.check(&Secret::new(url), by).await;
            assert_eq!(checked.is_ok(), is_allowed, "{url}");
        }
    }

    #[tokio::test]
    async fn sockets_and_files_of_this_machine_are_for_operators() {
        let places = Places::new(&Config::default(), Path::new("/nowhere"));
        for url in [
            "postgres://u@%2Fvar%2Frun/d",
            "postgres:///d?host=/var/run&user=u",
            "postgres://u@db/d?sslmode=verify-full&sslrootcert=/etc/passwd",
            "mysql://u@db/d?socket=/run/mysqld.sock",
            "mysql://u@db/d?ssl-ca=/etc/passwd",
        ] {
            let url = Secret::new(url);
            let refused = places.check(&url, GivenBy::Administrator).await;
            assert!(refused.unwrap_err().to_string().contains("operators alone"));
            assert!(places.check(&url, GivenBy::Operator).await.is_ok());
        }
        let wrong = Secret::new("postgres://u:hunter2@db:port/d");
        let refused = places.check(&wrong, GivenBy::Operator).await.unwrap_err();
        assert!(!refused.to_string().contains("hunter2"));
    }
}
