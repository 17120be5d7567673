//! Backups, stores that are made of them, and the doctor.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{Sandbox, text};

/// A sandbox with a store that has the project `crm`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    sandbox
}

fn project_in(sandbox: &Sandbox, dir: &str) -> Value {
    sandbox.json(&["project", "list", "--dir", dir])[0]["project"].clone()
}

#[test]
fn a_backup_overwrites_nothing_and_needs_the_key_that_is_not_in_it() {
    let sandbox = sandbox();
    assert_eq!(
        sandbox.json(&["backup", "copy.db"]),
        json!({"backup": "copy.db"})
    );
    let message = sandbox.failure(1, &["backup", "copy.db"]);
    assert!(message.contains("exists already"), "{message}");
    let restore = ["restore", "copy.db", "--dir", "restored"];
    let message = sandbox.failure(1, &restore);
    assert!(message.contains("--key-file"), "{message}");
    let message = sandbox.failure(1, &[&restore[..], &["--key-file", "copy.db"]].concat());
    assert!(message.contains("copy.db"), "{message}");
    assert!(!sandbox.path().join("restored").exists());
    let key = ["--key-file", "svc-data/store.key"];
    let restored = sandbox.json(&[&restore[..], &key].concat());
    assert_eq!(restored["restored"], "restored");
    assert_eq!(project_in(&sandbox, "restored"), "crm");
    let message = sandbox.failure(1, &[&restore[..], &key].concat());
    assert!(message.contains("is not empty"), "{message}");
    let message = sandbox.failure(2, &["restore", "copy.db"]);
    assert!(message.contains("--dir DIR"), "{message}");
}

#[test]
fn a_backup_with_the_key_restores_alone() {
    let sandbox = sandbox();
    let output = sandbox.run(&["backup", "--with-key", "copy.db"]);
    assert!(text(&output.stderr).contains("can read all secrets"));
    fs::remove_dir_all(sandbox.path().join("svc-data")).unwrap();
    sandbox.json(&["restore", "copy.db", "--dir", "svc-data"]);
    assert_eq!(project_in(&sandbox, "svc-data"), "crm");
    assert_eq!(sandbox.json(&["doctor"])["ok"], true);
}

/// What the doctor finds, which ends with this status, by the names of the checks.
fn examine(sandbox: &Sandbox, status: i32) -> impl Fn(&str) -> Value {
    let output = sandbox.run(&["doctor", "--json"]);
    assert_eq!(
        output.status.code(),
        Some(status),
        "{}",
        text(&output.stdout)
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ok"], status == 0);
    move |name: &str| {
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == name);
        check.unwrap_or_else(|| panic!("{name}: {report}")).clone()
    }
}

#[test]
fn the_doctor_finds_what_is_wrong_says_what_to_do_and_changes_nothing() {
    let sandbox = sandbox();
    sandbox.database("shop.db");
    sandbox.json(&[
        "resource",
        "add",
        "shop",
        "sqlite:shop.db",
        "--project",
        "crm",
    ]);
    let dir = sandbox.path().join("svc-data");
    // What SQLite shares between processes is memory, and holds nothing of the store.
    let read = |path: &Path| match path.ends_with("store.db-shm") {
        true => Vec::new(),
        false => fs::read(path).unwrap(),
    };
    let state = || {
        let entries = fs::read_dir(&dir).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let files = paths.into_iter().map(|path| (read(&path), path));
        files.collect::<Vec<_>>()
    };
    let before = state();
    let check = examine(&sandbox, 0);
    assert_eq!(check("resource crm/prod/shop")["state"], "ok");
    assert_eq!(check("integrity")["remedy"], Value::Null);
    assert!(state() == before);

    fs::remove_file(sandbox.path().join("shop.db")).unwrap();
    let check = examine(&sandbox, 2);
    assert_eq!(check("resource crm/prod/shop")["state"], "error");
    assert!(!sandbox.path().join("shop.db").exists());
    sandbox.database("shop.db");

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let set = |mode| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(dir.join("store.key"), mode).unwrap();
        };
        set(0o644);
        let permissions = examine(&sandbox, 1)("permissions");
        assert_eq!(permissions["state"], "warning");
        assert!(
            permissions["remedy"]
                .as_str()
                .unwrap()
                .starts_with("chmod 600")
        );
        set(0o600);
    }

    let key = fs::read(dir.join("store.key")).unwrap();
    fs::remove_file(dir.join("store.key")).unwrap();
    assert_eq!(examine(&sandbox, 2)("key")["state"], "error");
    let other = "A".repeat(43);
    fs::write(dir.join("store.key"), &other).unwrap();
    assert_eq!(examine(&sandbox, 2)("key")["state"], "error");
    fs::write(dir.join("store.key"), key).unwrap();

    fs::write(dir.join("store.db"), "rubbish".repeat(1_000)).unwrap();
    assert_eq!(examine(&sandbox, 2)("integrity")["state"], "error");
    let output = sandbox.run(&["doctor"]);
    assert!(
        text(&output.stdout).contains("svc restore"),
        "{}",
        text(&output.stdout)
    );
    let output = sandbox.run(&["doctor", "--dir", "elsewhere"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!sandbox.path().join("elsewhere").exists());
}

#[test]
fn a_service_makes_backups_by_itself_and_keeps_the_newest() {
    let sandbox = sandbox();
    let serve = "serve --json --listen 127.0.0.1:0 --backup-dir backups --backup-every 1s --backup-keep 2 --backup-with-key";
    let arguments: Vec<&str> = serve.split(' ').collect();
    let names = || {
        let entries = fs::read_dir(sandbox.path().join("backups")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(".db")).collect();
        names.sort();
        names
    };
    let service = sandbox.start(&mut sandbox.command(&arguments));
    let deadline = Instant::now() + Duration::from_secs(60);
    let wait_until = |holds: &dyn Fn(&[String]) -> bool| loop {
        let names = names();
        if holds(&names) {
            break names;
        }
        assert!(Instant::now() < deadline, "{names:?}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let first = wait_until(&|names| !names.is_empty())[0].clone();
    wait_until(&|names| !names.contains(&first));
    // Beside a service that runs.
    assert_eq!(sandbox.json(&["doctor"])["ok"], true);
    drop(service);
    let names = names();
    assert!(names.len() <= 3, "{names:?}");
    let newest = format!("backups/{}", names.last().unwrap());
    sandbox.json(&["restore", &newest, "--dir", "restored"]);
    assert_eq!(project_in(&sandbox, "restored"), "crm");
}

#[test]
fn settings_of_backups_that_cannot_work_are_refused_with_where_they_were_set() {
    let sandbox = sandbox();
    fs::write(sandbox.path().join("file"), "").unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let message = sandbox.failure(1, &[&serve[..], &["--backup-dir", "file/backups"]].concat());
    assert!(message.contains("--backup-dir (a flag): "), "{message}");
    let message = sandbox.failure(2, &[&serve[..], &["--backup-every", "0s"]].concat());
    assert!(
        message.contains("--backup-every") && message.contains("15m"),
        "{message}"
    );
    let mut command = sandbox.command(&serve);
    let output = command.env("SVC_BACKUP_EVERY", "often").output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message.contains("the variable SVC_BACKUP_EVERY"),
        "{message}"
    );
}
