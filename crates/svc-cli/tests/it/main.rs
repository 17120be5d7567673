//! The built program, run as a user runs it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod accounts;
mod administration;
mod both_ways;

mod demo;
mod readme;
mod serving;
#[cfg(unix)]
mod systemd;
mod upkeep;
mod usage;

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// A folder of its own, in which the program runs without any variable of ours.
struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_svc"), arguments)
    }

    fn program(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SVC_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed, and reads the one line that it prints.
    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        let line = text(&output.stdout);
        assert_eq!(line.matches('\n').count(), 1, "{arguments:?}: {line}");
        serde_json::from_str(&line).unwrap()
    }

    /// Runs a command that must fail with this status, and gives its message.
    fn failure(&self, status: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{arguments:?}: {message}"
        );
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        message
    }

    /// A database with a table of two orders.
    fn database(&self, name: &str) {
        let path = self.path().join(name);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let database = svc_data::Database::open_sqlite(&path, &[]).await.unwrap();
            let made: Result<(), svc_data::Error> = database
                .write(|connection| {
                    let table = "CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, created_at DATETIME)";
                    connection.execute(table, &[])?;
                    let rows = "INSERT INTO orders VALUES (1, 'paid', '2026-11-21 10:00:00'), (2, NULL, NULL)";
                    connection.execute(rows, &[])?;
                    Ok(())
                })
                .await;
            made.unwrap();
        });
    }

    /// Starts a service and waits for its ready line.
    fn start(&self, command: &mut Command) -> Service {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut message = String::new();
            child
                .stderr
                .take()
                .unwrap()
                .read_to_string(&mut message)
                .unwrap();
            panic!("the service did not start: {message}");
        }
        Service {
            child,
            out,
            ready: serde_json::from_str(&line).unwrap(),
        }
    }
}

/// A service that runs until it is dropped.
struct Service {
    child: Child,
    out: BufReader<ChildStdout>,
    ready: Value,
}

impl Service {
    /// Sends SIGTERM, and waits for the end; gives whether it was a success, and what else it printed.
    fn stop(&mut self) -> (bool, String) {
        let told = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(told.success());
        let deadline = Instant::now() + Duration::from_secs(20);
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "the service does not stop");
            std::thread::yield_now();
        };
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        (status.success(), rest)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
