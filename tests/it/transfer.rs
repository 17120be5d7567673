//! Records exported to files and imported from them, aggregated and grouped, by the program.

use std::{fs, path::Path, process::Stdio};

use serde_json::{Value, json};
use svc_tests::{Program, Service, program};
use tempfile::TempDir;

use crate::shared::{demo, serve};

/// The program, speaking to a service with the token of a resource.
fn run(service: &Service, folder: &Path, resource: &str, arguments: &[&str]) -> Program {
    let mut program = Program::new(folder, arguments);
    for (name, value) in settings(service, resource) {
        program = program.env(name, &value);
    }
    program
}

fn settings(service: &Service, resource: &str) -> [(&'static str, String); 3] {
    [
        ("SVC_API_BASE_URL", service.text("/base_url").to_owned()),
        ("SVC_PROJECT", service.text("/project").to_owned()),
        (
            "SVC_API_TOKEN",
            service
                .text(&format!("/resources/{resource}/token"))
                .to_owned(),
        ),
    ]
}

const TABLE: &str =
    "(id INTEGER PRIMARY KEY, name VARCHAR(10) NOT NULL, price DECIMAL(10,2), day DATE, extra JSON,
    twice INTEGER GENERATED ALWAYS AS (id * 2) VIRTUAL)";

struct Two {
    folder: TempDir,
    service: Service,
}

impl Two {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = rusqlite::Connection::open(folder.path().join("d.db")).unwrap();
        database
            .execute_batch(&format!(
                "CREATE TABLE a {TABLE}; CREATE TABLE b {TABLE};
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                INSERT INTO a SELECT i, 'n' || i, CASE WHEN i % 3 THEN i / 4.0 END, '2026-01-01', CASE WHEN i % 2 THEN '{{\"i\":' || i || '}}' END FROM n;
                UPDATE a SET name = '=1,\"x\"' WHERE id = 7;"
            ))
            .unwrap();
        let service = serve(&folder, &["d=sqlite:d.db"]);
        Self { folder, service }
    }

    fn run(&self, arguments: &[&str]) -> Program {
        run(&self.service, self.folder.path(), "d", arguments)
    }

    fn rows(&self, model: &str) -> Value {
        let path = format!("/models/{model}?_no_pagination=1&_order_by=id");
        self.service.data("GET", "d", &path).ok()
    }

    fn exists(&self, file: &str) -> bool {
        self.folder.path().join(file).exists()
    }
}

#[test]
fn what_is_exported_can_be_imported_and_is_the_same() {
    for file in ["a.csv", "a.ndjson"] {
        let two = Two::new();
        let told = two
            .run(&["records", "export", "d", "a", file, "--json"])
            .run_json();
        assert_eq!(told["records"], 2500);
        assert!(!two.exists(&format!("{file}.part")) && !two.exists(&format!("{file}.state")));
        let again = two.run(&["records", "export", "d", "a", file]).run_err();
        assert!(again.1.contains("--force"), "{}", again.1);
        if file == "a.ndjson" {
            // The service computes this column, and JSON says so; a table of values is only data.
            let (_, message) = two
                .run(&["records", "import", "d", "b", file, "--json"])
                .run_err();
            assert!(message.contains("2500 were refused"), "{message}");
            let path = two.folder.path().join(file);
            let lines = fs::read_to_string(&path).unwrap();
            let without: Vec<String> = lines
                .lines()
                .map(|line| {
                    let mut record: Value = serde_json::from_str(line).unwrap();
                    record.as_object_mut().unwrap().remove("twice");
                    record.to_string()
                })
                .collect();
            fs::write(path, without.join("\n")).unwrap();
        }
        let told = two
            .run(&["records", "import", "d", "b", file, "--json"])
            .run_json();
        assert_eq!(
            told,
            json!({"records": 2500, "created": 2500, "refused": 0})
        );
        assert_eq!(two.rows("a"), two.rows("b"), "{file}");
        assert!(!two.exists(&format!("{file}.rejected.ndjson")));
        assert!(!two.exists(&format!("{file}.state")));
    }
}

