//! Backups of a store that is in use, and of one whose backup was killed.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use serde_json::json;
use svc_tests::{End, Program, Service, program, wait_until};

/// A service over a database with a table `t`.
fn service(folder: &Path) -> Service {
    Connection::open(folder.join("s.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
        .unwrap();
    Service::start(folder, &["serve", "--connect=s=sqlite:s.db"])
}

#[test]
fn a_backup_under_writes_has_every_write_that_was_acknowledged_before_it_began() {
    if svc_tests::stores_are_on_server() {
        // Such a store is backed up with the tools of its server.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path());
    let acknowledged = Mutex::new((Vec::new(), Vec::new()));
    let stop = AtomicBool::new(false);
    let count = || {
        let acknowledged = acknowledged.lock().unwrap();
        acknowledged.0.len().min(acknowledged.1.len())
    };
    let before = thread::scope(|scope| {
        let _end = End(&stop);
        for writer in 0..4 {
            let (service, acknowledged, stop) = (&service, &acknowledged, &stop);
            scope.spawn(move || {
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let name = format!("{writer}-{number}");
                    let page = json!({"name": name, "params": "{}"});
                    let call = service.app("POST", "/projects/main/prod/view_settings/");
                    let page = call.json(&page).expect(201).json();
                    let call = service.data("POST", "s", "/models/t");
                    let record = call.json(&json!({"name": name})).expect(201).json();
                    let mut acknowledged = acknowledged.lock().unwrap();
                    acknowledged
                        .0
                        .push(page["uid"].as_str().unwrap().to_owned());
                    acknowledged.1.push(record["id"].to_string());
                }
            });
        }
        wait_until("some writes are acknowledged", || count() >= 40);
        let before = acknowledged.lock().unwrap().clone();
        let file = folder.path().join("copy.db");
        let arguments = ["backup", "--with-key", file.to_str().unwrap()];
        Program::new(folder.path(), &arguments).run_ok();
        before
    });
    service.kill();

    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy.db");
    fs::rename(folder.path().join("copy.db"), &copy).unwrap();
    let restore = ["restore", "copy.db", "--dir", "svc-data", "--json"];
    Program::new(elsewhere.path(), &restore).run_ok();
    let list = ["audit", "list", "--all", "--format", "json"];
    let lines = Program::new(elsewhere.path(), &list).run_json();
    let lines = lines.as_array().unwrap();
    let has = |action: &str, record: &str| {
        let mut lines = lines.iter();
        lines.any(|line| line["action"] == action && line["record"] == record)
    };
    for page in &before.0 {
        assert!(has("pages.create", page), "{page}");
    }
    for record in &before.1 {
        assert!(has("records.create", record), "{record}");
    }
    let store = Connection::open(elsewhere.path().join("svc-data/store.db")).unwrap();
    for page in &before.0 {
        let count = "SELECT count(*) FROM pages WHERE uid = ?1";
        let found: i64 = store.query_row(count, [page], |row| row.get(0)).unwrap();
        assert!(found > 0, "{page}");
    }
    drop(store);
    // Another service goes on with it.
    let service = Service::start(elsewhere.path(), &["serve"]);
    service.root("GET", "/readyz").expect(200);
    assert_eq!(service.terminate(), Some(0));
}

#[test]
fn a_backup_that_is_killed_leaves_no_file_of_its_name_and_the_next_one_succeeds() {
    if svc_tests::stores_are_on_server() {
        // Such a store is backed up with the tools of its server.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path());
    let filler = "x".repeat(1_000_000);
    for _ in 0..20 {
        let page = json!({"name": "p", "params": json!({"x": filler}).to_string()});
        let call = service.app("POST", "/projects/main/prod/view_settings/");
        call.json(&page).expect(201);
    }
    let path = |name: &str| folder.path().join(name);
    let begun = Instant::now();
    let mut number = 0;
    // Until one is killed while it writes.
    let killed = loop {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "no backup was slow enough"
        );
        number += 1;
        let name = format!("copy-{number}.db");
        let partial = path(&format!("{name}.partial"));
        let mut command = Command::new(program());
        command.args(["backup", &name]).current_dir(folder.path());
        let mut backup = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !partial.exists() && backup.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        backup.kill().unwrap();
        backup.wait().unwrap();
        if partial.exists() && !path(&name).exists() {
            break name;
        }
    };
    Program::new(folder.path(), &["backup", &killed]).run_ok();
    assert!(!path(&format!("{killed}.partial")).exists());
    let key = path("svc-data/store.key");
    let restore = [
        "restore",
        &killed,
        "--dir",
        "restored",
        "--key-file",
        key.to_str().unwrap(),
    ];
    Program::new(folder.path(), &restore).run_ok();
    service.kill();
}

#[test]
fn a_backup_onto_a_full_disk_says_so_and_leaves_nothing() {
    if svc_tests::stores_are_on_server() {
        // Such a store is backed up with the tools of its server.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path());
    // The shell ignores the signal, as a service does, so that a file that may not grow is an error.
    let script = r#"trap '' XFSZ; ulimit -f 16; exec "$0" backup copy.db"#;
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(program());
    let output = command.current_dir(folder.path()).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("copy.db"), "{message}");
    let entries = fs::read_dir(folder.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<_> = names.filter(|name| name.starts_with("copy")).collect();
    assert_eq!(left, [""; 0]);
    service.root("GET", "/readyz").expect(200);
    service.kill();
}
