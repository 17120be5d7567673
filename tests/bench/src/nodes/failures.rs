//! What callers see by the load balancer while nodes are restarted, a node is killed, and the primary is.

use svc_tests::cluster::{Cluster, Load, Report};
use svc_tests::servers::PostgresPair;

use super::WINDOW;
use crate::report::{self, Goals};

/// How many calls come before each event.
const BEFORE: usize = 500;

/// Restarts the nodes one after another, kills the last one and starts it again, and kills the primary.
pub fn measure(cluster: &mut Cluster, pair: &mut PostgresPair, goals: &mut Goals) {
    let nodes = cluster.addresses().len();
    eprintln!("nodes: a rolling restart under load");
    let restarted = under_load(cluster, |cluster| {
        (0..nodes).for_each(|node| cluster.restart_node(node));
    });
    add(
        goals,
        cluster,
        "all nodes restarted one after another",
        "0",
        &restarted,
    );
    eprintln!("nodes: a node is killed under load");
    let last = nodes.saturating_sub(1);
    let killed = under_load(cluster, |cluster| cluster.kill_node(last));
    cluster.start_node(last);
    let window = format!("less than {}", report::time(WINDOW));
    add(goals, cluster, "a node killed", &window, &killed);
    eprintln!("nodes: the primary is killed under load");
    let promoted = under_load(cluster, |_| {
        pair.kill_primary();
        pair.promote();
    });
    let what = "the primary killed, the standby promoted";
    add(goals, cluster, what, &window, &promoted);
}

fn under_load(cluster: &mut Cluster, event: impl FnOnce(&mut Cluster)) -> Report {
    let load = Load::start(cluster);
    load.more(BEFORE);
    event(cluster);
    load.settle();
    load.end()
}

/// Adds what a load saw, and what is left of what it was acknowledged.
fn add(goals: &mut Goals, cluster: &Cluster, what: &str, goal: &str, report: &Report) {
    let calls = report.calls.len();
    let (failed, broken) = (report.failed().count(), report.broken().len());
    for wrong in report.wrong() {
        eprintln!("nodes: a wrong answer: {wrong:?}");
    }
    let wrong = report.wrong().len();
    goals.add(
        "",
        &format!("{what}: calls that failed, and the time from the first to the last"),
        goal,
        &format!(
            "{failed} of {calls}, {} ({broken} connections broken, {wrong} wrong answers, all others 503)",
            report::time(report.window())
        ),
    );
    let lost = cluster.lost(report);
    let acknowledged = report.records.values().map(Vec::len).sum::<usize>() + report.pages.len();
    goals.add(
        "",
        &format!("{what}: acknowledged writes lost, and those without exactly one line"),
        "0, 0",
        &format!(
            "{}, {} of {acknowledged}",
            lost.records.len() + lost.pages.len(),
            lost.without_line.len() + lost.with_several_lines.len()
        ),
    );
}
