//! Short reads from PostgreSQL share connections: each caller gets its own answer, whatever others do.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use svc_tests::{
    End, Service,
    servers::{PostgresServer, Server as _},
    wait_until,
};

use super::faults::serve;

const TABLES: &str =
    "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0, name TEXT NOT NULL);
     CREATE TABLE other (id INT PRIMARY KEY);
     INSERT INTO t SELECT i, 0, 'record ' || i FROM generate_series(1, 1000) AS n(i);
     INSERT INTO other VALUES (1);";

/// Reads records and pages of `t` until it is told to end, and says whether each was the right one.
fn read(service: &Service, thread: u32, is_over: &AtomicBool, reads: &AtomicU32) {
    let mut id = thread;
    while !is_over.load(Ordering::Relaxed) {
        id = (id * 31 + 7) % 1000 + 1;
        let name = json!(format!("record {id}"));
        let record = service.data("GET", "p", &format!("/models/t/{id}")).ok();
        assert_eq!((&record["id"], &record["name"]), (&json!(id), &name));
        let page = format!("/models/t?id__gte={id}&_order_by=id&_per_page=2");
        let page = service.data("GET", "p", &page).ok();
        assert_eq!(page["results"][0]["name"], name);
        assert_eq!(page["count"], 1001 - id);
        reads.fetch_add(1, Ordering::Relaxed);
    }
}

/// Asks for records and leaves before the answer.
fn leave(service: &Service, is_over: &AtomicBool) {
    let (_, address) = service.text("/base_url").split_once("//").unwrap();
    let token = service.text("/resources/p/token");
    while !is_over.load(Ordering::Relaxed) {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "GET /projects/main/prod/p/models/t/1 HTTP/1.1\r\nhost: {address}\r\nauthorization: {token}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_micros(300)))
            .unwrap();
        let _ = stream.read(&mut [0; 16]);
    }
}

/// A test of a service whose table is read by `readers` threads all the time, while each of them has another one that does something
/// until it is told to end. The test gets the URL of the database, and how often was read.
fn beside_readers(
    readers: u32,
    other: impl Fn(&Service, &AtomicBool) + Sync,
    test: impl FnOnce(&Service, &str, &AtomicU32),
) {
    let url = PostgresServer::shared().database(TABLES);
    let (_folder, service) = serve(&[format!("p={url}")], &[]);
    let is_over = AtomicBool::new(false);
    let reads = AtomicU32::new(0);
    thread::scope(|scope| {
        let _end = End(&is_over);
        let (service, is_over, reads, other) = (&service, &is_over, &reads, &other);
        for thread in 0..readers {
            scope.spawn(move || read(service, thread, is_over, reads));
            scope.spawn(move || other(service, is_over));
        }
        test(service, &url, reads);
    });
}

#[test]
fn each_caller_gets_its_own_answer_and_sees_its_writes_while_others_leave() {
    beside_readers(4, leave, |service, _, reads| {
        for n in 1..=100 {
            let path = "/models/t/1";
            let change = service.data("PATCH", "p", path).json(&json!({"n": n}));
            change.expect(200);
            assert_eq!(service.data("GET", "p", path).ok()["n"], n);
        }
        wait_until("there were many reads", || {
            reads.load(Ordering::Relaxed) > 500
        });
    });
}

#[test]
fn a_locked_table_does_not_hold_up_reads_of_another_one() {
    // These are short as far as is known, until the table is locked.
    let other = |service: &Service, is_over: &AtomicBool| {
        while !is_over.load(Ordering::Relaxed) {
            service.data("GET", "p", "/models/other/1").send();
        }
    };
    beside_readers(4, other, |service, url, reads| {
        wait_until("both are read", || reads.load(Ordering::Relaxed) > 50);
        let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
        client.batch_execute("BEGIN; LOCK TABLE other").unwrap();
        let before = reads.load(Ordering::Relaxed);
        let begun = Instant::now();
        wait_until("as many are read as before", || {
            reads.load(Ordering::Relaxed) > before + 50
        });
        assert!(
            begun.elapsed() < Duration::from_secs(8),
            "{:?}",
            begun.elapsed()
        );
        client.batch_execute("ROLLBACK").unwrap();
        wait_until("the table is read again", || {
            service.data("GET", "p", "/models/other/1").send().status == 200
        });
    });
}
