//! Several services over one store: what reads cost with one and with three, when a revocation holds on all, what a write
//! takes beside the round trips that it needs, and what callers see while nodes and servers are killed or restarted.

mod failures;
mod reads;
mod revocations;
mod writes;

use std::time::Duration;

use svc_tests::cluster::{Cluster, Setup, TABLE};
use svc_tests::servers::PostgresPair;

use crate::Error;
use crate::load::Load;
use crate::report::Goals;

/// The longest time in which calls may fail, and in which a revocation has to hold.
const WINDOW: Duration = Duration::from_secs(10);
const REVOKED: Duration = Duration::from_secs(1);

/// The statements on the store, as every node counts them.
const STATEMENTS: &str = "svc_store_statement_duration_seconds_count";

/// Runs the measurements, and returns their table.
pub fn measure(load: &Load) -> Result<String, Error> {
    let mut goals = Goals::new();
    let mut pair = PostgresPair::start_durable();
    let one = {
        let mut setup = setup(&pair);
        setup.nodes = 1;
        Cluster::start(setup)
    };
    let mut three = one.start_another(setup(&pair));
    eprintln!("nodes: reads with one and with three");
    reads::measure(&one, &three, load, &mut goals)?;
    drop(one);
    eprintln!("nodes: revocations");
    revocations::measure(&three, &mut goals)?;
    eprintln!("nodes: writes");
    writes::measure(&three, &pair.database(writes::TABLES), &mut goals)?;
    failures::measure(&mut three, &mut pair, &mut goals);
    Ok(goals.table())
}

fn setup(pair: &PostgresPair) -> Setup {
    Setup::new(pair.database(""))
        .connect("crm", pair.database(TABLE))
        .connect_sqlite("shop")
        .option("--shutdown-delay=2")
}

/// A runtime for calls.
fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime)
}
