//! Copies of a store, stores made of copies, and looks at stores that change nothing.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use svc_data::{Database, DatabaseFile};
use svc_store::{
    BackupOptions, BackupSeries, Clock, NewProject, NewResource, SealKey, Secret, Store,
    StoreOptions,
};
use tempfile::TempDir;

use crate::migrations::MIGRATIONS;
use crate::{at, prod};

const URL: &str = "postgres://app:hunter2@db/shop";

/// A store with a resource in the folder `store`.
async fn store(folder: &Path) -> Store {
    let store = Store::open(&folder.join("store")).await.unwrap();
    let projects = store.projects();
    projects.create(NewProject::new("main")).await.unwrap();
    let shop = NewResource::new("shop", Secret::new(URL));
    store.resources().create(&prod(), shop).await.unwrap();
    store
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn key_of(store: &Store) -> SealKey {
    let text = fs::read_to_string(store.dir().join("store.key")).unwrap();
    SealKey::parse(&text).unwrap()
}

async fn url_in(dir: &Path) -> String {
    let store = Store::open(dir).await.unwrap();
    let connected = store.resources().list_connected().await.unwrap();
    connected[0].url.expose().to_owned()
}

#[tokio::test]
async fn a_copy_with_the_key_restores_alone_and_the_key_leaves_it() {
    let folder = TempDir::new().unwrap();
    let store = store(folder.path()).await;
    let copy = folder.path().join("copy.db");
    let with_key = BackupOptions::default().with_key(true);
    store.backup_with(&copy, with_key).await.unwrap();
    let key = key_of(&store).expose();
    let holds_key = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        let key = key.expose().as_bytes();
        bytes.windows(key.len()).any(|part| part == key)
    };
    assert!(holds_key(&copy));

    let dir = folder.path().join("a/restored");
    let restored = Store::restore(&copy, &dir, None).await.unwrap();
    assert!(restored.had_key);
    assert!(!holds_key(&dir.join("store.db")));
    assert_eq!(names(&dir), ["store.db", "store.key", "store.lock"]);
    assert_eq!(url_in(&dir).await, URL);
    // Nor is it in a copy of the copy that was put in its place by hand.
    let by_hand = folder.path().join("by-hand");
    fs::create_dir(&by_hand).unwrap();
    fs::copy(&copy, by_hand.join("store.db")).unwrap();
    fs::copy(dir.join("store.key"), by_hand.join("store.key")).unwrap();
    let second = folder.path().join("second.db");
    let opened = Store::open(&by_hand).await.unwrap();
    opened.backup_to(&second).await.unwrap();
    assert!(!holds_key(&second));
}

