//! The repository's own commands, so that nothing but cargo has to be
//! installed: `cargo xtask ci`, `cargo xtask test`, `cargo xtask bench`,
//! `cargo xtask fuzz`, `cargo xtask js`.

mod bench;
mod ci;
mod fuzz;
mod js;
mod shell;
mod test;
mod wasm32;

use std::process::ExitCode;
use std::time::Duration;

use crate::shell::{Failure, Repository};

const HELP: &str = "\
The repository's own commands.

Usage: cargo xtask <COMMAND>

Commands:
  ci [STEP]...     every check a change has to pass, then `test`; or the named steps alone
  ci --list        the names of the steps
  test [STEP]...   what the README promises: the program, its examples, every test
  bench [OPTIONS]  speed against the floor and a bare server; `bench --help` for its options
  fuzz [TARGET]... what a stranger may send, made up by cargo-fuzz: every target of fuzz/, or the named
                    ones, each for --minutes 1 or --seconds NUMBER
  js [OPTIONS]     the npm package of the JavaScript client in dist/svc-js; `--sizes` says where
                    its bytes go, `--bench` how fast it is beside fetch and a bare module
  js --serve       the client's example page with that package, on --listen 127.0.0.1:8081
  help             this text

Example:
  cargo xtask ci fmt clippy
";

