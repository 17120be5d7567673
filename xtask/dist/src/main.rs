//! Packs the program for a release: an archive for every Linux, and a package for Debian and its relatives. Equal content
//! has equal bytes, whenever and by whomever it was packed. `cargo xtask dist` builds the program and runs this.

mod archive;
mod contents;
mod debian;
mod settings;
#[cfg(test)]
mod tests;

use std::{error::Error, fs, path::PathBuf, process::ExitCode};

use clap::Parser;
use flate2::Compression;
use sha2::{Digest as _, Sha256};

use self::contents::Contents;

/// Packs the built program.
#[derive(Parser)]
struct Arguments {
    /// The built program
    #[arg(long)]
    program: PathBuf,
    /// The folder with README.md, CHANGELOG.md and the licences
    #[arg(long)]
    repository: PathBuf,
    /// For which machines it was built, such as x86_64-unknown-linux-gnu
    #[arg(long)]
    host: String,
    /// The folder to write into
    #[arg(long)]
    out: PathBuf,
}

fn main() -> ExitCode {
    match pack(&Arguments::parse()) {
        Ok(lines) => {
            for line in lines {
                println!("{line}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the packages with their checksums, which are returned.
fn pack(arguments: &Arguments) -> Result<Vec<String>, Box<dyn Error>> {
    let Arguments {
        program,
        repository,
        host,
        out,
    } = arguments;
    fs::create_dir_all(out)?;
    let contents = Contents::gather(program, repository)?;
    let best = Compression::best();
    let mut packages = vec![(archive::name(host), archive::pack(&contents, host, best)?)];
    // There is nothing of Debian elsewhere.
    if let Some(architecture) = debian::architecture(host) {
        packages.push((
            debian::name(architecture),
            debian::pack(&contents, architecture, best)?,
        ));
    }
    let mut lines = Vec::new();
    for (name, bytes) in packages {
        let digest = Sha256::digest(&bytes);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        // As `sha256sum --check` reads it.
        let line = format!("{digest}  {name}");
        fs::write(out.join(&name), bytes)?;
        fs::write(out.join(format!("{name}.sha256")), format!("{line}\n"))?;
        lines.push(line);
    }
    Ok(lines)
}
