//! The doctor at a store in a PostgreSQL database.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;
use svc_tests::{
    Program,
    servers::{PostgresServer, Server as _},
};
use tempfile::TempDir;

/// What the doctor finds with these arguments: its exit status, and the checks.
fn examine(folder: &TempDir, url: &str, options: &[&str]) -> (i32, Vec<Value>) {
    let mut arguments = vec!["doctor", "--store", url, "--json"];
    arguments.extend(options);
    let output = Program::new(folder.path(), &arguments).run();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("s3cret"), "{text}");
    let found: Value = serde_json::from_str(&text).unwrap();
    let checks = found["checks"].as_array().unwrap().clone();
    (output.status.code().unwrap(), checks)
}

/// The state and the message of a check.
fn of<'c>(checks: &'c [Value], name: &str) -> (&'c str, &'c str) {
    let found = checks.iter().find(|check| check["name"] == name);
    let check = found.unwrap_or_else(|| panic!("{name} is not in {checks:?}"));
    let is_ok = check["state"] == "ok";
    assert_eq!(check["remedy"].is_null(), is_ok, "{check}");
    (
        check["state"].as_str().unwrap(),
        check["message"].as_str().unwrap(),
    )
}

#[test]
fn a_store_in_a_database_is_checked_without_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let server = PostgresServer::shared();
    let url = server.database("");
    let run = |command: &str| {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(["--store", &url, "--dir", "n"]);
        Program::new(folder.path(), &arguments).run_ok()
    };
    let (status, checks) = examine(&folder, &url, &["--dir", "n"]);
    assert_eq!((status, of(&checks, "version").0), (2, "error"));
    assert!(of(&checks, "version").1.contains("there is no store"));
    assert_eq!(of(&checks, "rights").0, "ok");
    assert!(!folder.path().join("n").exists());

    run("project add main");
    rusqlite::Connection::open(folder.path().join("shop.db"))
        .and_then(|shop| shop.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)"))
        .unwrap();
    let shop = folder.path().join("shop.db");
    run(&format!(
        "resource add shop sqlite:{} --project main",
        shop.display()
    ));
    let (status, checks) = examine(&folder, &url, &["--dir", "n"]);
    assert_eq!(status, 0, "{checks:?}");
    for name in [
        "connection",
        "version",
        "key",
        "rights",
        "clock of the server",
        "resource main/prod/shop",
    ] {
        assert_eq!(of(&checks, name).0, "ok", "{checks:?}");
    }

    std::fs::write(
        folder.path().join("other.key"),
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n",
    )
    .unwrap();
    let (status, checks) = examine(&folder, &url, &["--key-file", "other.key"]);
    assert_eq!((status, of(&checks, "key").0), (2, "error"));
    assert_eq!(of(&checks, "resources").0, "warning");
    // The file of --key-file may be read by others, or is missing.
    let named = ["--key-file", "n/store.key"];
    assert_eq!(examine(&folder, &url, &named).0, 0);
    let key = folder.path().join("n/store.key");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (status, checks) = examine(&folder, &url, &named);
    assert_eq!((status, of(&checks, "permissions").0), (1, "warning"));
    assert!(of(&checks, "permissions").1.contains("n/store.key"));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (status, checks) = examine(&folder, &url, &["--key-file", "nowhere"]);
    assert_eq!((status, of(&checks, "key").0), (2, "error"));
    assert!(of(&checks, "key").1.contains("nowhere"), "{checks:?}");
    let (status, checks) = examine(&folder, &url, &["--dir", "elsewhere"]);
    assert_eq!(status, 2);
    assert!(of(&checks, "key").1.contains("is missing"), "{checks:?}");

    let role = format!("reader_{}", url.rsplit('/').next().unwrap());
    let grant = format!(
        "CREATE ROLE {role} LOGIN PASSWORD 'x'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"
    );
    server.execute(&url, &grant);
    let (_, rest) = url.split_once('@').unwrap();
    let limited = format!("postgres://{role}:x@{rest}");
    let (status, checks) = examine(&folder, &limited, &["--dir", "n"]);
    assert_eq!(
        (status, of(&checks, "rights").0),
        (2, "error"),
        "{checks:?}"
    );
    assert!(of(&checks, "rights").1.contains(&role));
    let write = format!("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}");
    server.execute(&url, &write);
    let (status, checks) = examine(&folder, &limited, &["--dir", "n"]);
    assert_eq!(
        (status, of(&checks, "rights").0),
        (1, "warning"),
        "{checks:?}"
    );

    let (status, checks) = examine(&folder, &format!("{url}_gone"), &["--dir", "n"]);
    assert_eq!((status, of(&checks, "connection").0), (2, "error"));
}
