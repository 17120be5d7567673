//! Where the programs under test have their stores: in their folders, or each in a PostgreSQL database of its own.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
};

use crate::servers::{PostgresServer, Server as _};

/// The variable that says where stores are: `postgres`, or in their folders without it.
const TESTED_STORE: &str = "TESTED_STORE";
/// The databases of folders. `None`: the demo has its store in the folder.
static STORES: Mutex<Option<HashMap<PathBuf, Option<String>>>> = Mutex::new(None);

/// Whether the stores of these tests are in databases on a server.
pub fn is_on_server() -> bool {
    std::env::var_os(TESTED_STORE).is_some_and(|store| store == "postgres")
}

/// The URL of the store of a program that runs in this folder with these arguments, where it is in a database.
pub(crate) fn of(folder: &Path, arguments: &[&str]) -> Option<String> {
    if !is_on_server() || arguments.contains(&"--store") {
        return None;
    }
    let is_demo = arguments.first() == Some(&"demo");
    let mut pairs = arguments.windows(2);
    let named = pairs.find_map(|pair| (pair.first() == Some(&"--dir")).then(|| pair.get(1)));
    let default = if is_demo { "svc-demo" } else { "svc-data" };
    let dir = folder.join(named.flatten().unwrap_or(&default));
    let mut stores = STORES.lock().expect("no test panics while it has this");
    let stores = stores.get_or_insert_default();
    stores
        .entry(dir)
        .or_insert_with(|| (!is_demo).then(new_database))
        .clone()
}

/// The URL of the store of programs that run in this folder, where it is in a database.
///
/// # Panics
/// When a test panicked while a store was made.
pub fn store_url(folder: &Path) -> Option<String> {
    of(folder, &[])
}

/// Runs statements in the store of programs that run in this folder.
///
/// # Panics
/// When the store refuses.
pub fn execute_in_store(folder: &Path, statements: &str) {
    match store_url(folder) {
        Some(url) => PostgresServer::shared().execute(&url, statements),
        None => rusqlite::Connection::open(folder.join("svc-data/store.db"))
            .and_then(|store| store.execute_batch(statements))
            .expect("the store takes the statements"),
    }
}

/// A new database, made on a thread where one may block: tests run in runtimes of their own.
fn new_database() -> String {
    let made = thread::spawn(|| PostgresServer::shared().database(""));
    made.join().expect("the server makes databases")
}
