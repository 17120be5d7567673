//! `cargo xtask js`: makes the npm package of the JavaScript client from the compiled crate and the files
//! of `crates/svc-js/js`. It is a separate crate, so that xtask does not need its dependencies.

mod bind;
mod breakdown;
mod optimise;
mod package;
mod serve;
mod size;
mod sweep;
mod trim;

use std::{collections::BTreeMap, error::Error, fs, path::PathBuf, process::ExitCode};

use clap::{Args, Parser};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// The maximum size of the package for its users: WebAssembly and JavaScript, each compressed separately.
const BUDGET: usize = 120 * 1024;

/// The commands, which `cargo xtask js` runs with all paths.
#[derive(Debug, Parser)]
enum Command {
    /// Makes the package.
    Package(Options),
    /// Serves the example page.
    Serve(serve::Options),
}

#[derive(Debug, Args)]
struct Options {
    /// The compiled crate.
    #[arg(long)]
    wasm: PathBuf,
    /// The folder with the files written by hand.
    #[arg(long)]
    js: PathBuf,
    /// The root of the repository, which has the licences.
    #[arg(long)]
    root: PathBuf,
    /// The folder that becomes the package.
    #[arg(long)]
    out: PathBuf,
    /// A cache folder.
    #[arg(long)]
    cache: PathBuf,
    /// The program `node`.
    #[arg(long)]
    node: PathBuf,
    /// The script `wasm-opt` of the npm package binaryen.
    #[arg(long)]
    wasm_opt: PathBuf,
    /// The version of the package.
    #[arg(long = "package-version")]
    version: String,
    /// The address of the repository, empty when it has none.
    #[arg(long)]
    repository: String,
    /// Whether to print a breakdown of the size.
    #[arg(long)]
    sizes: bool,
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Serve(options) => serve::serve(&options),
        Command::Package(options) => run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let compiled = fs::read(&options.wasm)?;
    let constants = sweep::Constants::read(&compiled)?;
    let bound = bind::bind(compiled)?;
    let mut named = optimise::optimise(options, bound.wasm)?;
    let swept = constants.sweep(&mut named)?;
    let wasm = breakdown::without_custom_sections(&named)?;

    let mut files = package::files(options)?;
    let glue = package::without_indentation(&bound.glue)?;
    files.insert(bind::GLUE.to_owned(), glue.into_bytes());
    files.insert(bind::WASM.to_owned(), wasm);
    for (name, content) in &mut files {
        if name.ends_with(".js") {
            *content = package::without_comments(std::str::from_utf8(content)?).into_bytes();
        }
    }
    package::check(&files)?;
    write(options, &files)?;

    let report = size::Report::new(&files);
    print!("{report}");
    if options.sizes {
        println!("\nWhere the bytes of {} go, uncompressed:\n", bind::WASM);
        print!("{}", breakdown::Breakdown::new(&named)?);
        println!(
            "\n{} of {} bytes of data are blank.",
            swept.blank, swept.all
        );
    }
    report.check(BUDGET)?;
    Ok(())
}

/// Writes these files to the folder and removes all others.
fn write(options: &Options, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    fs::create_dir_all(&options.out)?;
    for entry in fs::read_dir(&options.out)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_none_or(|name| !files.contains_key(name)) {
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path())?,
                false => fs::remove_file(entry.path())?,
            }
        }
    }
    for (name, content) in files {
        fs::write(options.out.join(name), content)?;
    }
    Ok(())
}
