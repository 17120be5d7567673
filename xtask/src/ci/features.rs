//! The client crates and svc-data with each of their features alone, with none and with
//! all, and without hyper for the browser.

use cargo_metadata::Package;

use crate::shell::{Failure, Repository};
use crate::wasm32::{self, WASM};

const CRATES: [&str; 6] = [
    "svc-model",
    "svc-testing",
    "svc-auth",
    "svc-transport",
    "svc-api",
    "svc-data",
];
/// Promised to build for `wasm32-unknown-unknown`.
const WASM_CRATES: [&str; 3] = ["svc-model", "svc-auth", "svc-api"];

pub fn check_each(repository: &Repository) -> Result<(), Failure> {
    for name in CRATES {
        // Clippy and not `check`, because it can refuse warnings of this crate
        // alone: what a feature leaves unused when it is off is one.
        let check = |features: &[&str]| {
            repository
                .cargo(["clippy", "--quiet", "--no-deps", "--package", name])
                .args(features)
                .args(["--", "-D", "warnings"])
                .run()
        };
        check(&["--no-default-features"])?;
        for feature in features(repository.package(name)?) {
            check(&["--no-default-features", "--features", feature])?;
        }
        check(&["--all-features"])?;
    }
    Ok(())
}

pub fn check_wasm32(repository: &Repository) -> Result<(), Failure> {
    wasm32::install(repository)?;
    for name in WASM_CRATES {
        let features = without_hyper(repository.package(name)?).join(",");
        let check = || {
            repository
                .cargo(["check", "--quiet", "--target", WASM, "--package"])
                .args([name, "--no-default-features"])
        };
        check().run()?;
        if !features.is_empty() {
            check().args(["--features", &features]).run()?;
        }
    }
    // Most of it is compiled for the browser alone, so that clippy sees it here and nowhere else.
    repository
        .cargo(["clippy", "--quiet", "--no-deps", "--target", WASM])
        .args(["--package", "svc-js", "--", "-D", "warnings"])
        .run()
}

/// The features that a user can name. Those of optional dependencies without
/// a feature of their own are not in a manifest that uses `dep:`.
fn features(package: &Package) -> Vec<&str> {
    package.features.keys().map(String::as_str).collect()
}

/// Every feature that does not bring hyper, directly or through another.
fn without_hyper(package: &Package) -> Vec<&str> {
    features(package)
        .into_iter()
        .filter(|feature| !brings_hyper(package, feature, 0))
        .collect()
}

fn brings_hyper(package: &Package, feature: &str, depth: usize) -> bool {
    // Cargo refuses cycles of features; the depth is for a manifest it did not see.
    depth < 32
        && (feature == "hyper"
            || feature.contains("svc-transport")
            || package.features.get(feature).is_some_and(|enables| {
                enables
                    .iter()
                    .any(|enabled| brings_hyper(package, enabled, depth + 1))
            }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn features_that_bring_hyper_are_left_out_for_the_browser() {
        let package: Package = serde_json::from_value(json!({
            "name": "svc-api", "version": "0.1.0", "id": "svc-api", "source": null,
            "dependencies": [], "targets": [], "manifest_path": "Cargo.toml",
            "features": {
                "default": ["full", "hyper"],
                "full": ["pages"],
                "pages": [],
                "hyper": ["dep:svc-transport"],
                "aws-lc-rs": ["svc-transport?/aws-lc-rs"],
            },
        }))
        .unwrap();
        assert_eq!(without_hyper(&package), ["full", "pages"]);
    }
}
