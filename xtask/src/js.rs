//! `cargo xtask js`: compiles the JavaScript client and runs the crate
//! `svc-js-package`, which makes the npm package out of it.

pub mod serve;
pub mod system;
pub mod tools;

use std::path::{Path, PathBuf};

use self::tools::Tools;
use crate::shell::{Failure, Repository};
use crate::targets::{self, WASM};

/// The crate of the client.
pub const CRATE: &str = "crates/svc-js";

pub fn run(repository: &Repository, sizes: bool) -> Result<(), Failure> {
    package(repository, &Tools::install(repository)?, sizes)?;
    Ok(())
}

/// Makes the npm package again and gives its folder.
pub fn package(repository: &Repository, tools: &Tools, sizes: bool) -> Result<PathBuf, Failure> {
    targets::install(repository, WASM)?;
    let root = repository.root();
    repository
        .cargo(["rustc", "--profile", "js", "--target", WASM])
        // Keeps relocations, by which unused data is found: `xtask/js/src/sweep.rs`.
        .args([
            "--package",
            "svc-js",
            "--lib",
            "--",
            "-Clink-arg=--emit-relocs",
        ])
        .env("CARGO_ENCODED_RUSTFLAGS", without_paths()?.join("\u{1f}"))
        .run()?;
    let out = root.join("dist/svc-js");
    let wasm = repository.target().join(WASM).join("js/svc_js.wasm");
    let version = repository.package("svc-js")?.version.to_string();
    let address = repository.package("svc-api")?.repository.as_deref();
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
        .cargo([
            "run",
            "--quiet",
            "--package",
            "svc-js-package",
            "--",
            "package",
        ])
        .args(paths.iter().flat_map(|(name, path)| [*name, text(path)]))
        .args(["--package-version", &version])
        .args(["--repository", address.unwrap_or_default()])
        .args(sizes.then_some("--sizes"))
        .run()?;
    Ok(out)
}

/// Flags that remove the folders of this machine from the paths of sources in the module.
fn without_paths() -> Result<Vec<String>, Failure> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.ok_or_else(|| Failure::new("there is no home folder; set CARGO_HOME"))?;
    let Ok(registries) = std::fs::read_dir(home.join("registry/src")) else {
        // Sources in other folders, for example vendored ones.
        return Ok(Vec::new());
    };
    let mut flags = Vec::new();
    for registry in registries {
        flags.push(format!("--remap-path-prefix={}/=", text(&registry?.path())));
    }
    // Sorted, since the order of a folder is arbitrary and changed flags would compile everything again.
    flags.sort();
    Ok(flags)
}

/// A path of the clone as an argument. Cargo itself takes none that is not UTF-8.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}
