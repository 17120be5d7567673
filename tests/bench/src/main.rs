//! Benchmarks of the service, compared with two references over the same rows in
//! the same run: the floor (the driver without HTTP) and a bare hyper server that
//! answers with the same bytes. Run it with `cargo xtask bench`.

mod accounts;
mod administration;
mod attacks;
mod audit;
mod bare;
mod cases;
mod chosen;
mod client;
mod console;
mod databases;
mod dataset;
mod extensions;
mod floor;
mod footprint;
mod http2;
mod linear;
mod load;
mod models;
mod nodes;
mod pages;
mod peer;
mod proxy;
mod report;
mod requests;
mod service;
mod sizes;
mod transfer;
mod usage;

use std::alloc::System;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum as _, value_parser};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use crate::chosen::{Chosen, Name, Part};
use crate::databases::{Databases, Engine};
use crate::dataset::Database;
use crate::load::Load;
use crate::peer::Peer;

/// Counts allocations, for the cost of the client.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Speed of the service against the floor and a bare hyper server.
#[derive(Debug, Parser)]
#[command(
    bin_name = "cargo xtask bench",
    after_help = "Example:\n  cargo xtask bench --seconds 2 --case retrieve"
)]
struct Options {
    /// How long each measurement takes
    #[arg(long, default_value_t = 6, value_parser = value_parser!(u64).range(1..))]
    seconds: u64,
    /// Number of simultaneous requests
    #[arg(long, default_value_t = 16, value_parser = value_parser!(u16).range(1..))]
    connections: u16,
    /// Size of the table
    #[arg(long, default_value_t = 100_000, value_parser = value_parser!(u32).range(1..))]
    orders: u32,
    /// Size of the large table of `console`, `sizes` and `transfer`; a fifth as many are imported
    #[arg(long, default_value_t = 5_000_000, value_parser = value_parser!(u32).range(1_000..))]
    rows: u32,
    /// Only this case; can be given several times. `accounts` are those about signing in,
    /// `administration` a long page of the audit trail and reads beside writes of the administration, `audit` creates with the
    /// audit trail beside those without, `client` the Rust client's calls, `console` places of the console beside what they
    /// ask of the service, `extensions` related records, upserts and quick
    /// counts beside the calls without them, `footprint` memory and the size of the
    /// program, `http2` streams of HTTP/2 beside HTTP/1, `models` a database of 2 000 tables, `nodes` several
    /// services over one store, `pages` the list of many
    /// long pages, `proxy` those about the HTTP proxy, `sizes` requests to a large table beside a small one, `transfer`
    /// exports and imports, `linear` whether calls cost in proportion to what they send, `attacks` how others fare while
    /// the service is attacked; without this option all but the last two
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<Name>,
    /// Only this attack, on each engine that it is for
    #[arg(long, value_name = "NAME")]
    attack: Option<String>,
    /// Only this engine; can be given several times. Only `transfer` has figures of MariaDB
    #[arg(long = "engine", value_name = "NAME")]
    engines: Vec<Engine>,
    #[command(flatten)]
    peer: Peer,
    #[command(subcommand)]
    helper: Option<Helper>,
}

