//! `cargo xtask test`: what the README promises. The program is built, the
//! README's session and the client's examples run against its demo, then come
//! the documentation's examples and every other test.

mod demo;
mod readme;

use cargo_metadata::Target;

use self::demo::Demo;
use crate::shell::{Failure, Repository, Step};

const STEPS: &[Step] = &[
    Step {
        name: "program",
        about: "the program `svc` builds",
        run: |repository| repository.cargo(["build", "--package", "svc-cli"]).run(),
    },
    Step {
        name: "readme",
        about: "the README's session works against the demo",
        run: |repository| readme::run_session(repository, &Demo::start(repository)?),
    },
    Step {
        name: "examples",
        about: "each example of svc-api runs against the demo",
        run: run_examples,
    },
    Step {
        name: "doctests",
        about: "the documentation's examples",
        run: |repository| {
            repository
                .cargo(["test", "--workspace", "--doc", "--no-fail-fast"])
                .run()
        },
    },
];

/// Comes last and says nothing of its own afterwards: who reads the end of the
/// output finds what cargo says about the tests.
const TESTS: Step = Step {
    name: "tests",
    about: "unit, integration and black-box tests",
    run: |repository| {
        let mut run = repository
            .cargo(["test", "--workspace", "--all-targets", "--no-fail-fast"])
            .env("SVC_BIN", repository.program("debug").display().to_string());
        let features = required_features(repository);
        if !features.is_empty() {
            run = run.args(["--features", &features.join(",")]);
        }
        run.run()
    },
};

pub fn run(repository: &Repository) -> Result<(), Failure> {
    for step in STEPS {
        step.timed(repository, BY_HAND)?;
    }
    TESTS.announced(repository, BY_HAND)
}

const BY_HAND: &str = "cargo xtask test";

fn run_examples(repository: &Repository) -> Result<(), Failure> {
    let demo = Demo::start(repository)?;
    let package = repository.package("svc-api")?;
    let examples: Vec<&Target> = package
        .targets
        .iter()
        .filter(|target| target.is_example())
        .collect();
    if examples.is_empty() {
        return Err(Failure::new("svc-api has no examples"));
    }
    for example in examples {
        let mut run = repository
            .cargo(["run", "--quiet", "--package", "svc-api", "--example"])
            .args([example.name.as_str()]);
        if !example.required_features.is_empty() {
            run = run.args(["--features", &example.required_features.join(",")]);
        }
        demo.environment(run).run()?;
    }
    Ok(())
}

/// Features that targets ask for, as `crate/feature`. Cargo leaves a target out
/// without a word when its features are off, so they are turned on.
fn required_features(repository: &Repository) -> Vec<String> {
    let mut features: Vec<String> = repository
        .packages()
        .into_iter()
        .flat_map(|package| {
            package
                .targets
                .iter()
                .flat_map(|target| &target.required_features)
                .map(|feature| format!("{}/{feature}", package.name))
        })
        .collect();
    features.sort();
    features.dedup();
    features
}