#[cfg(unix)]
#[tokio::test]
async fn copies_and_what_is_made_of_them_are_closed_to_other_users() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let store = store(folder.path()).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let copy = folder.path().join("copy.db");
    store.backup_to(&copy).await.unwrap();
    assert_eq!(mode(&copy), 0o600);
    let dir = folder.path().join("restored");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    Store::restore(&copy, &dir, Some(key_of(&store)))
        .await
        .unwrap();
    assert_eq!(mode(&dir), 0o700);
    for name in names(&dir) {
        assert_eq!(mode(&dir.join(&name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn what_cannot_be_restored_is_refused_with_the_remedy_and_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let store = store(folder.path()).await;
    store.backup_to(&path("copy.db")).await.unwrap();
    let with_key = BackupOptions::default().with_key(true);
    store
        .backup_with(&path("alone.db"), with_key)
        .await
        .unwrap();
    let key = key_of(&store);

    fs::write(path("notes.db"), "not a database".repeat(500)).unwrap();
    let mut damaged = fs::read(path("alone.db")).unwrap();
    let from = damaged.len() / 3;
    damaged[from..from + 20_000].fill(0x5a);
    fs::write(path("damaged.db"), damaged).unwrap();
    let mut short = fs::read(path("alone.db")).unwrap();
    short.truncate(short.len() / 2);
    fs::write(path("short.db"), short).unwrap();
    drop(Database::open_sqlite(&path("other.db"), &[]).await.unwrap());
    fs::copy(path("alone.db"), path("later.db")).unwrap();
    DatabaseFile::change(&path("later.db"), |later| {
        later.execute(
            "UPDATE refinery_schema_history SET version = 99 WHERE version = 1",
            &[],
        )?;
        Ok(())
    })
    .unwrap();
    fs::copy(path("alone.db"), path("odd-key.db")).unwrap();
    DatabaseFile::change(&path("odd-key.db"), |odd| {
        odd.execute("UPDATE backup_key SET seal_key = 'x'", &[])?;
        Ok(())
    })
    .unwrap();

    let known = format!("versions up to {}", MIGRATIONS.len());
    for (file, key, part) in [
        ("missing.db", None, "does not exist"),
        ("notes.db", None, "is not an SQLite database"),
        ("damaged.db", None, "damaged"),
        ("short.db", None, "damaged"),
        ("other.db", None, "no backup of a store"),
        ("later.db", None, "version 99"),
        ("later.db", None, &known),
        ("copy.db", None, "--key-file"),
        (
            "copy.db",
            Some(SealKey::generate().unwrap()),
            "does not belong",
        ),
        (
            "alone.db",
            Some(SealKey::generate().unwrap()),
            "does not belong",
        ),
        ("odd-key.db", None, "--key-file"),
    ] {
        let error = Store::restore(&path(file), &path("x/y"), key)
            .await
            .unwrap_err();
        assert!(error.to_string().contains(part), "{file}: {error}");
        assert!(!path("x").exists(), "{file}");
    }
    // The right key makes up for a damaged one.
    let (odd, dir) = (path("odd-key.db"), path("x"));
    let restored = Store::restore(&odd, &dir, Some(key.clone())).await;
    assert!(!restored.unwrap().had_key);
    assert_eq!(url_in(&path("x")).await, URL);

    fs::create_dir(path("full")).unwrap();
    fs::write(path("full/mine.txt"), "").unwrap();
    for (dir, part) in [
        ("full", "mine.txt"),
        ("x", "is not empty"),
        ("copy.db", "cannot be"),
    ] {
        let refused = Store::restore(&path("copy.db"), &path(dir), Some(key.clone())).await;
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(part), "{dir}: {error}");
    }
    assert_eq!(names(&path("full")), ["mine.txt"]);
    // A store that was in the way is as it was.
    assert_eq!(url_in(&path("x")).await, URL);
}

#[tokio::test]
async fn the_file_of_a_store_that_is_open_is_no_backup() {
    let folder = TempDir::new().unwrap();
    let store = store(folder.path()).await;
    let dir = folder.path().join("restored");
    let refused = Store::restore(&store.dir().join("store.db"), &dir, None).await;
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("svc backup"), "{error}");
}

#[tokio::test]
async fn a_restore_goes_on_where_one_was_killed() {
    let folder = TempDir::new().unwrap();
    let store = store(folder.path()).await;
    let copy = folder.path().join("copy.db");
    store.backup_to(&copy).await.unwrap();
    let dir = folder.path().join("restored");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("store.db.restoring"), "half").unwrap();
    fs::write(dir.join("store.key.new"), "half").unwrap();
    // The lock alone may be that of a process that makes a store here.
    Store::restore(&copy, &dir, Some(key_of(&store)))
        .await
        .unwrap();
    assert_eq!(names(&dir), ["store.db", "store.key", "store.lock"]);
}

/// A store under a clock, and a series of copies of it.
async fn series(folder: &Path, keep: usize) -> (Store, BackupSeries, Arc<AtomicI64>) {
    drop(store(folder).await);
    let second = Arc::new(AtomicI64::new(1_800_000_000));
    let time = Arc::clone(&second);
    let mut options = StoreOptions::default();
    options.clock = Clock::from_fn(move || at(time.load(Ordering::Relaxed)));
    let store = Store::open_with(&folder.join("store"), options)
        .await
        .unwrap();
    let keep = NonZeroUsize::new(keep).unwrap();
    let series = BackupSeries::new(folder.join("copies"), Duration::from_secs(60), keep);
    store.prepare_backups(&series).await.unwrap();
    (store, series, second)
}

fn copies(series: &BackupSeries) -> Vec<String> {
    let mut names = names(&series.dir);
    names.retain(|name| name.starts_with("svc-backup-"));
    names
}

