//! What the administration asks about resources: where they may be, whether they can be used, and how they are.

use std::{sync::Arc, time::Instant};

use svc_data::Structure;
use svc_model::administration::resources::TestOutcome;
use svc_store::{Engine, Secret};

use super::State;
use crate::{
    http::{ApiResult, resource_path::ResourcePath},
    resources::{
        places::GivenBy,
        status::ResourceStatus,
        test::{TestLimits, only_databases},
    },
};

impl State {
    /// Refuses the address of a resource that cannot be read, or that leads where this person may connect nothing: 400 on
    /// `url`. An address that is given over HTTP is held to this before it is stored or tested.
    pub(crate) async fn check_place(&self, url: &Secret, by: GivenBy) -> ApiResult<()> {
        self.places.check(url, by).await
    }

    /// Tries a database whose address somebody gives over HTTP, within ten seconds: 400 on `url` as of
    /// [`check_place`](Self::check_place), otherwise what was found.
    pub(crate) async fn test_resource(&self, url: &Secret, by: GivenBy) -> ApiResult<TestOutcome> {
        let limits = self.limits_of_test(url, by).await?;
        Ok(self.resource_tests.test(url, limits).await)
    }

    /// The same, with the structure that was found, or the reason why the database cannot be used.
    pub(crate) async fn examine_resource(
        &self,
        url: &Secret,
        by: GivenBy,
    ) -> ApiResult<Result<Arc<Structure>, String>> {
        let limits = self.limits_of_test(url, by).await?;
        let found = self.resource_tests.examine(url, limits).await;
        Ok(found.map(|(_, found)| found.structure))
    }

    async fn limits_of_test(&self, url: &Secret, by: GivenBy) -> ApiResult<TestLimits> {
        if !Engine::of_url(url)?.is_database() {
            return Err(only_databases().into());
        }
        let begun = Instant::now();
        self.check_place(url, by).await?;
        let mut limits = TestLimits::new(self.config.resource_options());
        limits.time = limits.time.saturating_sub(begun.elapsed());
        Ok(limits)
    }

    /// The structure of a connected database: 404 where there is none, 503 when it cannot be reached.
    pub(crate) async fn structure(&self, path: &ResourcePath) -> ApiResult<Arc<Structure>> {
        let (resource, _) = self.connections.get(path).await?;
        Ok(resource.structure())
    }

    /// How a connected database is; `None` where there is no such resource, and of an HTTP API, which is not connected.
    /// One that was not connected yet is connected from now on.
    pub(crate) fn resource_status(&self, path: &ResourcePath) -> Option<ResourceStatus> {
        self.connections.status(path)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::Path,
        sync::Arc,
        time::{Duration, Instant},
    };

    use rusqlite::Connection as File;
    use svc_data::Outage;
    use svc_model::{ProjectName, Scope};
    use svc_store::{NewProject, NewResource, Store};
    use svc_tests::servers::{MariadbServer, PostgresServer, Server};
    use tokio::task::spawn_blocking;

    use super::*;
    use crate::{Config, resources::status::ResourceState, state::Shared};

    /// The longest time until the loss of a database is known.
    const KNOWN_WITHIN: Duration = Duration::from_secs(10);

    async fn state(folder: &Path) -> Shared {
        let store = Store::open(&folder.join("store")).await.unwrap();
        let new = NewProject::new(ProjectName::from("main"));
        store.projects().create(new).await.unwrap();
        State::new(Config::default(), store, String::new(), String::new()).unwrap()
    }

    /// Saves a resource, and gives its path.
    async fn save(state: &Shared, name: &str, url: &str) -> ResourcePath {
        let path = ResourcePath {
            scope: Scope::new("main", "prod"),
            resource: name.into(),
        };
        let new = NewResource::new(name, Secret::new(url));
        let resources = state.store.resources();
        resources.replace(&path.scope, new).await.unwrap();
        state.refresh().await.unwrap();
        path
    }

