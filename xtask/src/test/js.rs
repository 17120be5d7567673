//! The tests of the JavaScript client. They run over the npm package as its
//! users get it, in a folder where `import "svc-js"` finds it.

use std::fs;
use std::path::{Path, PathBuf};

use super::build_program;
use crate::js::serve::Site;
use crate::js::tools::Tools;
use crate::js::{self, CRATE, system, text};
use crate::shell::{Failure, Repository, Run};

/// How long one file of tests may take, in milliseconds.
const TIME_LIMIT: u32 = 300_000;

/// The common compiler options: strict, and every declaration is checked.
const TYPES: &[&str] = &[
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--skipLibCheck",
    "false",
    "--target",
    "es2022",
];

/// The kinds of users: the file for each, and its options.
const USERS_OF_TYPES: &[(&str, &[&str])] = &[
    (
        "types.ts",
        &["--module", "nodenext", "--lib", "es2022,dom,dom.iterable"],
    ),
    (
        "types.ts",
        &[
            "--module",
            "esnext",
            "--moduleResolution",
            "bundler",
            "--lib",
            "es2022,dom,dom.iterable",
        ],
    ),
    (
        "types-node.ts",
        &["--module", "nodenext", "--lib", "es2022", "--types", "node"],
    ),
];

/// Node's own test runner over the tests that need no browser.
pub fn run_tests(repository: &Repository) -> Result<(), Failure> {
    build_program(repository)?;
    let place = TestFolder::new(repository, "node")?;
    place.test(repository, "tests")?.run()
}

/// The TypeScript compiler over the files that use every export.
pub fn check_types(repository: &Repository) -> Result<(), Failure> {
    let place = TestFolder::new(repository, "types")?;
    for (file, user) in USERS_OF_TYPES {
        let file = place.folder.join("tests").join(file);
        repository
            .command(place.tools.node())
            .args([text(&place.tools.module("typescript/bin/tsc"))])
            .args(TYPES.iter().chain(*user))
            .args(["--typeRoots", text(&place.tools.module("@types"))])
            .args([text(&file)])
            .run()?;
    }
    Ok(())
}

/// Node's own test runner over the tests that drive a browser. The example page is served as
/// `cargo xtask js --serve` does it.
pub fn run_browser_tests(repository: &Repository) -> Result<(), Failure> {
    build_program(repository)?;
    let chromium = system::chromium()?;
    let place = TestFolder::new(repository, "browser")?;
    let site = Site::start(repository, &place.package, "127.0.0.1:0")?;
    place
        .test(repository, "tests/browser")?
        .env("CHROMIUM", text(&chromium))
        .env("SVC_JS_PAGE", &site.origin)
        .run()
}

/// The client compared with plain fetch, with a release build of the program: `TESTED_PROGRAM`, or one built now.
pub fn run_benchmark(repository: &Repository) -> Result<(), Failure> {
    let program = match std::env::var("TESTED_PROGRAM") {
        Ok(program) => program,
        Err(_) => {
            repository
                .cargo(["build", "--release", "--package", "svc-cli"])
                .run()?;
            text(&repository.program("release")).to_owned()
        }
    };
    let place = TestFolder::new(repository, "bench")?;
    place
        .node(repository)
        .args([text(&place.folder.join("tests/bench.mjs"))])
        .env("TESTED_PROGRAM", &program)
        .run()
}

/// A folder with the tests, the package and the tools.
#[derive(Debug)]
pub struct TestFolder {
    pub tools: Tools,
    pub folder: PathBuf,
    package: PathBuf,
}

impl TestFolder {
    /// Builds the package, and creates the folder again.
    pub fn new(repository: &Repository, name: &str) -> Result<Self, Failure> {
        let tools = Tools::install(repository)?;
        let package = js::package(repository, &tools, false)?;
        let folder = repository.target().join("js-tests").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        copy(
            &repository.root().join(CRATE).join("tests"),
            &folder.join("tests"),
        )?;
        // A copy and links, because Node and tsc look for packages beside the file that imports them,
        // and the clone is to stay as it is.
        let modules = folder.join("node_modules");
        fs::create_dir_all(&modules)?;
        for entry in fs::read_dir(tools.modules())? {
            let entry = entry?;
            link(&entry.path(), &modules.join(entry.file_name()))?;
        }
        link(&package, &modules.join("svc-js"))?;
        Ok(Self {
            tools,
            folder,
            package,
        })
    }

    /// The test runner over the tests of a folder.
    fn test(&self, repository: &Repository, folder: &str) -> Result<Run, Failure> {
        let folder = self.folder.join(folder);
        let mut tests: Vec<PathBuf> = Vec::new();
        if folder.exists() {
            for entry in fs::read_dir(&folder)? {
                tests.push(entry?.path());
            }
        }
        tests.retain(|path| text(path).ends_with(".test.mjs"));
        tests.sort();
        if tests.is_empty() {
            return Err(Failure::new(format!(
                "there are no *.test.mjs in {}",
                folder.display()
            )));
        }
        let run = self
            .node(repository)
            .args(["--test", "--test-reporter=spec"])
            .args([format!("--test-timeout={TIME_LIMIT}")])
            .args(tests.iter().map(|path| text(path)))
            .env("TESTED_PROGRAM", text(&repository.program("debug")));
        Ok(run)
    }

    /// Node, with variables for the paths.
    fn node(&self, repository: &Repository) -> Run {
        repository
            .command(self.tools.node())
            .env_remove("SVC_")
            .env("SVC_JS", format!("file://{}", self.package.display()))
            .env("SVC_JS_SOURCE", text(&repository.root().join(CRATE)))
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            // Packages that an editor has installed are not copied.
            if entry.file_name() != "node_modules" {
                copy(&entry.path(), &target)?;
            }
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> Result<(), Failure> {
    Ok(std::os::unix::fs::symlink(original, link)?)
}

#[cfg(windows)]
fn link(original: &Path, link: &Path) -> Result<(), Failure> {
    Ok(std::os::windows::fs::symlink_dir(original, link)?)
}
