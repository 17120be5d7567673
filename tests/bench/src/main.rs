//! Benchmarks of the service, compared with two references over the same rows in
//! the same run: the floor (the driver without HTTP) and a bare hyper server that
//! answers with the same bytes. Run it with `cargo xtask bench`.

mod accounts;
mod attacks;
mod bare;
mod cases;
mod client;
mod dataset;
mod floor;
mod http2;
mod linear;
mod load;
mod models;
mod pages;
mod peer;
mod proxy;
mod report;
mod service;
mod usage;

use std::alloc::System;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum, value_parser};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use svc_tests::servers::{PostgresServer, Server as _};

use crate::cases::{CASES, Case, What};
use crate::dataset::Database;
use crate::load::Load;
use crate::models::Place;
use crate::peer::Peer;
use crate::report::Row;
use crate::service::Service;

/// The number of records in the longest list, and the length of a note of a wide record.
const WIDE_ORDERS: u32 = 10_000;
const WIDE_NOTE: u32 = 32 << 10;
/// The number of pages at each end of a walk that are compared.
const SAMPLE: usize = 100;

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
    /// Only this case; can be given several times. `accounts` are those about signing in, `client` the Rust client's
    /// calls, `http2` streams of HTTP/2 beside HTTP/1, `models` a database of 2 000 tables, `pages` the list of many long pages, `proxy` those about the HTTP proxy, `linear` whether calls cost in proportion to what they send,
    /// `attacks` how others fare while the service is attacked; without this option all but the last two
    #[arg(long = "case", value_name = "NAME", value_parser = cases_of)]
    cases: Vec<Cases>,
    /// Only this attack, on each engine that it is for
    #[arg(long, value_name = "NAME")]
    attack: Option<String>,
    /// Only this engine; can be given twice
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

#[derive(Clone, Copy, Debug)]
enum Cases {
    One(&'static Case),
    /// The cost of signing in.
    Accounts,
    /// The cost of the Rust client.
    Client,
    /// Streams of HTTP/2 beside connections of HTTP/1.
    Http2,
    /// A database of many tables.
    Models,
    /// The cost of the HTTP proxy.
    Proxy,
    /// Long lists of pages.
    Pages,
    /// Calls of increasing size.
    Linear,
    /// Attacks on the service, without other measurements.
    Attacks,
}

fn cases_of(name: &str) -> Result<Cases, String> {
    Ok(match name {
        "accounts" => Cases::Accounts,
        "client" => Cases::Client,
        "http2" => Cases::Http2,
        "models" => Cases::Models,
        "proxy" => Cases::Proxy,
        "pages" => Cases::Pages,
        "linear" => Cases::Linear,
        "attacks" => Cases::Attacks,
        name => Cases::One(case(name)?),
    })
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    Sqlite,
    Postgres,
}

fn case(name: &str) -> Result<&'static Case, String> {
    CASES.iter().find(|case| case.name == name).ok_or_else(|| {
        let names: Vec<_> = CASES.iter().map(|case| case.name).collect();
        format!("there are {}", names.join(", "))
    })
}

