//! Licences, bans and sources of deny.toml, held against what cargo resolved.
//! `cargo deny` reads the same file; this is the part of it that needs nothing
//! but cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use cargo_metadata::semver::VersionReq;
use cargo_metadata::{CargoOpt, MetadataCommand, Package};
use serde::Deserialize;
use spdx::{Expression, Licensee};

use super::tree;
use crate::shell::{Failure, Repository};

#[derive(Deserialize)]
struct Deny {
    graph: Graph,
    licenses: Licenses,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
struct Graph {
    targets: Vec<String>,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<LicenseException>,
}

#[derive(Deserialize)]
struct LicenseException {
    #[serde(rename = "crate")]
    spec: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    #[serde(default)]
    deny: Vec<Ban>,
    #[serde(default)]
    skip: Vec<Skip>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    spec: String,
    #[serde(rename = "use-instead")]
    use_instead: Option<String>,
}

#[derive(Deserialize)]
struct Skip {
    #[serde(rename = "crate")]
    spec: String,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let text = fs::read_to_string(repository.root().join("deny.toml"))?;
    let deny: Deny = toml::from_str(&text)?;
    let packages = resolved(repository, &deny.graph.targets)?;
    println!(
        "{} packages on {} targets",
        packages.len(),
        deny.graph.targets.len()
    );

    let mut findings = Vec::new();
    for package in packages.values() {
        findings.extend(refused_licence(&deny.licenses, package));
        findings.extend(refused_source(&deny.sources, package));
        findings.extend(banned(&deny.bans, package));
    }
    findings.extend(duplicates(&deny.bans.skip, packages.values()));
    findings.extend(unreasoned(&deny.bans.skip));
    Failure::unless_empty(&findings)
}

/// Every package that is built for one of the targets with every feature on.
///
/// `cargo metadata` knows the licences, but also lists packages that only a
/// weak feature (`a?/b`) of somebody names; `cargo tree` knows what is built.
fn resolved(
    repository: &Repository,
    targets: &[String],
) -> Result<BTreeMap<String, Package>, Failure> {
    let mut packages = BTreeMap::new();
    for target in targets {
        let tree = repository
            .cargo(["tree", "--workspace", "--all-features", "--locked"])
            .args(["--edges", "normal,build,dev", "--target", target])
            .args(["--prefix", "none", "--format", "{p}"])
            .read()?;
        let built = tree::packages(&tree);
        let metadata = MetadataCommand::new()
            .current_dir(repository.root())
            .features(CargoOpt::AllFeatures)
            .other_options(["--locked", "--filter-platform", target].map(str::to_owned))
            .exec()?;
        packages.extend(
            metadata
                .packages
                .into_iter()
                .filter(|package| built.contains(&format!("{} v{}", package.name, package.version)))
                .map(|package| (package.id.to_string(), package)),
        );
    }
    Ok(packages)
}

fn refused_licence(licenses: &Licenses, package: &Package) -> Option<String> {
    let name = format!("{} {}", package.name, package.version);
    let Some(text) = &package.license else {
        return Some(format!("{name}: no licence in its manifest"));
    };
    let own = licenses
        .exceptions
        .iter()
        .filter(|exception| matches(&exception.spec, package))
        .flat_map(|exception| &exception.allow);
    let allowed: Vec<Licensee> = licenses
        .allow
        .iter()
        .chain(own)
        .filter_map(|id| Licensee::parse(id).ok())
        .collect();
    // `MIT/Apache-2.0`, as older manifests write it, is read as cargo-deny reads it.
    let expression = Expression::parse_mode(text, spdx::ParseMode::LAX);
    match expression {
        Err(_) => Some(format!("{name}: licence `{text}` is no SPDX expression")),
        Ok(expression) => (!expression
            .evaluate(|required| allowed.iter().any(|licensee| licensee.satisfies(required))))
        .then(|| format!("{name}: licence `{text}` is not allowed by deny.toml")),
    }
}

fn refused_source(sources: &Sources, package: &Package) -> Option<String> {
    let source = &package.source.as_ref()?.repr;
    let allowed = source
        .strip_prefix("registry+")
        .or_else(|| source.strip_prefix("sparse+"))
        .is_some_and(|url| {
            sources
                .allow_registry
                .iter()
                .any(|registry| registry == url)
        });
    (!allowed).then(|| {
        format!(
            "{} {}: comes from `{source}`, which deny.toml does not allow",
            package.name, package.version
        )
    })
}

fn banned(bans: &Bans, package: &Package) -> Option<String> {
    let ban = bans.deny.iter().find(|ban| matches(&ban.spec, package))?;
    let instead = match &ban.use_instead {
        Some(other) => format!("; use {other} instead"),
        None => String::new(),
    };
    Some(format!(
        "{} {}: banned by deny.toml{instead}",
        package.name, package.version
    ))
}

/// Crates with more than one version, but for the versions that deny.toml excepts.
fn duplicates<'a>(
    skips: &[Skip],
    packages: impl Iterator<Item = &'a Package> + Clone,
) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in packages.clone() {
        if !skips.iter().any(|skip| matches(&skip.spec, package)) {
            versions
                .entry(package.name.as_str())
                .or_default()
                .insert(package.version.to_string());
        }
    }
    let mut findings: Vec<String> = versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| {
            let versions: Vec<_> = versions.into_iter().collect();
            format!(
                "{name}: {} versions ({}); `cargo tree --invert {name}@{}` shows who asks for it",
                versions.len(),
                versions.join(", "),
                versions[0]
            )
        })
        .collect();
    findings.extend(
        skips
            .iter()
            .filter(|skip| !packages.clone().any(|package| matches(&skip.spec, package)))
            .map(|skip| {
                format!(
                    "deny.toml excepts `{}`, which is not in the tree any more; remove the line",
                    skip.spec
                )
            }),
    );
    findings
}

