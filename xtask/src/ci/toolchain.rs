//! Checks that the `rust-version` of the manifests, the version in
//! rust-toolchain.toml and the running version are equal, so that every build
//! tests the promised version.

use std::fs;

use cargo_metadata::semver::Version;
use serde::Deserialize;

use crate::shell::{Failure, Repository};

#[derive(Deserialize)]
struct ToolchainFile {
    toolchain: Toolchain,
}

#[derive(Deserialize)]
struct Toolchain {
    channel: String,
}

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let text = fs::read_to_string(repository.root().join("rust-toolchain.toml"))?;
    let file: ToolchainFile = toml::from_str(&text)?;
    let pinned = version(&file.toolchain.channel)?;
    let running = running(&repository.command("rustc").args(["--version"]).read()?)?;

    let mut findings = Vec::new();
    if running != pinned {
        findings.push(format!(
            "rust-toolchain.toml pins {pinned}, but rustc {running} runs; \
             is RUSTUP_TOOLCHAIN set, or is there no rustup?"
        ));
    }
    for package in repository.packages() {
        match &package.rust_version {
            Some(promised) if *promised == pinned => {}
            Some(promised) => findings.push(format!(
                "{}: rust-version is {promised}, but rust-toolchain.toml pins {pinned}",
                package.name
            )),
            None => findings.push(format!(
                "{}: no rust-version; write `rust-version.workspace = true`",
                package.name
            )),
        }
    }
    Failure::unless_empty(&findings)
}

/// A channel or version with one, two or three numbers.
fn version(text: &str) -> Result<Version, Failure> {
    let missing = 2_usize.saturating_sub(text.matches('.').count());
    let full = format!("{text}{}", ".0".repeat(missing));
    Version::parse(&full).map_err(|_| {
        Failure::new(format!(
            "`{text}` is no version of Rust; pin one, like 1.95.0"
        ))
    })
}

/// The version in `rustc 1.95.0 (59807616e 2026-04-14)`.
fn running(line: &str) -> Result<Version, Failure> {
    version(line.split_whitespace().nth(1).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_without_a_patch_is_its_first_patch() {
        assert_eq!(version("1.95").unwrap(), Version::new(1, 95, 0));
        assert_eq!(version("1.95.1").unwrap(), Version::new(1, 95, 1));
    }

    #[test]
    fn a_channel_without_a_fixed_version_is_refused() {
        assert!(version("stable").is_err());
        assert!(version("").is_err());
    }

    #[test]
    fn the_running_version_is_read_from_what_rustc_says() {
        let line = "rustc 1.95.0 (59807616e 2026-04-14)\n";
        assert_eq!(running(line).unwrap(), Version::new(1, 95, 0));
        assert!(running("").is_err());
    }
}
