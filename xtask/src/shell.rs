//! Running commands and steps: the command and its time are shown, and a failure
//! names the command to run by hand.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fmt, fs, io};

use cargo_metadata::{Metadata, MetadataCommand, Package};
use ignore::WalkBuilder;

/// The reason why a step failed, and the command that reproduces it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    by_hand: Option<String>,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            by_hand: None,
        }
    }

    /// One failure for a list of findings; success if the list is empty.
    pub fn unless_empty(findings: &[String]) -> Result<(), Self> {
        match findings {
            [] => Ok(()),
            findings => Err(Self::new(findings.join("\n"))),
        }
    }

    fn or_by_hand(mut self, command: impl FnOnce() -> String) -> Self {
        self.by_hand.get_or_insert_with(command);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.by_hand {
            Some(command) => write!(f, "\n\nto see it again, run: {command}"),
            None => Ok(()),
        }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}

/// The clone that this program works on.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
    metadata: Metadata,
}

impl Repository {
    pub fn find() -> Result<Self, Failure> {
        // Set by cargo when it runs this program, since two clones may share a build folder.
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .ok_or_else(|| Failure::new("xtask has no parent folder"))?
            .to_owned();
        let metadata = MetadataCommand::new()
            .current_dir(&root)
            .no_deps()
            .other_options(["--locked".to_owned()])
            .exec()?;
        Ok(Self { root, metadata })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The crates of this workspace, by name.
    pub fn packages(&self) -> Vec<&Package> {
        let mut packages = self.metadata.workspace_packages();
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        packages
    }

    pub fn package(&self, name: &str) -> Result<&Package, Failure> {
        self.packages()
            .into_iter()
            .find(|package| package.name == name)
            .ok_or_else(|| Failure::new(format!("the workspace has no crate `{name}`")))
    }

    /// The folder that cargo builds in.
    pub fn target(&self) -> &Path {
        self.metadata.target_directory.as_std_path()
    }

    /// The path of the program `svc` for a profile's folder (`debug`, `release`).
    pub fn program(&self, profile: &str) -> PathBuf {
        self.target()
            .join(profile)
            .join(format!("svc{}", std::env::consts::EXE_SUFFIX))
    }

    /// The text files of the repository by their paths: committed or not, but without
    /// those that .gitignore excludes. It does not need git.
    pub fn texts(&self) -> Result<BTreeMap<PathBuf, String>, Failure> {
        let walk = WalkBuilder::new(&self.root)
            .hidden(false)
            .parents(false)
            .git_global(false)
            .require_git(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        let mut texts = BTreeMap::new();
        for entry in walk {
            let entry = entry?;
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            match fs::read_to_string(entry.path()) {
                Ok(text) => {
                    let path = entry.path().strip_prefix(&self.root)?;
                    texts.insert(path.to_owned(), text);
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
                Err(error) => {
                    let path = entry.path().display();
                    return Err(Failure::new(format!("{path} cannot be read: {error}")));
                }
            }
        }
        Ok(texts)
    }

    pub fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Run {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Run::new(cargo, "cargo", &self.root).args(arguments)
    }

    pub fn command(&self, program: impl AsRef<OsStr>) -> Run {
        let shown = program.as_ref().to_string_lossy().into_owned();
        Run::new(program, &shown, &self.root)
    }
}

/// A command, together with the line that a person would type.
#[derive(Debug)]
pub struct Run {
    command: Command,
    variables: String,
    typed: String,
}

impl Run {
    fn new(program: impl AsRef<OsStr>, shown: &str, root: &Path) -> Self {
        let mut command = Command::new(program);
        command.current_dir(root).stdin(Stdio::null());
        Self {
            command,
            variables: String::new(),
            typed: shown.to_owned(),
        }
    }

    pub fn args<S: AsRef<str>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        for argument in arguments {
            let argument = argument.as_ref();
            self.command.arg(argument);
            self.typed.push(' ');
            self.typed.push_str(&quoted(argument));
        }
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<str>) -> Self {
        self.command.env(name, value.as_ref());
        self.variables
            .push_str(&format!("{name}={} ", quoted(value.as_ref())));
        self
    }

    /// Removes variables whose names begin with this prefix: settings of the caller's own service.
    pub fn env_remove(mut self, beginning: &str) -> Self {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with(beginning) {
                self.command.env_remove(name);
            }
        }
        self
    }

    /// Sets a variable without showing its value.
    pub fn secret_env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self.variables.push_str(&format!("{name}=... "));
        self
    }

