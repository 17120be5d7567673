//! The client crates and svc-data with each of their features alone, with none and with
//! all, and without hyper for the browser.

use crate::shell::{Failure, Repository, Run};
use crate::tools::Tool;
use crate::wasm32::{self, WASM};

const CARGO_HACK: Tool = Tool {
    package: "cargo-hack",
    version: "0.6.46",
};

pub fn check_each(repository: &Repository) -> Result<(), Failure> {
    // Clippy and not `check`, because it can refuse warnings of a crate alone: what a
    // feature leaves unused when it is off is one.
    each_feature(repository, "clippy")?
        .args(
            ["svc-transport", "svc-testing", "svc-data"]
                .iter()
                .flat_map(package),
        )
        .args(["--no-deps", "--", "-D", "warnings"])
        .run()
}

pub fn check_wasm32(repository: &Repository) -> Result<(), Failure> {
    wasm32::install(repository)?;
    each_feature(repository, "check")?
        .args(["--exclude-features", "default,hyper,aws-lc-rs"])
        .args(["--exclude-all-features", "--target", WASM])
        .run()?;
    // Most of svc-js is compiled only for the browser, so clippy checks it only here.
    repository
        .cargo(["clippy", "--quiet", "--no-deps", "--target", WASM])
        .args(["--package", "svc-js", "--", "-D", "warnings"])
        .run()
}

/// A cargo command for each feature of the crates that must build for browsers.
fn each_feature(repository: &Repository, command: &str) -> Result<Run, Failure> {
    let crates = ["svc-model", "svc-auth", "svc-api"];
    Ok(CARGO_HACK
        .command(repository)?
        .args(["hack", command, "--quiet", "--each-feature"])
        .args(crates.iter().flat_map(package)))
}

fn package<'a>(name: &&'a str) -> [&'a str; 2] {
    ["--package", name]
}
