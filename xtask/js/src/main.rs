//! `cargo xtask js`: makes the npm package of the JavaScript client out of the compiled crate and the
//! files of `crates/svc-js/js`. A crate of its own, for dependencies that xtask does without.

mod bind;
mod breakdown;
mod optimise;
mod package;
mod serve;
mod size;
mod sweep;
mod trim;

use std::{collections::BTreeMap, error::Error, fs, path::PathBuf, process::ExitCode};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// What the package may cost who loads it: WebAssembly and JavaScript, each compressed by itself.
const BUDGET: usize = 120 * 1024;

/// Where everything is, as xtask says it.
#[derive(Debug, Default)]
struct Options {
    /// The compiled crate.
    wasm: PathBuf,
    /// The folder with the files written by hand.
    js: PathBuf,
    /// The root of the repository, which has the licences.
    root: PathBuf,
    /// The folder that becomes the package.
    out: PathBuf,
    /// A folder for what need not be made again.
    cache: PathBuf,
    /// The program `node`.
    node: PathBuf,
    /// The script `wasm-opt` of the npm package binaryen.
    wasm_opt: PathBuf,
    /// The version of the package.
    version: String,
    /// Whether to say where the bytes go.
    sizes: bool,
}

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("serve") => serve_options(lexopt::Parser::from_args(std::env::args_os().skip(2)))
            .and_then(|options| serve::serve(&options)),
        _ => options(lexopt::Parser::from_env()).and_then(|options| run(&options)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut parser: lexopt::Parser) -> Result<Options> {
    use lexopt::prelude::*;

    let mut options = Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("wasm") => options.wasm = parser.value()?.into(),
            Long("js") => options.js = parser.value()?.into(),
            Long("root") => options.root = parser.value()?.into(),
            Long("out") => options.out = parser.value()?.into(),
            Long("cache") => options.cache = parser.value()?.into(),
            Long("node") => options.node = parser.value()?.into(),
            Long("wasm-opt") => options.wasm_opt = parser.value()?.into(),
            Long("package-version") => options.version = parser.value()?.string()?,
            Long("sizes") => options.sizes = true,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

fn serve_options(mut parser: lexopt::Parser) -> Result<serve::Options> {
    use lexopt::prelude::*;

    let mut options = serve::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("page") => options.page = parser.value()?.into(),
            Long("package") => options.package = parser.value()?.into(),
            Long("listen") => options.listen = parser.value()?.string()?,
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<()> {
    let compiled = fs::read(&options.wasm)?;
    let constants = sweep::Constants::read(&compiled)?;
    let bound = bind::bind(compiled)?;
    let mut named = optimise::optimise(options, bound.wasm)?;
    let swept = constants.sweep(&mut named)?;
    let wasm = breakdown::without_custom_sections(&named)?;

    let mut files = package::files(options)?;
    files.insert(bind::GLUE.to_owned(), bound.glue.into_bytes());
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

/// Makes the folder hold these files and nothing else.
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
