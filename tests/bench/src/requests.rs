//! Single requests on the dataset, each compared with both references.

use std::path::Path;
use std::time::Duration;

use crate::cases::{Case, What};
use crate::dataset::{self, Database};
use crate::load::{self, Load};
use crate::report::{self, Row};
use crate::service::Service;
use crate::{Error, bare, floor};

/// The number of pages at each end of a walk that are compared.
const SAMPLE: usize = 100;

/// Runs the cases, and returns their table and a list of remarks.
pub fn measure(
    folder: &Path,
    databases: &[Database],
    cases: &[&'static Case],
    load: &Load,
) -> Result<String, Error> {
    let folder = folder.join("requests");
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, databases)?;
    let idle = service.usage()?;
    let mut rows = Vec::new();
    let mut remarks = Vec::new();
    for database in databases {
        for case in cases {
            rows.push(beside_references(&folder, &service, database, case, load)?);
            match case.what {
                What::Walk => remarks.push(depth(&service, database, case, load)?),
                What::Create if database.file().is_some() => {
                    remarks.push(gathered(&service, database, case)?);
                }
                _ => {}
            }
        }
    }
    remarks.push(format!(
        "Memory of the service: {} idle, {} at its peak under all of this.",
        report::mebibytes(idle.resident),
        report::mebibytes(service.usage()?.peak_resident),
    ));
    Ok(format!(
        "{}\n{} requests at once, {} s for each figure.\n\n{}",
        report::table(&rows),
        load.connections,
        load.measured.as_secs(),
        report::list(&remarks),
    ))
}

/// Measures the case on the service and on both references.
fn beside_references(
    folder: &Path,
    service: &Service,
    database: &Database,
    case: &'static Case,
    load: &Load,
) -> Result<Row, Error> {
    let target = service.target(database, case);
    eprintln!("{} {}: service", database.name, case.name);
    let answer = load::once(&target)?;
    let ours = load.run(target, service.process())?;
    eprintln!("{} {}: bare hyper", database.name, case.name);
    let bare = bare::measure(folder, &answer, case, load)?;
    eprintln!("{} {}: floor", database.name, case.name);
    let floor = floor::measure(database, case, load)?;
    Ok(Row {
        database: database.name,
        case,
        service: ours,
        bare,
        floor,
    })
}

/// The cost of a page at the end of a long walk, compared with one at its beginning.
fn depth(
    service: &Service,
    database: &Database,
    case: &'static Case,
    load: &Load,
) -> Result<String, Error> {
    let pages = (load.orders as usize / 25).max(2 * SAMPLE);
    let target = service.target(database, case);
    let latencies = load::in_sequence(&target, pages, load.orders)?;
    let median = |sample: &[Duration]| {
        let mut sorted = sample.to_vec();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    };
    let first = median(latencies.get(..SAMPLE).unwrap_or_default());
    let last = median(latencies.get(pages - SAMPLE..).unwrap_or_default());
    Ok(format!(
        "{}: a page by `next` takes {} at the beginning and {} around the {pages}th, {:.2} times as long.",
        database.name,
        report::time(first),
        report::time(last),
        last.as_secs_f64() / first.as_secs_f64(),
    ))
}

/// Creates by many clients, compared with commits of one program.
fn gathered(service: &Service, database: &Database, case: &'static Case) -> Result<String, Error> {
    let file = database.file().ok_or("the database is no file")?;
    let time = Duration::from_secs(3);
    let single = dataset::commits_per_second(file, time)?;
    let load = Load {
        connections: 64,
        warm_up: Duration::from_secs(1),
        measured: time,
        orders: 1,
    };
    let ours = load.run(service.target(database, case), service.process())?;
    Ok(format!(
        "{}: {:.0} durable creates a second by 64 clients, {:.1} times the {single:.0} of one program that commits each.",
        database.name,
        ours.per_second,
        ours.per_second / single,
    ))
}
