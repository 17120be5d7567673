//! Creates with the audit trail beside creates without it, and without the values that it keeps: three services, each on its own
//! copy of the dataset, by turns.

use std::path::Path;

use crate::Error;
use crate::cases::{Case, What};
use crate::databases::Databases;
use crate::load::{Load, Measured};
use crate::report;
use crate::service::Service;

/// How often each service is measured, by turns, since the speed of a shared machine changes.
const ROUNDS: usize = 3;
/// The fewest creates a second with the trail, as a part of those without it.
const GOAL: f64 = 0.8;

const CREATE: Case = Case {
    name: "create",
    what: What::Create,
};

/// How the services differ, the first one with all of it.
const OPTIONS: [&[&str]; 3] = [&[], &["--audit-values", "off"], &["--audit", "off"]];

/// What each service had in one round.
type Round = [Measured; OPTIONS.len()];

/// Runs the measurements, and returns their table.
pub fn measure(folder: &Path, databases: &mut Databases, load: &Load) -> Result<String, Error> {
    let folder = folder.join("audit");
    let copies = ["audited", "without-values", "unaudited"].map(|name| databases.fresh(name));
    let [audited, without_values, unaudited] = copies;
    let copies = [audited?, without_values?, unaudited?];
    let mut table = format!(
        "| database | creates, {} at once: requests/s, CPU | with `--audit-values off` | with `--audit off` | goal | \
         requests/s, with the trail / without | CPU | with values / without | CPU |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        load.connections
    );
    for (number, first) in copies[0].iter().enumerate() {
        let mut services = Vec::new();
        for (copies, options) in copies.iter().zip(OPTIONS) {
            let database = &copies[number];
            let folder = folder.join(first.name).join(services.len().to_string());
            std::fs::create_dir_all(&folder)?;
            let service = Service::start_with(&folder, std::slice::from_ref(database), options)?;
            services.push((service, database));
        }
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            eprintln!(
                "{} create: with audit, without values, and without audit",
                first.name
            );
            let measure = |at: usize| {
                let (service, database) = &services[at];
                load.run(service.target(database, &CREATE), service.process())
            };
            rounds.push([measure(0)?, measure(1)?, measure(2)?]);
        }
        table += &line(first.name, &rounds);
    }
    Ok(table)
}

/// The line of a database: medians of the rounds, and of the ratios in each.
fn line(database: &str, rounds: &[Round]) -> String {
    let median = |figure: &dyn Fn(&Round) -> f64| report::median(rounds.iter().map(figure));
    let cpu = |measured: &Measured| measured.cpu.as_secs_f64();
    let each = [0, 1, 2].map(|at| {
        format!(
            "{:.0}, {:.0} us",
            median(&|round| round[at].per_second),
            median(&|round| cpu(&round[at]) * 1e6),
        )
    });
    let ratios = |other: usize| {
        format!(
            "{:.2} | {:.2}",
            median(&|round| round[0].per_second / round[other].per_second),
            median(&|round| cpu(&round[0]) / cpu(&round[other])),
        )
    };
    format!(
        "| {database} | {} | {GOAL:.1} | {} | {} |\n",
        each.join(" | "),
        ratios(2),
        ratios(1)
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_ratio_is_the_median_of_those_in_each_round() {
        let measured = |per_second: f64, cpu: u64| Measured {
            per_second,
            p50: Duration::ZERO,
            p99: Duration::ZERO,
            cpu: Duration::from_micros(cpu),
        };
        let rounds = [
            [
                measured(900.0, 50),
                measured(900.0, 50),
                measured(1_000.0, 25),
            ],
            [
                measured(400.0, 60),
                measured(500.0, 50),
                measured(800.0, 30),
            ],
            [
                measured(700.0, 70),
                measured(1_000.0, 50),
                measured(1_000.0, 35),
            ],
        ];
        assert_eq!(
            line("sqlite", &rounds),
            "| sqlite | 700, 60 us | 900, 50 us | 1000, 30 us | 0.8 | 0.70 | 2.00 | 0.80 | 1.20 |\n"
        );
    }
}
