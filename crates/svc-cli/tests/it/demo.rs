//! The demo: its folder, and that its credentials are fresh at every start.

use std::process::Command;

use serde_json::Value;

use crate::Sandbox;

fn demo(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    sandbox.command(&[&["demo", "--json", "--listen", "127.0.0.1:0"], arguments].concat())
}

/// The credentials of the demo that were not revoked, by their prefixes.
fn valid(sandbox: &Sandbox, what: &str) -> Vec<String> {
    let listed = sandbox.json(&[what, "list", "--project", "demo", "--dir", "svc-demo"]);
    let valid = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|each| each["revoked"].is_null());
    valid
        .map(|each| each["prefix"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_start_makes_fresh_credentials_and_ends_those_before() {
    let sandbox = Sandbox::new();
    let mut first = sandbox.start(&mut demo(&sandbox, &[]));
    let secrets = |ready: &Value| {
        [
            &ready["api_key"],
            &ready["resources"]["shop"]["token"],
            &ready["tools_token"],
        ]
        .map(|secret| secret.as_str().unwrap().to_owned())
    };
    let before = secrets(&first.ready);
    let (success, rest) = first.stop();
    assert!(success);
    assert_eq!(rest, "", "the ready line is the only one");

    let second = sandbox.start(&mut demo(&sandbox, &[]));
    let now = secrets(&second.ready);
    assert!(now.iter().all(|secret| !before.contains(secret)));
    let [keys, tokens] = ["key", "token"].map(|what| valid(&sandbox, what));
    assert_eq!((keys.len(), tokens.len()), (1, 2));
    assert!(
        now[0].starts_with(&keys[0])
            && now[1].starts_with(&tokens[0])
            && now[2].starts_with(&tokens[1])
    );
    assert_eq!(
        sandbox.json(&["project", "list", "--dir", "svc-demo"])[0]["sign_up"],
        true
    );
}

#[test]
fn a_reset_makes_everything_anew_but_not_under_a_running_demo() {
    let sandbox = Sandbox::new();
    let mut running = sandbox.start(&mut demo(&sandbox, &[]));
    let message = sandbox.failure(1, &["demo", "--reset", "--listen", "127.0.0.1:0"]);
    assert!(message.contains("stop it first"), "{message}");
    running.stop();
    sandbox.json(&["project", "add", "mine", "--dir", "svc-demo"]);
    std::fs::write(sandbox.path().join("svc-demo/mine.txt"), "").unwrap();

    drop(sandbox.start(&mut demo(&sandbox, &["--reset"])));
    let projects = sandbox.json(&["project", "list", "--dir", "svc-demo"]);
    assert_eq!(projects.as_array().unwrap().len(), 1);
    assert!(sandbox.path().join("svc-demo/mine.txt").exists());
}

#[test]
fn a_store_of_somebody_is_not_taken_for_the_demo() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    for arguments in [
        ["demo", "--dir", "svc-data"].as_slice(),
        &["demo", "--reset", "--dir", "svc-data"],
    ] {
        let message = sandbox.failure(1, arguments);
        assert!(message.contains("did not make"), "{message}");
    }
    assert_eq!(sandbox.json(&["project", "list"])[0]["project"], "crm");
}
