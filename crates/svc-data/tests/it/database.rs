//! The database of our own: commits, failures, copies, migrations.

use std::{fs, path::Path, sync::Arc};

use svc_data::{Database, Error, ErrorKind, Migration, Value};

const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "first",
    sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
          CREATE TABLE part (item INTEGER NOT NULL REFERENCES item DEFERRABLE INITIALLY DEFERRED);",
}];

async fn open(folder: &Path) -> Database {
    Database::open_sqlite(&folder.join("store.db"), MIGRATIONS)
        .await
        .unwrap()
}

async fn insert(database: &Database, name: &str) -> Result<u64, Error> {
    let name = Value::from(name);
    database
        .write(move |c| c.execute("INSERT INTO item (name) VALUES (?1)", &[name]))
        .await
}

async fn count(database: &Database) -> i64 {
    database
        .read::<_, Error, _>(|c| c.query("SELECT count(*) FROM item", &[])?[0].get(0))
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_sees_every_write_that_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    for number in 1..=200 {
        insert(&database, &number.to_string()).await.unwrap();
        assert_eq!(count(&database).await, number);
    }
}

#[tokio::test]
async fn a_text_is_handed_over_as_it_lies_there() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    let long = "ä".repeat(100_000);
    insert(&database, &long).await.unwrap();
    let read = async |sql: &'static str| {
        let work = move |c: &mut dyn svc_data::Connection| {
            let mut taken = Vec::new();
            let found = c.read_text(sql, &[], &mut |text| taken.extend_from_slice(text))?;
            Ok::<_, Error>(found.then_some(taken))
        };
        database.read(work).await
    };
    let found = read("SELECT name FROM item").await.unwrap();
    assert_eq!(found, Some(long.into_bytes()));
    assert_eq!(
        read("SELECT name FROM item WHERE id = 7").await.unwrap(),
        None
    );
    let error = read("SELECT id FROM item").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_write_does_not_fail_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    insert(&database, "taken").await.unwrap();
    let tasks: Vec<_> = (0..64)
        .map(|number| {
            let database = database.clone();
            tokio::spawn(async move {
                let name = if number % 4 == 0 {
                    "taken".to_owned()
                } else {
                    number.to_string()
                };
                (number, insert(&database, &name).await)
            })
        })
        .collect();
    for task in tasks {
        let (number, result) = task.await.unwrap();
        if number % 4 == 0 {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Constraint);
            assert_eq!(error.constraint().unwrap().columns, ["name"]);
        } else {
            assert_eq!(result.unwrap(), 1);
        }
    }
    assert_eq!(count(&database).await, 1 + 48);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_gives_an_error_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    let result: Result<(), Error> = database
        .write(|c| {
            c.execute("INSERT INTO item (name) VALUES ('gone')", &[])?;
            Err(Error::invalid("changed my mind"))
        })
        .await;
    assert_eq!(result.unwrap_err().to_string(), "changed my mind");
    assert_eq!(count(&database).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_job_is_an_error_and_the_database_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    let result: Result<(), Error> = database
        .write(|c| {
            c.execute("INSERT INTO item (name) VALUES ('gone')", &[])?;
            panic!("on purpose");
        })
        .await;
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Internal);
    let result: Result<(), Error> = database.read(|_| panic!("on purpose")).await;
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Internal);
    insert(&database, "stays").await.unwrap();
    assert_eq!(count(&database).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_is_checked_at_the_commit_refuses_only_its_own_write() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    let result: Result<u64, Error> = database
        .write(|c| c.execute("INSERT INTO part VALUES (99)", &[]))
        .await;
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Constraint);
    insert(&database, "stays").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_cannot_change_anything() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    let result: Result<u64, Error> = database
        .read(|c| c.execute("INSERT INTO item (name) VALUES ('x')", &[]))
        .await;
    assert!(result.is_err());
    assert_eq!(count(&database).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_change_counter_moves_with_commits_of_anybody() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    let other = open(folder.path()).await;
    let before = database.change_counter().await.unwrap();
    assert_eq!(database.change_counter().await.unwrap(), before);
    insert(&database, "own").await.unwrap();
    let own = database.change_counter().await.unwrap();
    assert_ne!(own, before);
    insert(&other, "foreign").await.unwrap();
    assert_ne!(database.change_counter().await.unwrap(), own);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_holds_everything_and_is_for_this_user_only() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    insert(&database, "kept").await.unwrap();
    let copy = folder.path().join("copy.db");
    database.backup_to(&copy).await.unwrap();
    let restored = Database::open_sqlite(&copy, MIGRATIONS).await.unwrap();
    assert_eq!(count(&restored).await, 1);
    let error = database.backup_to(&copy).await.unwrap_err();
    assert!(error.to_string().contains("exists already"), "{error}");
    #[cfg(unix)]
    for name in ["store.db", "copy.db"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_database_is_refused_and_an_older_one_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let second = Migration {
        version: 2,
        name: "second",
        sql: "CREATE TABLE more (id INTEGER PRIMARY KEY)",
    };
    drop(Database::open_sqlite(&path, MIGRATIONS).await.unwrap());
    let both = [MIGRATIONS[0], second];
    drop(Database::open_sqlite(&path, &both).await.unwrap());
    let error = Database::open_sqlite(&path, MIGRATIONS)
        .await
        .err()
        .unwrap();
    assert!(error.to_string().contains("newer version"), "{error}");
    assert!(error.to_string().contains("store.db"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_processes_may_open_a_new_database_at_once() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let folder = Arc::clone(&folder);
            tokio::spawn(async move { count(&open(folder.path()).await).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_opened_is_named_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(
        &text,
        "this is no database, only a file with some text in it".repeat(40),
    )
    .unwrap();
    for (path, expected) in [
        (
            folder.path().join("missing/store.db"),
            "folder does not exist",
        ),
        (folder.path().to_owned(), "is a folder"),
        (text, "is not an SQLite database"),
    ] {
        let error = Database::open_sqlite(&path, MIGRATIONS)
            .await
            .err()
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!error.public_message().contains('/'));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_database_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(folder.path()).await;
    let other = rusqlite::Connection::open(folder.path().join("store.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = insert(&database, "late").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(
        error.to_string().contains("locked by another program"),
        "{error}"
    );
    other.execute_batch("ROLLBACK").unwrap();
    insert(&database, "now").await.unwrap();
}
