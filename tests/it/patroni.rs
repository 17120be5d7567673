//! Three services over PostgreSQL servers that Patroni and etcd keep available, behind HAProxy and under load.

use std::time::Duration;

use svc_tests::{
    cluster::{Cluster, Load, Lost, Report, Setup, TABLE},
    servers::PatroniCluster,
};

/// For how long calls may fail, but for the time that Patroni takes to make a standby the leader.
const WINDOW: Duration = Duration::from_secs(10);

/// Compares what was acknowledged with what is there.
#[track_caller]
fn check(cluster: &Cluster, what: &str, report: &Report, took: Duration) {
    println!("{what}: Patroni took {took:?}\n{report}");
    assert!(report.wrong().is_empty(), "{:#?}", report.wrong());
    assert!(report.broken().is_empty(), "{:#?}", report.broken());
    assert!(report.window() < took + WINDOW, "{report}");
    let (records, pages) = (&report.records, &report.pages);
    let counts = records.values().map(Vec::len).chain([pages.len()]);
    assert_eq!(counts.filter(|count| *count > 10).count(), 3, "{report}");
    assert_eq!(cluster.lost(report), Lost::default());
}

#[test]
#[ignore = "needs Patroni and etcd; run by `cargo xtask test cluster-patroni`"]
fn when_the_leader_dies_or_changes_nothing_is_lost_and_the_services_find_the_new_one() {
    let mut servers = PatroniCluster::start();
    let setup = Setup::new(servers.database(""))
        .connect("crm", servers.database(TABLE))
        .connect_sqlite("shop");
    let cluster = Cluster::start(setup);

    let load = Load::start(&cluster);
    load.more(200);
    let (killed, took) = servers.kill_leader();
    load.settle();
    check(&cluster, "the leader was killed", &load.end(), took);

    servers.run_server(killed);
    servers.wait_for_standby();
    let load = Load::start(&cluster);
    load.more(200);
    let took = servers.switch_over();
    load.settle();
    check(&cluster, "a switchover", &load.end(), took);
}