fn unreasoned(skips: &[Skip]) -> Vec<String> {
    skips
        .iter()
        .filter(|skip| skip.reason.is_empty())
        .map(|skip| format!("deny.toml excepts `{}` without a reason", skip.spec))
        .collect()
}

/// Whether a package is meant by `name`, `name@1.2.3` (as cargo-deny reads it:
/// a version requirement) or `name:1.2.3`.
fn matches(spec: &str, package: &Package) -> bool {
    let (name, version) = match spec.split_once(['@', ':']) {
        Some((name, version)) => (name, Some(version)),
        None => (spec, None),
    };
    package.name == name
        && version.is_none_or(|version| {
            VersionReq::parse(version).is_ok_and(|required| required.matches(&package.version))
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &str, version: &str, license: &str, source: Option<&str>) -> Package {
        serde_json::from_value(json!({
            "name": name, "version": version, "id": format!("{name}@{version}"),
            "license": license, "source": source, "dependencies": [], "targets": [],
            "features": {}, "manifest_path": "Cargo.toml",
        }))
        .unwrap()
    }

    fn licenses(allow: &[&str]) -> Licenses {
        Licenses {
            allow: allow.iter().map(|id| (*id).to_owned()).collect(),
            exceptions: vec![LicenseException {
                spec: "odd".to_owned(),
                allow: vec!["CC0-1.0".to_owned()],
            }],
        }
    }

    fn skip(spec: &str) -> Skip {
        Skip {
            spec: spec.to_owned(),
            reason: "because".to_owned(),
        }
    }

    #[test]
    fn a_licence_expression_is_evaluated() {
        let allowed = licenses(&["MIT", "ISC"]);
        let refused =
            |text| refused_licence(&allowed, &package("a", "1.0.0", text, None)).is_some();
        assert!(!refused("MIT OR Apache-2.0"));
        assert!(!refused("MIT/Apache-2.0"));
        assert!(!refused("MIT AND ISC"));
        assert!(refused("Apache-2.0"));
        assert!(refused("MIT AND Apache-2.0"));
        assert!(refused("whatever you like"));
    }

    #[test]
    fn an_exception_opens_a_licence_for_one_crate() {
        let allowed = licenses(&["MIT"]);
        let odd = package("odd", "1.0.0", "CC0-1.0", None);
        let even = package("even", "1.0.0", "CC0-1.0", None);
        assert_eq!(refused_licence(&allowed, &odd), None);
        assert!(refused_licence(&allowed, &even).is_some());
    }

    #[test]
    fn two_versions_are_found_unless_one_is_excepted() {
        let packages = [
            package("syn", "2.0.1", "MIT", None),
            package("syn", "3.0.9", "MIT", None),
        ];
        let found = duplicates(&[], packages.iter());
        assert!(
            found[0].starts_with("syn: 2 versions (2.0.1, 3.0.9)"),
            "{found:?}"
        );
        assert!(duplicates(&[skip("syn@2")], packages.iter()).is_empty());
    }

    #[test]
    fn an_exception_that_nobody_needs_is_found() {
        let packages = [package("syn", "3.0.9", "MIT", None)];
        let found = duplicates(&[skip("syn@2")], packages.iter());
        assert!(found[0].contains("remove the line"), "{found:?}");
    }

    #[test]
    fn only_the_listed_registry_is_a_source() {
        let sources = Sources {
            allow_registry: vec!["https://example.test/index".to_owned()],
        };
        let from = |source| refused_source(&sources, &package("a", "1.0.0", "MIT", source));
        assert_eq!(from(None), None);
        assert_eq!(from(Some("registry+https://example.test/index")), None);
        assert!(from(Some("git+https://example.test/a")).is_some());
        assert!(from(Some("registry+https://other.test/index")).is_some());
    }

    #[test]
    fn a_banned_crate_is_found_with_what_to_use_instead() {
        let bans = Bans {
            deny: vec![Ban {
                spec: "openssl".to_owned(),
                use_instead: Some("rustls".to_owned()),
            }],
            skip: Vec::new(),
        };
        let found = banned(&bans, &package("openssl", "0.10.1", "MIT", None));
        assert!(found.unwrap().ends_with("use rustls instead"));
    }
}
