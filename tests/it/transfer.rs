//! The program exports, imports, aggregates and groups records.

mod filtered;
mod killed;

use std::{fs, path::Path, process::Stdio};

use serde_json::{Value, json};
use svc_tests::{
    Call, Program, Service, program,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

use crate::shared::{demo, serve};

/// The program, which calls a service with the token of a resource.
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
fn exported_records_can_be_imported_and_are_the_same() {
    for file in ["a.csv", "a.ndjson"] {
        let two = Two::new();
        let told = two
            .run(&["records", "export", "d", "a", file, "--json"])
            .run_json();
        assert_eq!(told["records"], 2500);
        assert!(!two.exists(&format!("{file}.part")) && !two.exists(&format!("{file}.state")));
        let again = two.run(&["records", "export", "d", "a", file]).run_err();
        assert!(again.1.contains("--force"), "{}", again.1);
        let told = two
            .run(&["records", "import", "d", "b", file, "--json"])
            .run_json();
        assert_eq!(
            told,
            json!({"records": 2500, "created": 2500, "refused": 0})
        );
        assert_eq!(two.rows("a"), two.rows("b"), "{file}");
        assert!(!two.exists(&format!("{file}.rejected.ndjson")));
        // A second run with --resume creates nothing.
        let resume = ["records", "import", "d", "b", file, "--resume"];
        let told = two.run(&resume).run_ok();
        assert_eq!(
            told,
            format!("nothing to do: all 2500 records of {file} were imported before\n")
        );
        assert_eq!(two.rows("b").as_array().unwrap().len(), 2500);
    }
}

#[test]
fn a_value_that_differs_from_the_computed_one_is_refused() {
    let two = Two::new();
    let lines = [
        json!({"id": 1, "name": "a", "twice": 2}),
        json!({"id": 2, "name": "b", "twice": 5}),
    ];
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(two.folder.path().join("b.ndjson"), text.join("\n")).unwrap();
    two.run(&["records", "import", "d", "b", "b.ndjson"])
        .run_err();
    let rejected = fs::read_to_string(two.folder.path().join("b.ndjson.rejected.ndjson")).unwrap();
    let rejected: Value = serde_json::from_str(&rejected).unwrap();
    assert_eq!(rejected["number"], 2);
    let message = rejected["errors"]["twice"][0].as_str().unwrap();
    assert!(message.contains("the database computes"), "{message}");
    assert_eq!(two.rows("b").as_array().unwrap().len(), 1);
    // The same rule applies to a single record, which is returned as requested.
    let create = |record: Value, query: &str| {
        let path = format!("/models/b{query}");
        two.service.data("POST", "d", &path).json(&record).send()
    };
    let created = create(json!({"id": 7, "name": "x", "twice": 14}), "?_fields=name");
    assert_eq!(created.status, 201);
    assert_eq!(created.json(), json!({"id": 7, "name": "x"}));
    let refused = create(json!({"id": 8, "name": "x", "twice": 15}), "");
    assert_eq!(refused.status, 400);
    assert!(refused.json()["twice"].is_array());
    assert_eq!(two.rows("b").as_array().unwrap().len(), 2);
}

#[test]
fn a_truncated_file_fails_with_its_line_and_goes_on_when_it_is_corrected() {
    let two = Two::new();
    let mut text = String::from("id,name\n");
    for id in 1..=150 {
        text.push_str(&format!("{id},n{id}\n"));
    }
    text.push_str("151,\"cut off");
    fs::write(two.folder.path().join("b.csv"), &text).unwrap();
    let import = ["records", "import", "d", "b", "b.csv", "--batch", "100"];
    let (code, message) = two.run(&import).run_err();
    assert_eq!(code, 1);
    for part in [
        "line 152",
        "150 records were made so far",
        "svc records import d b b.csv --resume --batch 100",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    fs::write(two.folder.path().join("b.csv"), text + "\"\n").unwrap();
    let mut resume = import.to_vec();
    resume.extend(["--resume", "--json"]);
    let told = two.run(&resume).run_json();
    assert_eq!(told, json!({"records": 151, "created": 151, "refused": 0}));
    assert_eq!(two.rows("b").as_array().unwrap().len(), 151);
}

#[test]
fn refused_records_are_written_to_a_file_with_the_reason() {
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
        rejected[0]["errors"]["name"],
        json!(["at most 10 characters are allowed"])
    );
    assert_eq!(rejected[1]["number"], 3);
    assert_eq!(rejected[1]["record"], lines[2]);

    let two = Two::new();
    fs::write(two.folder.path().join("b.ndjson"), text.join("\n")).unwrap();
    let dry_run = ["records", "import", "d", "b", "b.ndjson", "--dry-run"];
    let (code, message) = two.run(&dry_run).run_err();
    assert_eq!(code, 1);
    let told = "2 records would be made; 2 were refused";
    assert!(message.contains(told), "{message}");
    assert_eq!(two.rows("b"), json!([]));
    assert!(!two.exists("b.ndjson.state"));
    fs::write(two.folder.path().join("c.csv"), "id,nope\n1,2\n").unwrap();
    let (_, message) = two.run(&["records", "import", "d", "b", "c.csv"]).run_err();
    assert!(message.contains("no field \"nope\""), "{message}");
    assert!(!two.exists("c.csv.state"), "nothing has to be gone on with");
    fs::write(two.folder.path().join("c.csv"), "No\tnope\tname\n1\t2\tx\n").unwrap();
    let mapped = ["records", "import", "d", "b", "c.csv", "--delimiter", "tab"];
    let mapped = [&mapped[..], &["--map", "No=id", "--map", "nope="]].concat();
    assert_eq!(two.run(&mapped).run_ok(), "1 record made\n");
    assert_eq!(two.rows("b")[0]["name"], "x");
}

#[test]
fn empty_cells_of_a_column_become_what_the_command_says() {
    let two = Two::new();
    let file = two.folder.path().join("e.csv");
    fs::write(file, "id,name,day\n1,,\n2,x,2026-01-01\n").unwrap();
    let import = ["records", "import", "d", "b", "e.csv"];
    let with = |empty: &str| {
        let empty = ["--empty", empty];
        two.run(&[&import[..], &empty].concat())
    };
    // As usual: the empty text, where NULL is not allowed.
    let dry_run = [&import[..], &["--dry-run"]].concat();
    assert_eq!(two.run(&dry_run).run_ok(), "2 records would be made\n");
    let (_, message) = with("nobody=null").run_err();
    assert!(message.contains("no column \"nobody\""), "{message}");
    let (_, message) = with("day=text").run_err();
    assert!(message.contains("day is not text"), "{message}");
    let (_, message) = with("day=zero").run_err();
    assert!(message.contains("null, text or default"), "{message}");
    let (code, message) = with("name=null").run_err();
    assert_eq!(code, 1);
    assert!(message.contains("1 was refused"), "{message}");
    let rows = two.rows("b");
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(rows[0]["name"], "x");
}

#[test]
fn a_killed_export_continues_where_it_stopped() {
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
    let mut table = arguments.to_vec();
    table[3] = "customers";
    table.push("--resume");
    let (_, message) = run(service, folder.path(), "shop", &table).run_err();
    assert!(message.contains("other records"), "{message}");
    let mut resumed = arguments.to_vec();
    resumed.push("--resume");
    let again = run(service, folder.path(), "shop", &resumed).run_json();
    assert_eq!(again["records"], told["records"]);
    assert!(fs::read(folder.path().join("orders.csv")).unwrap() == expected);
}

#[test]
fn a_corrected_file_goes_on_behind_the_rows_that_were_read() {
    let two = Two::new();
    let line = |id: u32, name: &str| json!({"id": id, "name": name}).to_string() + "\n";
    let good =
        |ids: std::ops::RangeInclusive<u32>| -> String { ids.map(|id| line(id, "x")).collect() };
    let path = two.folder.path().join("b.ndjson");
    // A line that is too long ends reading.
    let long = "x".repeat(20 << 20);
    let refused = line(301, "far too long a name");
    let begin = good(1..=300) + &refused + &good(302..=500);
    fs::write(&path, format!("{begin}{long}\n{}", good(502..=900))).unwrap();
    let import = ["records", "import", "d", "b", "b.ndjson", "--batch", "100"];
    let (_, message) = two.run(&import).run_err();
    for part in ["line 501", "499 records were made so far"] {
        assert!(message.contains(part), "{message}");
    }
    let rejected = || fs::read_to_string(two.folder.path().join("b.ndjson.rejected.ndjson"));
    assert_eq!(rejected().unwrap().lines().count(), 1);
    let again = line(501, "another name that is too long");
    fs::write(&path, format!("{begin}{again}{}", good(502..=900))).unwrap();
    let (_, message) = two.run(&import).run_err();
    assert!(message.contains("--resume"), "{message}");
    // It does not continue with another table, where the first 500 records would be missing.
    let mut table = import.to_vec();
    table[3] = "a";
    table.push("--resume");
    let (_, message) = two.run(&table).run_err();
    let places = ["/d/b", "/d/a"].map(|place| message.contains(place));
    assert_eq!(places, [true, true], "{message}");
    let mut other = import.to_vec();
    other.extend(["--resume", "--on-conflict", "id"]);
    assert!(two.run(&other).run_err().1.contains("--on-conflict"));
    let mut resume = import.to_vec();
    resume.push("--resume");
    let (code, message) = two.run(&resume).run_err();
    assert_eq!(code, 1);
    let told = "898 records were made so far; 2 were refused";
    assert!(message.contains(told), "{message}");
    assert_eq!(two.rows("b").as_array().unwrap().len(), 898);
    let numbers: Vec<Value> = rejected()
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["number"].clone())
        .collect();
    assert_eq!(numbers, [301, 501]);
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
