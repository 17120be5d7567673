//! Imports of files, of which each lies on one of the nodes.

use std::{
    thread,
    time::{Duration, Instant},
};

use rusqlite::TransactionBehavior;
use serde_json::Value;
use svc_tests::{
    Call, Service,
    servers::{PostgresServer, Server as _},
    wait_until,
};

use super::Cluster;

/// How many rows the file has that is imported, each in a transaction of its own.
const ROWS: i64 = 500;

struct Imports {
    cluster: Cluster,
    token: String,
}

impl Imports {
    fn start(options: &[&str]) -> Self {
        let store = PostgresServer::shared().database("");
        let cluster = Cluster::start(store, 2, options);
        cluster.shop().execute("DELETE FROM orders", []).unwrap();
        let token = cluster.token();
        Self { cluster, token }
    }

    fn call(&self, node: &Service, method: &str, path: &str) -> Call {
        let path = format!("/models/orders/imports{path}");
        let call = node.data_anonymous(method, "shop", &path);
        call.authorization(&self.token)
    }

    /// Sends a file to the first node, and gives the path of its import.
    fn begin(&self, rows: i64) -> String {
        let lines: Vec<String> = (1..=rows)
            .map(|row| format!(r#"{{"note": "{row}"}}"#))
            .collect();
        let begin = self.call(&self.cluster.nodes[0], "POST", "?_batch=1");
        let begin = begin.header("content-type", "application/x-ndjson");
        let begun = begin.body(lines.join("\n")).expect(202).json();
        format!("/{}", begun["uid"].as_str().unwrap())
    }

    /// The import, as the last node knows it.
    fn get(&self, import: &str) -> Value {
        let node = self.cluster.nodes.last().unwrap();
        self.call(node, "GET", import).ok()
    }

    fn read(&self, import: &str) -> i64 {
        self.get(import)["read"].as_i64().unwrap()
    }

    fn state(&self, import: &str) -> String {
        self.get(import)["state"].as_str().unwrap().to_owned()
    }

    fn made(&self) -> i64 {
        let count = "SELECT count(*) FROM orders";
        let shop = self.cluster.shop();
        shop.query_row(count, [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn an_import_ends_as_failed_whose_node_is_gone_and_the_node_does_not_go_on_with_it_by_itself() {
    let imports = Imports::start(&["--import-grace", "10"]);
    let [first, second] = [0, 1].map(|node| &imports.cluster.nodes[node]);
    let import = imports.begin(ROWS);
    wait_until("some rows were imported", || imports.read(&import) > 5);
    first.signal("STOP");
    wait_until("it is given up", || imports.state(&import) == "failed");
    let failed = imports.get(&import);
    let (message, read) = (failed["message"].as_str().unwrap(), imports.read(&import));
    for part in [
        "was not seen for 10 seconds",
        &format!("{read} rows were read"),
        &format!("_skip={read}"),
        "resume",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert!(failed["date_end"].is_string() && read < ROWS, "{failed}");

    first.signal("CONT");
    wait_until("the node answers", || {
        imports.call(first, "GET", &import).send().status == 200
    });
    let back = Instant::now();
    wait_until("it would have gone on long ago", || {
        back.elapsed() > Duration::from_secs(3)
    });
    let left = imports.get(&import);
    assert_eq!(left["state"], "failed", "{left}");
    // The batch that was being written as the node stopped may be there, and none behind it.
    assert!(imports.made() - read <= 1, "{left}");
    let path = format!("{import}/resume");
    imports.call(second, "POST", &path).expect(200);
    wait_until("it is done", || imports.state(&import) == "done");
    assert_eq!(imports.made(), ROWS);
}

#[test]
fn an_import_goes_on_when_its_node_is_back_with_its_folder() {
    let mut imports = Imports::start(&["--import-grace", "60"]);
    let import = imports.begin(ROWS);
    wait_until("some rows were imported", || imports.read(&import) > 5);
    imports.cluster.nodes.remove(0).kill();
    // One with another folder leaves it alone.
    let other = imports.cluster.node_in("other", &[]);
    imports.cluster.nodes.insert(0, other);
    let back = imports.cluster.node_in("node0", &[]);
    wait_until("it is done", || imports.state(&import) == "done");
    assert_eq!(imports.made(), ROWS);
    drop(back);
}

#[test]
fn an_import_that_waits_at_a_node_that_lives_is_not_given_up() {
    let imports = Imports::start(&["--import-grace", "10", "--statement-timeout", "60"]);
    // A node works on two of one database.
    let all = [(); 3].map(|()| imports.begin(300));
    let mut shop = imports.cluster.shop();
    shop.busy_timeout(Duration::from_secs(20)).unwrap();
    let lock = shop.transaction_with_behavior(TransactionBehavior::Immediate);
    let lock = lock.unwrap();
    let begun = Instant::now();
    wait_until("they have waited for longer than the grace", || {
        begun.elapsed() > Duration::from_secs(16)
    });
    for import in &all {
        assert_eq!(imports.state(import), "running");
    }
    lock.rollback().unwrap();
    for import in &all {
        wait_until("it is done", || imports.state(import) == "done");
    }
    assert_eq!(imports.made(), 900);
}

#[test]
fn cancelling_at_any_node_waits_for_the_batch_that_is_being_written() {
    let imports = Imports::start(&["--statement-timeout", "60"]);
    let import = imports.begin(ROWS);
    wait_until("some rows were imported", || imports.read(&import) > 5);
    let mut shop = imports.cluster.shop();
    shop.busy_timeout(Duration::from_secs(20)).unwrap();
    let lock = shop.transaction_with_behavior(TransactionBehavior::Immediate);
    let lock = lock.unwrap();
    let locked = Instant::now();
    wait_until("a batch has begun that waits for the lock", || {
        locked.elapsed() > Duration::from_secs(1)
    });
    let cancel = imports.call(
        &imports.cluster.nodes[1],
        "POST",
        &format!("{import}/cancel"),
    );
    let cancelled = thread::spawn(move || cancel.expect(200).json());
    wait_until("it is cancelled", || imports.state(&import) == "cancelled");
    let begun = Instant::now();
    wait_until("an answer without waiting would be there", || {
        begun.elapsed() > Duration::from_secs(2)
    });
    assert!(!cancelled.is_finished(), "a batch is being written");
    lock.rollback().unwrap();
    let cancelled = cancelled.join().unwrap();
    assert_eq!(cancelled["state"], "cancelled");
    assert_eq!(cancelled["read"], imports.made(), "{cancelled}");
    let path = format!("{import}/resume");
    imports
        .call(&imports.cluster.nodes[1], "POST", &path)
        .expect(200);
    wait_until("it is done", || imports.state(&import) == "done");
    assert_eq!(imports.made(), ROWS);
}
