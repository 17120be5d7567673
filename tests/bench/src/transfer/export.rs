//! Exports: of the whole table beside the tool of the database, and of a part of it beside all.

use std::fs::File;
use std::process::{Command, Stdio};

use super::{Cost, Transfers, timed};
use crate::Error;
use crate::dataset::ORDERS;
use crate::report::{self, Goals};

/// How often what is compared is measured, by turns, since the speed of a shared machine changes.
const ROUNDS: usize = 3;
/// The time of a row of a filtered export, as a multiple of one of an unfiltered export.
const FILTERED: f64 = 1.2;
/// What half of the orders have.
const PAID: &str = "status=paid";

/// Measures the exports of a database.
pub fn measure(transfers: &Transfers<'_>, goals: &mut Goals) -> Result<(), Error> {
    let name = transfers.database.name;
    let rows = transfers.rows;
    let last = format!("id__gt={}", rows - rows / 10);
    let tool = Tool::of(transfers);
    let installed = tool.as_ref().filter(|tool| tool.is_installed());
    let (mut by_tool, mut all, mut paid) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tenth, mut paid_tenth) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        eprintln!("{name} export: round {round} of {ROUNDS}");
        if let Some(tool) = installed {
            by_tool.push(tool.export(transfers)?);
        }
        all.push(export(transfers, &[])?);
        paid.push(export(transfers, &[PAID])?);
        tenth.push(export(transfers, &[&last])?);
        paid_tenth.push(export(transfers, &[&last, PAID])?);
    }
    if let Some(tool) = &tool {
        let measured = match installed {
            Some(_) => beside(&all, &by_tool),
            None => format!("{} is not installed", tool.program),
        };
        let what = format!("export of {rows} rows beside `{}`", tool.name);
        goals.add(name, &what, &format!("{:.1} times", tool.goal), &measured);
    }
    for (what, part, whole) in [
        (format!("`{PAID}`"), &paid, &all),
        (format!("`{PAID}` of `{last}`"), &paid_tenth, &tenth),
    ] {
        let ratios = part.iter().zip(whole);
        let ratio = report::median(
            ratios.map(|(part, whole)| part.row_microseconds() / whole.row_microseconds()),
        );
        let row = |costs: &[Cost]| report::median(costs.iter().map(Cost::row_microseconds));
        goals.add(
            name,
            &format!("export of {what}, a row beside one without it"),
            &format!("{FILTERED:.1} times"),
            &format!(
                "{ratio:.2} times: {:.2} us and {:.2} us",
                row(part),
                row(whole)
            ),
        );
    }
    Ok(())
}

/// The exports beside those of a tool.
fn beside(ours: &[Cost], of_tool: &[Cost]) -> String {
    let ratio = |figure: fn(&Cost) -> f64| {
        let rounds = ours.iter().zip(of_tool);
        report::median(rounds.map(|(ours, theirs)| figure(ours) / figure(theirs)))
    };
    let seconds = |costs: &[Cost]| report::median(costs.iter().map(Cost::seconds));
    format!(
        "{:.2} times: {:.2} s and {:.2} s; CPU {:.2} times",
        ratio(Cost::seconds),
        seconds(ours),
        seconds(of_tool),
        ratio(Cost::cpu_seconds),
    )
}

/// Exports the orders that these filters keep.
fn export(transfers: &Transfers<'_>, filters: &[&str]) -> Result<Cost, Error> {
    let file = transfers.file("export.csv")?;
    let name = transfers.database.name;
    let mut arguments = vec!["export", name, ORDERS, &file];
    for filter in filters {
        arguments.extend(["--filter", filter]);
    }
    let cost = transfers.run(&arguments)?;
    std::fs::remove_file(&file)?;
    Ok(cost)
}

/// A program of the database itself that writes a table as CSV.
struct Tool {
    name: &'static str,
    program: &'static str,
    arguments: Vec<String>,
    /// The time of an export, as a multiple of that of the tool.
    goal: f64,
}

impl Tool {
    /// The tool for the database, if this project has a goal beside it.
    fn of(transfers: &Transfers<'_>) -> Option<Self> {
        let database = transfers.database;
        match database.file() {
            Some(file) => Some(Self {
                name: "sqlite3 -csv -header",
                program: "sqlite3",
                arguments: vec![
                    "-csv".to_owned(),
                    "-header".to_owned(),
                    file.display().to_string(),
                    format!("SELECT * FROM {ORDERS}"),
                ],
                goal: 2.0,
            }),
            None if database.url.starts_with("postgres:") => Some(Self {
                name: "\\copy",
                program: "psql",
                arguments: vec![
                    database.url.clone(),
                    "-c".to_owned(),
                    format!("\\copy {ORDERS} TO STDOUT WITH (FORMAT csv, HEADER)"),
                ],
                goal: 4.0,
            }),
            None => None,
        }
    }

    fn is_installed(&self) -> bool {
        let version = Command::new(self.program)
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        version.is_ok_and(|status| status.success())
    }

    /// Writes the whole table into a file.
    fn export(&self, transfers: &Transfers<'_>) -> Result<Cost, Error> {
        let file = transfers.file("tool.csv")?;
        let mut command = Command::new(self.program);
        command.args(&self.arguments).stdout(File::create(&file)?);
        let cost = timed(&mut command)?.1;
        std::fs::remove_file(&file)?;
        Ok(cost)
    }
}
