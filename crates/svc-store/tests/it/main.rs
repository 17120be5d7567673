//! The store from the outside: every group of things, its folder and key, several processes at once.
#![allow(
    clippy::unwrap_used,
    reason = "a test's helpers may stop it, as the test itself may"
)]

mod account;
mod audit;
mod copies;
mod copy;
mod credentials;
mod drafts;
mod journal;
/// The structure of the store, to look behind it.
#[path = "../../src/database/migrations.rs"]
mod migrations;
mod nodes;
mod pages;
/// What of it PostgreSQL has other words for.
#[path = "../../src/database/postgres.rs"]
mod postgres;
mod processes;
mod projects;
mod proxy;
mod resources;
mod store;
mod upkeep;
mod write_marks;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use svc_data::{Connection, Database};
use svc_model::{Draft, PageSettings, ProjectName, Scope};
use svc_store::{Clock, Error, ErrorKind, NewProject, Secret, Store, StoreOptions};
use svc_tests::servers::{PostgresServer, Server as _};
use tempfile::TempDir;

use crate::migrations::MIGRATIONS;
use crate::postgres::WORDING;

/// A store in a folder that goes when the test ends, with project `main`, under a clock that stands.
struct Fixture {
    folder: TempDir,
    store: Store,
    second: Arc<AtomicI64>,
    /// The database on a server that holds the store; `None` when a file does.
    url: Option<Secret>,
}

impl Fixture {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let second = Arc::new(AtomicI64::new(1_800_000_000));
        let time = Arc::clone(&second);
        let url = database().await;
        let mut options = StoreOptions::default();
        options.clock = Clock::from_fn(move || at(time.load(Ordering::Relaxed)));
        options.database.clone_from(&url);
        let store = Store::open_with(&folder.path().join("svc-data"), options)
            .await
            .unwrap();
        store
            .projects()
            .create(NewProject::new("main"))
            .await
            .unwrap();
        Self {
            folder,
            store,
            second,
            url,
        }
    }

    /// The same store, opened once more, with the clock of the machine.
    async fn again(&self) -> Store {
        let mut options = StoreOptions::default();
        options.database.clone_from(&self.url);
        Store::open_with(self.store.dir(), options).await.unwrap()
    }

    fn now(&self) -> Timestamp {
        at(self.second.load(Ordering::Relaxed))
    }

    fn pass(&self, seconds: i64) {
        self.second.fetch_add(seconds, Ordering::Relaxed);
    }

    /// The database behind the store.
    async fn database(&self) -> Database {
        let database = match &self.url {
            None => Database::open_sqlite(&self.store.dir().join("store.db"), MIGRATIONS).await,
            Some(url) => Database::open_postgres(url.expose(), MIGRATIONS, WORDING, &[]).await,
        };
        database.unwrap()
    }

    /// All that is kept: the files of the folder with a copy of the database, or all rows on the server.
    async fn everything(&self) -> Vec<u8> {
        let mut everything = Vec::new();
        if self.url.is_some() {
            let read = |conn: &mut dyn Connection| {
                let tables =
                    "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'";
                let mut all = Vec::new();
                for table in conn.query(tables, &[])? {
                    let name: String = table.get("name")?;
                    let rows = format!("SELECT t::text AS row FROM \"{name}\" t");
                    for row in conn.query(&rows, &[])? {
                        let row: String = row.get("row")?;
                        all.extend(row.into_bytes());
                    }
                }
                Ok::<_, svc_data::Error>(all)
            };
            everything = self.database().await.read(read).await.unwrap();
            assert!(!everything.is_empty());
        } else {
            let copy = self.store.dir().join("copy.db");
            self.store.backup_to(&copy).await.unwrap();
        }
        for file in std::fs::read_dir(self.store.dir()).unwrap() {
            everything.extend(std::fs::read(file.unwrap().path()).unwrap());
        }
        everything
    }

    /// How many rows of a table there are.
    async fn count(&self, table: &'static str) -> i64 {
        let database = self.database().await;
        let count = database.read(move |conn| {
            let row = conn.query_one(&format!("SELECT count(*) AS n FROM {table}"), &[])?;
            row.unwrap().get("n")
        });
        let count: Result<i64, svc_data::Error> = count.await;
        count.unwrap()
    }
}

/// The variable that says `postgres` in the process of [`every_test_holds_on_postgresql_too`].
const STORE_ON: &str = "STORE_ON";

fn is_on_server() -> bool {
    std::env::var(STORE_ON).as_deref() == Ok("postgres")
}

/// The tests of this file once more, in a process of their own.
#[test]
fn every_test_holds_on_postgresql_too() {
    if is_on_server() {
        return;
    }
    let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
    let output = tests.env(STORE_ON, "postgres").output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
}

/// A new database on a PostgreSQL server, in the tests on that engine.
async fn database() -> Option<Secret> {
    if !is_on_server() {
        return None;
    }
    let make = || PostgresServer::shared().database("");
    Some(Secret::new(
        tokio::task::spawn_blocking(make).await.unwrap(),
    ))
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn main_project() -> ProjectName {
    "main".into()
}

/// The environment that each project has.
fn prod() -> Scope {
    Scope::new("main", "prod")
}

/// The pages of an environment, from all parts of their list.
async fn listed(store: &Store, scope: &Scope, draft: Draft) -> Result<Vec<PageSettings>, Error> {
    let mut list = store.pages().list(scope, draft, None).await?;
    let mut json = list.json.to_vec();
    while let Some(more) = list.more {
        list = more.next().await?;
        json.extend_from_slice(&list.json);
    }
    Ok(serde_json::from_slice(&json).unwrap())
}

/// The fields an error names, in order.
fn fields(error: &Error) -> Vec<&str> {
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    error
        .invalid()
        .unwrap()
        .field_errors()
        .iter()
        .map(|(field, _)| field.as_str())
        .collect()
}
