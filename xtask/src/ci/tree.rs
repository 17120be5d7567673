//! What `cargo tree --prefix none --format {p}` prints.

use std::collections::BTreeSet;

/// Unique packages as `name v1.2.3`, without the paths and marks behind them.
pub fn packages(lines: &str) -> BTreeSet<String> {
    lines
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(format!("{} {}", words.next()?, words.next()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_is_used_twice_counts_once() {
        let lines = "svc-api v0.1.0 (path)\nserde v1.0.2\n\nserde v1.0.2 (*)\n";
        let packages: Vec<_> = packages(lines).into_iter().collect();
        assert_eq!(packages, ["serde v1.0.2", "svc-api v0.1.0"]);
    }
}
