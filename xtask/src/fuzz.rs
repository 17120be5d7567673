//! `cargo xtask fuzz`: runs the targets of `fuzz/` with cargo-fuzz, which is installed into the target folder when it
//! is missing. The pinned toolchain is enough: without a sanitizer nothing of it is unstable.
//!
//! When started by hand, a target continues with the inputs that earlier runs found, which stay in the target folder,
//! and each run tries other inputs. In `cargo xtask test` it starts only with the corpus of the repository and with a
//! fixed seed, so that the same commit has the same result.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;
use std::{fs, iter, thread};

use crate::shell::{Failure, Repository, Run};
use crate::tools::Tool;

const CARGO_FUZZ: Tool = Tool {
    package: "cargo-fuzz",
    version: "0.13.2",
};
/// The maximum memory of a target in MiB, and the maximum time for one input in seconds.
const MEMORY: u32 = 3_072;
const LONGEST: u32 = 25;

/// How long each target runs in `cargo xtask test`, and its seed.
const IN_TESTS: (Duration, u32) = (Duration::from_secs(10), 1);
/// How long each target runs by default.
pub const BY_DEFAULT: Duration = Duration::from_secs(60);

/// Runs the named targets, one on each core; without names, all of them.
pub fn run(repository: &Repository, names: &[String], each: Duration) -> Result<(), Failure> {
    let found = repository.target().join("fuzz-corpus");
    run_targets(repository, names, each, None, &found)
}

/// Runs every target as `cargo xtask test` does.
pub fn run_in_tests(repository: &Repository) -> Result<(), Failure> {
    let (each, seed) = IN_TESTS;
    let found = tempfile::tempdir()?;
    run_targets(repository, &[], each, Some(seed), found.path())
}

fn run_targets(
    repository: &Repository,
    names: &[String],
    each: Duration,
    seed: Option<u32>,
    found: &Path,
) -> Result<(), Failure> {
    let fuzz = repository.root().join("fuzz");
    let all = targets(&fuzz)?;
    let chosen: Vec<&str> = match names {
        [] => all.keys().map(String::as_str).collect(),
        names => names
            .iter()
            .map(|name| {
                all.contains_key(name)
                    .then_some(name.as_str())
                    .ok_or_else(|| {
                        let known: Vec<&str> = all.keys().map(String::as_str).collect();
                        Failure::new(format!(
                            "there is no fuzz target `{name}`; there are {}",
                            known.join(", ")
                        ))
                    })
            })
            .collect::<Result<_, _>>()?,
    };
    let compiles = Command::new("c++").arg("--version").output();
    if !compiles.is_ok_and(|output| output.status.success()) {
        svc_system::install(&["g++"]);
    }
    cargo_fuzz(repository, "build")?.run()?;
    // A target exits without cleaning up; its files in the temporary folder are removed here.
    let temporary = tempfile::tempdir()?;
    let run_target = |name: &str| {
        let found = found.join(name);
        fs::create_dir_all(&found)?;
        cargo_fuzz(repository, "run")?
            .args([name, text(&found)?, &format!("fuzz/corpus/{name}"), "--"])
            .args([
                format!("-max_total_time={}", each.as_secs()),
                format!("-rss_limit_mb={MEMORY}"),
                format!("-timeout={LONGEST}"),
            ])
            .args(["-print_final_stats=1", "-verbosity=0", "-close_fd_mask=1"])
            .args(seed.map(|seed| format!("-seed={seed}")))
            .args(dictionary(&fuzz, name))
            .env("TMPDIR", text(temporary.path())?)
            .run()
    };
    // A target uses one core.
    let cores = thread::available_parallelism()?.get();
    let queue = Mutex::new(chosen.into_iter());
    let next = || queue.lock().ok()?.next();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores)
            .map(|_| scope.spawn(|| iter::from_fn(next).try_for_each(run_target)))
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// The targets by name, with their files.
fn targets(fuzz: &Path) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let mut targets = BTreeMap::new();
    for entry in fs::read_dir(fuzz.join("fuzz_targets"))? {
        let path = entry?.path();
        if let Some(name) = path.file_stem().and_then(|name| name.to_str()) {
            targets.insert(name.to_owned(), path.clone());
        }
    }
    Ok(targets)
}

/// The option with the dictionary of a target, if it has one.
fn dictionary(fuzz: &Path, target: &str) -> Option<String> {
    let name = format!("{target}.dict");
    fuzz.join("dictionaries")
        .join(&name)
        .exists()
        .then(|| format!("-dict=fuzz/dictionaries/{name}"))
}

fn cargo_fuzz(repository: &Repository, command: &str) -> Result<Run, Failure> {
    let build = repository.target().join("fuzz");
    Ok(CARGO_FUZZ
        .command(repository)?
        .args([command, "--fuzz-dir", "fuzz", "--sanitizer", "none"])
        .args(["--target-dir", &build.display().to_string()]))
}

fn text(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| {
        Failure::new(format!(
            "{} is a path that is not UTF-8; choose another target folder",
            path.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_corpus_and_is_declared() {
        let repository = Repository::find().unwrap();
        let fuzz = repository.root().join("fuzz");
        let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        for name in targets(&fuzz).unwrap().keys() {
            let corpus = fuzz.join("corpus").join(name);
            assert!(fs::read_dir(&corpus).unwrap().count() > 0, "{name}");
            assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        }
    }

    #[test]
    fn an_unknown_target_is_refused_with_the_list() {
        let repository = Repository::find().unwrap();
        let names = ["filter".to_owned()];
        let failure = run(&repository, &names, BY_DEFAULT)
            .err()
            .unwrap()
            .to_string();
        assert!(failure.contains("`filter`"), "{failure}");
        assert!(failure.contains("filters"), "{failure}");
    }
}
