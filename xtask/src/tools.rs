//! Third-party programs that steps use, each in a version that is pinned here: compiled once, and kept in the build
//! folder of cargo.

use crate::shell::{Failure, Repository, Run};

/// A package of crates.io with a program of the same name.
#[derive(Debug)]
pub struct Tool {
    pub package: &'static str,
    pub version: &'static str,
}

impl Tool {
    /// A command of the program, which is installed first if it is missing.
    pub fn command(&self, repository: &Repository) -> Result<Run, Failure> {
        let Self { package, version } = self;
        let tools = repository.target().join("tools");
        let root = tools.join(format!("{package}-{version}"));
        let program = root.join("bin").join(package);
        if !program.exists() {
            repository
                .cargo(["install", "--locked", "--quiet", package])
                .args(["--version", version, "--root"])
                .args([root.to_string_lossy(), "--target-dir".into()])
                .args([tools.join("build").to_string_lossy()])
                .run()?;
        }
        Ok(repository.command(program))
    }
}
