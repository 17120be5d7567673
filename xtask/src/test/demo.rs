//! The program's demo on a free port, which ends when this value is dropped.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde::Deserialize;
use tempfile::TempDir;

use crate::shell::{Failure, Repository, Run};

/// A running `svc demo` over a new folder.
#[derive(Debug)]
pub struct Demo {
    ready: Ready,
    process: Child,
    folder: TempDir,
}

/// The line that the program prints once it accepts connections.
#[derive(Debug, Deserialize)]
struct Ready {
    app_base_url: String,
    base_url: String,
    project: String,
    environment: String,
    api_key: String,
    tools_token: String,
    resources: BTreeMap<String, Resource>,
}

#[derive(Debug, Deserialize)]
struct Resource {
    token: String,
}

impl Demo {
    pub fn start(repository: &Repository) -> Result<Self, Failure> {
        Self::start_with(repository, &[])
    }

    /// The demo with further options.
    pub fn start_with(repository: &Repository, options: &[&str]) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let log = folder.path().join("log");
        let mut command = Command::new(repository.program("debug"));
        // Settings of the caller's own service must not affect the demo.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SVC_") {
                command.env_remove(name);
            }
        }
        let mut process = command
            .args(["demo", "--json", "--listen", "127.0.0.1:0", "--dir"])
            .arg(folder.path().join("store"))
            .args(options)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()?;
        let ready = ready(&mut process, &log);
        if ready.is_err() {
            // It may have ended by itself; the reason is in the error already.
            let _ = process.kill();
            let _ = process.wait();
        }
        Ok(Self {
            ready: ready?,
            process,
            folder,
        })
    }

    /// Adds an administrator who can sign in.
    pub fn add_administrator(
        &self,
        repository: &Repository,
        email: &str,
        password: &str,
    ) -> Result<(), Failure> {
        let program = repository.program("debug");
        let store = self.folder.path().join("store");
        let Ready {
            project,
            environment,
            ..
        } = &self.ready;
        repository
            .command(program)
            .args(["user", "add", email, "--admin", "--password", password])
            .args(["--project", project, "--env", environment])
            .args(["--dir", &store.display().to_string(), "--json"])
            .env_remove("SVC_")
            .read()?;
        Ok(())
    }

    /// The variables that the program and the examples read, set to this demo.
    pub fn environment(&self, run: Run) -> Run {
        let token = self
            .ready
            .resources
            .get("shop")
            .map_or("", |resource| resource.token.as_str());
        run.env("SVC_APP_BASE_URL", &self.ready.app_base_url)
            .env("SVC_API_BASE_URL", &self.ready.base_url)
            .env("SVC_PROJECT", &self.ready.project)
            .env("SVC_ENVIRONMENT", &self.ready.environment)
            .secret_env("SVC_API_KEY", &self.ready.api_key)
            .secret_env("SVC_API_TOKEN", token)
            .secret_env("SVC_TOOLS_TOKEN", &self.ready.tools_token)
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // Nothing is left to do if the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits for the ready line. The program either prints it or ends.
fn ready(process: &mut Child, log: &Path) -> Result<Ready, Failure> {
    let output = process
        .stdout
        .take()
        .ok_or_else(|| Failure::new("`svc demo` has no standard output"))?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(|error| {
        let log = fs::read_to_string(log).unwrap_or_default();
        Failure::new(format!(
            "`svc demo --json` did not print its ready line ({error})\n{}",
            log.trim()
        ))
    })
}
