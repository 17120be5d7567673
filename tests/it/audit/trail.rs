//! The trail itself: reading it, lines that cannot be stored, and deleting old lines.

use super::*;

#[test]
fn lines_are_filtered_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("k.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        .unwrap();
    let service = serve(&folder, &["k=sqlite:k.db"]);
    let many: Vec<_> = (0..2_500).map(|_| json!({"a": "x"})).collect();
    let bulk = service.data("POST", "k", "/models/t/bulk_create");
    bulk.json(&json!(many)).ok();
    // More lines than are read at a time.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..160 {
                    let create = service.data("POST", "k", "/models/t");
                    create.json(&json!({"a": "x"})).expect(201);
                }
            });
        }
    });
    let formula = "=1+1,\"x\"";
    let update = service
        .data("PATCH", "k", "/models/t/7")
        .json(&json!({"a": "y"}));
    // Browsers do not send this header, but other callers may.
    update.header("x-request-id", formula).expect(200);

    let path = folder.path();
    let all = lines(path, &["--all"]);
    let written = 1 + 8 * 160 + 1;
    assert!(all.len() > written);
    assert_eq!(lines(path, &[]).len(), 100);
    assert_eq!(lines(path, &["--limit", "1234"]), all[..1234]);
    let uids: BTreeSet<_> = all.iter().map(|line| text(line, "uid")).collect();
    assert_eq!(uids.len(), all.len());
    let ndjson = Program::new(path, &["audit", "list", "--all", "--format=ndjson"]).run_ok();
    let read: Vec<Value> = ndjson
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(read, all);
    let csv = Program::new(path, &["audit", "list", "--all", "--format=csv"]).run_ok();
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let header = csv.headers().unwrap().clone();
    let names: Vec<_> = all[0].as_object().unwrap().keys().collect();
    assert_eq!(
        header.iter().collect::<BTreeSet<_>>(),
        names.iter().map(|name| name.as_str()).collect()
    );
    let rows: Vec<_> = csv.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), all.len());
    for (row, line) in rows.iter().zip(&all) {
        for (name, cell) in header.iter().zip(row) {
            let expected = match &line[name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(cell, expected, "{name}");
        }
    }
    let csv = [
        "audit",
        "list",
        "--format=csv",
        "--escape-formulas",
        "--limit=1",
    ];
    let csv = Program::new(path, &csv).run_ok();
    assert!(csv.contains("'=1+1"), "{csv}");

    let history = lines(path, &["--resource=k", "--model=t", "--record=7"]);
    let actions: Vec<_> = history.iter().map(|line| text(line, "action")).collect();
    assert_eq!(actions, ["records.update", "records.bulk_create"]);
    assert_eq!(history[1]["records"], 2_500);
    assert_eq!(lines(path, &["--request-id", formula]), history[..1]);
    assert_eq!(lines(path, &["--all", "--action=records"]).len(), written);
    assert_eq!(lines(path, &["--action=records.update"]), history[..1]);
    let token = &service.text("/resources/k/token")[..11];
    assert_eq!(lines(path, &["--all", "--actor", token]).len(), written);
    let at = text(&history[0], "time");
    assert_eq!(lines(path, &["--all", "--until", at]), all[1..]);
    assert_eq!(lines(path, &["--all", "--since", at]), all[..1]);
    assert_eq!(lines(path, &["--all", "--since", "1h"]), all);
    for none in [
        "--project=other",
        "--env=other",
        "--until=1h",
        "--actor=user",
    ] {
        assert!(lines(path, &[none]).is_empty(), "{none}");
    }
    let (code, message) = Program::new(path, &["audit", "list", "--since=soon"]).run_err();
    assert!(code == 2 && message.contains("how long ago"), "{message}");
    let table = Program::new(path, &["audit", "list", "--limit=2"]).run_ok();
    assert!(table.contains("main / prod / k / t / 7"), "{table}");
}