/// Helpers that this program starts itself, each in a separate process.
#[derive(Clone, Debug, Subcommand)]
enum Helper {
    /// The bare server.
    #[command(name = bare::COMMAND, hide = true)]
    Bare { body: PathBuf },
    /// A client that calls for a time.
    #[command(name = client::COMMAND, hide = true)]
    Call {
        caller: client::Caller,
        base_url: String,
        milliseconds: u64,
    },
    /// An attack on the service.
    #[command(name = attacks::COMMAND, hide = true)]
    Attack {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match &options.helper {
        Some(Helper::Bare { body }) => bare::serve(body),
        Some(Helper::Call {
            caller,
            base_url,
            milliseconds,
        }) => client::call(*caller, base_url, *milliseconds),
        Some(Helper::Attack { arguments }) => attacks::run(arguments),
        None => run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Error> {
    if let Some(file) = &options.peer.export_dataset {
        return dataset::make(file, options.orders);
    }
    let folder = tempfile::tempdir()?;
    if options.peer.is_given() {
        print!("{}", beside_a_peer(folder.path(), options)?);
        return Ok(());
    }
    let chosen = match options.attack {
        Some(_) => Chosen::of(&[Name::Part(Part::Attacks)]),
        None => Chosen::of(&options.cases),
    };
    let (orders, rows) = (options.orders, options.rows);
    let mut databases = Databases::new(folder.path(), &options.engines, orders, rows);
    for part in &chosen.parts {
        let text = measure(*part, folder.path(), &mut databases, &chosen, options)?;
        println!("{text}");
    }
    Ok(())
}

/// Runs the measurements of a part, and returns what they gave.
fn measure(
    part: Part,
    folder: &Path,
    databases: &mut Databases,
    chosen: &Chosen,
    options: &Options,
) -> Result<String, Error> {
    let load = load(options);
    if let Some(name) = part.to_possible_value() {
        eprintln!("{}", name.get_name());
    }
    Ok(match part {
        Part::Client => report::list(&[client::measure(folder, load.measured)?]),
        Part::Proxy => report::list(&proxy::measure(folder, &load)?),
        Part::Models => models::measure(folder, databases)?,
        Part::Linear => {
            let mut tables = String::new();
            for database in &databases.small()? {
                let table = linear::measure(folder, database)?;
                tables += &format!("{}:\n\n{table}\n", database.name);
            }
            tables
        }
        Part::Http2 => http2::measure(folder, &databases.small()?, &load)?,
        Part::Footprint => footprint::measure(folder, databases)?,
        Part::Requests => requests::measure(folder, &databases.small()?, &chosen.cases, &load)?,
        Part::Accounts => match databases.small()?.first() {
            Some(database) => report::list(&accounts::measure(folder, database, &load)?),
            None => String::new(),
        },
        Part::Pages => match databases.small()?.first() {
            Some(database) => report::list(&pages::measure(folder, database, &load)?),
            None => String::new(),
        },
        Part::Administration => match databases.small()?.first() {
            Some(database) => report::list(&administration::measure(folder, database, &load)?),
            None => String::new(),
        },
        Part::Nodes => nodes::measure(&load)?,
        Part::Audit => audit::measure(folder, databases, &load)?,
        Part::Extensions => extensions::measure(folder, databases, &load)?,
        Part::Sizes => sizes::measure(folder, databases, &load)?,
        Part::Console => console::measure(folder, databases, &load)?,
        Part::Transfer => transfer::measure(folder, databases)?,
        Part::Attacks => {
            attacks::measure(folder, load.measured, options.attack.as_deref())?;
            String::new()
        }
    })
}

/// The cases of the dataset beside another server.
fn beside_a_peer(folder: &Path, options: &Options) -> Result<String, Error> {
    let file = folder.join("bench.db");
    dataset::make(&file, options.orders)?;
    let database = Database::in_file("sqlite", &file);
    options.peer.measure(folder, &database, &load(options))
}

fn load(options: &Options) -> Load {
    Load {
        connections: options.connections.into(),
        warm_up: Duration::from_secs(1),
        measured: Duration::from_secs(options.seconds),
        orders: options.orders,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_options_are_well_formed() {
        Options::command().debug_assert();
    }

    #[test]
    fn an_unknown_case_is_refused_with_the_known_ones() {
        let error = Options::try_parse_from(["bench", "--case", "lst"]).unwrap_err();
        assert!(error.to_string().contains("retrieve"), "{error}");
    }

    #[test]
    fn a_measurement_time_of_zero_is_refused() {
        assert!(Options::try_parse_from(["bench", "--seconds", "0"]).is_err());
    }
}
