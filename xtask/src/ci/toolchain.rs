//! Checks that the `rust-version` of the program's crates, the version in rust-toolchain.toml and the running version are
//! equal, so that every build tests the promised version. The client crates promise an older one and are checked with it.

use std::fs;

use cargo_metadata::semver::Version;
use serde::Deserialize;

use super::layers::CLIENT_CRATES;
use crate::shell::{Failure, Repository};

/// The lowest Rust that the client crates can be built with.
const LOWEST: &str = "1.85";

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
    let lowest = version(LOWEST)?;
    for package in repository.packages() {
        let wanted = match CLIENT_CRATES.contains(&package.name.as_str()) {
            true => &lowest,
            false => &pinned,
        };
        if package.rust_version.as_ref() != Some(wanted) {
            findings.push(format!(
                "{}: rust-version is not {wanted}, which is promised",
                package.name
            ));
        }
    }
    Failure::unless_empty(&findings)
}

/// Checks the client crates with the lowest Rust that they promise, in a folder of its own, since another compiler
/// shares nothing.
pub fn check_lowest(repository: &Repository) -> Result<(), Failure> {
    repository
        .command("rustup")
        .args(["toolchain", "install", LOWEST, "--profile", "minimal"])
        .args(["--no-self-update"])
        .run()?;
    let target = repository.target().join("lowest");
    repository
        .command("rustup")
        .args(["run", LOWEST, "cargo", "check", "--locked", "--quiet"])
        .args(["--target-dir".into(), target.to_string_lossy()])
        .args(CLIENT_CRATES.iter().flat_map(|name| ["--package", name]))
        .args(["--features", "svc-api/json-path,svc-api/tower"])
        .run()
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
