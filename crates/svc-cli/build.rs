//! Leaves the names of functions out of the released program.
//!
//! The profile asks for it, too, but Cargo forgets that for a package with an optimisation of its own.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("DEBUG", "false") && is("CARGO_CFG_TARGET_OS", "linux") {
        // The last such argument counts, and Cargo's own, `--strip-debug`, comes before this one.
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}
