//! Stores that move from a folder into a PostgreSQL database and back, while they serve, and with what goes wrong.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use serde_json::{Value, json};
use svc_tests::{
    Call, End, Program, Service, program,
    servers::{PostgresServer, Server as _},
    wait_until,
};
use tempfile::TempDir;

/// No store in a database, also where the other tests have theirs there.
const IN_FOLDERS: (&str, &str) = ("SVC_STORE", "");
const PASSWORD: &str = "correct horse battery";

fn database() -> String {
    PostgresServer::shared().database("")
}

fn copy_command(folder: &Path, from: &str, to: &str, options: &[&str]) -> Program {
    let mut arguments = vec!["store", "copy", "--from", from, "--to", to];
    arguments.extend(options);
    Program::new(folder, &arguments).env(IN_FOLDERS.0, IN_FOLDERS.1)
}

fn copy(folder: &Path, from: &str, to: &str, options: &[&str]) -> Value {
    let mut options = options.to_vec();
    options.push("--json");
    copy_command(folder, from, to, &options).run_json()
}

/// A store in the folder `a` with a resource `shop`, that serves.
fn serve(folder: &TempDir) -> Service {
    Connection::open(folder.path().join("shop.db"))
        .and_then(|shop| {
            shop.execute_batch("CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT); INSERT INTO orders VALUES (1, 'a')")
        })
        .unwrap();
    let arguments = ["serve", "--dir", "a", "--connect", "shop=sqlite:shop.db"];
    Service::start_with(folder.path(), &arguments, &[IN_FOLDERS])
}

/// Runs an administration command on the store in the folder `a`.
fn administer(folder: &TempDir, command: &[&str]) -> Value {
    let mut arguments = command.to_vec();
    arguments.extend(["--dir", "a", "--json"]);
    let program = Program::new(folder.path(), &arguments);
    program.env(IN_FOLDERS.0, IN_FOLDERS.1).run_json()
}

/// Whether there is no table in a database.
fn is_empty(url: &str) -> bool {
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    let tables: i64 = client.query_one(tables, &[]).unwrap().get(0);
    tables == 0
}

/// The credentials of a store, and what they show.
struct Known {
    api_key: String,
    token: String,
    service_token: String,
}

impl Known {
    /// Makes accounts, users, teams, rights, pages and credentials of each kind.
    fn make(folder: &TempDir, service: &Service) -> Self {
        let main = ["--project", "main"];
        let run = |command: &[&str]| administer(folder, &[command, &main].concat());
        run(&["team", "add", "Readers Ö", "--like", "read-only"]);
        let user = ["user", "add", "bob@example.com", "--team", "Readers Ö"];
        run(&[&user[..], &["--password", PASSWORD]].concat());
        let rights = [
            "rights",
            "set",
            "Readers Ö",
            "--resource",
            "shop",
            "--model",
            "orders",
        ];
        run(&[&rights[..], &["--rights", "read"]].concat());
        let account = [
            "account",
            "add",
            "ann@example.com",
            "--operator",
            "--password-stdin",
        ];
        let account = [&account[..], &["--dir", "a"]].concat();
        let account = Program::new(folder.path(), &account).env(IN_FOLDERS.0, IN_FOLDERS.1);
        account.input(&format!("{PASSWORD}\n")).run_ok();
        let text = |made: Value, name: &str| made[name].as_str().unwrap().to_owned();
        let token = text(run(&["token", "add", "shop"]), "token");
        let service_token = text(
            run(&["service-token", "add", "--team", "Readers Ö"]),
            "token",
        );
        for name in ["Ärzte", "Orders"] {
            let page =
                json!({"name": name, "unique_name": name.to_lowercase(), "params": "{\"a\":1}"});
            let call = service.app("POST", "/projects/main/prod/view_settings/");
            call.json(&page).expect(201);
        }
        service
            .data("POST", "shop", "/models/orders")
            .json(&json!({"note": "b"}))
            .expect(201);
        Self {
            api_key: service.text("/api_key").to_owned(),
            token,
            service_token,
        }
    }

    /// Uses each of them.
    fn show(&self, service: &Service) -> Vec<Value> {
        let app = |path: &str| {
            let call = service.app_anonymous("GET", path);
            call.authorization(&format!("Bearer {}", self.api_key)).ok()
        };
        let sign_in = |url: String, email: &str| {
            let call = Call::new("POST", &url);
            let credentials = json!({"email": email, "password": PASSWORD});
            call.json(&credentials).ok();
        };
        let (base, app_base) = (service.text("/base_url"), service.text("/app_base_url"));
        sign_in(format!("{app_base}/account/auth/login/"), "ann@example.com");
        sign_in(
            format!("{base}/projects/main/prod/auth/login"),
            "bob@example.com",
        );
        let read = |credential: &str| {
            let call = service.data_anonymous("GET", "shop", "/models/orders");
            call.authorization(credential).ok()
        };
        let shown = [
            app("/projects/main/prod/view_settings/"),
            app("/projects/main/teams/"),
            read(&self.token),
            read(&format!("JWT {}", self.service_token)),
        ];
        shown.map(instants).into()
    }
}

