//! The figures as a table in Markdown.

use std::time::Duration;

use crate::cases::{Case, What};
use crate::load::Measured;

/// One case, measured three times.
#[derive(Debug)]
pub struct Row {
    pub database: &'static str,
    pub case: &'static Case,
    pub service: Measured,
    pub bare: Measured,
    pub floor: Measured,
}

impl Row {
    /// Requests per second as a fraction of the slower reference.
    fn throughput(&self) -> f64 {
        self.service.per_second / self.bare.per_second.min(self.floor.per_second)
    }

    /// The goal, which is about the CPU time. Where a database server does the work of an aggregate, that of the service
    /// says little: the goal is about its time then, as a multiple of the floor's.
    fn goal(&self) -> String {
        let of_server = self.database != "sqlite"
            && matches!(self.case.what, What::Aggregate(_) | What::Group(_));
        match self.case.goal() {
            Some(goal) if of_server => format!(
                "{goal:.1} for the floor's throughput / that of the service: {:.2}",
                self.floor.per_second / self.service.per_second
            ),
            Some(goal) => format!("{goal:.1}"),
            None => String::new(),
        }
    }

    /// CPU time as a multiple of both references together.
    fn cpu(&self) -> f64 {
        self.service.cpu.as_secs_f64() / (self.bare.cpu + self.floor.cpu).as_secs_f64()
    }
}

pub fn table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| database | case | requests/s | p50 | p99 | CPU/request | floor: requests/s, CPU | bare hyper: requests/s, CPU | throughput / smaller reference | CPU / (floor + bare) | goal |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        let Row {
            database,
            case,
            service,
            bare,
            floor,
        } = row;
        table.push_str(&format!(
            "| {database} | {} | {:.0} | {} | {} | {} | {:.0}, {} | {:.0}, {} | {:.2} | {:.2} | {} |\n",
            case.name,
            service.per_second,
            time(service.p50),
            time(service.p99),
            time(service.cpu),
            floor.per_second,
            time(floor.cpu),
            bare.per_second,
            time(bare.cpu),
            row.throughput(),
            row.cpu(),
            row.goal(),
        ));
    }
    table
}

/// A table of what is meant to be and what was measured.
#[derive(Debug)]
pub struct Goals(String);

impl Goals {
    pub fn new() -> Self {
        Self("| database | what | goal | measured |\n|---|---|--:|--:|\n".to_owned())
    }

    /// Adds a figure; an empty goal stands for none.
    pub fn add(&mut self, database: &str, what: &str, goal: &str, measured: &str) {
        let line = format!("| {database} | {what} | {goal} | {measured} |\n");
        self.0.push_str(&line);
    }

    pub fn table(self) -> String {
        self.0
    }
}

/// A list of sentences.
pub fn list(remarks: &[String]) -> String {
    remarks
        .iter()
        .map(|remark| format!("- {remark}\n"))
        .collect()
}

/// The middle one of some figures, the upper one of two.
pub fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = figures.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Millions of bytes, in which goals are stated.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0))
}

pub fn time(duration: Duration) -> String {
    let microseconds = duration.as_secs_f64() * 1e6;
    if microseconds < 1_000.0 {
        format!("{microseconds:.0} us")
    } else if microseconds >= 10_000_000.0 {
        format!("{:.1} s", microseconds / 1e6)
    } else {
        format!("{:.1} ms", microseconds / 1_000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::CASES;

    fn measured(per_second: f64, cpu: u64) -> Measured {
        Measured {
            per_second,
            p50: Duration::from_micros(500),
            p99: Duration::from_millis(2),
            cpu: Duration::from_micros(cpu),
        }
    }

    #[test]
    fn the_goal_of_what_a_server_computes_is_about_throughput() {
        let aggregate = CASES.iter().find(|case| case.name == "aggregate").unwrap();
        let row = |database| Row {
            database,
            case: aggregate,
            service: measured(200.0, 185),
            bare: measured(4_000.0, 8),
            floor: measured(210.0, 108),
        };
        assert_eq!(row("sqlite").goal(), "1.1");
        let goal = row("postgres").goal();
        assert!(goal.ends_with("of the service: 1.05"), "{goal}");
    }

    #[test]
    fn ratios_are_against_the_smaller_and_against_the_sum() {
        let row = Row {
            database: "sqlite",
            case: &CASES[4],
            service: measured(1_000.0, 60),
            bare: measured(4_000.0, 30),
            floor: measured(2_000.0, 10),
        };
        let table = table(&[row]);
        let line = table.lines().last().unwrap();
        assert_eq!(
            line,
            "| sqlite | retrieve | 1000 | 500 us | 2.0 ms | 60 us | 2000, 10 us | 4000, 30 us | 0.50 | 1.50 | 2.0 |"
        );
    }

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert!(median([]).is_nan());
    }
}
