//! The program of an earlier version beside this one, as during an upgrade.

use std::fs;

use crate::shell::{Failure, Repository};

/// The earlier version: a commit until there is a release, then the last release.
const EARLIER: &str = "04a08bb07132b99e8035fec1741000e70f4f4b16";

/// Runs the test of the upgrade.
pub fn run(repository: &Repository) -> Result<(), Failure> {
    let folder = repository.target().join("earlier");
    let program = folder.join(format!("svc-{EARLIER}"));
    if !program.exists() {
        let source = folder.join("source");
        if source.exists() {
            fs::remove_dir_all(&source)?;
        }
        fs::create_dir_all(&source)?;
        let archive = folder.join("source.tar");
        let archive = archive.display().to_string();
        repository
            .command("git")
            .args(["archive", "--output", &archive, EARLIER])
            .run()
            .map_err(|_| {
                Failure::new(format!(
                    "this clone does not have the commit {EARLIER}: git fetch --unshallow"
                ))
            })?;
        repository
            .command("tar")
            .args(["-xf", &archive, "-C", &source.display().to_string()])
            .run()?;
        let manifest = source.join("Cargo.toml").display().to_string();
        // In the same folder, so that what both versions depend on is compiled once.
        repository
            .cargo(["build", "--locked", "--package", "svc-cli"])
            .args(["--manifest-path", &manifest])
            .args(["--target-dir", &repository.target().display().to_string()])
            .run()?;
        fs::copy(repository.program("debug"), &program)?;
        fs::remove_dir_all(&source)?;
    }
    super::build_program(repository)?;
    super::black_box(repository, &["cluster::an_upgrade", "--ignored"])
        .env("OLDER_PROGRAM", program.display().to_string())
        .run()
}
