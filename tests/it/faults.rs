//! Killed processes, damaged files, wrong folders: clear messages, and no data loss.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use rusqlite::Connection;
use serde_json::json;
use svc_tests::{End, Program, Service, wait_until};

use crate::shared::serve;

#[test]
fn a_killed_service_loses_no_acknowledged_write() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("k.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL)")
        .unwrap();
    let mut records: Vec<i64> = Vec::new();
    let mut pages: Vec<String> = Vec::new();
    for round in 0..3 {
        let service = serve(&folder, &["k=sqlite:k.db"]);
        // Credentials are shown when they are made; later rounds make their own.
        let token = Program::new(
            folder.path(),
            &["token", "add", "k", "--project", "main", "--json"],
        )
        .run_json();
        let token = token["token"].as_str().unwrap().to_owned();
        let key = Program::new(
            folder.path(),
            &["key", "add", "--project", "main", "--json"],
        )
        .run_json();
        let key = format!("Bearer {}", key["api_key"].as_str().unwrap());
        let (stop, made_records, made_pages) = (
            AtomicBool::new(false),
            Mutex::new(Vec::new()),
            Mutex::new(Vec::new()),
        );
        thread::scope(|scope| {
            let _end = End(&stop);
            for _ in 0..8 {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let body = json!({"a": "x".repeat(500), "b": format!("round {round}")});
                        let call = service
                            .data_anonymous("POST", "k", "/models/t")
                            .authorization(&token)
                            .json(&body);
                        let Ok(answer) = call.try_send() else {
                            continue;
                        };
                        if answer.status == 201 {
                            made_records
                                .lock()
                                .unwrap()
                                .push(answer.json()["id"].as_i64().unwrap());
                        }
                    }
                });
            }
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let call = service.app_anonymous("POST", "/projects/main/prod/view_settings/");
                    let Ok(answer) = call
                        .authorization(&key)
                        .json(&json!({"name": "p"}))
                        .try_send()
                    else {
                        continue;
                    };
                    if answer.status == 201 {
                        made_pages
                            .lock()
                            .unwrap()
                            .push(answer.json()["uid"].as_str().unwrap().to_owned());
                    }
                }
            });
            wait_until("a good many writes were acknowledged", || {
                made_records.lock().unwrap().len() > 100 && made_pages.lock().unwrap().len() > 20
            });
            service.signal("KILL");
        });
        records.extend(made_records.into_inner().unwrap());
        pages.extend(made_pages.into_inner().unwrap());
        drop(service);
    }
    let database = Connection::open(folder.path().join("k.db")).unwrap();
    let intact: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(intact, "ok");
    for id in &records {
        let length: i64 = database
            .query_row("SELECT length(a) FROM t WHERE id = ?1", [id], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(length, 500);
    }
    let service = serve(&folder, &["k=sqlite:k.db"]);
    let key = Program::new(
        folder.path(),
        &["key", "add", "--project", "main", "--json"],
    )
    .run_json();
    let key = format!("Bearer {}", key["api_key"].as_str().unwrap());
    for uid in &pages {
        let call =
            service.app_anonymous("GET", &format!("/projects/main/prod/view_settings/{uid}/"));
        call.authorization(&key).expect(200);
    }
}

#[test]
fn credentials_are_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("a.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY)")
        .unwrap();
    let first = serve(&folder, &["a=sqlite:a.db"]);
    let token = first.text("/resources/a/token").to_owned();
    assert!(first.ready()["api_key"].is_string() && first.ready()["tools_token"].is_string());
    assert_eq!(first.terminate(), Some(0));
    let second = serve(&folder, &["a=sqlite:a.db"]);
    for pointer in ["/api_key", "/tools_token", "/resources/a/token"] {
        assert!(
            second
                .ready()
                .pointer(pointer)
                .is_some_and(serde_json::Value::is_null),
            "{}",
            second.ready()
        );
    }
    second
        .data_anonymous("GET", "a", "/models/t")
        .authorization(&token)
        .expect(200);
    // The store contains no secret.
    for file in fs::read_dir(folder.path().join("svc-data")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(
            !bytes
                .windows(token.len())
                .any(|window| window == token.as_bytes())
        );
    }
}

#[test]
fn a_missing_database_file_is_named_and_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let (code, message) = Program::new(
        folder.path(),
        &[
            "serve",
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--connect",
            "a=sqlite:none.db",
        ],
    )
    .run_err();
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("none.db"), "{message}");
    assert!(!folder.path().join("none.db").exists());
}

#[test]
fn a_file_that_is_not_a_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.db"),
        "this is a text file, and a long one, so that it has a header's length".repeat(50),
    )
    .unwrap();
    let (code, message) = Program::new(
        folder.path(),
        &[
            "serve",
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--connect",
            "a=sqlite:a.db",
        ],
    )
    .run_err();
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("a.db"), "{message}");
}

