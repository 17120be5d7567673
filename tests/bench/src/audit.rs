//! Creates with the audit trail beside creates without it: two services, each on its own copy of the dataset, by turns.

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

/// Runs the measurements, and returns their table.
pub fn measure(folder: &Path, databases: &mut Databases, load: &Load) -> Result<String, Error> {
    let folder = folder.join("audit");
    let audited = databases.fresh("audited")?;
    let unaudited = databases.fresh("unaudited")?;
    let mut table = format!(
        "| database | creates, {} at once: requests/s, CPU | with `--audit off` | goal | requests/s, with the trail / \
         without | CPU |\n|---|--:|--:|--:|--:|--:|\n",
        load.connections
    );
    for (audited, unaudited) in audited.iter().zip(&unaudited) {
        let with = folder.join(audited.name).join("with");
        let without = folder.join(audited.name).join("without");
        for folder in [&with, &without] {
            std::fs::create_dir_all(folder)?;
        }
        let with = Service::start(&with, std::slice::from_ref(audited))?;
        let off = ["--audit", "off"];
        let without = Service::start_with(&without, std::slice::from_ref(unaudited), &off)?;
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            eprintln!("{} create: with and without audit", audited.name);
            let measured = load.run(with.target(audited, &CREATE), with.process())?;
            let reference = load.run(without.target(unaudited, &CREATE), without.process())?;
            rounds.push((measured, reference));
        }
        table += &line(audited.name, &rounds);
    }
    Ok(table)
}

/// The line of a database: medians of the rounds, and of the ratios in each.
fn line(database: &str, rounds: &[(Measured, Measured)]) -> String {
    let median =
        |figure: fn(&(Measured, Measured)) -> f64| report::median(rounds.iter().map(figure));
    let cpu = |measured: &Measured| measured.cpu.as_secs_f64();
    format!(
        "| {database} | {:.0}, {:.0} us | {:.0}, {:.0} us | {GOAL:.1} | {:.2} | {:.2} |\n",
        median(|(with, _)| with.per_second),
        median(|(with, _)| with.cpu.as_secs_f64() * 1e6),
        median(|(_, without)| without.per_second),
        median(|(_, without)| without.cpu.as_secs_f64() * 1e6),
        median(|(with, without)| with.per_second / without.per_second),
        report::median(
            rounds
                .iter()
                .map(|(with, without)| cpu(with) / cpu(without))
        ),
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
            (measured(900.0, 50), measured(1_000.0, 25)),
            (measured(400.0, 60), measured(800.0, 30)),
            (measured(700.0, 70), measured(1_000.0, 35)),
        ];
        assert_eq!(
            line("sqlite", &rounds),
            "| sqlite | 700, 60 us | 1000, 30 us | 0.8 | 0.70 | 2.00 |\n"
        );
    }
}
