//! Several processes at one store, and one that is killed while it writes.
//!
//! The other process is this test program again, told by a variable to run [`writer`] alone.

use std::collections::HashSet;
use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use svc_model::{Draft, PageSettings};
use svc_store::{NewProject, Store};
use tempfile::TempDir;

use crate::{listed, prod};

const DIR: &str = "SVC_STORE_TEST_DIR";
const PAGES: &str = "SVC_STORE_TEST_PAGES";
/// Stands before the uid of a page whose creation was answered.
const ANSWERED: &str = "answered ";

/// The other process: makes pages one after the other and says so after each answer.
#[tokio::test]
#[ignore = "runs as a process of its own, started by the tests below"]
async fn writer() {
    let Some(dir) = env::var_os(DIR) else {
        return;
    };
    let pages: usize = env::var(PAGES).unwrap().parse().unwrap();
    let store = Store::open(Path::new(&dir)).await.unwrap();
    for _ in 0..pages {
        let page = store
            .pages()
            .create(&prod(), Draft::Off, PageSettings::new())
            .await
            .unwrap();
        let mut out = std::io::stdout().lock();
        let uid = page.settings().unwrap().uid().unwrap();
        writeln!(out, "\n{ANSWERED}{uid}").unwrap();
        out.flush().unwrap();
    }
}

/// Starts [`writer`].
fn start(dir: &Path, pages: usize) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "processes::writer", "--ignored", "--nocapture"])
        .env(DIR, dir)
        .env(PAGES, pages.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let out: ChildStdout = child.stdout.take().unwrap();
    let answered = BufReader::new(out)
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| Some(line.strip_prefix(ANSWERED)?.to_owned()));
    (child, answered)
}

async fn uids(store: &Store) -> HashSet<String> {
    let pages = listed(store, &prod(), Draft::Off).await.unwrap();
    pages
        .iter()
        .map(|page| page.uid().unwrap().to_string())
        .collect()
}

#[tokio::test]
async fn a_killed_writer_loses_no_answered_write_and_leaves_a_store_that_opens() {
    let folder = TempDir::new().unwrap();
    Store::open(folder.path())
        .await
        .unwrap()
        .projects()
        .create(NewProject::new("main"))
        .await
        .unwrap();
    let mut answered = HashSet::new();
    for _ in 0..3 {
        let (mut child, mut lines) = start(folder.path(), usize::MAX);
        answered.extend(lines.by_ref().take(25));
        child.kill().unwrap();
        // What it said between the last line read and its end counts too; a torn last line does not.
        answered.extend(lines.filter(|uid| uid.len() == 36));
        child.wait().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let stored = uids(&store).await;
        assert!(answered.len() >= 25);
        assert!(
            answered.is_subset(&stored),
            "lost: {:?}",
            answered.difference(&stored)
        );
        store
            .projects()
            .create(NewProject::new(format!("after-{}", stored.len())))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn processes_that_write_pages_at_once_lose_nothing_and_empty_no_cache() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    store
        .projects()
        .create(NewProject::new("main"))
        .await
        .unwrap();
    let before = store.revision().await.unwrap();
    let writers: Vec<_> = (0..2).map(|_| start(folder.path(), 40)).collect();
    let mut expected = HashSet::new();
    for _ in 0..40 {
        let page = store
            .pages()
            .create(&prod(), Draft::Off, PageSettings::new())
            .await
            .unwrap();
        expected.insert(page.settings().unwrap().uid().unwrap().to_string());
    }
    for (mut child, lines) in writers {
        expected.extend(lines);
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(expected.len(), 120);
    assert_eq!(uids(&store).await, expected);
    assert_eq!(
        store.revision().await.unwrap(),
        before,
        "caches hold no pages"
    );
}

#[tokio::test]
async fn a_new_folder_that_several_open_at_once_gets_one_key() {
    let folder = TempDir::new().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let dir = folder.path().join("new");
        tasks.spawn(async move { Store::open(&dir).await });
    }
    let mut stores = Vec::new();
    for opened in tasks.join_all().await {
        stores.push(opened.unwrap());
    }
    let first = stores.first().unwrap();
    first
        .projects()
        .create(NewProject::new("main"))
        .await
        .unwrap();
    let secret = svc_store::Secret::new("sqlite:shop.db");
    let shop = svc_store::NewResource::new("shop", secret);
    first.resources().create(&prod(), shop).await.unwrap();
    for store in &stores {
        let connected = store.resources().list_connected().await.unwrap();
        assert_eq!(connected[0].url.expose(), "sqlite:shop.db");
    }
}
