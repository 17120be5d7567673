//! The repository's own commands, so that nothing but cargo has to be
//! installed: `cargo xtask ci`, `cargo xtask test`, `cargo xtask bench`,
//! `cargo xtask fuzz`, `cargo xtask dist`, `cargo xtask js`.

mod bench;
mod ci;
mod dist;
mod fuzz;
mod js;
mod shell;
mod targets;
mod test;
mod tools;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::shell::{Failure, Repository};

/// The repository's own commands.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Runs all checks for a change, then `test`; or only the named steps
    Ci {
        steps: Vec<String>,
        /// Also runs checks whose tools take minutes to compile: advisories, changes of public items, the book
        #[arg(long, conflicts_with = "steps")]
        all: bool,
        /// Lists the names of the steps
        #[arg(long)]
        list: bool,
    },
    /// Runs all tests: of the program, its examples, and all crates; or only the named steps
    Test { steps: Vec<String> },
    /// Measures the speed against the floor and a bare server; `bench --help` for its options
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
    /// Runs every target of fuzz/ with cargo-fuzz, or the named ones
    Fuzz {
        targets: Vec<String>,
        /// How long each target runs; 1 without this and --seconds
        #[arg(long)]
        minutes: Option<u64>,
        #[arg(long, conflicts_with = "minutes")]
        seconds: Option<u64>,
    },
    /// Packs the program for a release in dist/, with its checksum
    Dist,
    /// Builds the npm package of the JavaScript client in dist/svc-js
    Js {
        /// Print a breakdown of its size
        #[arg(long)]
        sizes: bool,
        /// Compare its speed with fetch and a bare module
        #[arg(long)]
        bench: bool,
        /// Serve the client's example page with that package
        #[arg(long, conflicts_with_all = ["sizes", "bench"])]
        serve: bool,
        /// The address of the example page
        #[arg(long, requires = "serve", default_value = js::serve::ADDRESS)]
        listen: String,
    },
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    if let Command::Ci { list: true, .. } = command {
        print!("{}", ci::list());
        return Ok(());
    }
    let repository = Repository::find()?;
    match command {
        Command::Ci { steps, all, .. } => ci::run(&repository, &steps, all),
        Command::Test { steps } => test::run(&repository, &steps),
        Command::Dist => dist::run(&repository),
        Command::Bench { options } => bench::run(&repository, &options),
        Command::Fuzz {
            targets,
            minutes,
            seconds,
        } => {
            let seconds = seconds.or(minutes.map(|minutes| 60 * minutes));
            let each = seconds.map_or(fuzz::BY_DEFAULT, Duration::from_secs);
            fuzz::run(&repository, &targets, each)
        }
        Command::Js {
            serve: true,
            listen,
            ..
        } => js::serve::run(&repository, &listen),
        Command::Js { sizes, bench, .. } => {
            if sizes || !bench {
                js::run(&repository, sizes)?;
            }
            match bench {
                true => test::run_js_benchmark(&repository),
                false => Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Command::command().debug_assert();
    }

    #[test]
    fn options_of_bench_are_passed_on_unchanged() {
        let line = ["cargo xtask", "bench", "--seconds", "3", "--help"];
        let Ok(Command::Bench { options }) = Command::try_parse_from(line) else {
            panic!("bench is a command");
        };
        assert_eq!(options, ["--seconds", "3", "--help"]);
    }
}
