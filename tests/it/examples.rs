//! The examples of the client crate, run with a real service.

use std::{path::PathBuf, process::Command};

use svc_tests::program;

use crate::shared::demo;

/// Runs a built example with the demo's addresses and credentials.
fn run(name: &str) -> String {
    let folder = program()
        .parent()
        .map(PathBuf::from)
        .expect("the program lies in a folder");
    let example = folder.join("examples").join(name);
    assert!(
        example.exists(),
        "the examples are not built: run cargo build -p svc-api --examples"
    );
    let output = Command::new(example)
        .env("SVC_API_BASE_URL", demo().text("/base_url"))
        .env("SVC_APP_BASE_URL", demo().text("/app_base_url"))
        .env("SVC_PROJECT", demo().text("/project"))
        .env("SVC_ENVIRONMENT", demo().text("/environment"))
        .env("SVC_API_TOKEN", demo().text("/resources/shop/token"))
        .env("SVC_API_KEY", demo().text("/api_key"))
        .output()
        .expect("the example starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    let text = String::from_utf8(output.stdout).expect("the example writes UTF-8");
    assert!(!text.trim().is_empty(), "{name} shows what it did");
    text
}

#[test]
fn the_quickstart_runs() {
    run("quickstart");
}

#[test]
fn the_example_with_generated_types_runs() {
    run("typed_records");
}

#[test]
fn the_example_with_reqwest_runs() {
    run("custom_reqwest");
}

#[test]
fn the_examples_with_other_http_clients_run() {
    for name in ["custom_reqwest_0_12", "custom_hyper_util", "custom_ureq"] {
        run(name);
    }
}

#[test]
fn the_example_with_tower_runs() {
    run("custom_tower");
}

#[test]
fn the_example_within_one_process_runs() {
    run("in_process_axum");
}
