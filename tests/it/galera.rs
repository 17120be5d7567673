//! A Galera cluster as a connected database: its nodes die, are cut off and come back, and callers write at several of them.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use svc_tests::{End, Program, Service, servers::GaleraCluster, wait_until};
use tempfile::TempDir;

use crate::shared::serve;

const TABLES: &str = "CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) UNIQUE, count INT NOT NULL DEFAULT 0);
    INSERT INTO t (id, name) VALUES (1, 'first');";

/// The cluster of these tests, one after the other: each leaves it whole.
fn cluster() -> MutexGuard<'static, GaleraCluster> {
    static CLUSTER: OnceLock<Mutex<GaleraCluster>> = OnceLock::new();
    let cluster = CLUSTER.get_or_init(|| Mutex::new(GaleraCluster::start()));
    cluster.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A service with a database of the cluster, at nodes in this order.
fn service(folder: &TempDir, cluster: &GaleraCluster, database: &str, nodes: &[usize]) -> Service {
    serve(folder, &[&format!("g={}", cluster.url(database, nodes))])
}

/// How many connections of services a node has to a database.
fn connections(cluster: &GaleraCluster, node: usize, database: &str) -> i64 {
    let count = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB =";
    cluster.number(node, &format!("{count} '{database}'"))
}

fn create(service: &Service, name: &str) -> svc_tests::Answer {
    let call = service.data("POST", "g", "/models/t");
    call.json(&json!({"name": name})).send()
}

/// What callers saw who read and wrote all the time.
#[derive(Default)]
struct Load {
    ends: AtomicBool,
    written: AtomicU32,
    acknowledged: Mutex<BTreeSet<String>>,
    failures: Mutex<Vec<(Instant, String)>>,
}

impl Load {
    fn until_it_ends(&self, mut call: impl FnMut() -> svc_tests::Answer, expected: u16) {
        while !self.ends.load(Ordering::Relaxed) {
            let answer = call();
            if answer.status == expected {
                continue;
            }
            let said = format!("{} {}", answer.status, answer.body);
            self.failures.lock().unwrap().push((Instant::now(), said));
        }
    }

    fn creates(&self, service: &Service, caller: u32) {
        let mut number = 0;
        let call = || {
            number += 1;
            let answer = create(service, &format!("{caller}-{number}"));
            if answer.status == 201 {
                let id = answer.json()["id"].to_string();
                self.acknowledged.lock().unwrap().insert(id);
                self.written.fetch_add(1, Ordering::Relaxed);
            }
            answer
        };
        self.until_it_ends(call, 201);
    }

    fn reads(&self, service: &Service) {
        let call = || service.data("GET", "g", "/models/t/1").send();
        self.until_it_ends(call, 200);
    }

    fn changes(&self, service: &Service) {
        let call = || {
            let call = service.data("PATCH", "g", "/models/t/1");
            call.json(&json!({"count": 7})).send()
        };
        self.until_it_ends(call, 200);
    }

    /// Waits until more records are written.
    fn goes_on(&self) {
        let before = self.written.load(Ordering::Relaxed);
        wait_until("callers write", || {
            self.written.load(Ordering::Relaxed) > before + 20
        });
    }

    /// Checks that what went wrong was nothing but an outage, of a few seconds since then. Before that it may have been longer,
    /// while a node joined again, so that a statement waited for the cluster until its limit.
    fn failed_shortly_since(&self, since: Instant) {
        let failures = std::mem::take(&mut *self.failures.lock().unwrap());
        for (when, said) in failures {
            let after = when.saturating_duration_since(since);
            let is_outage = said.starts_with("503") || said.starts_with("504");
            assert!(is_outage, "{after:?}: {said}");
            assert!(after < Duration::from_secs(10), "{after:?}: {said}");
        }
    }
}

#[test]
fn a_node_that_dies_costs_a_few_seconds_and_no_acknowledged_write_and_is_used_again() {
    let mut cluster = cluster();
    let database = cluster.database(TABLES);
    let folder = tempfile::tempdir().unwrap();
    // Without the third node, one of the others is used or none.
    let service = service(&folder, &cluster, &database, &[0, 1]);
    let load = Load::default();
    thread::scope(|scope| {
        let _end = End(&load.ends);
        for caller in 0..3 {
            let (load, service) = (&load, &service);
            scope.spawn(move || load.creates(service, caller));
        }
        scope.spawn(|| load.reads(&service));
        scope.spawn(|| load.changes(&service));
        load.goes_on();
        assert_eq!(connections(&cluster, 1, &database), 0);

        cluster.kill(0);
        let killed = Instant::now();
        load.goes_on();
        assert!(connections(&cluster, 1, &database) > 0);
        load.failed_shortly_since(killed);

        cluster.run(0);
        load.goes_on();
        load.failed_shortly_since(Instant::now());
        cluster.kill(1);
        let killed = Instant::now();
        load.goes_on();
        assert!(connections(&cluster, 0, &database) > 0);
        load.failed_shortly_since(killed);
    });
    cluster.run(1);

    let acknowledged = load.acknowledged.into_inner().unwrap();
    let page = service.data("GET", "g", "/models/t?_fields=id&_per_page=10000");
    let page = page.ok();
    let records = page["results"].as_array().unwrap().iter();
    let kept: BTreeSet<String> = records.map(|record| record["id"].to_string()).collect();
    let lost: Vec<_> = acknowledged.difference(&kept).collect();
    assert!(lost.is_empty(), "{lost:?}");
    let list = ["audit", "list", "--all", "--format", "json"];
    let list = [&list[..], &["--action", "records.create"]].concat();
    let lines = Program::new(folder.path(), &list).run_json();
    let lines = lines.as_array().unwrap().iter();
    let lines: Vec<_> = lines.filter_map(|line| line["record"].as_str()).collect();
    for id in &acknowledged {
        let count = lines.iter().filter(|line| *line == id).count();
        assert_eq!(count, 1, "{id}");
    }
}

