//! The client crates and svc-data with each of their features alone, with none and with
//! all, and for other systems than the one of this machine.

use crate::js::system;
use crate::shell::{Failure, Repository, Run};
use crate::targets::{self, MACOS, WASM, WINDOWS};
use crate::tools::Tool;

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
    targets::install(repository, WASM)?;
    each_feature(repository, "check")?
        .args(["--exclude-features", "default,hyper,aws-lc-rs"])
        .args(["--exclude-all-features", "--target", WASM])
        .run()?;
    // Most of svc-js is compiled only for the browser, so clippy checks it only here. So is the example over `fetch`,
    // which svc-fetch-tests includes.
    repository
        .cargo(["clippy", "--quiet", "--no-deps", "--target", WASM, "--lib"])
        .args(["--package", "svc-js", "--package", "svc-fetch-tests"])
        .args(["--", "-D", "warnings"])
        .run()
}

/// The client crates and the program for Windows, and for macOS what needs no C compiler with Apple's SDK: the client
/// crates without cryptography.
pub fn check_systems(repository: &Repository) -> Result<(), Failure> {
    targets::install(repository, WINDOWS)?;
    system::mingw()?;
    let check = |target| {
        repository
            .cargo(["check", "--quiet", "--target", target])
            .args(["--package", "svc-model", "--package", "svc-auth"])
            .args(["--package", "svc-transport", "--package", "svc-api"])
    };
    let features = "svc-api/full,svc-api/json-path,svc-api/tower";
    check(WINDOWS)
        .args(["--package", "svc-cli", "--features", features])
        .run()?;
    targets::install(repository, MACOS)?;
    check(MACOS)
        .args(["--no-default-features", "--features", features])
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
