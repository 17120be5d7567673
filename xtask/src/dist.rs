//! `cargo xtask dist`: builds the program for this machine's platform and packs it for a release, with checksums. The
//! packages are made by `xtask/dist`, which has the definition of the command line for manual pages and completions.

use crate::js::text;
use crate::shell::{Failure, Repository};

pub fn run(repository: &Repository) -> Result<(), Failure> {
    repository
        .cargo(["build", "--release", "--locked", "--package", "svc-cli"])
        .run()?;
    let host = repository.command("rustc").args(["-vV"]).read()?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure::new("rustc does not say for what it compiles"))?;
    let (program, out) = (
        repository.program("release"),
        repository.root().join("dist"),
    );
    repository
        .cargo(["run", "--quiet", "--locked", "--package", "svc-dist", "--"])
        .args([
            "--program",
            text(&program),
            "--repository",
            text(repository.root()),
        ])
        .args(["--host", host, "--out", text(&out)])
        .run()
}
