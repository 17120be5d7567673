//! Checks with third-party tools, which take minutes to compile once: `cargo xtask ci --all`, and the workflows.

use std::fs;

use crate::ci::layers::is_published;
use crate::shell::{Failure, Repository};
use crate::tools::Tool;

const CARGO_DENY: Tool = Tool {
    package: "cargo-deny",
    version: "0.20.2",
};
const CARGO_PUBLIC_API: Tool = Tool {
    package: "cargo-public-api",
    version: "0.52.0",
};
const CARGO_SEMVER_CHECKS: Tool = Tool {
    package: "cargo-semver-checks",
    version: "0.51.0",
};
const MDBOOK: Tool = Tool {
    package: "mdbook",
    version: "0.5.4",
};
const LYCHEE: Tool = Tool {
    package: "lychee",
    version: "0.24.2",
};

pub fn dependencies(repository: &Repository) -> Result<(), Failure> {
    CARGO_DENY.command(repository)?.args(["check"]).run()
}

/// The crates whose public items are listed in `docs/public-items`.
const LISTED: [&str; 5] = [
    "svc-model",
    "svc-auth",
    "svc-transport",
    "svc-api",
    "svc-testing",
];

/// Lists the public items of the client crates again; a list that differs is a failure, and stays to be committed.
pub fn public_items(repository: &Repository) -> Result<(), Failure> {
    let folder = repository.root().join("docs/public-items");
    let mut changed = Vec::new();
    for name in LISTED {
        let items = CARGO_PUBLIC_API
            .command(repository)?
            .args(["public-api", "--package", name, "--all-features", "-sss"])
            // rustdoc gives its data only to those who ask for what is not stable.
            .env("RUSTC_BOOTSTRAP", "1")
            .read()?;
        let file = folder.join(format!("{name}.txt"));
        if fs::read_to_string(&file).ok().as_ref() != Some(&items) {
            fs::write(file, items)?;
            changed.push(format!("docs/public-items/{name}.txt was out of date"));
        }
    }
    if !changed.is_empty() {
        changed
            .push("if the change is meant, commit it, and say in CHANGELOG.md what breaks".into());
    }
    Failure::unless_empty(&changed)
}

/// Compares the public items of the libraries with those of the newest tag.
pub fn semver(repository: &Repository) -> Result<(), Failure> {
    let tag = repository
        .command("git")
        .args(["describe", "--tags", "--abbrev=0"])
        .read();
    let Ok(tag) = tag else {
        println!("nothing was released yet");
        return Ok(());
    };
    let libraries = repository.packages().into_iter().filter(|package| {
        is_published(package) && package.targets.iter().any(|target| target.is_lib())
    });
    CARGO_SEMVER_CHECKS
        .command(repository)?
        .args(["semver-checks", "--baseline-rev", tag.trim()])
        .args(libraries.flat_map(|it| ["--package".to_owned(), it.name.to_string()]))
        .run()
}

pub fn book(repository: &Repository) -> Result<(), Failure> {
    MDBOOK.command(repository)?.args(["build", "docs"]).run()?;
    let files = repository.texts()?;
    let documents = files
        .keys()
        .filter(|path| path.extension().is_some_and(|end| end == "md"));
    LYCHEE
        .command(repository)?
        .args(["--offline", "--include-fragments", "--no-progress"])
        .args(documents.map(|path| path.to_string_lossy()))
        .run()
}
