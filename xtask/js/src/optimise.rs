//! Makes the module smaller with wasm-opt. Since that takes long, the result is cached until the input
//! changes.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::{Options, Result};

/// wasm-opt reads the allowed features from the section `target_features`, which rustc writes; it is
/// removed at the end with all custom sections. `-g` keeps the names for the breakdown.
const ARGUMENTS: &[&str] = &["-Oz", "--low-memory-unused", "--zero-filled-memory", "-g"];

pub fn optimise(options: &Options, wasm: Vec<u8>) -> Result<Vec<u8>> {
    let input = options.cache.join("input.wasm");
    let output = options.cache.join("output.wasm");
    let recipe = options.cache.join("recipe");
    // The path has the hash of the lock file in it, and so the version.
    let now = format!("{} {}", options.wasm_opt.display(), ARGUMENTS.join(" "));

    let is_known = fs::read(&input).is_ok_and(|before| before == wasm)
        && fs::read_to_string(&recipe).is_ok_and(|before| before == now);
    if is_known && let Ok(known) = fs::read(&output) {
        return Ok(known);
    }
    fs::create_dir_all(&options.cache)?;
    remove(&recipe)?;
    fs::write(&input, &wasm)?;
    let status = Command::new(&options.node)
        .arg(&options.wasm_opt)
        .args(ARGUMENTS)
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("{} cannot be run: {error}", options.node.display()))?;
    if !status.success() {
        return Err(format!("wasm-opt failed ({status})").into());
    }
    // Written last, so that an interrupted run starts again.
    fs::write(&recipe, now)?;
    Ok(fs::read(&output)?)
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
