//! Exports and imports with the program's own commands, on a table of millions of rows, beside the tools of the
//! databases themselves.

mod export;
mod import;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::databases::Databases;
use crate::dataset::Database;
use crate::report::Goals;
use crate::service::Service;
use crate::{Error, usage};

/// Runs the measurements, and returns their table.
pub fn measure(folder: &Path, databases: &mut Databases) -> Result<String, Error> {
    let folder = folder.join("transfer");
    let mut all = databases.large()?;
    for database in &all {
        import::add_sink(database)?;
    }
    all.extend(databases.large_on_mariadb());
    let mut goals = Goals::new();
    for database in &all {
        let folder = folder.join(database.name);
        std::fs::create_dir_all(&folder)?;
        let transfers = Transfers {
            service: Service::start(&folder, std::slice::from_ref(database))?,
            database,
            folder: &folder,
            rows: databases.rows(),
        };
        export::measure(&transfers, &mut goals)?;
        import::measure(&transfers, &mut goals)?;
    }
    Ok(goals.table())
}

/// A service with one database, and commands that call it.
struct Transfers<'d> {
    service: Service,
    database: &'d Database,
    /// Where files are written.
    folder: &'d Path,
    /// The number of orders.
    rows: u32,
}

/// What a transfer took.
#[derive(Clone, Copy, Debug)]
struct Cost {
    rows: u64,
    time: Duration,
    /// CPU time of the service.
    service: Duration,
    /// CPU time of the program that was called.
    program: Duration,
}

impl Cost {
    fn seconds(&self) -> f64 {
        self.time.as_secs_f64()
    }

    /// CPU time of the service and the program together.
    fn cpu_seconds(&self) -> f64 {
        (self.service + self.program).as_secs_f64()
    }

    /// The time of a row.
    fn row_microseconds(&self) -> f64 {
        self.seconds() * 1e6 / self.rows as f64
    }
}

/// What `svc records` writes.
#[derive(Deserialize)]
struct Done {
    records: u64,
    #[serde(default)]
    refused: u64,
}

impl Transfers<'_> {
    /// The path of a file in the folder.
    fn file(&self, name: &str) -> Result<String, Error> {
        let file: PathBuf = self.folder.join(name);
        let file = file.into_os_string().into_string();
        file.map_err(|file| format!("{} is not UTF-8", file.display()).into())
    }

    /// Runs `svc records` with these arguments.
    fn run(&self, arguments: &[&str]) -> Result<Cost, Error> {
        let mut command = self.service.records(self.database, arguments)?;
        command.stdout(Stdio::piped());
        let before = self.service.usage()?.cpu;
        let (output, mut cost) = timed(&mut command)?;
        cost.service = self.service.usage()?.cpu - before;
        let done: Done = serde_json::from_slice(&output)?;
        if done.refused > 0 {
            return Err(format!("{} of {} rows were refused", done.refused, done.records).into());
        }
        cost.rows = done.records;
        Ok(cost)
    }
}

/// Runs a program, and returns its output.
fn timed(command: &mut Command) -> Result<(Vec<u8>, Cost), Error> {
    let before = usage::of_ended_programs()?;
    let started = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()?
        .wait_with_output()?;
    let time = started.elapsed();
    if !output.status.success() {
        let name = command.get_program().display();
        return Err(format!("{name} failed: {}", output.status).into());
    }
    let cost = Cost {
        rows: 0,
        time,
        service: Duration::ZERO,
        program: usage::of_ended_programs()? - before,
    };
    Ok((output.stdout, cost))
}
