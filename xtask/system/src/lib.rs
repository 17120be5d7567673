//! Installs packages of the system that tests and tools need.

use std::{
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// Held while packages are installed: several tests may need some at once.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Installs packages of Debian or Ubuntu, as root or as a user who may become root without a password. Servers in them
/// are not started. The caller must check afterwards whether the programs are installed.
pub fn install(packages: &[&str]) {
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    println!("installing {}", packages.join(" "));
    // Another process may be installing packages too.
    let wait = "DPkg::Lock::Timeout=300";
    let mut options = vec![
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
        "-o",
        wait,
    ];
    options.extend(packages);
    if !apt(&options) {
        apt(&["update", "-qq"]);
        apt(&options);
    }
}

fn apt(arguments: &[&str]) -> bool {
    let mut command = match is_root() {
        true => Command::new("apt-get"),
        false => {
            let mut sudo = Command::new("sudo");
            sudo.args(["-n", "apt-get"]);
            sudo
        }
    };
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("RUNLEVEL", "1")
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Whether this process runs as root.
#[cfg(unix)]
pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;

    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Whether this process runs as root.
#[cfg(not(unix))]
pub fn is_root() -> bool {
    false
}