#[test]
fn a_node_without_the_others_is_left_for_one_that_has_them() {
    let cluster = cluster();
    let database = cluster.database(TABLES);
    let folder = tempfile::tempdir().unwrap();
    let service = service(&folder, &cluster, &database, &[0, 1]);
    assert_eq!(create(&service, "before").status, 201);
    assert!(connections(&cluster, 0, &database) > 0);

    cluster.isolate(0, true);
    let isolated = Instant::now();
    wait_until("another node takes writes", || {
        let answer = create(&service, "after");
        let status = answer.status.as_u16();
        assert!([201, 503].contains(&status), "{}", answer.body);
        status == 201
    });
    let took = isolated.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(connections(&cluster, 1, &database) > 0);
    for _ in 0..20 {
        service.data("GET", "g", "/models/t/1").expect(200);
    }
    // One that starts now finds the way too.
    let other = tempfile::tempdir().unwrap();
    let other = self::service(&other, &cluster, &database, &[0, 1, 2]);
    other.data("GET", "g", "/models/t/1").expect(200);
    drop(other);
    cluster.isolate(0, false);
}

#[test]
fn callers_at_two_nodes_see_each_others_writes_and_do_not_fail_when_they_are_in_each_others_way() {
    let cluster = cluster();
    let database = cluster.database(TABLES);
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let services = [
        service(&folders[0], &cluster, &database, &[0, 1]),
        service(&folders[1], &cluster, &database, &[1, 0]),
    ];
    for number in 0..50 {
        let [writer, reader] = [&services[number % 2], &services[(number + 1) % 2]];
        let created = create(writer, &format!("seen {number}"));
        let path = format!("/models/t/{}", created.json()["id"]);
        reader.data("GET", "g", &path).expect(200);
        let call = reader.data("PATCH", "g", &path);
        call.json(&json!({"count": number})).expect(200);
        let seen = writer.data("GET", "g", &path).ok();
        assert_eq!(seen["count"], number);
    }

    // Each adds to the same number, and says which number it has seen.
    let (added, refused) = (AtomicU32::new(0), AtomicU32::new(0));
    let before = conflicts(&cluster);
    thread::scope(|scope| {
        for (place, service) in services.iter().enumerate() {
            for caller in 0..2 {
                let (added, refused) = (&added, &refused);
                scope.spawn(move || {
                    for number in 0..25 {
                        let upsert = service.data("POST", "g", "/models/t?_on_conflict=name");
                        let upsert = upsert.json(&json!({"name": "shared", "count": number}));
                        let status = upsert.send().status.as_u16();
                        assert!([200, 201].contains(&status), "{status}");
                        let many = json!([{"name": format!("{place} {caller} {number}")}, {"name": format!("{place} {caller} {number}+")}]);
                        let call = service.data("POST", "g", "/models/t/bulk_create");
                        let answer = call.json(&many).send();
                        assert!(answer.status.is_success(), "{}", answer.body);
                        match add_one(service) {
                            200 => added.fetch_add(1, Ordering::Relaxed),
                            412 => refused.fetch_add(1, Ordering::Relaxed),
                            status => panic!("{status}"),
                        };
                    }
                });
            }
        }
    });
    let added = added.into_inner();
    assert_eq!(added + refused.into_inner(), 100);
    for node in 0..2 {
        let set = format!("SELECT count FROM {database}.t WHERE id = 1");
        wait_until("all nodes have it", || {
            cluster.number(node, &set) == i64::from(added)
        });
    }
    assert!(conflicts(&cluster) > before, "nobody was in the way");
}

/// How many transactions were taken back for those of other nodes.
fn conflicts(cluster: &GaleraCluster) -> i64 {
    let count = "SELECT CAST(SUM(VARIABLE_VALUE) AS INT) FROM information_schema.GLOBAL_STATUS \
        WHERE VARIABLE_NAME IN ('WSREP_LOCAL_CERT_FAILURES', 'WSREP_LOCAL_BF_ABORTS')";
    (0..2).map(|node| cluster.number(node, count)).sum()
}

/// Adds one to the number of the first record, unless another caller does meanwhile.
fn add_one(service: &Service) -> u16 {
    let read = service.data("GET", "g", "/models/t/1").expect(200);
    let record: Value = read.json();
    let count = record["count"].as_u64().unwrap() + 1;
    let call = service.data("PATCH", "g", "/models/t/1");
    let call = call.header("if-match", read.header("etag"));
    let answer = call.json(&json!({"count": count})).send();
    answer.status.as_u16()
}