/// The same with each point in time in one spelling: lists of a store in a file show the zeros at the end of a fraction, those
/// of one on a server do not.
fn instants(value: Value) -> Value {
    match value {
        Value::String(text) => match text.parse::<jiff::Timestamp>() {
            Ok(instant) => instant.to_string().into(),
            Err(_) => text.into(),
        },
        Value::Array(all) => all.into_iter().map(instants).collect(),
        Value::Object(all) => {
            let all = all.into_iter().map(|(name, value)| (name, instants(value)));
            all.collect()
        }
        other => other,
    }
}

#[test]
fn a_store_that_moved_there_and_back_serves_the_same_with_the_same_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder);
    let known = Known::make(&folder, &service);
    let shown = known.show(&service);
    assert_eq!(service.terminate(), Some(0));
    let url = database();

    let there = copy(folder.path(), "a", &url, &[]);
    assert_eq!(there["key"]["file"], "a/store.key");
    assert_eq!(there["tables"]["users"], 1);
    assert!(!there.to_string().contains("s3cret"), "{there}");
    let arguments = [
        "serve",
        "--dir",
        "node",
        "--store",
        &url,
        "--key-file",
        "a/store.key",
    ];
    let node = Service::start_with(folder.path(), &arguments, &[]);
    assert_eq!(known.show(&node), shown);
    assert_eq!(node.terminate(), Some(0));

    // A node's folder has no key here; its file is named.
    let back = copy(
        folder.path(),
        &url,
        "b",
        &["--key-file", "a/store.key", "--with-key"],
    );
    assert_eq!(back["key"]["copied"], true);
    assert_eq!(back["key"]["fingerprint"], there["key"]["fingerprint"]);
    let arguments = ["serve", "--dir", "b"];
    let service = Service::start_with(folder.path(), &arguments, &[IN_FOLDERS]);
    assert_eq!(known.show(&service), shown);
    let doctor = Program::new(folder.path(), &["doctor", "--dir", "b", "--json"]);
    let checked = doctor.env(IN_FOLDERS.0, IN_FOLDERS.1).run_json();
    assert_eq!(checked["ok"], true, "{checked}");
    assert_eq!(service.terminate(), Some(0));
}

