//! Checks which crates depend on which. The rules are those of the chapter Architecture of
//! the book; a new crate needs a line here before it can be used.

use cargo_metadata::{Dependency, DependencyKind, Package};

use crate::shell::{Failure, Repository};

/// Each crate and the crates of this workspace that it may depend on.
/// Development dependencies (tests, examples) are not restricted.
const LAYERS: &[(&str, &[&str])] = &[
    ("svc-macros", &[]),
    ("svc-model", &["svc-macros"]),
    ("svc-testing", &["svc-model"]),
    ("svc-auth", &["svc-model"]),
    ("svc-transport", &["svc-model"]),
    ("svc-api", &["svc-model", "svc-auth", "svc-transport"]),
    ("svc-js", &["svc-model", "svc-auth", "svc-api"]),
    ("svc-data", &["svc-model"]),
    ("svc-store", &["svc-model", "svc-data"]),
    (
        "svc-server",
        &[
            "svc-model",
            "svc-auth",
            "svc-transport",
            "svc-data",
            "svc-store",
        ],
    ),
    ("svc-console", &["svc-model", "svc-api"]),
    (
        "svc-cli",
        &[
            "svc-console",
            "svc-model",
            "svc-auth",
            "svc-api",
            "svc-data",
            "svc-store",
            "svc-server",
        ],
    ),
];

/// The crates that are part of users' programs.
pub(super) const CLIENT_CRATES: [&str; 6] = [
    "svc-macros",
    "svc-model",
    "svc-testing",
    "svc-auth",
    "svc-transport",
    "svc-api",
];

/// The direct dependencies that client crates may have: few, small and common ones.
const CLIENT_MAY_USE: &[&str] = &[
    "bytes",
    "fastrand",
    "futures-channel",
    "futures-core",
    "futures-timer",
    "futures-util",
    "h2",
    "http",
    "http-body",
    "http-body-util",
    "hyper",
    "hyper-util",
    "percent-encoding",
    "pin-project-lite",
    "pollster",
    "proc-macro2",
    "quote",
    "rustls",
    "rustls-native-certs",
    "serde",
    "serde_json",
    "serde_path_to_error",
    "syn",
    "thiserror",
    "tokio",
    "tokio-rustls",
    "tower-service",
    "tracing",
    "webpki-roots",
];

/// Third-party crates that only one crate of this workspace may use.
const KEPT_IN: &[(&str, &str, &[&str])] = &[
    (
        "svc-data",
        "a database driver",
        &[
            "rusqlite",
            "libsqlite3-sys",
            "tokio-postgres",
            "tokio-postgres-rustls",
            "deadpool-postgres",
            "mysql_async",
            "mysql_common",
            "sqlx",
        ],
    ),
    (
        "svc-server",
        "the web framework",
        &["axum", "axum-core", "axum-extra"],
    ),
    (
        "svc-transport",
        "an HTTP client",
        &["hyper-rustls", "reqwest", "ureq"],
    ),
];

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let findings: Vec<String> = repository
        .packages()
        .into_iter()
        .filter(|package| is_published(package) || is_product(repository, package))
        .flat_map(findings)
        .collect();
    Failure::unless_empty(&findings)
}

/// Whether it is published in another way than with `cargo publish`; such crates have a layer too.
fn is_product(repository: &Repository, package: &Package) -> bool {
    package
        .manifest_path
        .starts_with(repository.root().join("crates"))
}

/// The repository's own tools (`publish = false`) may use what they need.
pub fn is_published(package: &Package) -> bool {
    package.publish.as_deref() != Some(&[])
}

fn findings(package: &Package) -> Vec<String> {
    let name = package.name.as_str();
    let Some((_, may_use)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
        return vec![format!(
            "{name} has no place among the layers; say in xtask/src/ci/layers.rs who it may use"
        )];
    };
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .filter_map(|dependency| refused(name, may_use, dependency))
        .map(|why| format!("{name} {why}"))
        .collect()
}

/// Why a crate may not have this dependency.
fn refused(name: &str, may_use: &[&str], dependency: &Dependency) -> Option<String> {
    let used = dependency.name.as_str();
    if dependency.path.is_some() {
        return (!may_use.contains(&used))
            .then(|| format!("uses {used}, but may only use {}", sentence(may_use)));
    }
    if let Some((keeper, what, _)) = KEPT_IN
        .iter()
        .find(|(keeper, _, crates)| *keeper != name && crates.contains(&used))
    {
        return Some(format!("names {used}; {what} is the business of {keeper}"));
    }
    if name != "svc-transport" && is_hyper_client(used, &dependency.features) {
        return Some(format!(
            "turns on the client of {used}; that is the business of svc-transport"
        ));
    }
    if CLIENT_CRATES.contains(&name) && !CLIENT_MAY_USE.contains(&used) {
        return Some(format!(
            "names {used}, which is not among the few crates that the client half may use"
        ));
    }
    None
}

fn is_hyper_client(used: &str, features: &[String]) -> bool {
    matches!(used, "hyper" | "hyper-util")
        && features
            .iter()
            .any(|feature| feature == "full" || feature.starts_with("client"))
}

fn sentence(names: &[&str]) -> String {
    match names {
        [] => "nothing of this workspace".to_owned(),
        names => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn dependency(name: &str, features: &[&str], path: Option<&str>) -> Dependency {
        serde_json::from_value(json!({
            "name": name, "source": null, "req": "^1", "kind": null, "rename": null,
            "optional": false, "uses_default_features": false, "features": features,
            "target": null, "registry": null, "path": path,
        }))
        .unwrap()
    }

    fn why(name: &str, may_use: &[&str], used: &Dependency) -> String {
        refused(name, may_use, used).unwrap_or_default()
    }

    #[test]
    fn a_lower_layer_may_not_use_a_higher_one() {
        let up = dependency("svc-server", &[], Some("crates/svc-server"));
        assert!(why("svc-data", &["svc-model"], &up).contains("may only use svc-model"));
        assert_eq!(refused("svc-cli", &["svc-server"], &up), None);
    }

    #[test]
    fn only_one_crate_may_use_the_drivers_and_one_the_framework() {
        let driver = dependency("rusqlite", &[], None);
        assert!(why("svc-store", &[], &driver).contains("svc-data"));
        assert_eq!(refused("svc-data", &[], &driver), None);
        let axum = dependency("axum", &[], None);
        assert!(why("svc-cli", &[], &axum).contains("svc-server"));
    }

    #[test]
    fn only_the_transport_may_enable_the_client_of_hyper() {
        let client = dependency("hyper-util", &["client-legacy"], None);
        assert!(why("svc-server", &[], &client).contains("svc-transport"));
        assert_eq!(refused("svc-transport", &[], &client), None);
        let server = dependency("hyper-util", &["server-auto"], None);
        assert_eq!(refused("svc-server", &[], &server), None);
    }

    #[test]
    fn client_crates_use_only_listed_dependencies() {
        let url = dependency("url", &[], None);
        assert!(why("svc-model", &[], &url).contains("few crates"));
        assert_eq!(refused("svc-server", &[], &url), None);
    }

    #[test]
    fn layers_form_no_cycle() {
        for (index, (name, may_use)) in LAYERS.iter().enumerate() {
            let below: Vec<_> = LAYERS[..index].iter().map(|(name, _)| *name).collect();
            for used in *may_use {
                assert!(below.contains(used), "{name} uses {used}, listed after it");
            }
        }
    }
}
