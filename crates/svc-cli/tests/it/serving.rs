//! Starting and stopping a service: where its options come from, and what its ready line says.

use std::{net::TcpListener, process::Command};

use serde_json::json;

use crate::{Sandbox, text};

const ANY_PORT: [&str; 2] = ["--listen", "127.0.0.1:0"];

fn serve(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    sandbox.command(&[&["serve", "--json"], ANY_PORT.as_slice(), arguments].concat())
}

#[test]
fn new_credentials_are_printed_once() {
    let sandbox = Sandbox::new();
    sandbox.database("a.db");
    sandbox.database("b.db");
    let mut first = sandbox.start(&mut serve(&sandbox, &["--connect", "a=sqlite:a.db"]));
    let ready = &first.ready;
    assert_eq!(
        (&ready["project"], &ready["environment"]),
        (&json!("main"), &json!("prod"))
    );
    assert!(
        ready["api_key"].as_str().unwrap().starts_with("svck_"),
        "{ready}"
    );
    assert!(
        ready["resources"]["a"]["token"]
            .as_str()
            .unwrap()
            .starts_with("svct_"),
        "{ready}"
    );
    assert!(
        ready["tools_token"].as_str().unwrap().starts_with("svct_"),
        "{ready}"
    );
    let base_url = ready["base_url"].as_str().unwrap().to_owned();
    assert_eq!(ready["app_base_url"], format!("{base_url}/api"));
    let (success, rest) = first.stop();
    assert!(success);
    assert_eq!(rest, "", "the ready line is the only one");

    let second = sandbox.start(&mut serve(&sandbox, &["--connect", "b=sqlite:b.db"]));
    let ready = &second.ready;
    assert_eq!(ready["api_key"], json!(null));
    assert_eq!(ready["tools_token"], json!(null));
    assert_eq!(ready["resources"]["a"]["token"], json!(null));
    assert!(ready["resources"]["b"]["token"].is_string(), "{ready}");
}

#[test]
fn an_option_comes_from_the_flag_then_the_variable_then_the_file() {
    let sandbox = Sandbox::new();
    let file = "public-url = \"https://file.example\"\nlog = \"error\"\n";
    std::fs::write(sandbox.path().join("svc.toml"), file).unwrap();
    let base_url = |variable: Option<&str>, arguments: &[&str]| {
        let mut command = serve(&sandbox, &[&["--config", "svc.toml"], arguments].concat());
        if let Some(url) = variable {
            command.env("SVC_PUBLIC_URL", url);
        }
        sandbox.start(&mut command).ready["base_url"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let variable = Some("https://variable.example");
    assert_eq!(base_url(None, &[]), "https://file.example");
    assert_eq!(base_url(variable, &[]), "https://variable.example");
    assert_eq!(
        base_url(variable, &["--public-url", "https://flag.example/"]),
        "https://flag.example"
    );
}

#[test]
fn databases_can_be_named_in_the_variable_and_in_the_file() {
    let sandbox = Sandbox::new();
    sandbox.database("a b.db");
    std::fs::write(
        sandbox.path().join("svc.toml"),
        "[connect]\nfiled = \"sqlite:a b.db\"\n",
    )
    .unwrap();
    let mut by_file = sandbox.start(&mut serve(&sandbox, &["--config", "svc.toml"]));
    assert!(by_file.ready["resources"]["filed"]["token"].is_string());
    by_file.stop();
    let mut command = serve(&sandbox, &["--dir", "other", "--config", "svc.toml"]);
    let by_variable =
        sandbox.start(command.env("SVC_CONNECT", "one=sqlite:a b.db\ntwo=sqlite:a b.db\n"));
    let names: Vec<_> = by_variable.ready["resources"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn an_address_in_use_leaves_no_credential_unseen() {
    let sandbox = Sandbox::new();
    sandbox.database("a.db");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let connect = ["--connect", "a=sqlite:a.db"];
    let arguments = [
        &["serve", "--json", "--log", "error", "--listen", &address],
        connect.as_slice(),
    ]
    .concat();
    let message = sandbox.failure(1, &arguments);
    assert!(
        message.contains(&address) && message.contains("choose another"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");

    let service = sandbox.start(&mut serve(&sandbox, &connect));
    assert!(service.ready["api_key"].is_string());
    assert!(service.ready["resources"]["a"]["token"].is_string());
}

#[test]
fn a_missing_database_is_said_before_anything_is_made() {
    let sandbox = Sandbox::new();
    let message = sandbox.failure(
        1,
        &["serve", "--log", "error", "--connect", "a=sqlite:none.db"],
    );
    assert!(message.contains("none.db"), "{message}");
    assert!(!sandbox.path().join("none.db").exists());
    assert!(!sandbox.path().join("svc-data").exists());
}

#[test]
fn a_store_of_other_projects_is_served_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    let service = sandbox.start(&mut serve(&sandbox, &[]));
    assert_eq!(service.ready["project"], "crm");
    assert_eq!(service.ready["resources"], json!({}));
    drop(service);
    let projects = sandbox.json(&["project", "list"]);
    assert_eq!(projects.as_array().unwrap().len(), 1);
}

#[test]
fn people_read_what_programs_read_and_how_to_make_more() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    let mut child = sandbox
        .command(&[["serve", "--log", "error"].as_slice(), &ANY_PORT].concat())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut shown = Vec::new();
    while !text(&shown).contains("Keep the credentials") {
        assert_ne!(
            std::io::BufRead::read_until(&mut out, b'\n', &mut shown).unwrap(),
            0
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let shown = text(&shown);
    assert!(
        shown.contains("data host")
            && shown.contains("svck_")
            && shown.contains("svc resource add"),
        "{shown}"
    );
}