#[test]
fn a_copy_of_a_store_that_serves_has_every_write_that_was_acknowledged_before() {
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder);
    let (ends, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    let url = database();
    let (before, copied) = thread::scope(|scope| {
        let _end = End(&ends);
        for _ in 0..3 {
            scope.spawn(|| {
                while !ends.load(Ordering::Relaxed) {
                    let call = service.app("POST", "/projects/main/prod/view_settings/");
                    call.json(&json!({"name": "p", "params": "{}"})).expect(201);
                    let call = service.data("POST", "shop", "/models/orders");
                    call.json(&json!({"note": "n"})).expect(201);
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        wait_until("some writes are acknowledged", || {
            written.load(Ordering::Relaxed) >= 30
        });
        let before = written.load(Ordering::Relaxed) as u64;
        let copied = [&url, "b"].map(|to| copy(folder.path(), "a", to, &[]));
        (before, copied)
    });
    for copied in copied {
        let pages = copied["tables"]["pages"].as_u64().unwrap();
        assert!(pages >= before, "{pages} {before}");
        assert_eq!(copied["tables"]["page_revisions"], pages);
    }
    // The trail has both halves of each write: that of the page is in the store, that of the record came by the journal.
    let arguments = [
        "audit",
        "list",
        "--all",
        "--store",
        &url,
        "--dir",
        "node",
        "--key-file",
        "a/store.key",
    ];
    let lines = Program::new(
        folder.path(),
        &[&arguments[..], &["--format", "json"]].concat(),
    )
    .run_json();
    let count = |action: &str| {
        let lines = lines.as_array().unwrap().iter();
        lines.filter(|line| line["action"] == action).count() as u64
    };
    assert!(count("pages.create") >= before && count("records.create") >= before);
    service.kill();
}

#[test]
fn what_is_not_empty_and_what_has_another_key_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder);
    let url = database();
    let fails = |from: &str, to: &str, options: &[&str], says: &[&str]| {
        let (code, message) = copy_command(folder.path(), from, to, options).run_err();
        let missing: Vec<_> = says
            .iter()
            .filter(|text| !message.contains(**text))
            .collect();
        assert!(missing.is_empty(), "{message} {missing:?}");
        assert!(!message.contains("s3cret"), "{message}");
        code
    };
    fs::create_dir(folder.path().join("full")).unwrap();
    fs::write(folder.path().join("full/notes.txt"), "kept").unwrap();
    fails("a", "full", &[], &["not empty", "notes.txt", "--to"]);
    fails("a", "a", &[], &["not empty", "store."]);
    fails("none", "b", &[], &["no store in none", "--from"]);
    fails(&url, "b", &[], &["no store in postgres://svc@127.0.0.1"]);
    let gone = format!("{url}_gone");
    fails(
        "a",
        &gone,
        &[],
        &["cannot be copied to", "check the name of the database"],
    );
    fails(
        &gone,
        "b",
        &[],
        &["cannot be read", "check the name of the database"],
    );
    let full = PostgresServer::shared().database("CREATE TABLE notes (a INT)");
    fails("a", &full, &[], &["not empty", "public.notes"]);

    fs::write(
        folder.path().join("other.key"),
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n",
    )
    .unwrap();
    let other = ["--key-file", "other.key"];
    fails(
        "a",
        &url,
        &other,
        &["other.key does not belong to the store"],
    );
    assert!(is_empty(&url));
    copy(folder.path(), "a", &url, &[]);
    fails("a", &url, &[], &["not empty", "a store"]);
    fails(
        &url,
        "b",
        &other,
        &["other.key does not belong to the store postgres://"],
    );
    fails(
        &url,
        "b",
        &["--key-file", "none.key"],
        &["none.key", "--key-file"],
    );
    fails(&url, "b", &["--with-key"], &["not known", "--key-file"]);
    assert!(!folder.path().join("b").exists());

    for (from, to, options, says) in [
        ("a", &*url, &["--with-key"][..], "--with-key"),
        ("a", "b", &["--store", &url], "--from and --to"),
        ("a", "mysql://x:s3cret@y/z", &[], "postgres://"),
    ] {
        assert_eq!(fails(from, to, options, &[says]), 2);
    }
    service.kill();
}

#[test]
fn a_copy_that_is_killed_leaves_no_store_and_the_next_one_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder);
    assert_eq!(service.terminate(), Some(0));
    Connection::open(folder.path().join("a/store.db"))
        .and_then(|store| {
            store.execute_batch(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000) \
                 INSERT INTO audit (uid, date_add, actor_kind, action, record) \
                 SELECT printf('018f0000-0000-7000-8000-%012d', i), '2026-01-01T00:00:00.000000Z', 'program', 'records.create', \
                     hex(randomblob(8)) FROM n",
            )
        })
        .unwrap();
    let url = database();
    let unfinished = folder.path().join("b/store.db.restoring");
    let is_at_work = |to: &str| match to {
        "b" => unfinished.exists(),
        url => {
            let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
            let at_work = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY \"audit\"%'";
            let at_work: i64 = client.query_one(at_work, &[]).unwrap().get(0);
            at_work > 0
        }
    };
    for to in ["b", &url] {
        let mut command = Command::new(program());
        command
            .args(["store", "copy", "--from", "a", "--to", to])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait_until("it copies", || {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "it was over before it could be killed");
            is_at_work(to)
        });
        child.kill().unwrap();
        child.wait().unwrap();
        match to {
            "b" => assert!(!folder.path().join("b/store.db").exists() && unfinished.exists()),
            url => assert!(is_empty(url)),
        }
        let began = Instant::now();
        let copied = copy(folder.path(), "a", to, &[]);
        assert!(copied["tables"]["audit"].as_u64().unwrap() > 150_000);
        assert!(began.elapsed() < Duration::from_secs(100));
    }
    assert!(!unfinished.exists());
}

#[test]
fn a_copy_that_is_interrupted_removes_what_it_made() {
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder);
    assert_eq!(service.terminate(), Some(0));
    Connection::open(folder.path().join("a/store.db"))
        .and_then(|store| {
            store.execute_batch(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000) \
                 INSERT INTO audit (uid, date_add, actor_kind, action) \
                 SELECT printf('018f0000-0000-7000-8000-%012d', i), '2026-01-01T00:00:00.000000Z', 'program', 'x' FROM n",
            )
        })
        .unwrap();
    let mut command = Command::new(program());
    command
        .args(["store", "copy", "--from", "a", "--to", "b"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let unfinished = folder.path().join("b/store.db.restoring");
    wait_until("it copies", || unfinished.exists());
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("nothing was copied"), "{message}");
    assert!(!folder.path().join("b").exists());
}
