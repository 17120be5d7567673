//! How fast the service is, beside two references over the same rows in the
//! same run: the floor (through the driver, no HTTP) and a bare hyper server
//! that answers the same bytes. Run it with `cargo xtask bench`.

mod accounts;
mod attacks;
mod bare;
mod cases;
mod dataset;
mod floor;
mod linear;
mod load;
mod pages;
mod proxy;
mod report;
mod service;
mod usage;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use svc_tests::servers::{PostgresServer, Server as _};

use crate::cases::{CASES, Case, What};
use crate::dataset::Database;
use crate::load::Load;
use crate::report::Row;
use crate::service::Service;

/// How many records the longest list gives, and how long a note of a wide one is.
const WIDE_ORDERS: u32 = 10_000;
const WIDE_NOTE: u32 = 32 << 10;
/// How many pages at either end of a walk are compared.
const SAMPLE: usize = 100;

type Error = Box<dyn std::error::Error + Send + Sync>;

const HELP: &str = "\
Speed of the service against the floor and a bare hyper server.

Usage: cargo xtask bench [OPTIONS]

Options:
  --seconds N       how long each measurement takes (default 6)
  --connections N   how many requests are under way at once (default 16)
  --orders N        size of the table (default 100000)
  --case NAME       only this case; can be given several times; `accounts` are those about signing in,
                    `pages` the list of many long pages, `proxy` those about the HTTP proxy, `linear`
                    whether calls cost in proportion to what they send, `attacks` how others fare while
                    the service is attacked; without this option all but the last two
  --attack NAME     only this attack, on each engine that it is for
  --engine NAME     only this engine, sqlite or postgres; can be given twice
  --help            this text

Example:
  cargo xtask bench --seconds 2 --case retrieve
";

fn main() -> ExitCode {
    let outcome = arguments(lexopt::Parser::from_env())
        .map_err(Error::from)
        .and_then(|arguments| match arguments {
            Arguments::Help => {
                print!("{HELP}");
                Ok(())
            }
            Arguments::Bare { body } => bare::serve(&body),
            Arguments::Attack(arguments) => attacks::run(&arguments),
            Arguments::Run(options) => run(&options),
        });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug)]
enum Arguments {
    Help,
    /// The bare server, which this program starts itself in a process of its own.
    Bare {
        body: PathBuf,
    },
    /// An attack on the service, which this program starts itself in a process of its own too.
    Attack(Vec<String>),
    Run(Options),
}

#[derive(Debug)]
struct Options {
    seconds: u64,
    connections: usize,
    orders: u32,
    cases: Vec<&'static Case>,
    engines: Vec<Engine>,
    /// Whether what signing in costs is measured too.
    accounts: bool,
    /// Whether what the HTTP proxy costs is measured too.
    proxy: bool,
    /// Whether long lists of pages are measured too.
    pages: bool,
    /// Whether calls are measured with more and more to read.
    linear: bool,
    /// Whether the service is attacked, instead of all else.
    attacks: bool,
    /// The only attack.
    attack: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    fn parse(name: &str) -> Result<Self, lexopt::Error> {
        match name {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            _ => Err("--engine is sqlite or postgres".into()),
        }
    }
}