#[test]
fn an_address_of_an_unknown_kind_and_a_bad_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("a.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY)")
        .unwrap();
    for (connect, expected) in [
        ("a=oracle://host/db", "sqlite:"),
        ("a", "NAME=URL"),
        ("auth=sqlite:a.db", "reserved"),
        ("Bad=sqlite:a.db", "lower-case"),
    ] {
        let (_, message) = Program::new(
            folder.path(),
            &[
                "serve",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--connect",
                connect,
            ],
        )
        .run_err();
        assert!(message.contains(expected), "{connect}: {message}");
    }
}

#[test]
fn a_folder_without_write_permission_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let path = blocked.join("store");
    let (code, message) = Program::new(
        folder.path(),
        &[
            "serve",
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--dir",
            path.to_str().unwrap(),
        ],
    )
    .run_err();
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("file"), "{message}");
}

#[test]
fn a_corrupt_store_is_reported() {
    if svc_tests::stores_are_on_server() {
        // It is about the file of the store.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    drop(serve(&folder, &[]));
    let store = folder.path().join("svc-data").join("store.db");
    fs::write(&store, "garbage".repeat(2000)).unwrap();
    for file in ["store.db-wal", "store.db-shm"] {
        let _ = fs::remove_file(folder.path().join("svc-data").join(file));
    }
    let (code, message) = Program::new(
        folder.path(),
        &["serve", "--json", "--listen", "127.0.0.1:0"],
    )
    .run_err();
    assert_eq!(code, 1, "{message}");
    assert!(message.contains("store.db"), "{message}");
}

#[test]
fn only_the_owner_may_read_the_files_of_the_store() {
    if svc_tests::stores_are_on_server() {
        // It is about the file of the store.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder, &[]);
    let store = folder.path().join("svc-data");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&store), 0o700);
    for file in ["store.db", "store.key"] {
        assert_eq!(mode(&store.join(file)), 0o600, "{file}");
    }
    drop(service);
}

#[test]
fn a_missing_database_gives_an_error_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        Connection::open(folder.path().join(name))
            .unwrap()
            .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES(1)")
            .unwrap();
    };
    make("a.db");
    make("b.db");
    let service = serve(&folder, &["a=sqlite:a.db", "b=sqlite:b.db"]);
    drop(service);
    fs::rename(folder.path().join("a.db"), folder.path().join("gone.db")).unwrap();
    // The resource is in the store; the service is started without `--connect`.
    let service = Service::start(folder.path(), &["serve"]);
    let token = |name: &str| {
        let made = Program::new(
            folder.path(),
            &["token", "add", name, "--project", "main", "--json"],
        )
        .run_json();
        made["token"].as_str().unwrap().to_owned()
    };
    let (a, b) = (token("a"), token("b"));
    let get = |name: &str, token: &str| {
        service
            .data_anonymous("GET", name, "/models/t/1")
            .authorization(token)
            .send()
    };
    wait_until("the new token is known", || get("b", &b).status == 200);
    let missing = get("a", &a);
    assert_eq!(missing.status, 503, "{}", missing.body);
    assert_eq!(missing.json()["error_code"], "resource_unavailable");
    assert!(!missing.body.contains("a.db"), "{}", missing.body);
    fs::rename(folder.path().join("gone.db"), folder.path().join("a.db")).unwrap();
    wait_until("the database is back", || get("a", &a).status == 200);
}

#[test]
fn a_locked_database_gives_an_error_until_it_is_unlocked() {
    let folder = tempfile::tempdir().unwrap();
    let database = Connection::open(folder.path().join("l.db")).unwrap();
    database
        .execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t(id INTEGER PRIMARY KEY)")
        .unwrap();
    let service = serve(&folder, &["l=sqlite:l.db"]);
    service.data("GET", "l", "/models/t").expect(200);
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = service
        .data("POST", "l", "/models/t")
        .json(&json!({"id": 1}))
        .send();
    assert!(
        matches!(answer.status.as_u16(), 503 | 504),
        "{} {}",
        answer.status,
        answer.body
    );
    service.data("GET", "l", "/models/t").expect(200);
    database.execute_batch("COMMIT").unwrap();
    service
        .data("POST", "l", "/models/t")
        .json(&json!({"id": 1}))
        .expect(201);
}

#[test]
fn a_database_that_is_connected_read_only_can_be_read_but_not_written() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("ro.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES(1)")
        .unwrap();
    let service = serve(&folder, &["r=sqlite:ro.db?mode=ro"]);
    service.data("GET", "r", "/models/t/1").expect(200);
    for (method, path) in [("POST", "/models/t"), ("DELETE", "/models/t/1")] {
        let answer = service
            .data(method, "r", path)
            .json(&json!({"id": 2}))
            .expect(400);
        assert!(answer.body.contains("read-only"), "{}", answer.body);
    }
}