#[tokio::test]
async fn copies_are_made_when_it_is_time_and_only_the_newest_are_kept() {
    let folder = TempDir::new().unwrap();
    let (store, series, second) = series(folder.path(), 2).await;
    let foreign = [
        "notes.txt",
        "svc-backup-20200101T000000Z-00000000.db",
        "svc-backup-20200101T000000Z-.db",
    ];
    for name in foreign {
        fs::write(series.dir.join(name), "").unwrap();
    }
    let first = store.continue_backups(&series).await.unwrap();
    let made = first.made.unwrap();
    assert_eq!(first.wait, Duration::from_secs(60));
    // A restart makes no other one, and knows how long it is until the next.
    second.fetch_add(20, Ordering::Relaxed);
    let again = Store::open_with(store.dir(), StoreOptions::default());
    drop(again.await.unwrap());
    let turn = store.continue_backups(&series).await.unwrap();
    assert_eq!((turn.made, turn.wait), (None, Duration::from_secs(40)));
    // A process that was killed while it made a copy left it.
    let partial = made.with_extension("db.partial");
    fs::write(&partial, "half").unwrap();
    for turns in 1..4 {
        second.fetch_add(60, Ordering::Relaxed);
        let turn = store.continue_backups(&series).await.unwrap();
        assert!(turn.made.is_some(), "{turns}");
        assert_eq!(turn.removed, usize::from(turns > 1));
    }
    assert!(!made.exists() && !partial.exists());
    for name in foreign {
        assert!(series.dir.join(name).exists(), "{name}");
    }
    let own = copies(&series)
        .into_iter()
        .filter(|name| !foreign.contains(&&**name));
    assert_eq!(own.count(), 2);
}

#[tokio::test]
async fn of_several_processes_one_makes_the_copy() {
    let folder = TempDir::new().unwrap();
    let (store, series, _) = series(folder.path(), 7).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (store, series) = (store.clone(), series.clone());
        tasks.spawn(async move { store.continue_backups(&series).await.unwrap().made });
    }
    let made = tasks.join_all().await;
    assert_eq!(made.iter().flatten().count(), 1);
    assert_eq!(copies(&series).len(), 1);
}

#[tokio::test]
async fn a_copy_from_the_future_neither_delays_the_next_nor_pushes_it_out() {
    let folder = TempDir::new().unwrap();
    let (store, series, second) = series(folder.path(), 1).await;
    second.fetch_add(1_000_000, Ordering::Relaxed);
    let future = store.continue_backups(&series).await.unwrap().made.unwrap();
    second.fetch_sub(1_000_000, Ordering::Relaxed);
    let made = store.continue_backups(&series).await.unwrap().made.unwrap();
    assert!(made.exists() && !future.exists());
    let turn = store.continue_backups(&series).await.unwrap();
    assert_eq!(turn.made, None);
}

#[tokio::test]
async fn a_look_at_a_store_changes_nothing_whatever_is_wrong_with_it() {
    let folder = TempDir::new().unwrap();
    let store = store(folder.path()).await;
    let dir = store.dir().to_owned();
    let found = Store::inspect(&dir, None).await.unwrap();
    assert!(found.integrity.is_ok() && matches!(found.key, Some(Ok(()))));
    assert_eq!(found.version, Some(found.known_version));
    assert!(found.newest_line.unwrap() <= Timestamp::now());
    assert!(found.readable_by_others.is_empty());
    drop(store);
    // The log is moved into the file when the last connection is closed.
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while dir.join("store.db-wal").exists() {
        assert!(std::time::Instant::now() < deadline);
        // The look may have been the last to close, which only reads: then another one has to tidy up.
        drop(Store::open(&dir).await.unwrap());
        let pause = std::time::Instant::now() + Duration::from_millis(500);
        while dir.join("store.db-wal").exists() && std::time::Instant::now() < pause {
            std::thread::yield_now();
        }
    }
    let state = || -> Vec<(String, Vec<u8>)> {
        let read = |name: String| (name.clone(), fs::read(dir.join(name)).unwrap());
        names(&dir).into_iter().map(read).collect()
    };
    let before = state();
    let found = Store::inspect(&dir, None).await.unwrap();
    assert!(found.integrity.is_ok());
    let untouched = Store::open_untouched(&dir, None).await.unwrap();
    let connected = untouched.resources().list_connected().await.unwrap();
    assert_eq!(connected[0].url.expose(), URL);
    drop((untouched, connected));
    assert_eq!(state(), before);

    let other = SealKey::generate().unwrap();
    let found = Store::inspect(&dir, Some(other)).await.unwrap();
    let error = found.key.unwrap().unwrap_err().to_string();
    assert!(error.contains("does not belong"), "{error}");
    fs::remove_file(dir.join("store.key")).unwrap();
    let found = Store::inspect(&dir, None).await.unwrap();
    let error = found.key.unwrap().unwrap_err().to_string();
    assert!(error.contains("store.key is missing"), "{error}");
    fs::write(dir.join("store.db"), "rubbish".repeat(1_000)).unwrap();
    let found = Store::inspect(&dir, None).await.unwrap();
    assert!(found.integrity.is_err() && found.key.is_none() && found.version.is_none());
    assert_eq!(names(&dir), ["store.db", "store.lock"]);
}