fn arguments(mut parser: lexopt::Parser) -> Result<Arguments, lexopt::Error> {
    use lexopt::prelude::*;

    let mut options = Options {
        seconds: 6,
        connections: 16,
        orders: 100_000,
        cases: Vec::new(),
        engines: Vec::new(),
        accounts: false,
        proxy: false,
        pages: false,
        linear: false,
        attacks: false,
        attack: None,
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Arguments::Help),
            Long("seconds") => options.seconds = parser.value()?.parse()?,
            Long("connections") => options.connections = parser.value()?.parse()?,
            Long("orders") => options.orders = parser.value()?.parse()?,
            Long("case") => match parser.value()?.string()?.as_str() {
                "accounts" => options.accounts = true,
                "proxy" => options.proxy = true,
                "pages" => options.pages = true,
                "linear" => options.linear = true,
                "attacks" => options.attacks = true,
                name => options.cases.push(case(name)?),
            },
            Long("attack") => {
                options.attack = Some(parser.value()?.string()?);
                options.attacks = true;
            }
            Long("engine") => options
                .engines
                .push(Engine::parse(&parser.value()?.string()?)?),
            Value(word) if word == bare::COMMAND => {
                let body = parser.value()?.into();
                return Ok(Arguments::Bare { body });
            }
            Value(word) if word == attacks::COMMAND => {
                let mut rest = Vec::new();
                for argument in parser.raw_args()? {
                    rest.push(argument.string()?);
                }
                return Ok(Arguments::Attack(rest));
            }
            other => return Err(other.unexpected()),
        }
    }
    if options.seconds == 0 || options.connections == 0 || options.orders == 0 {
        return Err("--seconds, --connections and --orders are at least 1".into());
    }
    if options.attacks {
        return Ok(Arguments::Run(options));
    }
    let is_said = options.accounts || options.pages || options.proxy || options.linear;
    if options.cases.is_empty() && !is_said {
        options.cases = CASES.iter().collect();
        options.accounts = true;
        options.pages = true;
        options.proxy = true;
    }
    if options.engines.is_empty() {
        options.engines = vec![Engine::Sqlite, Engine::Postgres];
    }
    Ok(Arguments::Run(options))
}

fn case(name: &str) -> Result<&'static Case, lexopt::Error> {
    CASES.iter().find(|case| case.name == name).ok_or_else(|| {
        let names: Vec<_> = CASES.iter().map(|case| case.name).collect();
        format!("there is no case `{name}`; there are {}", names.join(", ")).into()
    })
}

fn run(options: &Options) -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    if options.attacks {
        let time = Duration::from_secs(options.seconds);
        return attacks::measure(folder.path(), time, options.attack.as_deref());
    }
    if options.proxy {
        eprintln!("proxy");
        for remark in proxy::measure(folder.path(), &load(options))? {
            println!("- {remark}");
        }
        if options.cases.is_empty() && !options.accounts && !options.pages {
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
    // It lives as long as what is measured on it.
    let server = options
        .engines
        .contains(&Engine::Postgres)
        .then(PostgresServer::start_durable);
    let mut measured = Vec::new();
    let mut listed = Vec::new();
    if options.engines.contains(&Engine::Sqlite) {
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

    if options.linear {
        for database in &measured {
            println!(
                "{}:\n\n{}",
                database.name,
                linear::measure(folder.path(), database)?
            );
        }
        if options.cases.is_empty() && !options.accounts && !options.pages {
            return Ok(());
        }
    }
    let service = Service::start(folder.path(), &measured)?;
    let idle = service.usage()?;
    let mut rows = Vec::new();
    let mut remarks = Vec::new();
    for database in &measured {
        for case in &options.cases {
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
    if let Some(database) = measured.first().filter(|_| options.accounts) {
        eprintln!("accounts");
        for remark in accounts::measure(folder.path(), database, &load(options))? {
            println!("- {remark}");
        }
    }
    if let Some(database) = measured.first().filter(|_| options.pages) {
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

fn load(options: &Options) -> Load {
    Load {
        connections: options.connections,
        warm_up: Duration::from_secs(1),
        measured: Duration::from_secs(options.seconds),
        orders: options.orders,
    }
}

/// The case on the service and on both references.
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
    let floor = floor::measure(&database.url.parse()?, case, &load)?;
    Ok(Row {
        database: database.name,
        case: case.name,
        service: ours,
        bare,
        floor,
    })
}

/// What a page costs at the end of a long walk, beside one at its beginning.
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

/// Creates of many clients beside commits of one.
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

/// What a list of 10000 records takes beyond what an idle service has.
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
    use super::*;

    #[test]
    fn without_options_every_case_runs() {
        let parsed = arguments(lexopt::Parser::from_args::<[&str; 0]>([]));
        assert!(
            matches!(parsed, Ok(Arguments::Run(options)) if options.cases.len() == CASES.len())
        );
    }

    #[test]
    fn an_unknown_case_is_refused_with_the_known_ones() {
        let error = arguments(lexopt::Parser::from_args(["--case", "lst"])).unwrap_err();
        assert!(error.to_string().contains("retrieve"), "{error}");
    }

    #[test]
    fn nothing_can_be_measured_in_no_time() {
        assert!(arguments(lexopt::Parser::from_args(["--seconds", "0"])).is_err());
    }
}
