//! What `cargo publish` would upload: each crate describes itself, and holds
//! its sources and nothing else.

use cargo_metadata::Package;

use super::layers::is_published;
use crate::shell::{Failure, Repository};

/// Files that a package may have at its top.
const TOP_FILES: &[&str] = &[
    ".cargo_vcs_info.json",
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    "README.md",
    "build.rs",
];
/// Folders that a package may have at its top.
const TOP_FOLDERS: &[&str] = &[
    "benches",
    "examples",
    "migrations",
    "proptest-regressions",
    "src",
    "templates",
    "tests",
];
/// Ends of names that tools leave behind.
const LEFT_BEHIND: &[&str] = &[
    "~",
    ".bak",
    ".db",
    ".db-shm",
    ".db-wal",
    ".log",
    ".orig",
    ".pending-snap",
    ".profraw",
    ".rej",
    ".snap.new",
    ".sqlite",
    ".swp",
    ".tmp",
];

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for package in repository.packages() {
        if !is_published(package) {
            continue;
        }
        findings.extend(missing_fields(package));
        // Files that are not committed yet are listed too, so that a stray one
        // is found before the commit.
        let listed = repository
            .cargo(["package", "--list", "--allow-dirty", "--package"])
            .args([package.name.as_str()])
            .read()?;
        let files: Vec<&str> = listed.lines().collect();
        println!("{}: {} files", package.name, files.len());
        if !files.contains(&"README.md") {
            findings.push(format!("{}: no README.md in the package", package.name));
        }
        findings.extend(
            files
                .iter()
                .filter(|file| is_stray(file))
                .map(|file| format!("{}: `{file}` does not belong in the package", package.name)),
        );
    }
    Failure::unless_empty(&findings)
}

fn missing_fields(package: &Package) -> Vec<String> {
    let fields = [
        ("description", package.description.is_none()),
        ("license", package.license.is_none()),
        ("repository", package.repository.is_none()),
        ("readme", package.readme.is_none()),
        ("keywords", package.keywords.is_empty()),
        ("categories", package.categories.is_empty()),
    ];
    fields
        .into_iter()
        .filter(|(_, missing)| *missing)
        .map(|(field, _)| format!("{}: no `{field}` in Cargo.toml", package.name))
        .collect()
}

fn is_stray(file: &str) -> bool {
    let left_behind = LEFT_BEHIND
        .iter()
        .any(|end| file.len() > end.len() && file.ends_with(end) && file != "Cargo.toml.orig");
    let placed = match file.split_once(['/', '\\']) {
        Some((folder, _)) => TOP_FOLDERS.contains(&folder),
        None => TOP_FILES.contains(&file),
    };
    left_behind || !placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_their_company_belong() {
        for file in [
            "Cargo.toml",
            "Cargo.toml.orig",
            "README.md",
            "src/lib.rs",
            "src/wire/body.rs",
            "tests/it/snapshots/pages.snap",
            "migrations/V1__init.sql",
        ] {
            assert!(!is_stray(file), "{file}");
        }
    }

    #[test]
    fn what_tools_leave_behind_is_stray() {
        for file in [
            "notes.txt",
            "src/lib.rs.orig",
            "src/lib.rs~",
            "tests/it/snapshots/pages.snap.new",
            "svc-data/store.db",
            "target/doc/index.html",
        ] {
            assert!(is_stray(file), "{file}");
        }
    }
}
