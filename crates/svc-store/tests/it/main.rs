//! The store from the outside: every group of things, its folder and key, several processes at once.
#![allow(
    clippy::unwrap_used,
    reason = "a test's helpers may stop it, as the test itself may"
)]

mod account;
mod audit;
mod copies;
mod credentials;
mod drafts;
mod journal;
/// The structure of the store, to look behind it.
#[path = "../../src/database/migrations.rs"]
mod migrations;
mod pages;
mod processes;
mod projects;
mod proxy;
mod resources;
mod store;
mod write_marks;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use svc_data::Database;
use svc_model::{Draft, PageSettings, ProjectName, Scope};
use svc_store::{Clock, Error, ErrorKind, NewProject, Store, StoreOptions};
use tempfile::TempDir;

use crate::migrations::MIGRATIONS;

/// A store in a folder that goes when the test ends, with project `main`, under a clock that stands.
struct Fixture {
    folder: TempDir,
    store: Store,
    second: Arc<AtomicI64>,
}

impl Fixture {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let second = Arc::new(AtomicI64::new(1_800_000_000));
        let time = Arc::clone(&second);
        let mut options = StoreOptions::default();
        options.clock = Clock::from_fn(move || at(time.load(Ordering::Relaxed)));
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
        }
    }

    fn now(&self) -> Timestamp {
        at(self.second.load(Ordering::Relaxed))
    }

    fn pass(&self, seconds: i64) {
        self.second.fetch_add(seconds, Ordering::Relaxed);
    }

    /// The database behind the store.
    async fn database(&self) -> Database {
        Database::open_sqlite(&self.store.dir().join("store.db"), MIGRATIONS)
            .await
            .unwrap()
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
    let mut list = store.pages().list(scope, draft).await?;
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
