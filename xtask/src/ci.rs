//! `cargo xtask ci`: the checks, the quickest first, and then `cargo xtask test`;
//! with `--all` also the checks of third-party tools and of another PostgreSQL.

mod budgets;
mod circles;
mod features;
mod layers;
mod others;
mod postgres;
mod public_text;
mod toolchain;

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
        about: "the promised Rust of the program is the one that is pinned and running",
        run: toolchain::check,
    },
    Step {
        name: "public-text",
        about: "no file contains a path of a developer's machine",
        run: public_text::check,
    },
    Step {
        name: "words",
        about: "no file contains words that only this project understands",
        run: public_text::check_words,
    },
    Step {
        name: "layers",
        about: "crates depend only on the crates that they may use",
        run: layers::check,
    },
    Step {
        name: "circles",
        about: "no files import each other in a circle",
        run: circles::check,
    },
    Step {
        name: "budgets",
        about: "the client crates have a limited number of dependencies",
        run: budgets::check,
    },
    Step {
        name: "packages",
        about: "the crates can be packaged for publishing",
        run: |repository| {
            let published = repository
                .packages()
                .into_iter()
                .filter(|it| layers::is_published(it));
            repository
                .cargo(["package", "--no-verify", "--allow-dirty", "--quiet"])
                .args(published.flat_map(|it| ["--package".to_owned(), it.name.to_string()]))
                .run()
        },
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
    Step {
        name: "lowest-rust",
        about: "the client crates build with the lowest Rust that they promise",
        run: toolchain::check_lowest,
    },
    Step {
        name: "systems",
        about: "the client crates and the program build for Windows, the client crates for macOS",
        run: features::check_systems,
    },
];

/// Steps that take minutes, some of them to compile their tools once, so that they are not run by default.
const OTHERS: &[Step] = &[
    Step {
        name: "dependencies",
        about: "advisories, licences, duplicate versions and sources as in deny.toml, by cargo-deny",
        run: others::dependencies,
    },
    Step {
        name: "public-items",
        about: "the public items of the client crates are those of docs/public-items, by cargo-public-api",
        run: others::public_items,
    },
    Step {
        name: "semver",
        about: "no public item of the last release is missing or changed, by cargo-semver-checks",
        run: others::semver,
    },
    Step {
        name: "book",
        about: "the book builds, by mdbook, and every link in the repository leads somewhere, by lychee",
        run: others::book,
    },
    Step {
        name: "postgres",
        about: "the tests of the PostgreSQL engine on the newest PostgreSQL, from npm",
        run: postgres::check,
    },
];

/// The names of the steps, one on each line, with a description.
pub fn list() -> String {
    let others = Step::list(OTHERS);
    format!("{}\nand with --all:\n{others}", Step::list(STEPS))
}

/// Runs the named steps; without names all of them, then the tests, and with `all` also third-party tools.
pub fn run(repository: &Repository, names: &[String], all: bool) -> Result<(), Failure> {
    if names.is_empty() {
        let others = if all { OTHERS } else { &[] };
        for step in STEPS.iter().chain(others) {
            step.timed(repository, &by_hand(step))?;
        }
        return test::run(repository, &[]);
    }
    for step in Step::named(&[STEPS, OTHERS], names)? {
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
        let mut names: Vec<_> = STEPS.iter().chain(OTHERS).map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len() + OTHERS.len());
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_list() {
        let failure = Step::named(&[STEPS], &["clipy".to_owned()])
            .err()
            .unwrap()
            .to_string();
        assert!(failure.contains("`clipy`"), "{failure}");
        assert!(failure.contains("clippy"), "{failure}");
    }
}
