//! Processes whose clock is not that of this machine, by the library of Debian's package `libfaketime`.

use std::{fs, path::PathBuf};

use svc_system::install;

/// Variables for a process whose clock is away from that of the machine, such as by `+60s`. Its deadlines are not.
///
/// # Panics
/// When the library is not there and cannot be installed.
pub fn away(by: &str) -> Vec<(&'static str, String)> {
    let library = find().unwrap_or_else(|| {
        install(&["libfaketime"]);
        find().expect("libfaketime is installed")
    });
    vec![
        ("LD_PRELOAD", library.display().to_string()),
        ("FAKETIME", by.to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]
}

/// The library for programs with threads, in the folder of whichever processor this is.
fn find() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?;
    let libraries = folders.flatten().map(|folder| folder.path());
    libraries
        .map(|folder| folder.join("faketime/libfaketimeMT.so.1"))
        .find(|library| library.exists())
}
