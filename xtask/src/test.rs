//! `cargo xtask test`: all tests. The program and the
//! client's examples are built, the README's session runs against the demo,
//! then come the documentation's examples, the JavaScript client, the console in
//! a browser, the fuzz targets, and every other test.

mod console;
mod demo;
mod fetch;
mod js;
mod js_book;
mod readme;
mod upgrade;

use std::collections::BTreeSet;

use cargo_metadata::Package;

use self::demo::Demo;
pub use self::js::run_benchmark as run_js_benchmark;
use crate::fuzz;
use crate::shell::{Failure, Repository, Run, Step};

/// The seed of property tests, so that the same commit has the same result. `cargo test` alone uses a random seed.
const PROPERTIES_SEED: &str = "1";

/// Features with unit tests that nothing else switches on.
const TESTED: &str = "svc-server/otlp";

/// Black-box tests of what a request meets before or behind the store: connections, HTTP, and the databases of records.
const WITHOUT_STORE: &[&str] = &[
    "aggregate::",
    "answers::",
    "compression::",
    "connections::",
    "engines::",
    "galera::",
    "tls::",
];

const STEPS: &[Step] = &[
    Step {
        name: "program",
        about: "the program `svc` builds",
        run: build_program,
    },
    Step {
        name: "examples",
        about: "the client's examples build; the black-box tests run them",
        run: build_examples,
    },
    Step {
        name: "readme",
        about: "the README's session works against the demo",
        run: |repository| readme::run_session(repository, &Demo::start(repository)?),
    },
    Step {
        name: "doctests",
        about: "the documentation's examples",
        run: |repository| {
            repository
                .cargo(["test", "--workspace", "--doc", "--no-fail-fast"])
                .args(["--features", &every_feature(repository)])
                .run()
        },
    },
    Step {
        name: "js",
        about: "the JavaScript client's package, in Node against the service",
        run: js::run_tests,
    },
    Step {
        name: "js-types",
        about: "its types, with every export used",
        run: js::check_types,
    },
    Step {
        name: "js-browser",
        about: "the same package in a browser",
        run: js::run_browser_tests,
    },
    Step {
        name: "fetch-browser",
        about: "the client's example over fetch, through the conformance kit in a browser",
        run: fetch::run_in_browser,
    },
    Step {
        name: "console-browser",
        about: "the console in a browser: tasks, accessibility, budgets and screenshots",
        run: console::run_in_browser,
    },
    Step {
        name: "js-book",
        about: "the examples of its chapter in the book",
        run: js_book::run_examples,
    },
    Step {
        name: "fuzz",
        about: "what a stranger may send, made up: each fuzz target for a short time",
        run: fuzz::run_in_tests,
    },
    Step {
        name: "cluster-upgrade",
        about: "nodes of an earlier version and of this one, side by side under load",
        run: upgrade::run,
    },
    Step {
        name: "store-on-postgresql",
        about: "the black-box tests that a store has a part in, with stores in PostgreSQL databases",
        run: |repository| {
            let skips = WITHOUT_STORE.iter().flat_map(|group| ["--skip", group]);
            black_box(repository, &skips.collect::<Vec<_>>())
                .env("TESTED_STORE", "postgres")
                .env("RUST_TEST_THREADS", threads()?.to_string())
                .run()
        },
    },
    Step {
        name: "tests",
        about: "unit, integration and black-box tests",
        run: |repository| {
            repository
                .cargo(["test", "--workspace", "--all-targets", "--no-fail-fast"])
                .args(["--features", &every_feature(repository)])
                .env(
                    "TESTED_PROGRAM",
                    repository.program("debug").display().to_string(),
                )
                .env("PROPTEST_RNG_SEED", PROPERTIES_SEED)
                .env("RUST_TEST_THREADS", threads()?.to_string())
                .run()
        },
    },
];

/// Steps that run only by name.
const BY_NAME: &[Step] = &[Step {
    name: "cluster-patroni",
    about: "services over a PostgreSQL that Patroni and etcd keep available, when its leader dies or changes",
    run: |repository| {
        build_program(repository)?;
        black_box(repository, &["patroni::", "--ignored", "--nocapture"]).run()
    },
}];

/// Runs the named steps; without names all of them but those that run only by name, the tests last.
pub fn run(repository: &Repository, names: &[String]) -> Result<(), Failure> {
    let steps = match names {
        [] => STEPS.iter().collect(),
        names => Step::named(&[STEPS, BY_NAME], names)?,
    };
    let Some((last, before)) = steps.split_last() else {
        return Ok(());
    };
    for step in before {
        step.timed(repository, &by_hand(step))?;
    }
    // Prints nothing afterwards, so that the output ends with cargo's summary of
    // the tests.
    last.announced(repository, &by_hand(last))
}

fn by_hand(step: &Step) -> String {
    format!("cargo xtask test {}", step.name)
}

/// Three times as many tests at once as there are cores, since black-box tests mostly wait for the program.
fn threads() -> Result<usize, Failure> {
    Ok(3 * std::thread::available_parallelism()?.get())
}

/// Runs black-box tests with these arguments. They are built with the features that all tests have, and so only once.
fn black_box(repository: &Repository, arguments: &[&str]) -> Run {
    repository
        .cargo([
            "test",
            "--workspace",
            "--test",
            "black_box",
            "--no-fail-fast",
        ])
        .args(["--features", &every_feature(repository), "--"])
        .args(arguments)
        .env(
            "TESTED_PROGRAM",
            repository.program("debug").display().to_string(),
        )
}

fn build_program(repository: &Repository) -> Result<(), Failure> {
    repository.cargo(["build", "--package", "svc-cli"]).run()
}

fn build_examples(repository: &Repository) -> Result<(), Failure> {
    let package = repository.package("svc-api")?;
    repository
        .cargo(["build", "--package", "svc-api", "--examples"])
        .args(["--features", &required_features(&[package])])
        .run()
}

/// The features that any target of the workspace requires, and those that are tested with it.
pub fn every_feature(repository: &Repository) -> String {
    format!("{},{TESTED}", required_features(&repository.packages()))
}

/// Features that targets require, as `crate/feature` separated by commas. Cargo
/// silently skips a target when its features are off, so they are switched on.
fn required_features(packages: &[&Package]) -> String {
    let features: BTreeSet<String> = packages
        .iter()
        .flat_map(|package| {
            package
                .targets
                .iter()
                .flat_map(|target| &target.required_features)
                .map(|feature| format!("{}/{feature}", package.name))
        })
        .collect();
    Vec::from_iter(features).join(",")
}
