//! How fast the service is, beside two references over the same rows in the
//! same run: the floor (through the driver, no HTTP) and a bare hyper server
//! that answers the same bytes. Run it with `cargo xtask bench`.

mod bare;
mod cases;
mod dataset;
mod floor;
mod load;
mod report;
mod service;
mod usage;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::cases::{CASES, Case};
use crate::load::Load;
use crate::report::Row;
use crate::service::Service;

type Error = Box<dyn std::error::Error + Send + Sync>;

const HELP: &str = "\
Speed of the service against the floor and a bare hyper server.

Usage: cargo xtask bench [OPTIONS]

Options:
  --seconds N       how long each measurement takes (default 6)
  --connections N   how many requests are under way at once (default 16)
  --orders N        size of the table (default 100000)
  --case NAME       only this case; can be given several times
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
    Run(Options),
}

#[derive(Debug)]
struct Options {
    seconds: u64,
    connections: usize,
    orders: u32,
    cases: Vec<&'static Case>,
}

fn arguments(mut parser: lexopt::Parser) -> Result<Arguments, lexopt::Error> {
    use lexopt::prelude::*;

    let mut options = Options {
        seconds: 6,
        connections: 16,
        orders: 100_000,
        cases: Vec::new(),
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Arguments::Help),
            Long("seconds") => options.seconds = parser.value()?.parse()?,
            Long("connections") => options.connections = parser.value()?.parse()?,
            Long("orders") => options.orders = parser.value()?.parse()?,
            Long("case") => options.cases.push(case(&parser.value()?.string()?)?),
            Value(word) if word == bare::COMMAND => {
                let body = parser.value()?.into();
                return Ok(Arguments::Bare { body });
            }
            other => return Err(other.unexpected()),
        }
    }
    if options.seconds == 0 || options.connections == 0 || options.orders == 0 {
        return Err("--seconds, --connections and --orders are at least 1".into());
    }
    if options.cases.is_empty() {
        options.cases = CASES.iter().collect();
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
    let database = folder.path().join("bench.db");
    eprintln!("making {} orders", options.orders);
    dataset::make(&database, options.orders)?;

    let service = Service::start(folder.path(), &database)?;
    let idle = service.usage()?;
    let mut rows = Vec::new();
    for case in &options.cases {
        eprintln!("{}: service", case.name);
        let load = Load {
            connections: options.connections,
            warm_up: Duration::from_secs(1),
            measured: Duration::from_secs(options.seconds),
            orders: options.orders,
        };
        let answer = service.answer(case)?;
        let ours = load.run(service.target(case), service.process())?;
        eprintln!("{}: bare hyper", case.name);
        let bare = bare::measure(folder.path(), &answer, case, &load)?;
        eprintln!("{}: floor", case.name);
        let floor = floor::measure(&database, case, &load)?;
        rows.push(Row {
            case: case.name,
            service: ours,
            bare,
            floor,
        });
    }
    print!("{}", report::table(&rows));
    println!(
        "\nMemory of the service: {} idle, {} at its peak. {} requests at once, {} s for each figure.",
        report::mebibytes(idle.resident),
        report::mebibytes(service.usage()?.peak_resident),
        options.connections,
        options.seconds,
    );
    Ok(())
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
