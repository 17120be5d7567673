//! Finds out whether the standard library can lock files (Rust 1.89), which `FileStore` needs.

use std::{env, process::Command};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_file_locks)");
    println!("cargo::rerun-if-changed=build.rs");
    if minor_version().is_some_and(|minor| minor >= 89) {
        println!("cargo::rustc-cfg=has_file_locks");
    }
}

/// The second number of `rustc 1.89.0 (...)`.
fn minor_version() -> Option<u32> {
    let rustc = env::var_os("RUSTC")?;
    let output = Command::new(rustc).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split('.').nth(1)?.parse().ok()
}
