//! The folder, its files, its key, and the revision.

use std::fs;
use std::path::Path;

use svc_data::{Database, Migration};
use svc_store::{ErrorKind, NewProject, NewResource, SealKey, Secret, Store, StoreOptions};
use tempfile::TempDir;

use crate::migrations::MIGRATIONS;
use crate::{Fixture, prod};

fn with_key(key: SealKey) -> StoreOptions {
    let mut options = StoreOptions::default();
    options.seal_key = Some(key);
    options
}

async fn store_with_a_resource(dir: &Path) -> Store {
    let store = Store::open(dir).await.unwrap();
    store
        .projects()
        .create(NewProject::new("main"))
        .await
        .unwrap();
    let shop = NewResource::new("shop", Secret::new("postgres://app:hunter2@db/shop"));
    store.resources().create(&prod(), shop).await.unwrap();
    store
}

#[tokio::test]
async fn what_was_written_is_there_after_reopening() {
    let folder = TempDir::new().unwrap();
    drop(store_with_a_resource(folder.path()).await);
    let store = Store::open(folder.path()).await.unwrap();
    let shop = store
        .resources()
        .get(&prod(), &"shop".into())
        .await
        .unwrap();
    assert_eq!(shop.url.expose(), "postgres://app:hunter2@db/shop");
    store.check().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_and_its_files_are_closed_to_other_users() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let dir = folder.path().join("a/b");
    let store = store_with_a_resource(&dir).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    let mut seen = Vec::new();
    for entry in fs::read_dir(store.dir()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        seen.push(path.file_name().unwrap().to_string_lossy().into_owned());
    }
    assert!(
        seen.contains(&"store.db".to_owned()) && seen.contains(&"store.key".to_owned()),
        "{seen:?}"
    );
}

#[tokio::test]
async fn a_secret_stands_nowhere_in_the_files() {
    let folder = TempDir::new().unwrap();
    let store = store_with_a_resource(folder.path()).await;
    store
        .backup_to(&folder.path().join("copy.db"))
        .await
        .unwrap();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        assert!(
            !bytes.windows(7).any(|window| window == b"hunter2"),
            "{}",
            path.display()
        );
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_or_written_is_named_with_a_remedy() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let mut dirs = vec![file.clone(), file.join("below")];
    if cfg!(target_os = "linux") {
        dirs.push("/proc/svc-store".into());
    }
    for dir in dirs {
        let error = Store::open(&dir).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let text = error.to_string();
        assert!(
            text.contains(dir.to_str().unwrap()) && text.contains("choose another folder"),
            "{text}"
        );
        assert!(!error.public_message().contains(dir.to_str().unwrap()));
    }
}

