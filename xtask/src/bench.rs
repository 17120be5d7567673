//! `cargo xtask bench`: runs the crate `svc-bench`, which is separate because of
//! its dependencies.

use crate::shell::{Failure, Repository};

pub fn run(repository: &Repository, passed_on: &[String]) -> Result<(), Failure> {
    repository
        .cargo(["build", "--release", "--package", "svc-cli"])
        .run()?;
    repository
        .cargo([
            "run",
            "--release",
            "--quiet",
            "--package",
            "svc-bench",
            "--",
        ])
        .args(passed_on)
        .env(
            "TESTED_PROGRAM",
            repository.program("release").display().to_string(),
        )
        .run()
}
