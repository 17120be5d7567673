//! Rate limits that nodes share.

use std::{
    thread,
    time::{Duration, Instant},
};

use postgres::fallible_iterator::FallibleIterator as _;
use svc_tests::{
    Service,
    servers::{PostgresServer, Server as _},
    wait_until,
};

use super::{Cluster, read};

/// Three nodes that know each other.
fn limited(limit: &str) -> (Cluster, String) {
    let store = PostgresServer::shared().database("");
    let cluster = Cluster::start(store, 3, &["--rate-limit", limit]);
    let token = cluster.token();
    wait_until("all know each other", || {
        let know = |node: &Service| node.log().contains("nodes=3");
        cluster.nodes.iter().all(know)
    });
    (cluster, token)
}

/// How many requests of this token a node allows in five seconds, once the burst is used.
fn allowed(node: &Service, token: &str) -> usize {
    let begun = Instant::now();
    let (warm, end) = (Duration::from_secs(3), Duration::from_secs(8));
    let mut allowed = 0;
    while begun.elapsed() < end {
        let status = read(node, token);
        assert!(matches!(status, 200 | 429), "{status}");
        allowed += usize::from(status == 200 && begun.elapsed() >= warm);
    }
    allowed
}

#[test]
fn a_caller_at_one_node_has_its_rate_and_callers_at_all_nodes_have_it_together() {
    let (cluster, token) = limited("20:20");
    let alone = allowed(&cluster.nodes[0], &token);
    assert!((80..=120).contains(&alone), "{alone} of 100");
    let other = cluster.token();
    let together: usize = thread::scope(|scope| {
        let nodes = cluster.nodes.iter();
        let clients = nodes.map(|node| scope.spawn(|| allowed(node, &other)));
        let clients: Vec<_> = clients.collect();
        let counts = clients.into_iter().map(|client| client.join().unwrap());
        counts.sum()
    });
    assert!((80..=120).contains(&together), "{together} of 100");
}

#[test]
fn nothing_is_told_to_other_nodes_of_callers_who_are_far_from_their_limit() {
    let (cluster, token) = limited("1000:2000");
    let mut store = postgres::Client::connect(&cluster.store, postgres::NoTls).unwrap();
    store.batch_execute("LISTEN svc_told").unwrap();
    for _ in 0..20 {
        for node in &cluster.nodes {
            assert_eq!(read(node, &token), 200);
        }
    }
    let mut told = store.notifications();
    let mut told = told.timeout_iter(Duration::from_millis(500));
    assert!(told.next().unwrap().is_none());
}
