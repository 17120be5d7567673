//! `cargo xtask ci`: the checks, in the order of what fails soonest, and at
//! the end `cargo xtask test`.

mod book;
mod budgets;
mod dependencies;
mod features;
mod layers;
mod packages;
mod public_text;
mod toolchain;
mod tree;

use crate::shell::{Failure, Repository, Step};
use crate::test;

const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "rustfmt has nothing to change",
        run: |repository| {
            repository.cargo(["fmt", "--all", "--check"]).run()?;
            let fuzz = ["fmt", "--check", "--manifest-path", "fuzz/Cargo.toml"];
            repository.cargo(fuzz).run()
        },
    },
    Step {
        name: "toolchain",
        about: "the promised Rust is the one that is pinned and running",
        run: toolchain::check,
    },
    Step {
        name: "public-text",
        about: "nothing names a place on somebody's machine",
        run: public_text::check,
    },
    Step {
        name: "book",
        about: "links lead somewhere, and every chapter is in the summary",
        run: book::check,
    },
    Step {
        name: "layers",
        about: "who may use whom",
        run: layers::check,
    },
    Step {
        name: "dependencies",
        about: "licences, duplicate versions and sources as in deny.toml",
        run: dependencies::check,
    },
    Step {
        name: "budgets",
        about: "how many packages the client crates bring",
        run: budgets::check,
    },
    Step {
        name: "packages",
        about: "what would be published is complete and clean",
        run: packages::check,
    },
    Step {
        name: "clippy",
        about: "no warnings in any target",
        run: |repository| {
            repository
                .cargo(["clippy", "--workspace", "--all-targets"])
                .args(["--", "-D", "warnings"])
                .run()
        },
    },
    Step {
        name: "docs",
        about: "the documentation builds without warnings",
        run: |repository| {
            repository
                .cargo(["doc", "--no-deps", "--workspace"])
                .env("RUSTDOCFLAGS", "-D warnings")
                .run()
        },
    },
    Step {
        name: "features",
        about: "each feature of the client crates alone, none, and all",
        run: features::check_each,
    },
    Step {
        name: "wasm32",
        about: "the client crates without hyper build for the browser",
        run: features::check_wasm32,
    },
];

/// The names of the steps, one a line, with what each checks.
pub fn list() -> String {
    Step::list(STEPS)
}

/// Runs the named steps; without names all of them, and then the tests.
pub fn run(repository: &Repository, names: &[String]) -> Result<(), Failure> {
    if names.is_empty() {
        for step in STEPS {
            step.timed(repository, &by_hand(step))?;
        }
        return test::run(repository, &[]);
    }
    for step in Step::named(STEPS, names)? {
        step.timed(repository, &by_hand(step))?;
    }
    Ok(())
}

fn by_hand(step: &Step) -> String {
    format!("cargo xtask ci {}", step.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_steps_are_unique() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_list() {
        let failure = Step::named(STEPS, &["clipy".to_owned()])
            .err()
            .unwrap()
            .to_string();
        assert!(failure.contains("`clipy`"), "{failure}");
        assert!(failure.contains("clippy"), "{failure}");
    }
}