fn main() -> ExitCode {
    let outcome = match arguments(lexopt::Parser::from_env()) {
        Ok(arguments) => run(arguments),
        Err(error) => Err(Failure::new(format!("{error}; see `cargo xtask help`"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, PartialEq)]
enum Arguments {
    Help,
    ListSteps,
    Ci {
        steps: Vec<String>,
    },
    Test {
        steps: Vec<String>,
    },
    Bench {
        passed_on: Vec<String>,
    },
    Fuzz {
        targets: Vec<String>,
        each: Duration,
    },
    Js {
        sizes: bool,
        bench: bool,
    },
    ServeExample {
        listen: String,
    },
}

fn arguments(mut parser: lexopt::Parser) -> Result<Arguments, lexopt::Error> {
    use lexopt::prelude::*;

    let command = match parser.next()? {
        Some(Value(command)) => command.string()?,
        Some(Short('h') | Long("help")) | None => return Ok(Arguments::Help),
        Some(other) => return Err(other.unexpected()),
    };
    match command.as_str() {
        "help" => Ok(Arguments::Help),
        "ci" | "test" => {
            let mut steps = Vec::new();
            while let Some(argument) = parser.next()? {
                match argument {
                    Long("list") if command == "ci" => return Ok(Arguments::ListSteps),
                    Short('h') | Long("help") => return Ok(Arguments::Help),
                    Value(step) => steps.push(step.string()?),
                    other => return Err(other.unexpected()),
                }
            }
            Ok(match command.as_str() {
                "ci" => Arguments::Ci { steps },
                _ => Arguments::Test { steps },
            })
        }
        "bench" => {
            let passed_on = parser
                .raw_args()?
                .map(|argument| argument.string())
                .collect::<Result<_, _>>()?;
            Ok(Arguments::Bench { passed_on })
        }
        "fuzz" => {
            let (mut targets, mut each) = (Vec::new(), fuzz::BY_DEFAULT);
            while let Some(argument) = parser.next()? {
                match argument {
                    Long("minutes") => {
                        each = Duration::from_secs(60 * parser.value()?.parse::<u64>()?);
                    }
                    Long("seconds") => each = Duration::from_secs(parser.value()?.parse()?),
                    Short('h') | Long("help") => return Ok(Arguments::Help),
                    Value(target) => targets.push(target.string()?),
                    other => return Err(other.unexpected()),
                }
            }
            Ok(Arguments::Fuzz { targets, each })
        }
        "js" => {
            let (mut sizes, mut bench, mut serve, mut listen) = (false, false, false, None);
            while let Some(argument) = parser.next()? {
                match argument {
                    Long("sizes") => sizes = true,
                    Long("bench") => bench = true,
                    Long("serve") => serve = true,
                    Long("listen") => listen = Some(parser.value()?.string()?),
                    Short('h') | Long("help") => return Ok(Arguments::Help),
                    other => return Err(other.unexpected()),
                }
            }
            match (serve, listen) {
                (false, None) => Ok(Arguments::Js { sizes, bench }),
                (true, _) if sizes || bench => {
                    Err("--sizes and --bench belong to a build, --serve makes none".into())
                }
                (true, listen) => Ok(Arguments::ServeExample {
                    listen: listen.unwrap_or_else(|| js::serve::ADDRESS.to_owned()),
                }),
                (false, Some(_)) => Err("--listen is of use with --serve alone".into()),
            }
        }
        unknown => Err(format!("there is no command `{unknown}`").into()),
    }
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    match arguments {
        Arguments::Help => print!("{HELP}"),
        Arguments::ListSteps => print!("{}", ci::list()),
        Arguments::Ci { steps } => ci::run(&Repository::find()?, &steps)?,
        Arguments::Test { steps } => test::run(&Repository::find()?, &steps)?,
        Arguments::Bench { passed_on } => bench::run(&Repository::find()?, &passed_on)?,
        Arguments::Fuzz { targets, each } => fuzz::run(&Repository::find()?, &targets, each)?,
        Arguments::Js { sizes, bench } => {
            let repository = Repository::find()?;
            if sizes || !bench {
                js::run(&repository, sizes)?;
            }
            if bench {
                test::run_js_benchmark(&repository)?;
            }
        }
        Arguments::ServeExample { listen } => js::serve::run(&Repository::find()?, &listen)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Result<Arguments, String> {
        arguments(lexopt::Parser::from_args(line)).map_err(|error| error.to_string())
    }

    #[test]
    fn no_command_is_a_question_for_help() {
        assert_eq!(parse(&[]), Ok(Arguments::Help));
        assert_eq!(parse(&["ci", "--help"]), Ok(Arguments::Help));
    }

    #[test]
    fn steps_of_ci_are_taken_in_the_order_given() {
        let steps = vec!["fmt".to_owned(), "layers".to_owned()];
        assert_eq!(parse(&["ci", "fmt", "layers"]), Ok(Arguments::Ci { steps }));
    }

    #[test]
    fn options_of_bench_are_handed_on_untouched() {
        let passed_on = vec!["--seconds".to_owned(), "3".to_owned()];
        assert_eq!(
            parse(&["bench", "--seconds", "3"]),
            Ok(Arguments::Bench { passed_on })
        );
    }

    #[test]
    fn fuzz_takes_targets_and_how_long_each_runs() {
        let fuzz = |targets: &[&str], seconds| Arguments::Fuzz {
            targets: targets.iter().map(|&target| target.to_owned()).collect(),
            each: Duration::from_secs(seconds),
        };
        assert_eq!(parse(&["fuzz"]), Ok(fuzz(&[], 60)));
        assert_eq!(
            parse(&["fuzz", "heads", "--minutes", "2"]),
            Ok(fuzz(&["heads"], 120))
        );
        assert_eq!(parse(&["fuzz", "--seconds", "20"]), Ok(fuzz(&[], 20)));
        assert!(parse(&["fuzz", "--minutes", "soon"]).is_err());
    }

    #[test]
    fn js_says_how_large_and_how_fast_it_is_when_it_is_asked() {
        let js = |sizes, bench| Ok(Arguments::Js { sizes, bench });
        assert_eq!(parse(&["js"]), js(false, false));
        assert_eq!(parse(&["js", "--sizes"]), js(true, false));
        assert_eq!(parse(&["js", "--bench"]), js(false, true));
    }

    #[test]
    fn js_serves_the_example_where_it_is_told_to() {
        let served = |listen: &str| {
            let listen = listen.to_owned();
            Ok(Arguments::ServeExample { listen })
        };
        assert_eq!(parse(&["js", "--serve"]), served("127.0.0.1:8081"));
        let elsewhere = ["js", "--serve", "--listen", "127.0.0.1:0"];
        assert_eq!(parse(&elsewhere), served("127.0.0.1:0"));
        assert!(parse(&["js", "--listen", "127.0.0.1:0"]).is_err());
        assert!(parse(&["js", "--serve", "--sizes"]).is_err());
    }

    #[test]
    fn a_mistyped_command_is_an_error() {
        let message = parse(&["tset"]).unwrap_err();
        assert!(message.contains("`tset`"), "{message}");
        assert!(parse(&["test", "--fast"]).is_err());
    }
}
