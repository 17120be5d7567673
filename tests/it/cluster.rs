//! Three services over a PostgreSQL primary with a synchronous standby, behind HAProxy, under load: what is acknowledged stays,
//! whatever is killed or restarted. One connected database is on the same servers, another one is an SQLite file.

use std::time::Duration;

use svc_tests::{
    cluster::{Cluster, Load, Lost, Report, Setup, TABLE},
    servers::PostgresPair,
};

/// For how long calls may fail.
const WINDOW: Duration = Duration::from_secs(10);

fn start(pair: &PostgresPair) -> Cluster {
    let setup = Setup::new(pair.database(""))
        .connect("crm", pair.database(TABLE))
        .connect_sqlite("shop")
        .option("--shutdown-delay=2");
    Cluster::start(setup)
}

/// Compares what was acknowledged with what is there.
#[track_caller]
fn check(cluster: &Cluster, report: &Report) {
    println!("{report}");
    assert!(report.wrong().is_empty(), "{:#?}", report.wrong());
    assert!(report.window() < WINDOW, "{report}");
    let (records, pages) = (&report.records, &report.pages);
    let counts = records.values().map(Vec::len).chain([pages.len()]);
    assert_eq!(counts.filter(|count| *count > 10).count(), 3, "{report}");
    assert_eq!(cluster.lost(report), Lost::default());
}

#[test]
fn a_node_that_is_killed_or_restarted_loses_nothing() {
    let pair = PostgresPair::start();
    let mut cluster = start(&pair);
    let load = Load::start(&cluster);
    load.more(200);
    for node in 0..3 {
        cluster.restart_node(node);
    }
    load.more(200);
    let report = load.end();
    // Nothing was even noticed.
    let failed: Vec<_> = report.failed().collect();
    assert!(failed.is_empty(), "{failed:#?}");
    check(&cluster, &report);

    let load = Load::start(&cluster);
    load.more(200);
    cluster.kill_node(1);
    load.settle();
    let report = load.end();
    assert!(report.broken().len() < 10, "{:#?}", report.broken());
    check(&cluster, &report);
    assert_eq!(cluster.ready_nodes(), 2);
}

#[test]
fn a_standby_takes_over_from_a_primary_that_is_killed_and_nothing_is_lost() {
    let mut pair = PostgresPair::start();
    let cluster = start(&pair);
    let load = Load::start(&cluster);
    load.more(200);
    pair.kill_primary();
    pair.promote();
    load.settle();
    let report = load.end();
    assert!(report.broken().is_empty(), "{:#?}", report.broken());
    check(&cluster, &report);
}
