//! The compilation target of browsers.

use std::path::Path;

use crate::shell::{Failure, Repository};

pub const WASM: &str = "wasm32-unknown-unknown";

/// Installs the target if it is missing.
pub fn install(repository: &Repository) -> Result<(), Failure> {
    let sysroot = repository
        .command("rustc")
        .args(["--print", "sysroot"])
        .read()?;
    if Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(WASM)
        .exists()
    {
        return Ok(());
    }
    repository
        .command("rustup")
        .args(["target", "add", WASM])
        .run()
}