fn run(options: &Options) -> Result<(), Error> {
    if let Some(file) = &options.peer.export_dataset {
        return dataset::make(file, options.orders);
    }
    let folder = tempfile::tempdir()?;
    if options.peer.is_given() {
        let file = folder.path().join("bench.db");
        dataset::make(&file, options.orders)?;
        let database = Database {
            name: "sqlite",
            url: format!("sqlite:{}", file.display()),
        };
        let table = options
            .peer
            .measure(folder.path(), &database, &load(options))?;
        print!("{table}");
        return Ok(());
    }
    let said = |wanted: fn(&Cases) -> bool| options.cases.iter().any(wanted);
    let all = options.cases.is_empty();
    if options.attack.is_some() || said(|case| matches!(case, Cases::Attacks)) {
        let time = Duration::from_secs(options.seconds);
        return attacks::measure(folder.path(), time, options.attack.as_deref());
    }
    let accounts = all || said(|case| matches!(case, Cases::Accounts));
    let pages = all || said(|case| matches!(case, Cases::Pages));
    let cases: Vec<&'static Case> = match all {
        true => CASES.iter().collect(),
        false => {
            let one = |case: &Cases| match case {
                Cases::One(case) => Some(*case),
                _ => None,
            };
            options.cases.iter().filter_map(one).collect()
        }
    };
    let only_others = cases.is_empty() && !accounts && !pages;
    if all || said(|case| matches!(case, Cases::Client)) {
        eprintln!("client");
        let time = Duration::from_secs(options.seconds);
        println!("- {}", client::measure(folder.path(), time)?);
        if only_others && !said(|case| matches!(case, Cases::Proxy | Cases::Linear)) {
            return Ok(());
        }
    }
    if all || said(|case| matches!(case, Cases::Proxy)) {
        eprintln!("proxy");
        for remark in proxy::measure(folder.path(), &load(options))? {
            println!("- {remark}");
        }
        if only_others && !said(|case| matches!(case, Cases::Linear)) {
            return Ok(());
        }
    }
    let engines = match options.engines.as_slice() {
        [] => &[Engine::Sqlite, Engine::Postgres],
        engines => engines,
    };
    if all || said(|case| matches!(case, Cases::Models)) {
        println!("{}", many_models(folder.path(), engines)?);
        if only_others && !said(|case| matches!(case, Cases::Http2 | Cases::Linear)) {
            return Ok(());
        }
    }
    let file = folder.path().join("bench.db");
    eprintln!("making {} orders", options.orders);
    dataset::make(&file, options.orders)?;
    let wide = folder.path().join("wide.db");
    dataset::make_wide(&wide, WIDE_ORDERS, WIDE_NOTE)?;
    let of = |name, file: &Path| Database {
        name,
        url: format!("sqlite:{}", file.display()),
    };
    // The server must live as long as the measurements on it.
    let server = engines
        .contains(&Engine::Postgres)
        .then(PostgresServer::start_durable);
    let mut measured = Vec::new();
    let mut listed = Vec::new();
    if engines.contains(&Engine::Sqlite) {
        measured.push(of("sqlite", &file));
        listed.extend([of("sqlite", &file), of("sqlite-wide", &wide)]);
    }
    if let Some(server) = &server {
        eprintln!("copying them to PostgreSQL");
        let copy = |name, file: &Path| -> Result<Database, Error> {
            let url = server.database(dataset::POSTGRES_TABLES);
            dataset::copy_to_postgres(file, &url)?;
            Ok(Database { name, url })
        };
        let postgres = copy("postgres", &file)?;
        listed.extend([postgres.clone(), copy("postgres-wide", &wide)?]);
        measured.push(postgres);
    }

    if said(|case| matches!(case, Cases::Linear)) {
        for database in &measured {
            println!(
                "{}:\n\n{}",
                database.name,
                linear::measure(folder.path(), database)?
            );
        }
        if only_others && !said(|case| matches!(case, Cases::Http2)) {
            return Ok(());
        }
    }
    if all || said(|case| matches!(case, Cases::Http2)) {
        let tables = http2::measure(folder.path(), &measured, &load(options))?;
        println!("{tables}");
        if only_others {
            return Ok(());
        }
    }
    let service = Service::start(folder.path(), &measured)?;
    let idle = service.usage()?;
    let mut rows = Vec::new();
    let mut remarks = Vec::new();
    for database in &measured {
        for case in &cases {
            rows.push(measure(folder.path(), &service, database, case, options)?);
            match case.what {
                What::Walk => remarks.push(depth(&service, database, case, options)?),
                What::Create if database.name == "sqlite" => {
                    remarks.push(gathered(&service, database, &file, case)?);
                }
                _ => {}
            }
        }
    }
    if !rows.is_empty() {
        print!("{}", report::table(&rows));
    }
    println!(
        "\n{} requests at once, {} s for each figure.\n",
        options.connections, options.seconds
    );
    for remark in remarks {
        println!("- {remark}");
    }
    println!(
        "- Memory of the service: {} idle, {} at its peak under all of this.",
        report::mebibytes(idle.resident),
        report::mebibytes(service.usage()?.peak_resident),
    );
    drop(service);
    if let Some(database) = measured.first().filter(|_| accounts) {
        eprintln!("accounts");
        for remark in accounts::measure(folder.path(), database, &load(options))? {
            println!("- {remark}");
        }
    }
    if let Some(database) = measured.first().filter(|_| pages) {
        eprintln!("pages");
        for remark in pages::measure(folder.path(), database, &load(options))? {
            println!("- {remark}");
        }
    }
    for database in &listed {
        println!("- {}", memory_of_a_long_list(folder.path(), database)?);
    }
    Ok(())
}

/// The tables about a database of many models, one for each engine.
fn many_models(folder: &Path, engines: &[Engine]) -> Result<String, Error> {
    let mut tables = String::new();
    for engine in engines {
        eprintln!("models");
        // The server must live as long as the measurements on it.
        let server = (*engine == Engine::Postgres).then(PostgresServer::start_durable);
        let place = match &server {
            Some(server) => Place::Postgres(server),
            None => Place::Sqlite(folder.join("models.db")),
        };
        tables += &models::measure(folder, &place)?;
    }
    Ok(tables)
}

fn load(options: &Options) -> Load {
    Load {
        connections: options.connections.into(),
        warm_up: Duration::from_secs(1),
        measured: Duration::from_secs(options.seconds),
        orders: options.orders,
    }
}

/// Measures the case on the service and on both references.
fn measure(
    folder: &Path,
    service: &Service,
    database: &Database,
    case: &'static Case,
    options: &Options,
) -> Result<Row, Error> {
    let load = load(options);
    let target = service.target(database, case);
    eprintln!("{} {}: service", database.name, case.name);
    let answer = load::once(&target)?;
    let ours = load.run(target, service.process())?;
    eprintln!("{} {}: bare hyper", database.name, case.name);
    let bare = bare::measure(folder, &answer, case, &load)?;
    eprintln!("{} {}: floor", database.name, case.name);
    let floor = floor::measure(database, case, &load)?;
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
    options: &Options,
) -> Result<String, Error> {
    let pages = (options.orders as usize / 25).max(2 * SAMPLE);
    let target = service.target(database, case);
    let latencies = load::in_sequence(&target, pages, options.orders)?;
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
fn gathered(
    service: &Service,
    database: &Database,
    file: &Path,
    case: &'static Case,
) -> Result<String, Error> {
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

/// The memory of a list of 10000 records above that of an idle service.
fn memory_of_a_long_list(folder: &Path, database: &Database) -> Result<String, Error> {
    let case = case("list-whole").map_err(|error| error.to_string())?;
    let folder = folder.join(format!("alone-{}", database.name));
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, std::slice::from_ref(database))?;
    let target = service.target(database, case);
    let idle = service.usage()?.resident;
    usage::forget_peak(service.process())?;
    let length = load::once(&target)?.len() as u64;
    let above = service.usage()?.peak_resident.saturating_sub(idle);
    Ok(format!(
        "{}: a list of 10000 records, {}, takes {} above idle.",
        database.name,
        report::mebibytes(length),
        report::mebibytes(above),
    ))
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
