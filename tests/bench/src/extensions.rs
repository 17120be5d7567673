//! What goes beyond plain calls, each beside the plain call: related records, upserts, and counts that may be estimated.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::Error;
use crate::cases::{Case, What};
use crate::databases::Databases;
use crate::dataset::Database;
use crate::load::{self, Load, Measured, Target};
use crate::report;
use crate::service::Service;

/// How often each call is measured, by turns, since the speed of a shared machine changes.
const ROUNDS: usize = 3;
/// How many lists are asked for, one after the other, to see what a count adds.
const COUNTS: usize = 200;
/// The most that a list with two relations, an upsert, and the time of a count may cost.
const EXPAND_GOAL: f64 = 3.0;
const UPSERT_GOAL: f64 = 1.3;
const COUNT_GOAL: Duration = Duration::from_millis(120);

const PLAIN: Case = Case {
    name: "lines",
    what: What::List("_per_page=25&_order_by=-id&_count=none"),
};
const EXPANDED: Case = Case {
    name: "lines with order and customer",
    what: What::List("_per_page=25&_order_by=-id&_count=none&_expand=order_id,customer_id"),
};
const CREATE: Case = Case {
    name: "create",
    what: What::CreatePerson,
};
const UPSERT: Case = Case {
    name: "upsert",
    what: What::UpsertPerson,
};
const UNCOUNTED: Case = Case {
    name: "uncounted",
    what: What::List("status__in=paid,refunded&amount__gt=10&_count=none"),
};
const COUNTED: Case = Case {
    name: "counted in time",
    what: What::List("status__in=paid,refunded&amount__gt=10&_count=auto"),
};

/// Tables of as many records as there are orders: each of one order and one customer, and people who are found by their
/// addresses.
const TABLES: &str = "
CREATE TABLE lines (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  amount NUMERIC(12, 2) NOT NULL
);
INSERT INTO lines SELECT id, id, customer_id, amount FROM orders;
CREATE TABLE people (
  id {serial} PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  visits INTEGER NOT NULL DEFAULT 0
);
INSERT INTO people (email, name) SELECT id || '@example.test', 'Person' FROM orders;
";

/// Runs the measurements, and returns their tables.
pub fn measure(folder: &Path, databases: &mut Databases, load: &Load) -> Result<String, Error> {
    let folder = folder.join("extensions");
    std::fs::create_dir(&folder)?;
    let made = databases.fresh("extensions")?;
    for database in &made {
        add_tables(database)?;
    }
    let service = Service::start(&folder.join("small"), &made)?;
    let mut table = String::from(
        "| database | call: requests/s, CPU | beside | CPU | requests/s | goal |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for database in &made {
        let pairs: [(_, &'static Case, &'static Case, _); 2] = [
            ("lines", &EXPANDED, &PLAIN, EXPAND_GOAL),
            ("people", &UPSERT, &CREATE, UPSERT_GOAL),
        ];
        for (model, case, plain, goal) in pairs {
            let target = |case| of_model(service.target(database, case), model);
            let mut rounds = Vec::new();
            for _ in 0..ROUNDS {
                eprintln!("{} {}: beside {}", database.name, case.name, plain.name);
                let measured = load.run(target(case), service.process())?;
                let reference = load.run(target(plain), service.process())?;
                rounds.push((measured, reference));
            }
            table += &line(database.name, (case.name, plain.name), goal, &rounds);
        }
    }
    let mut remarks = Vec::new();
    let large = databases.large()?;
    let service = Service::start(&folder.join("large"), &large)?;
    for database in &large {
        remarks.push(count(&service, database, load)?);
    }
    Ok(format!("{table}\n{}", report::list(&remarks)))
}

fn add_tables(database: &Database) -> Result<(), Error> {
    match database.file() {
        Some(file) => {
            let tables = TABLES.replace("{serial}", "INTEGER");
            Connection::open(file)?.execute_batch(&format!("{tables} ANALYZE;"))?;
        }
        None => {
            let tables = TABLES.replace("{serial}", "SERIAL");
            let mut client = postgres::Client::connect(&database.url, postgres::NoTls)?;
            client.batch_execute(&format!("{tables} ANALYZE;"))?;
        }
    }
    Ok(())
}

/// The same target with another model.
fn of_model(mut target: Target, model: &str) -> Target {
    if let Some((path, _)) = target.path.rsplit_once('/') {
        target.path = format!("{path}/{model}");
    }
    target
}

/// What a count in time adds to a list of a large table.
fn count(service: &Service, database: &Database, load: &Load) -> Result<String, Error> {
    let ask =
        |case, number| load::in_sequence(&service.target(database, case), number, load.orders);
    eprintln!("{}: a count in time", database.name);
    let uncounted = ask(&UNCOUNTED, COUNTS)?;
    let plain = report::median(uncounted.iter().map(Duration::as_secs_f64));
    let counted = ask(&COUNTED, COUNTS)?;
    let median = report::median(counted.iter().map(Duration::as_secs_f64));
    let worst = counted.into_iter().max().unwrap_or_default().as_secs_f64();
    let added = |time: f64| report::time(Duration::from_secs_f64((time - plain).max(0.0)));
    Ok(format!(
        "{}: `_count=auto` adds {} to a list of a large table in the median of {COUNTS}, and {} at most (goal: {}).",
        database.name,
        added(median),
        added(worst),
        report::time(COUNT_GOAL),
    ))
}

/// The line of a call: medians of the rounds, and of the ratios in each.
fn line(
    database: &str,
    (name, plain): (&str, &str),
    goal: f64,
    rounds: &[(Measured, Measured)],
) -> String {
    let median =
        |figure: fn(&(Measured, Measured)) -> f64| report::median(rounds.iter().map(figure));
    format!(
        "| {database} | {name}: {:.0}, {:.0} us | {plain}: {:.0}, {:.0} us | {:.2} | {:.2} | {goal:.1} |\n",
        median(|(it, _)| it.per_second),
        median(|(it, _)| it.cpu.as_secs_f64() * 1e6),
        median(|(_, plain)| plain.per_second),
        median(|(_, plain)| plain.cpu.as_secs_f64() * 1e6),
        median(|(it, plain)| it.cpu.as_secs_f64() / plain.cpu.as_secs_f64()),
        median(|(it, plain)| plain.per_second / it.per_second),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratios_are_medians_of_those_in_each_round() {
        let measured = |per_second: f64, cpu: u64| Measured {
            per_second,
            p50: Duration::ZERO,
            p99: Duration::ZERO,
            cpu: Duration::from_micros(cpu),
        };
        let rounds = [
            (measured(500.0, 50), measured(1_000.0, 25)),
            (measured(400.0, 60), measured(800.0, 30)),
            (measured(700.0, 70), measured(1_000.0, 20)),
        ];
        assert_eq!(
            line("sqlite", ("upsert", "create"), 1.3, &rounds),
            "| sqlite | upsert: 500, 60 us | create: 1000, 25 us | 2.00 | 2.00 | 1.3 |\n"
        );
    }
}