#[test]
fn records_that_are_refused_are_kept_with_the_reason() {
    let two = Two::new();
    let lines = [
        json!({"id": 1, "name": "one"}),
        json!({"id": 2, "name": "far too long a name"}),
        json!({"id": 1, "name": "again"}),
        json!({"id": 3, "name": "three"}),
    ];
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(two.folder.path().join("b.ndjson"), text.join("\n")).unwrap();
    let (code, message) = two
        .run(&["records", "import", "d", "b", "b.ndjson"])
        .run_err();
    assert_eq!(code, 1);
    assert!(
        message.contains("2 records were made so far; 2 were refused"),
        "{message}"
    );
    assert_eq!(two.rows("b").as_array().unwrap().len(), 2);
    let rejected = fs::read_to_string(two.folder.path().join("b.ndjson.rejected.ndjson")).unwrap();
    let rejected: Vec<Value> = rejected
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rejected[0]["number"], 2);
    assert_eq!(
        rejected[0]["errors"],
        json!({"name": ["at most 10 characters are allowed"]})
    );
    assert_eq!(rejected[1]["number"], 3);
    assert_eq!(rejected[1]["record"], lines[2]);

    let two = Two::new();
    fs::write(two.folder.path().join("b.ndjson"), text.join("\n")).unwrap();
    let atomic = two
        .run(&["records", "import", "d", "b", "b.ndjson", "--atomic"])
        .run_err();
    assert_eq!(atomic.0, 1);
    assert_eq!(two.rows("b"), json!([]));
    fs::write(two.folder.path().join("c.csv"), "id,nope\n1,2\n").unwrap();
    let (_, message) = two.run(&["records", "import", "d", "b", "c.csv"]).run_err();
    assert!(message.contains("no field \"nope\""), "{message}");
}

#[test]
fn an_export_that_was_killed_goes_on_where_it_was() {
    let service = demo();
    let folder = tempfile::tempdir().unwrap();
    let whole = ["records", "export", "shop", "orders", "whole.csv", "--json"];
    let told = run(service, folder.path(), "shop", &whole).run_json();
    let expected = fs::read(folder.path().join("whole.csv")).unwrap();
    let arguments = [
        "records",
        "export",
        "shop",
        "orders",
        "orders.csv",
        "--json",
    ];
    let mut child = std::process::Command::new(program())
        .args(arguments)
        .envs(settings(service, "shop"))
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let state = folder.path().join("orders.csv.state");
    svc_tests::wait_until("some pages were written", || state.exists());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        !folder.path().join("orders.csv").exists(),
        "it was killed in time"
    );
    let (_, message) = run(service, folder.path(), "shop", &arguments).run_err();
    assert!(message.contains("--resume"), "{message}");
    let mut other = arguments.to_vec();
    other.extend(["--resume", "--filter", "id__lt=5"]);
    let (_, message) = run(service, folder.path(), "shop", &other).run_err();
    assert!(message.contains("other records"), "{message}");
    let mut resumed = arguments.to_vec();
    resumed.push("--resume");
    let again = run(service, folder.path(), "shop", &resumed).run_json();
    assert_eq!(again["records"], told["records"]);
    assert!(fs::read(folder.path().join("orders.csv")).unwrap() == expected);
}

#[test]
fn an_import_that_was_interrupted_goes_on_behind_the_last_batch() {
    let two = Two::new();
    let lines: Vec<String> = (1..=900)
        .map(|id| match id {
            600 => "{broken".to_owned(),
            id => json!({"id": id, "name": "x"}).to_string(),
        })
        .collect();
    let path = two.folder.path().join("b.ndjson");
    fs::write(&path, lines.join("\n")).unwrap();
    let import = ["records", "import", "d", "b", "b.ndjson", "--batch", "100"];
    let (_, message) = two.run(&import).run_err();
    assert!(
        message.contains("record 600") && message.contains("500 records were made so far"),
        "{message}"
    );
    fs::write(
        &path,
        lines
            .join("\n")
            .replace("{broken", "{\"id\": 600, \"name\": \"x\"}"),
    )
    .unwrap();
    let (_, message) = two.run(&import).run_err();
    assert!(message.contains("--resume"), "{message}");
    let mut resume = import.to_vec();
    resume.extend(["--resume", "--json"]);
    let told = two.run(&resume).run_json();
    assert_eq!(told, json!({"records": 900, "created": 900, "refused": 0}));
    assert_eq!(two.rows("b").as_array().unwrap().len(), 900);
}

#[test]
fn records_are_aggregated_and_grouped() {
    let two = Two::new();
    let count = two.run(&[
        "records",
        "aggregate",
        "d",
        "a",
        "count",
        "--filter",
        "id__lte=10",
        "--json",
    ]);
    assert_eq!(count.run_json(), json!({"y_func": 10}));
    let sum = two.run(&[
        "records",
        "aggregate",
        "d",
        "a",
        "sum",
        "price",
        "--filter",
        "id__lte=4",
        "--json",
    ]);
    assert_eq!(sum.run_json(), json!({"y_func": "1.75"}));
    let groups = two.run(&[
        "records",
        "group",
        "d",
        "a",
        "count",
        "--by",
        "day:date_month",
        "--json",
    ]);
    assert_eq!(
        groups.run_json(),
        json!([{"day": "2026-01-01", "y_func": 2500}])
    );
    let (code, message) = two
        .run(&["records", "aggregate", "d", "a", "median", "price"])
        .run_err();
    assert_eq!(code, 2);
    assert!(message.contains("median"), "{message}");
    let (code, message) = two
        .run(&["records", "group", "d", "a", "sum", "--by", "day"])
        .run_err();
    assert_eq!(code, 2);
    assert!(message.contains("needs a column"), "{message}");
}