    /// Runs the command with the output of this process.
    pub fn run(mut self) -> Result<(), Failure> {
        println!("$ {}{}", self.variables, self.typed);
        let status = self.command.status().map_err(|error| self.not_run(error))?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("`{}` failed ({status})", self.typed))
            .or_by_hand(|| format!("{}{}", self.variables, self.typed)))
    }

    /// Runs the command and returns its standard output.
    pub fn read(mut self) -> Result<String, Failure> {
        let output = self.command.output().map_err(|error| self.not_run(error))?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            return Err(Failure::new(format!(
                "`{}` failed: {}",
                self.typed,
                said.trim()
            )));
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn not_run(&self, error: std::io::Error) -> Failure {
        Failure::new(format!("`{}` cannot be run: {error}", self.typed))
    }
}

/// A step of `ci` or `test`.
#[derive(Clone, Copy)]
pub struct Step {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Repository) -> Result<(), Failure>,
}

impl Step {
    /// The steps with these names, in their order.
    pub fn named(
        groups: &[&'static [Self]],
        names: &[String],
    ) -> Result<Vec<&'static Self>, Failure> {
        let steps = groups.iter().copied().flatten();
        names
            .iter()
            .map(|name| {
                steps.clone().find(|step| step.name == name).ok_or_else(|| {
                    let steps: String = groups.iter().map(|group| Self::list(group)).collect();
                    Failure::new(format!("there is no step `{name}`; there are\n{steps}"))
                })
            })
            .collect()
    }

    /// The steps, one on each line, with a description.
    pub fn list(steps: &[Self]) -> String {
        steps
            .iter()
            .map(|step| format!("{:14}{}\n", step.name, step.about))
            .collect()
    }

    /// Runs the step between a line with its name and one with its time.
    pub fn timed(&self, repository: &Repository, by_hand: &str) -> Result<(), Failure> {
        let started = Instant::now();
        self.announced(repository, by_hand)?;
        println!(
            "== {}: ok, {:.1} s",
            self.name,
            started.elapsed().as_secs_f64()
        );
        Ok(())
    }

    /// Runs the step after a line with its name, and adds nothing to its output.
    pub fn announced(&self, repository: &Repository, by_hand: &str) -> Result<(), Failure> {
        println!("\n== {}: {}", self.name, self.about);
        let started = Instant::now();
        (self.run)(repository).map_err(|failure| {
            let failure = failure.or_by_hand(|| by_hand.to_owned());
            Failure {
                message: format!(
                    "{} failed after {:.1} s\n{}",
                    self.name,
                    started.elapsed().as_secs_f64(),
                    failure.message
                ),
                by_hand: failure.by_hand,
            }
        })
    }
}

fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=/.,:@+{}".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_command_can_be_typed() {
        assert_eq!(quoted("--package"), "--package");
        assert_eq!(quoted("-D warnings"), "'-D warnings'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_failure_names_the_command_to_run_by_hand() {
        let failure = Failure::new("no").or_by_hand(|| "cargo xtask ci fmt".to_owned());
        assert_eq!(
            failure.to_string(),
            "no\n\nto see it again, run: cargo xtask ci fmt"
        );
    }

    #[test]
    fn findings_become_one_failure() {
        assert!(Failure::unless_empty(&[]).is_ok());
        let findings = ["a".to_owned(), "b".to_owned()];
        let failure = Failure::unless_empty(&findings).unwrap_err();
        assert_eq!(failure.to_string(), "a\nb");
    }
}