#[tokio::test]
async fn a_folder_in_place_of_the_database_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("store.db")).unwrap();
    let error = Store::open(folder.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("is not a file"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.db");
    let text = "these are somebody's notes, not a database. ".repeat(200);
    fs::write(&path, &text).unwrap();
    let error = Store::open(folder.path()).await.unwrap_err();
    assert!(
        error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    assert!(!error.public_message().contains("store.db"));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused() {
    let folder = TempDir::new().unwrap();
    drop(store_with_a_resource(folder.path()).await);
    let later = Migration {
        version: 1_000,
        name: "later",
        sql: "CREATE TABLE later (id INTEGER)",
    };
    drop(
        Database::open_sqlite(
            &folder.path().join("store.db"),
            &[MIGRATIONS, &[later]].concat(),
        )
        .await
        .unwrap(),
    );
    let error = Store::open(folder.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("newer version"), "{error}");
}

#[tokio::test]
async fn another_stores_key_is_refused() {
    let folder = TempDir::new().unwrap();
    drop(store_with_a_resource(folder.path()).await);
    let other = TempDir::new().unwrap();
    drop(Store::open(other.path()).await.unwrap());
    fs::copy(
        other.path().join("store.key"),
        folder.path().join("store.key"),
    )
    .unwrap();
    let error = Store::open(folder.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error
            .to_string()
            .contains("store.key does not belong to the store"),
        "{error}"
    );

    let error = Store::open_with(folder.path(), with_key(SealKey::generate().unwrap()))
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the key that was given does not belong"),
        "{error}"
    );
}

#[tokio::test]
async fn a_missing_or_damaged_key_file_is_named_and_never_replaced_while_secrets_depend_on_it() {
    let folder = TempDir::new().unwrap();
    drop(store_with_a_resource(folder.path()).await);
    let path = folder.path().join("store.key");
    let key = fs::read(&path).unwrap();

    fs::remove_file(&path).unwrap();
    let error = Store::open(folder.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error.to_string().contains("is missing") && error.to_string().contains("restore it"),
        "{error}"
    );
    assert!(!path.exists());

    fs::write(&path, "half a key").unwrap();
    let error = Store::open(folder.path()).await.unwrap_err();
    assert!(
        error.to_string().contains("is damaged") && !error.to_string().contains("half a key"),
        "{error}"
    );

    fs::write(&path, key).unwrap();
    store_is_readable(folder.path()).await;
}

#[tokio::test]
async fn a_key_whose_store_is_missing_or_empty_is_an_error_and_no_new_store_is_made() {
    let folder = TempDir::new().unwrap();
    drop(store_with_a_resource(folder.path()).await);
    let path = folder.path().join("store.db");
    for log in ["store.db-wal", "store.db-shm"] {
        let _ = fs::remove_file(folder.path().join(log));
    }
    let refused = async || {
        let error = Store::open(folder.path()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let text = error.to_string();
        assert!(text.contains("missing or empty"), "{text}");
        assert!(text.contains("restore"), "{text}");
    };
    fs::remove_file(&path).unwrap();
    refused().await;
    assert!(!path.exists(), "nothing was made in its place");
    fs::write(&path, "").unwrap();
    refused().await;
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    // A database without any structure is as empty.
    fs::remove_file(&path).unwrap();
    drop(Database::open_sqlite(&path, &[]).await.unwrap());
    fs::remove_file(folder.path().join("store.key")).unwrap();
    drop(Store::open(folder.path()).await.unwrap());
}

#[tokio::test]
async fn a_store_whose_key_is_moved_away_too_begins_empty() {
    let folder = TempDir::new().unwrap();
    drop(store_with_a_resource(folder.path()).await);
    for entry in fs::read_dir(folder.path()).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let store = Store::open(folder.path()).await.unwrap();
    assert!(store.projects().list().await.unwrap().is_empty());
}

#[tokio::test]
async fn after_a_checkpoint_a_copy_of_the_file_alone_is_the_store() {
    let folder = TempDir::new().unwrap();
    let store = store_with_a_resource(folder.path()).await;
    store.checkpoint().await.unwrap();
    let copy = TempDir::new().unwrap();
    for name in ["store.db", "store.key"] {
        fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
    }
    store_is_readable(copy.path()).await;
}

#[tokio::test]
async fn a_check_of_writing_leaves_nothing_and_says_when_there_is_no_room() {
    let fixture = Fixture::new().await;
    fixture.store.check_writable().await.unwrap();
    fixture.store.check_writable().await.unwrap();
    assert_eq!(fixture.count("store_probe").await, 0);
    fixture.store.check_integrity().await.unwrap();
}

#[tokio::test]
async fn the_address_of_the_service_that_started_last_is_kept() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.store.service_address().await.unwrap(), None);
    for port in [1, 2] {
        let base = format!("http://127.0.0.1:{port}");
        let app = format!("{base}/api");
        fixture
            .store
            .set_service_address(&base, &app)
            .await
            .unwrap();
        let kept = fixture.store.service_address().await.unwrap().unwrap();
        assert_eq!((kept.base_url, kept.app_base_url), (base, app));
    }
}

async fn store_is_readable(dir: &Path) {
    let store = Store::open(dir).await.unwrap();
    assert_eq!(store.resources().list_connected().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_that_nothing_depends_on_is_made_anew() {
    let folder = TempDir::new().unwrap();
    drop(Store::open(folder.path()).await.unwrap());
    fs::remove_file(folder.path().join("store.key")).unwrap();
    drop(store_with_a_resource(folder.path()).await);
    store_is_readable(folder.path()).await;
}

#[tokio::test]
async fn a_given_key_makes_the_key_file_needless() {
    let folder = TempDir::new().unwrap();
    let key = SealKey::generate().unwrap();
    let text = key.expose();
    drop(
        Store::open_with(folder.path(), with_key(key))
            .await
            .unwrap(),
    );
    assert!(!folder.path().join("store.key").exists());
    let again = SealKey::parse(text.expose()).unwrap();
    Store::open_with(folder.path(), with_key(again))
        .await
        .unwrap();
}

#[tokio::test]
async fn an_address_that_was_moved_to_another_row_does_not_open_and_can_be_connected_again() {
    let fixture = Fixture::new().await;
    let prod = prod();
    for (name, url) in [("shop", "sqlite:shop.db"), ("bait", "sqlite:bait.db")] {
        let new = NewResource::new(name, Secret::new(url));
        fixture.store.resources().create(&prod, new).await.unwrap();
    }
    let database = fixture.database().await;
    let moved = database.write(|conn| {
        conn.execute(
            "UPDATE resources SET url = (SELECT url FROM resources WHERE unique_name = 'shop') \
             WHERE unique_name = 'bait'",
            &[],
        )
    });
    assert_eq!(moved.await.unwrap(), 1);
    let error = fixture
        .store
        .resources()
        .get(&prod, &"bait".into())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("the address of resource bait"),
        "{error}"
    );
    let again = NewResource::new("bait", Secret::new("sqlite:bait.db"));
    fixture
        .store
        .resources()
        .replace(&prod, again)
        .await
        .unwrap();
    assert_eq!(
        fixture
            .store
            .resources()
            .list_connected()
            .await
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn the_revision_moves_with_every_change_of_any_handle_and_never_goes_back() {
    let fixture = Fixture::new().await;
    let other = fixture.again().await;
    let before = fixture.store.revision().await.unwrap();
    assert_eq!(fixture.store.revision().await.unwrap(), before);
    assert_eq!(other.revision().await.unwrap(), before);
    fixture
        .store
        .projects()
        .create(NewProject::new("one"))
        .await
        .unwrap();
    let after = fixture.store.revision().await.unwrap();
    assert!(after > before);
    assert_eq!(other.revision().await.unwrap(), after);
    other.projects().delete(&"one".into()).await.unwrap();
    assert!(fixture.store.revision().await.unwrap() > after);
}

#[tokio::test]
async fn a_refused_change_leaves_nothing_and_moves_no_revision() {
    let fixture = Fixture::new().await;
    let before = fixture.store.revision().await.unwrap();
    let mut new = NewProject::new("broken");
    new.owner = Some("no address".to_owned());
    fixture.store.projects().create(new).await.unwrap_err();
    assert_eq!(fixture.store.revision().await.unwrap(), before);
    assert_eq!(fixture.count("projects").await, 1);
    assert_eq!(fixture.count("environments").await, 1);
}

#[tokio::test]
async fn a_store_that_is_locked_for_long_is_read_and_says_that_it_cannot_be_written() {
    let fixture = Fixture::new().await;
    if fixture.url.is_some() {
        // A server ends a write that is held for so long, and the others go on: a test of svc-data.
        return;
    }
    let database = fixture.database().await;
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (lock, locked) = tokio::sync::oneshot::channel();
    let holder = tokio::spawn(async move {
        let held = database.write(move |conn| {
            conn.query("SELECT 1", &[])?;
            lock.send(()).unwrap();
            // Ends with the sender.
            let _ = released.recv();
            Ok::<_, svc_data::Error>(())
        });
        held.await.unwrap();
    });
    locked.await.unwrap();
    assert_eq!(fixture.store.projects().list().await.unwrap().len(), 1);
    let error = fixture
        .store
        .projects()
        .create(NewProject::new("late"))
        .await
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Timeout),
        "{error}"
    );
    drop(release);
    holder.await.unwrap();
    fixture
        .store
        .projects()
        .create(NewProject::new("late"))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_backup_opens_with_the_same_key() {
    let fixture = Fixture::new().await;
    if fixture.url.is_some() {
        // The tools of the server make its copies, and the store says so.
        let file = fixture.folder.path().join("copy.db");
        let refused = fixture.store.backup_to(&file).await.unwrap_err();
        assert!(refused.to_string().contains("pg_dump"), "{refused}");
        return;
    }
    let new = NewResource::new("shop", Secret::new("sqlite:shop.db"));
    fixture
        .store
        .resources()
        .create(&prod(), new)
        .await
        .unwrap();
    let restored = fixture.folder.path().join("restored");
    fs::create_dir(&restored).unwrap();
    fixture
        .store
        .backup_to(&restored.join("store.db"))
        .await
        .unwrap();
    fs::copy(
        fixture.store.dir().join("store.key"),
        restored.join("store.key"),
    )
    .unwrap();
    let store = Store::open(&restored).await.unwrap();
    let connected = store.resources().list_connected().await.unwrap();
    assert_eq!(connected[0].url.expose(), "sqlite:shop.db");
    assert!(!format!("{connected:?} {store:?}").contains("sqlite:shop.db"));

    let error = fixture
        .store
        .backup_to(&restored.join("store.db"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}
