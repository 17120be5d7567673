//! The commands of the README, one after the other.

use std::{env, path::Path};

use crate::{Sandbox, Service, text};

const README: &str = include_str!("../../README.md");

/// The lines of the README's shell examples.
fn commands() -> Vec<&'static str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in README.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside => lines.push(line),
            _ => {}
        }
    }
    lines
}

#[test]
fn the_commands_of_the_readme_work() {
    let sandbox = Sandbox::new();
    sandbox.database("sales.db");
    let program = Path::new(env!("CARGO_BIN_EXE_svc")).parent().unwrap();
    let path = env::join_paths(
        std::iter::once(program.to_owned()).chain(env::split_paths(&env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let (mut token, mut run) = (String::new(), 0);
    let mut service: Option<Service> = None;
    for line in commands() {
        run += 1;
        match line {
            // The demo has tests of its own.
            "svc demo" => {}
            "svc serve" => {
                service = Some(sandbox.start(&mut sandbox.command(&[
                    "serve",
                    "--json",
                    "--listen",
                    "127.0.0.1:0",
                ])));
            }
            line if line.starts_with("export ") => {
                assert_eq!(line, "export SVC_PROJECT=crm SVC_API_TOKEN=...");
            }
            line => {
                let mut shell = sandbox.program("sh", &["-c", line]);
                shell.env("PATH", &path);
                if let Some(service) = &service {
                    shell.env("SVC_PROJECT", "crm").env("SVC_API_TOKEN", &token);
                    shell.env(
                        "SVC_API_BASE_URL",
                        service.ready["base_url"].as_str().unwrap(),
                    );
                }
                let output = shell.output().unwrap();
                assert!(output.status.success(), "{line}: {}", text(&output.stderr));
                if line.starts_with("svc resource add") {
                    token = text(&output.stdout).trim().to_owned();
                }
            }
        }
    }
    assert_eq!(run, 8);
    let csv = std::fs::read_to_string(sandbox.path().join("orders.csv")).unwrap();
    assert_eq!(
        csv,
        "id,status,created_at\r\n2,,\r\n1,paid,2026-11-21T10:00:00Z\r\n"
    );
}