#[test]
fn lines_of_administration_name_the_user_and_stay_when_their_subject_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        Program::new(folder.path(), arguments)
            .env("SUDO_USER", "ann")
            .run_ok()
    };
    run(&["project", "add", "crm"]);
    run(&["env", "add", "stage", "--project", "crm"]);
    run(&["key", "add", "--project", "crm"]);
    run(&["project", "remove", "crm"]);
    // Checked is only that the guide names these lines; unit tests check their content.
    for command in [
        "project add b",
        "project set b --title=B",
        "env add stage --project=b",
        "env set stage --project=b --title=S",
        "env copy prod stage --project=b",
        "env remove stage --project=b",
        "member set bob@example.com --team=Administrator --project=b",
        "member set eve@example.com --team=Editor --project=b",
        "member remove eve@example.com --project=b",
        "resource add r https://a.example --project=b",
        "secret set s --resource=r --host=a.example --value=hunter2 --project=b",
        "secret remove s --resource=r --project=b",
        "project allow-host intranet --project=b",
        "project allow-host intranet --project=b --remove",
        "resource remove r --project=b",
        "rights set Editor --rights=read --project=b",
        "rights remove Editor --project=b",
        "service-token add --team=Editor --project=b",
        "keys rotate",
    ] {
        let before = lines(folder.path(), &["--all"]).len();
        run(&command.split(' ').collect::<Vec<_>>());
        let after = lines(folder.path(), &["--all"]);
        assert_eq!(after.len(), before + 1, "{command}");
        assert!(!after[0].to_string().contains("hunter2"), "{}", after[0]);
    }
    assert_documented(&lines(folder.path(), &["--all"]));
    let found = lines(folder.path(), &["--project=crm"]);
    let actions: Vec<_> = found.iter().map(|line| text(line, "action")).collect();
    assert_eq!(
        actions,
        [
            "projects.delete",
            "api_keys.create",
            "environments.create",
            "projects.create"
        ]
    );
    for line in &found {
        assert_eq!(text(line, "actor_kind"), "program");
        assert_eq!(text(line, "actor"), "ann");
        assert!(line["request_id"].is_string(), "{line}");
    }
}

#[test]
fn a_service_without_a_trail_leaves_no_lines() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("k.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        .unwrap();
    let arguments = ["serve", "--connect=k=sqlite:k.db", "--audit=off"];
    let service = Service::start(folder.path(), &arguments);
    let before = lines(folder.path(), &["--all"]).len();
    let create = service.data("POST", "k", "/models/t");
    create.json(&json!({"a": "x"})).expect(201);
    let page = service.app("POST", "/projects/main/prod/view_settings/");
    page.json(&json!({"name": "x"})).expect(201);
    assert_eq!(lines(folder.path(), &["--all"]).len(), before);
}

#[test]
fn a_write_whose_line_cannot_be_stored_is_not_acknowledged_and_its_line_follows_later() {
    if svc_tests::stores_are_on_server() {
        // It is about the file of the store.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("k.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        .unwrap();
    let service = serve(&folder, &["k=sqlite:k.db"]);
    // The use of the token is recorded first, so that nothing else waits for the store.
    service.data("GET", "k", "/models/t").expect(200);
    let store = Connection::open(folder.path().join("svc-data/store.db")).unwrap();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let create = service
        .data("POST", "k", "/models/t")
        .header("x-request-id", "unlucky");
    let answer = create.json(&json!({"a": CONTENT})).expect(503);
    assert_eq!(answer.json()["error_code"], "store_unavailable");
    assert!(answer.body.contains("not acknowledged"), "{}", answer.body);
    store.execute_batch("COMMIT").unwrap();
    wait_until("the log says so", || {
        let log = service.log();
        log.contains("could not be written") && log.contains("records.create")
    });
    let log = service.log();
    assert!(!log.contains(CONTENT), "{log}");
    wait_until("the store takes lines again", || {
        let again = service.data("POST", "k", "/models/t");
        again.json(&json!({"a": "y"})).send().status == 201
    });
    // The newest first; a try that was not acknowledged has its line too.
    let found = lines(folder.path(), &["--action=records"]);
    assert!(found.len() >= 2, "{found:?}");
    assert_eq!(text(&found[found.len() - 1], "request_id"), "unlucky");
}

#[test]
fn old_lines_are_deleted_after_the_retention_time() {
    if svc_tests::stores_are_on_server() {
        // It is about the file of the store.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &["serve"]);
    assert_eq!(service.terminate(), Some(0));
    let store = Connection::open(folder.path().join("svc-data/store.db")).unwrap();
    let count = || -> i64 {
        let sql = "SELECT count(*) FROM audit WHERE action = 'pages.create'";
        store.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    // Of the first days of 2020, and of the end of 2099.
    for uid in [
        "016f5e66-e800-7000-8000-000000000001",
        "03bb2cc3-d800-7000-8000-000000000001",
    ] {
        let sql = "INSERT INTO audit (uid, date_add, actor_kind, action) VALUES (?1, '2020', 'program', 'pages.create')";
        store.execute(sql, [uid]).unwrap();
    }
    let service = Service::start(folder.path(), &["serve", "--audit-days=0"]);
    drop(service);
    assert_eq!(count(), 2);
    let service = Service::start(folder.path(), &["serve", "--audit-days=30"]);
    wait_until("the old line is gone", || count() == 1);
    drop(service);
}