    /// Waits until a resource is in a state, as the service looks after it.
    async fn becomes(state: &Shared, path: &ResourcePath, wanted: ResourceState) -> ResourceStatus {
        let until = Instant::now() + KNOWN_WITHIN;
        loop {
            state.connections.check();
            let status = state.resource_status(path).unwrap();
            if status.state == wanted {
                return status;
            }
            assert!(Instant::now() < until, "{wanted:?}: {status:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn outcome(state: &Shared, url: String) -> TestOutcome {
        let begun = Instant::now();
        let url = Secret::new(url);
        let tested = state.test_resource(&url, GivenBy::Operator).await;
        let outcome = tested.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(10));
        outcome
    }

    fn shop(path: &Path) -> File {
        let file = File::open(path).unwrap();
        file.execute_batch(
            "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE VIEW b AS SELECT id FROM a;",
        )
        .unwrap();
        file
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let mut names: Vec<_> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn the_test_of_a_file_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let data = folder.path().join("a folder%3F");
        fs::create_dir(&data).unwrap();
        for mode in ["delete", "wal"] {
            let path = data.join(format!("{mode}?.db"));
            let file = shop(&path);
            let set = format!("PRAGMA journal_mode = {mode}");
            file.query_row(&set, [], |_| Ok(())).unwrap();
            // While another program writes, and after it has ended.
            for is_open in [true, false] {
                if !is_open {
                    file.execute_batch("PRAGMA wal_checkpoint").unwrap();
                }
                let before = files(&data);
                let bytes = fs::read(&path).unwrap();
                let url = format!("sqlite:{}?mode=rw", path.display());
                let outcome = outcome(&state, url).await;
                let found = (outcome.engine.as_deref(), outcome.models);
                assert_eq!(found, (Some("sqlite"), Some(2)), "{mode}: {outcome:?}");
                assert_eq!(files(&data), before, "{mode}");
                assert_eq!(fs::read(&path).unwrap(), bytes, "{mode}");
            }
            file.close().unwrap();
            let url = format!("sqlite:{}?mode=ro", path.display());
            assert_eq!(outcome(&state, url).await.reason, None);
        }
        assert_eq!(files(&data), ["delete?.db", "wal?.db"]);
    }

    #[tokio::test]
    async fn a_test_is_held_to_the_places_of_resources() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let own = format!("sqlite:{}/store/store.db", folder.path().display());
        for (url, by) in [
            (own.as_str(), GivenBy::Operator),
            ("sqlite:/shop.db", GivenBy::Administrator),
            ("postgres://app@db:port/shop", GivenBy::Operator),
            ("https://api.example.com", GivenBy::Operator),
            ("oracle://db", GivenBy::Operator),
        ] {
            let refused = state.test_resource(&Secret::new(url), by).await;
            let refused = refused.unwrap_err().to_string();
            assert!(refused.starts_with("url: "), "{url}: {refused}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_wrong_with_a_server_is_told_in_the_same_words_on_all_engines() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let make = || {
            let script = "CREATE TABLE a (id INTEGER PRIMARY KEY)";
            let postgres: &'static dyn Server = PostgresServer::shared();
            let mariadb: &'static dyn Server = MariadbServer::shared();
            [postgres.database(script), mariadb.database(script)]
        };
        for url in spawn_blocking(make).await.unwrap() {
            let found = outcome(&state, url.clone()).await;
            let version = found.version.unwrap_or_default();
            assert!(found.models == Some(1) && !version.is_empty(), "{url}");
            let tls = match url.starts_with("postgres") {
                true => "sslmode=verify-full",
                false => "ssl-mode=VERIFY_IDENTITY",
            };
            let port = url.rsplit('/').nth(1).unwrap().rsplit(':').next().unwrap();
            let other = match url.starts_with("postgres") {
                true => "mysql",
                false => "postgres",
            };
            for (url, outages) in [
                (url.replace("s3cret", "wrong"), vec![Outage::Refused]),
                (url.replace("svc:", "nobody:"), vec![Outage::Refused]),
                (format!("{url}_missing"), vec![Outage::NoDatabase]),
                // The server of this system may have a certificate of its own.
                (
                    format!("{url}?{tls}"),
                    vec![Outage::NoTls, Outage::Certificate],
                ),
                (
                    format!("{other}://app:pw@127.0.0.1:{port}/shop"),
                    vec![Outage::NotAServer, Outage::Closed, Outage::NoAnswer],
                ),
            ] {
                let outcome = outcome(&state, url.clone()).await;
                let reason = outcome.reason.expect(&url);
                let expected: Vec<_> = outages.iter().map(ToString::to_string).collect();
                assert!(expected.contains(&reason), "{url}: {reason}");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_loss_of_a_server_is_known_although_nobody_asks_for_records() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let start = || -> [Box<dyn Server + Send>; 2] {
            [
                Box::new(PostgresServer::start()),
                Box::new(MariadbServer::start()),
            ]
        };
        for (place, mut server) in spawn_blocking(start).await.unwrap().into_iter().enumerate() {
            let made = spawn_blocking(move || {
                let url = server.database("CREATE TABLE a (id INTEGER PRIMARY KEY)");
                (server, url)
            });
            let url;
            (server, url) = made.await.unwrap();
            let path = save(&state, &format!("server{place}"), &url).await;
            assert_eq!(
                state.resource_status(&path).unwrap().state,
                ResourceState::Connecting
            );
            let up = becomes(&state, &path, ResourceState::Up).await;
            assert_eq!(up.models, Some(1));
            assert!(up.structure_read.is_some() && up.pool.size >= 10, "{up:?}");
            let stopped = spawn_blocking(move || {
                server.stop();
                server
            });
            server = stopped.await.unwrap();
            let down = becomes(&state, &path, ResourceState::Down).await;
            let reason = down.reason.unwrap();
            let expected = [Outage::NothingAnswers, Outage::Closed, Outage::Starting];
            assert!(
                expected.map(|outage| outage.to_string()).contains(&reason),
                "{reason}"
            );
            assert!(down.since >= up.since);
            let restarted = spawn_blocking(move || {
                server.run();
                server
            });
            let server = restarted.await.unwrap();
            assert_eq!(becomes(&state, &path, ResourceState::Up).await.reason, None);
            let ended = spawn_blocking(move || drop(server));
            ended.await.unwrap();
        }
    }

    #[tokio::test]
    async fn the_loss_of_a_file_is_known_and_a_lock_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let [file, away] = ["shop.db", "away.db"].map(|name| folder.path().join(name));
        let other = shop(&file);
        let url = format!("sqlite:{}", file.display());
        let path = save(&state, "shop", &url).await;
        let up = becomes(&state, &path, ResourceState::Up).await;
        assert_eq!((up.models, up.pool.used, up.pool.waiting), (Some(2), 0, 0));
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let (resource, _) = state.connections.get(&path).await.unwrap();
        assert!(resource.ping().await.is_ok());
        other.execute_batch("COMMIT").unwrap();
        fs::rename(&file, &away).unwrap();
        let down = becomes(&state, &path, ResourceState::Down).await;
        assert_eq!(down.reason, Some(Outage::NoFile.to_string()));
        fs::rename(&away, &file).unwrap();
        becomes(&state, &path, ResourceState::Up).await;
        let missing = ResourcePath {
            resource: "missing".into(),
            ..path
        };
        assert_eq!(state.resource_status(&missing), None);
    }

    #[tokio::test]
    async fn a_resource_that_nobody_wants_is_not_connected() {
        let folder = tempfile::tempdir().unwrap();
        let state = state(folder.path()).await;
        let url = format!("sqlite:{}/missing.db", folder.path().display());
        let path = save(&state, "shop", &url).await;
        state.connections.check();
        let found = state.connections.get(&path).await;
        assert!(found.is_err());
        let down = becomes(&state, &path, ResourceState::Down).await;
        assert_eq!(down.reason, Some(Outage::NoFile.to_string()));
        shop(&folder.path().join("missing.db"));
        becomes(&state, &path, ResourceState::Up).await;
        assert_eq!(Arc::strong_count(&state), 1);
    }
}
