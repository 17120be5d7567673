//! Targets that are built for beside the one of this machine.

use std::path::Path;

use crate::shell::{Failure, Repository};

/// Browsers.
pub const WASM: &str = "wasm32-unknown-unknown";
pub const WINDOWS: &str = "x86_64-pc-windows-gnu";
pub const MACOS: &str = "aarch64-apple-darwin";

/// Installs the standard library of a target where it is missing.
pub fn install(repository: &Repository, target: &str) -> Result<(), Failure> {
    let sysroot = repository
        .command("rustc")
        .args(["--print", "sysroot"])
        .read()?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(target);
    if library.exists() {
        return Ok(());
    }
    repository
        .command("rustup")
        .args(["target", "add", target])
        .run()
}
