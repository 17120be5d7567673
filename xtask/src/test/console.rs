//! The console in a browser: the suite of `tests/console`.

use std::fs;
use std::path::PathBuf;

use super::build_program;
use crate::js::{self, system, text};
use crate::shell::{Failure, Repository, Run};

/// The folder of the suite.
const SUITE: &str = "tests/console";
/// How long one file of tests may take, in milliseconds.
const TIME_LIMIT: u32 = 900_000;

/// Node's own test runner over the suite, with databases of every engine. Screenshots and what differs are written to a
/// folder that is named at the end.
pub fn run_in_browser(repository: &Repository) -> Result<(), Failure> {
    build_program(repository)?;
    let tests = files(repository)?;
    let out = repository.target().join("console-browser");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    let node = js::tools::node(repository)?;
    let run = suite(repository, &out)?
        .args([text(&node), "--test", "--test-reporter=spec"])
        .args([format!("--test-timeout={TIME_LIMIT}")])
        .args(tests.iter().map(|path| text(path)))
        .run();
    println!("screenshots are in {}", out.display());
    run
}

/// What runs a command with databases, a browser and the packages of the suite.
fn suite(repository: &Repository, out: &std::path::Path) -> Result<Run, Failure> {
    let modules = js::tools::install(repository, &repository.root().join(SUITE))?;
    let chromium = system::chromium()?;
    Ok(repository
        .cargo(["run", "--quiet", "--package", "svc-console-tests", "--"])
        .env_remove("SVC_")
        .env("TESTED_PROGRAM", text(&repository.program("debug")))
        .env("CHROMIUM", text(&chromium))
        .env("MODULES", text(&modules))
        .env("OUT", text(out)))
}

/// The files with tests, in the order of their names.
fn files(repository: &Repository) -> Result<Vec<PathBuf>, Failure> {
    let folder = repository.root().join(SUITE).join("suite");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        files.push(entry?.path());
    }
    files.retain(|path| text(path).ends_with(".test.mjs"));
    files.sort();
    match files.is_empty() {
        true => Err(Failure::new(format!(
            "there are no *.test.mjs in {}",
            folder.display()
        ))),
        false => Ok(files),
    }
}
