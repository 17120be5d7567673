//! `cargo xtask js`: compiles the JavaScript client and runs the crate
//! `svc-js-package`, which makes the npm package out of it.

pub mod system;
pub mod tools;

use std::path::{Path, PathBuf};

use self::tools::Tools;
use crate::shell::{Failure, Repository};
use crate::wasm32::{self, WASM};

/// The crate of the client.
pub const CRATE: &str = "crates/svc-js";

pub fn run(repository: &Repository, sizes: bool) -> Result<(), Failure> {
    package(repository, &Tools::install(repository)?, sizes)?;
    Ok(())
}

/// Makes the npm package anew and gives its folder.
pub fn package(repository: &Repository, tools: &Tools, sizes: bool) -> Result<PathBuf, Failure> {
    wasm32::install(repository)?;
    let root = repository.root();
    repository
        .cargo(["build", "--profile", "js", "--target", WASM])
        .args(["--package", "svc-js", "--lib"])
        .env("CARGO_ENCODED_RUSTFLAGS", without_paths())
        .run()?;
    let out = root.join("dist/svc-js");
    let wasm = repository.target().join(WASM).join("js/svc_js.wasm");
    let version = repository.package("svc-js")?.version.to_string();
    let paths = [
        ("--wasm", &*wasm),
        ("--js", &root.join(CRATE).join("js")),
        ("--root", root),
        ("--out", &out),
        ("--cache", &repository.target().join("js-package")),
        ("--node", tools.node()),
        ("--wasm-opt", &tools.module("binaryen/bin/wasm-opt")),
    ];
    repository
        .cargo(["run", "--quiet", "--package", "svc-js-package", "--"])
        .args(paths.iter().flat_map(|(name, path)| [*name, text(path)]))
        .args(["--package-version", &version])
        .args(sizes.then_some("--sizes"))
        .run()?;
    Ok(out)
}

/// What keeps the paths of this machine, which panics would name, out of the package.
fn without_paths() -> String {
    let home = std::env::var("CARGO_HOME").unwrap_or_else(|_| {
        let home = std::env::var(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        format!("{}/.cargo", home.unwrap_or_default())
    });
    format!("--remap-path-prefix={home}/registry/src=")
}

/// A path of the clone as an argument. Cargo itself takes none that is not UTF-8.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}
