//! The test of a database: it is connected, its structure is read, and nothing is kept.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use svc_data::{Examined, Outage, Resource, ResourceOptions, ResourceUrl};
use svc_model::{Invalid, administration::resources::TestOutcome};
use svc_store::{Engine, Secret};
use tokio::{
    sync::Semaphore,
    task::{self, JoinError},
};

/// How long a test takes at most, with the time until it begins.
const LONGEST: Duration = Duration::from_secs(9);
/// How many tests run at once.
const AT_ONCE: usize = 4;

/// Tries a database as the service does, for a process that has no store: connects it, reads its structure, and keeps
/// nothing. It takes ten seconds at most.
///
/// # Errors
/// What is wrong with the address, which is not shown.
pub async fn test_resource(url: &Secret) -> Result<TestOutcome, svc_store::Error> {
    if !Engine::of_url(url)?.is_database() {
        return Err(only_databases().into());
    }
    let limits = TestLimits::new(ResourceOptions::default());
    Ok(ResourceTests::default().test(url, limits).await)
}

/// The refusal of an address that is no database's.
pub(crate) fn only_databases() -> Invalid {
    let message = "only a database can be tested; an HTTP API is called through the proxy";
    Invalid::field("url", message)
}

/// What tests may take.
#[derive(Clone, Debug)]
pub(crate) struct TestLimits {
    /// How long one takes at most.
    pub(crate) time: Duration,
    /// How databases are connected.
    pub(crate) options: ResourceOptions,
}

impl TestLimits {
    /// Those of a service that connects databases so.
    pub(crate) fn new(options: ResourceOptions) -> Self {
        Self {
            time: LONGEST,
            options,
        }
    }
}

/// Runs tests, not many at once.
#[derive(Debug)]
pub(crate) struct ResourceTests(Arc<Semaphore>);

impl Default for ResourceTests {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl ResourceTests {
    /// Tries a database, and ends in time whatever the other side does.
    pub(crate) async fn test(&self, url: &Secret, limits: TestLimits) -> TestOutcome {
        let (begun, mut outcome) = (Instant::now(), TestOutcome::default());
        match self.examine(url, limits).await {
            Ok((engine, found)) => {
                outcome.ok = true;
                outcome.engine = Some(engine.as_str().to_owned());
                outcome.version = Some(found.version);
                outcome.models = Some(found.structure.models().len() as u64);
                outcome.milliseconds = u64::try_from(begun.elapsed().as_millis()).ok();
            }
            Err(reason) => outcome.reason = Some(reason),
        }
        outcome
    }

    /// The same, with all that was found, or the reason why the database cannot be used.
    pub(crate) async fn examine(
        &self,
        url: &Secret,
        limits: TestLimits,
    ) -> Result<(Engine, Examined), String> {
        let until = Instant::now() + limits.time;
        let slots = Arc::clone(&self.0).acquire_owned();
        let Ok(Ok(slot)) = tokio::time::timeout_at(until.into(), slots).await else {
            return Err("too many tests run at this moment; try again later".to_owned());
        };
        let (engine, url) = match (Engine::of_url(url), url.expose().parse::<ResourceUrl>()) {
            (Ok(engine), Ok(url)) if engine.is_database() => (engine, url),
            _ => return Err("only a database can be tested".to_owned()),
        };
        let mut options = limits.options;
        options.statement_timeout = options.statement_timeout.min(limits.time);
        // A task of its own: reading a large structure does not hold up the clock. It has its place until it has ended.
        let mut running = task::spawn(async move {
            let examined = Resource::examine(&url, &options).await;
            drop(slot);
            examined
        });
        let examined = tokio::time::timeout_at(until.into(), &mut running).await;
        match examined {
            Ok(Ok(Ok(found))) => Ok((engine, found)),
            Ok(Ok(Err(error))) => {
                tracing::info!(%error, "a database that was tested cannot be used");
                Err(error.outage().to_string())
            }
            Ok(Err(error)) => Err(ended(&error)),
            Err(_) => {
                running.abort();
                Err(Outage::NoAnswer.to_string())
            }
        }
    }
}

fn ended(error: &JoinError) -> String {
    tracing::error!(%error, "the test of a database has ended");
    Outage::Other.to_string()
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use tokio::net::TcpListener;

    use super::*;

    async fn test(url: &str) -> TestOutcome {
        let limits = TestLimits::new(ResourceOptions::default());
        let tests = ResourceTests::default();
        tests.test(&Secret::new(url), limits).await
    }

    async fn reason(url: &str) -> String {
        let outcome = test(url).await;
        outcome.reason.as_deref().expect(url).to_owned()
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn nothing_is_made_where_no_database_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("text.db"),
            "not a database at all, but text".repeat(99),
        )
        .unwrap();
        let at = |name: &str| format!("sqlite:{}/{name}", folder.path().display());
        for (name, outage) in [
            ("missing.db", Outage::NoFile),
            ("no/folder.db", Outage::NoFile),
            ("text.db", Outage::NotADatabase),
            ("text.db/x.db", Outage::NoFile),
            ("", Outage::NotADatabase),
            ("/dev/zero", Outage::NotADatabase),
        ] {
            let url = match name.starts_with('/') {
                true => format!("sqlite:{name}"),
                false => at(name),
            };
            assert_eq!(reason(&url).await, outage.to_string(), "{name}");
        }
        assert_eq!(files(folder.path()), ["text.db"]);
    }

