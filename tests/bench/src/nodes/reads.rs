//! What a read of a record costs on each node, and in the store.

use std::time::{Duration, Instant};

use http::{HeaderValue, Method};
use serde_json::Value;
use svc_tests::cluster::Cluster;

use super::STATEMENTS;
use crate::Error;
use crate::load::{self, Exact, Load};
use crate::report::{self, Goals};
use crate::usage;

/// How many records there are.
const RECORDS: u32 = 1_000;
/// How often one and three nodes are measured, by turns.
const ROUNDS: usize = 3;
/// How much more CPU a read may take with three nodes than with one.
const MORE: f64 = 1.1;

/// What some reads took.
#[derive(Clone, Copy)]
struct Reads {
    count: usize,
    /// CPU seconds, and statements in the store, less what the nodes use in as much time without a read.
    cpu: f64,
    statements: f64,
    /// The statements of as much time without a read.
    idle: f64,
}

/// Measures reads on both clusters by turns.
pub fn measure(
    one: &Cluster,
    three: &Cluster,
    load: &Load,
    goals: &mut Goals,
) -> Result<(), Error> {
    for cluster in [one, three] {
        fill(cluster)?;
        // What has to be known about credentials and tables is known afterwards.
        read(cluster, load, load.warm_up)?;
    }
    let (mut ones, mut threes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ones.push(round(one, load)?);
        threes.push(round(three, load)?);
    }
    let cpu = |rounds: &[Reads]| report::median(rounds.iter().map(|it| it.cpu / it.count as f64));
    let (alone, together) = (cpu(&ones), cpu(&threes));
    let time = |seconds| report::time(Duration::from_secs_f64(seconds));
    goals.add(
        "sqlite",
        "CPU of a read on a node, one of three and alone: ratio",
        &format!("{MORE}"),
        &format!(
            "{:.2} ({} and {})",
            together / alone,
            time(together),
            time(alone)
        ),
    );
    for (nodes, rounds) in [("one node", &ones), ("three nodes", &threes)] {
        let count: usize = rounds.iter().map(|reads| reads.count).sum();
        let statements: f64 = rounds.iter().map(|reads| reads.statements).sum();
        let idle: f64 = rounds.iter().map(|reads| reads.idle).sum();
        goals.add(
            "sqlite",
            &format!("statements in the store for 1000 reads, {nodes}"),
            "0",
            &format!(
                "{:.2} ({count} reads; {statements:.0} more than the {idle:.0} of as much time without reads)",
                (statements / count as f64 * 1_000.0).max(0.0)
            ),
        );
    }
    Ok(())
}

fn fill(cluster: &Cluster) -> Result<(), Error> {
    let shop = rusqlite::Connection::open(cluster.folder().join("shop.db"))?;
    shop.execute_batch(&format!(
        "WITH RECURSIVE keys(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM keys WHERE id < {RECORDS})
         INSERT INTO notes SELECT -id, 'note ' || id FROM keys"
    ))?;
    Ok(())
}

/// As much time without reads and with them.
fn round(cluster: &Cluster, load: &Load) -> Result<Reads, Error> {
    // What was used so far, and when.
    let used = || -> Result<(Instant, f64, f64), Error> {
        let nodes = 0..cluster.addresses().len();
        let cpu = nodes.map(|node| Ok(usage::of(cluster.service(node).pid())?.cpu));
        let cpu = cpu.sum::<Result<Duration, Error>>()?.as_secs_f64();
        Ok((
            Instant::now(),
            cpu,
            cluster.metrics(STATEMENTS).iter().sum(),
        ))
    };
    let start = used()?;
    std::thread::sleep(load.measured);
    let rested = used()?;
    let count = read(cluster, load, load.measured)?;
    let done = used()?;
    // So much longer than the rest did the reads take.
    let longer = (done.0 - rested.0).as_secs_f64() / (rested.0 - start.0).as_secs_f64();
    let idle = (rested.2 - start.2) * longer;
    Ok(Reads {
        count,
        cpu: done.1 - rested.1 - (rested.1 - start.1) * longer,
        statements: done.2 - rested.2 - idle,
        idle,
    })
}

/// Reads on one node after the other, each for its part of the time, with the same load on it however many nodes there are; how
/// many reads there were.
fn read(cluster: &Cluster, load: &Load, time: Duration) -> Result<usize, Error> {
    let path = "/projects/main/prod/shop/models/notes/-{id}".to_owned();
    let mut token = HeaderValue::try_from(cluster.token("shop"))?;
    token.set_sensitive(true);
    let call = Exact::new(Method::GET, path, &Value::Null)
        .authorized(token)
        .with_keys(RECORDS);
    let addresses = cluster.addresses();
    let time = time.div_f64(addresses.len() as f64);
    let runtime = super::runtime()?;
    let mut count = 0;
    for address in addresses {
        let times = load::repeatedly(address, &call, load.connections, time);
        count += runtime.block_on(times)?.len();
    }
    Ok(count)
}
