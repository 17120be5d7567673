//! The number of packages that each client crate depends on: normal dependencies
//! for this machine's target, including the crate itself.

use std::collections::BTreeSet;

use crate::shell::{Failure, Repository};

struct Budget {
    package: &'static str,
    features: &'static [&'static str],
    at_most: usize,
    without: &'static [&'static str],
}

const HTTP_STACK: &[&str] = &["tokio", "hyper", "hyper-util", "rustls", "ring"];
const HEAVY: &[&str] = &["url", "idna", "reqwest", "openssl", "native-tls"];

const BUDGETS: &[Budget] = &[
    Budget {
        package: "svc-model",
        features: &[],
        at_most: 19,
        without: HTTP_STACK,
    },
    Budget {
        package: "svc-auth",
        features: &[],
        at_most: 25,
        without: HTTP_STACK,
    },
    Budget {
        package: "svc-api",
        features: &["--no-default-features", "--features", "full"],
        at_most: 27,
        without: HTTP_STACK,
    },
    Budget {
        package: "svc-api",
        features: &[],
        at_most: 64,
        without: HEAVY,
    },
];

pub fn check(repository: &Repository) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for budget in BUDGETS {
        let packages = unique(
            &repository
                .cargo(["tree", "--edges", "normal", "--prefix", "none"])
                .args(["--format", "{p}", "--package", budget.package])
                .args(budget.features)
                .read()?,
        );
        let what = [&[budget.package], budget.features].concat().join(" ");
        println!(
            "{what}: {} packages of at most {}",
            packages.len(),
            budget.at_most
        );
        findings.extend(over(budget, &what, &packages));
    }
    Failure::unless_empty(&findings)
}

/// The packages of `cargo tree` as `name v1.2.3`, without the paths and marks behind them.
fn unique(lines: &str) -> BTreeSet<String> {
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        Some(format!("{} {}", words.next()?, words.next()?))
    };
    lines.lines().filter_map(package).collect()
}

fn over(budget: &Budget, what: &str, packages: &BTreeSet<String>) -> Vec<String> {
    let mut findings = Vec::new();
    if packages.len() > budget.at_most {
        let names: Vec<_> = packages.iter().map(String::as_str).collect();
        findings.push(format!(
            "{what}: {} packages, but at most {} are allowed: {}",
            packages.len(),
            budget.at_most,
            names.join(", ")
        ));
    }
    for package in packages {
        let name = package.split(' ').next().unwrap_or_default();
        if budget.without.contains(&name) {
            findings.push(format!("{what}: brings {name}, which it promises not to"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "svc-api v0.1.0 (path)\nserde v1.0.2\nhttp v1.5.0\nserde v1.0.2 (*)\n";

    #[test]
    fn one_package_too_many_is_found() {
        let mut budget = Budget {
            package: "svc-api",
            features: &[],
            at_most: 3,
            without: &[],
        };
        assert!(over(&budget, "svc-api", &unique(TREE)).is_empty());
        budget.at_most = 2;
        assert_eq!(over(&budget, "svc-api", &unique(TREE)).len(), 1);
    }

    #[test]
    fn a_forbidden_package_is_found() {
        let budget = Budget {
            package: "svc-api",
            features: &[],
            at_most: 60,
            without: &["http"],
        };
        let findings = over(&budget, "svc-api", &unique(TREE));
        assert_eq!(findings, ["svc-api: brings http, which it promises not to"]);
    }
}
