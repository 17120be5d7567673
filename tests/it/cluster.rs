//! Three services over a PostgreSQL primary with a synchronous standby, behind HAProxy, under load: what is acknowledged stays,
//! whatever is killed or restarted. One connected database is on the same servers, another one is an SQLite file.

use std::time::{Duration, Instant};

use serde_json::json;
use svc_tests::{
    Call,
    cluster::{Cluster, Load, Lost, Report, Setup, TABLE},
    servers::PostgresPair,
    wait_until,
};

/// For how long calls may fail.
const WINDOW: Duration = Duration::from_secs(10);

fn setup(pair: &PostgresPair) -> Setup {
    Setup::new(pair.database(""))
        .connect("crm", pair.database(TABLE))
        .connect_sqlite("shop")
        .option("--shutdown-delay=2")
}

fn start(pair: &PostgresPair) -> Cluster {
    Cluster::start(setup(pair))
}

/// Whether a node takes a token of the connected SQLite file.
fn accepts(cluster: &Cluster, node: usize, token: &str) -> bool {
    let node = &cluster.node_urls()[node];
    cluster.read_on(node, "shop", token).send().status == 200
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

#[test]
fn a_node_that_was_stopped_learns_of_a_revocation_within_a_second_of_waking() {
    let pair = PostgresPair::start();
    let cluster = start(&pair);
    let (email, password) = ("operator@example.com", "correct horse battery");
    let add = format!("account add {email} --operator --password-stdin");
    cluster.run_with_input(&add, password);
    let app = format!("{}/api", cluster.url());
    let sign_in = Call::new("POST", &format!("{app}/account/auth/login/"));
    let sign_in = sign_in.json(&json!({"email": email, "password": password}));
    let session = sign_in.ok()["token"]["access_token"].clone();
    let session = format!("JWT {}", session.as_str().unwrap());
    let living = || {
        let service = Call::new("GET", &format!("{app}/service/")).authorization(&session);
        let shown = service.timeout(Duration::from_secs(2)).try_send().ok();
        let shown = shown.filter(|answer| answer.status == 200)?;
        shown.json()["nodes"].as_array().map(Vec::len)
    };
    wait_until("all nodes know each other", || living() == Some(3));

    let tokens = format!("{app}/projects/main/prod/tokens/");
    let key = format!("Bearer {}", cluster.api_key());
    let new = Call::new("POST", &tokens).json(&json!({"resource": "shop"}));
    let made = new.authorization(&key).expect(201).json();
    let token = made["token"].as_str().unwrap();
    let stopped = &cluster.node_urls()[2];
    let read = || cluster.read_on(stopped, "shop", token);
    read().expect(200);
    let load = Load::start(&cluster);
    load.more(100);
    cluster.service(2).signal("STOP");
    wait_until("it gets no requests", || cluster.ready_nodes() == 2);
    wait_until("it does not count as a node", || living() == Some(2));
    let revoke = Call::new(
        "DELETE",
        &format!("{tokens}{}/", made["uid"].as_str().unwrap()),
    );
    revoke.authorization(&key).expect(204);
    cluster.service(2).signal("CONT");
    // Until when it took the token: what was asked then, not when the answer came.
    let woken = Instant::now();
    let mut taken = Duration::ZERO;
    wait_until("the token is dead", || {
        let asked = woken.elapsed();
        let is_dead = read().send().status == 401;
        if !is_dead {
            taken = asked;
        }
        is_dead
    });
    assert!(taken < Duration::from_secs(1), "{taken:?}");
    wait_until("all nodes know each other again", || living() == Some(3));
    load.settle();
    check(&cluster, &load.end());
}

#[test]
#[ignore = "needs the program of an earlier version: cargo xtask test cluster-upgrade"]
fn an_upgrade_of_one_node_after_another_fails_no_call_and_both_versions_know_the_same() {
    let older = std::env::var_os("OLDER_PROGRAM").expect("the program of an earlier version");
    let pair = PostgresPair::start();
    let mut cluster = Cluster::start(setup(&pair).program(older.into()));
    let load = Load::start(&cluster);
    load.more(200);
    cluster.upgrade();
    for node in 0..3 {
        cluster.restart_node(node);
        // What is made by either version holds on both, and so does its end.
        let key = format!("Bearer {}", cluster.api_key());
        let tokens = |node: usize| {
            format!(
                "{}/api/projects/main/prod/tokens/",
                cluster.node_urls()[node]
            )
        };
        let new = Call::new("POST", &tokens(node)).json(&json!({"resource": "shop"}));
        let made = new.authorization(&key).expect(201).json();
        let token = made["token"].as_str().unwrap();
        let uid = made["uid"].as_str().unwrap();
        for node in 0..3 {
            wait_until("the token is known", || accepts(&cluster, node, token));
        }
        let other = (node + 1) % 3;
        let revoke = Call::new("DELETE", &format!("{}{uid}/", tokens(other)));
        revoke.authorization(&key).expect(204);
        for node in 0..3 {
            wait_until("the token is dead", || !accepts(&cluster, node, token));
        }
        load.more(100);
    }
    let report = load.end();
    let failed: Vec<_> = report.failed().collect();
    assert!(failed.is_empty(), "{failed:#?}");
    check(&cluster, &report);
}
