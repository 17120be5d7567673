//! The npm packages that build and test the client: those of the lock file
//! beside the tests, in a folder that the next run finds again. Database servers
//! for tests come in the same way.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{CRATE, system, text};
use crate::shell::{Failure, Repository};

/// Node and the installed packages.
#[derive(Debug)]
pub struct Tools {
    node: PathBuf,
    modules: PathBuf,
}

impl Tools {
    /// Installs what is missing.
    pub fn install(repository: &Repository) -> Result<Self, Failure> {
        let source = repository.root().join(CRATE).join("tests");
        let node = node(repository)?;
        let modules = install(repository, &source)?;
        Ok(Self { node, modules })
    }

    pub fn node(&self) -> &Path {
        &self.node
    }

    /// The folder `node_modules`.
    pub fn modules(&self) -> &Path {
        &self.modules
    }

    /// A file of an installed package.
    pub fn module(&self, path: &str) -> PathBuf {
        self.modules.join(path)
    }
}

/// The program `node`, installed when it is missing.
pub fn node(repository: &Repository) -> Result<PathBuf, Failure> {
    system::node(&folder_of_all(repository))
}

/// The folder of what is installed for tools and tests, which the next run finds again.
fn folder_of_all(repository: &Repository) -> PathBuf {
    repository.target().join("js-tools")
}

/// Installs the packages of the lock file in a folder of the repository where they are missing, and gives their folder
/// `node_modules`. No script of a package is run.
pub fn install(repository: &Repository, source: &Path) -> Result<PathBuf, Failure> {
    let manifest = fs::read_to_string(source.join("package.json"))?;
    let lock = fs::read_to_string(source.join("package-lock.json"))?;
    Failure::unless_empty(&findings(
        &serde_json::from_str(&manifest)?,
        &serde_json::from_str(&lock)?,
    ))?;

    let all = folder_of_all(repository);
    let folder = all.join(name(&[&manifest, &lock]));
    if !folder.exists() {
        let npm = system::npm()?;
        fs::create_dir_all(&all)?;
        // Installed under another name first, so that an incomplete installation is never used.
        let begun = tempfile::tempdir_in(&all)?;
        fs::write(begun.path().join("package.json"), &manifest)?;
        fs::write(begun.path().join("package-lock.json"), &lock)?;
        // The npm settings of the user are ignored.
        let user_config = begun.path().join(".npmrc-of-nobody");
        fs::write(&user_config, "")?;
        repository
            .command(&npm)
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .args(["--no-update-notifier", "--loglevel", "error"])
            .args(["--prefix", text(begun.path())])
            .args(["--cache", text(&all.join("npm-cache"))])
            .args(["--userconfig", text(&user_config)])
            .run()?;
        match fs::rename(begun.path(), &folder) {
            // It is not there any more under the name that it would be removed by.
            Ok(()) => drop(begun.keep()),
            // Another process was faster.
            Err(_) if folder.exists() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folder.join("node_modules"))
}

/// A folder name for the content of these files.
fn name(texts: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Entries with which two runs could install different packages, or that require a certain registry.
fn findings(manifest: &Value, lock: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    let kinds = ["devDependencies", "optionalDependencies"];
    let named = kinds.iter().filter_map(|kind| manifest[*kind].as_object());
    for (name, version) in named.flatten() {
        let version = version.as_str().unwrap_or_default();
        if !version.starts_with(|c: char| c.is_ascii_digit()) || version.contains(['x', '*', ' ']) {
            findings.push(format!(
                "package.json: {name} is at `{version}`, which is no single version"
            ));
        }
    }
    let packages = lock["packages"].as_object();
    for (path, package) in packages.into_iter().flatten() {
        if path.is_empty() {
            continue;
        }
        if !package["resolved"].is_null() {
            findings.push(format!(
                "package-lock.json: {path} names the address it was downloaded from; \
                 run npm with --omit-lockfile-registry-resolved"
            ));
        }
        if package["integrity"].is_null() {
            findings.push(format!("package-lock.json: {path} has no checksum"));
        }
    }
    if packages.is_none_or(|packages| packages.len() < 2) {
        findings.push("package-lock.json: names no packages".to_owned());
    }
    findings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lock(package: &Value) -> Value {
        json!({ "packages": { "": {}, "node_modules/a": package } })
    }

    #[test]
    fn a_lock_file_of_versions_and_checksums_is_accepted() {
        let manifest = json!({ "devDependencies": { "a": "1.2.3" } });
        let lock = lock(&json!({ "version": "1.2.3", "integrity": "sha512-x" }));
        assert_eq!(findings(&manifest, &lock), Vec::<String>::new());
    }

    #[test]
    fn a_range_is_not_a_version() {
        let lock = lock(&json!({ "integrity": "sha512-x" }));
        for range in ["^1.2.3", "1.x", ">=1", "*", "1.0.0 || 2.0.0"] {
            let manifest = json!({ "devDependencies": { "a": range } });
            assert_eq!(findings(&manifest, &lock).len(), 1, "{range}");
        }
    }

    #[test]
    fn an_address_and_a_missing_checksum_are_found() {
        let lock = lock(&json!({ "resolved": "https://registry.example/a.tgz" }));
        let found = findings(&json!({}), &lock).join("\n");
        assert!(found.contains("address"), "{found}");
        assert!(found.contains("checksum"), "{found}");
        assert_eq!(findings(&json!({}), &json!({})).len(), 1);
    }

    #[test]
    fn another_lock_file_gets_another_folder() {
        assert_eq!(name(&["a", "b"]), name(&["a", "b"]));
        assert_ne!(name(&["a", "b"]), name(&["ab", ""]));
    }
}