    #[tokio::test]
    async fn a_port_without_a_server_and_a_name_without_a_host_are_told() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let closed = listener.local_addr().unwrap();
        drop(listener);
        for scheme in ["postgres", "mysql"] {
            let at_closed = format!("{scheme}://app:hunter2@{closed}/shop");
            let outage = Outage::NothingAnswers.to_string();
            assert_eq!(reason(&at_closed).await, outage, "{scheme}");
            let nowhere = format!("{scheme}://app:hunter2@no-such-host.invalid/shop");
            let outage = Outage::UnknownHost.to_string();
            assert_eq!(reason(&nowhere).await, outage, "{scheme}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_server_that_is_silent_ends_the_test_in_time() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let silent = listener.local_addr().unwrap();
        let held = tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                held.push(stream);
            }
        });
        for scheme in ["postgres", "mysql"] {
            let begun = Instant::now();
            let url = format!("{scheme}://app:hunter2@{silent}/shop");
            let outage = Outage::NoAnswer.to_string();
            assert_eq!(reason(&url).await, outage, "{scheme}");
            assert!(begun.elapsed() < Duration::from_secs(10), "{scheme}");
        }
        held.abort();
    }

    #[tokio::test]
    async fn another_kind_of_server_is_told() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let other = listener.local_addr().unwrap();
        let answering = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
                let _ = stream.read(&mut [0; 100]).await;
            }
        });
        for scheme in ["mysql", "postgres"] {
            let url = format!("{scheme}://app:hunter2@{other}/shop");
            let outage = Outage::NotAServer.to_string();
            assert_eq!(reason(&url).await, outage, "{scheme}");
        }
        answering.abort();
    }

    #[tokio::test]
    async fn a_server_that_the_options_do_not_allow_is_not_connected_to() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = crate::Config {
            resource_hosts: vec!["10.0.0.0/8".parse().unwrap()],
            ..crate::Config::default()
        };
        for scheme in ["postgres", "mysql"] {
            let limits = TestLimits::new(config.resource_options());
            // A name too: what counts is the address that it has.
            let url = Secret::new(format!("{scheme}://app@localhost:{port}/shop"));
            let outcome = ResourceTests::default().test(&url, limits).await;
            let outage = Outage::NotAllowed.to_string();
            assert_eq!(outcome.reason.as_deref(), Some(outage.as_str()), "{scheme}");
        }
        let accepted = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
        assert!(accepted.is_err(), "it was connected to");
    }

    #[tokio::test]
    async fn tests_are_few_at_once() {
        let tests = ResourceTests::default();
        let _all = tests
            .0
            .acquire_many(u32::try_from(AT_ONCE).unwrap())
            .await
            .unwrap();
        let mut limits = TestLimits::new(ResourceOptions::default());
        limits.time = Duration::from_millis(1);
        let outcome = tests.test(&Secret::new("sqlite:/x.db"), limits).await;
        assert!(outcome.reason.unwrap().contains("too many tests"));
    }
}
